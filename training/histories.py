"""Collect rows from git histories: what commits say with the code they change, and Japanese comments with their code.

    python -m training.histories commits  OUT.jsonl.xz MIRRORS OWNER/NAME … --names all-repositories.txt [--japanese]
    python -m training.histories comments OUT.jsonl.xz MIRRORS OWNER/NAME … --names all-repositories.txt

MIRRORS holds bare repositories as ``OWNER+NAME/repo``. A project needs a free licence in ``sources.tsv``, under
``git:OWNER/NAME``, and must not bear a name of the benchmark; rows that copy a file of ``--trees`` are dropped.
"""

import argparse
import json
import lzma
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shirube.engine.history.hunks import SETTINGS
from shirube.engine.parse.languages import language_of, language_row
from shirube.engine.repo.git import git_output
from shirube.engine.repo.process import Limits
from shirube.engine.repo.read import decode
from training import licences, overlap
from training.collect import JAPANESE, LARGEST, SKIPPED
from training.comments import comments
from training.commits import change, is_telling, message

MOST_COMMITS, MOST_COMMENTS = 4_000, 3_000
"""Of one project."""
MOST_FILES, MOST_CHANGED = 4, 12
"""Source files of a commit, and files of any kind."""
MARKUP, UNPARSED = {"html", "css", "scss", "yaml", "toml", "json"}, {"vue", "svelte", "dart", "perl", "objc", "vim"}
"""Languages that are parsed but no programs, and the other way round."""
TESTS = re.compile(r"(^|/)(specs?|__tests__|dist|migrations?)/|(^|/)test_|[._](test|spec)\.|Tests?\.\w+$")

_LIMITS = Limits(timeout_seconds=300.0, max_bytes=256 << 20)
_OURS = {"safe.bareRepository": "all", "core.quotePath": "false", "core.bigFileThreshold": "1m", **SETTINGS}
"""Mirrors are bare; git shows no diff of a file above the threshold."""
_AT_ONCE = 40
_COMMIT = re.compile(rb"^\x02([0-9a-f]{40})\n", re.MULTILINE)
_FILE = re.compile(rb"^diff --git .*\n", re.MULTILINE)
_PATH = re.compile(r"^\+\+\+ b/(.*)\n", re.MULTILINE)

Row = dict[str, Any]


def main() -> None:
    """Write the rows of every project that may be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["commits", "comments"])
    parser.add_argument("out", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("projects", nargs="+")
    parser.add_argument("--names", type=Path, required=True, help="repositories of the benchmark, owner/name a line")
    parser.add_argument("--trees", type=Path, nargs="*", default=[], help="folders of trees that rows must not copy")
    parser.add_argument("--japanese", action="store_true", help="only messages in Japanese; otherwise only in ASCII")
    parser.add_argument("--most", type=int, default=MOST_COMMITS, help="commits of one project")
    given = parser.parse_args()
    known = overlap.reference(overlap.tree_texts(given.trees))
    names, seen = given.names.read_text().split(), set[str]()
    with lzma.open(given.out, "wt", encoding="utf-8", preset=6) as out:
        for project in given.projects:
            source, mirror = f"git:{project}", given.mirrors / project.replace("/", "+") / "repo"
            if not licences.free(source) or overlap.named(source, names):
                print(f"{project}: left out")
                continue
            if given.what == "commits":
                rows = list(commit_rows(mirror, seen, given.japanese, given.most))
            else:
                rows = comment_rows(mirror, seen)
            copied = overlap.copied([row["c"] for row in rows], known)
            is_copy = bool(overlap.sources_to_drop([source] * len(rows), copied))
            kept = [row for row, flag in zip(rows, copied, strict=True) if not flag and not is_copy]
            out.writelines(
                json.dumps({**row, "s": source}, ensure_ascii=False, separators=(",", ":")) + "\n" for row in kept
            )
            print(f"{project}: {len(kept)} rows, {int(copied.sum())} copied", flush=True)


def commit_rows(mirror: Path, seen: set[str], japanese: bool, most: int = MOST_COMMITS) -> Iterator[Row]:
    """Yield a row for each source file of the newest commits that say something; ``seen`` has what was said before."""
    told: dict[str, str] = {}
    for commit, text, paths in logged(mirror):
        few = 1 <= sum(map(bool, map(source_language, paths))) <= MOST_FILES and len(paths) <= MOST_CHANGED
        said = message(text) if few and len(told) < most else ""
        if is_telling(said, japanese) and said.lower() not in seen:
            seen.add(said.lower())
            told[commit] = said
    for commit, path, diff in diffs(mirror, list(told)):
        code, names = change(diff)
        if (language := source_language(path)) and code and names:
            yield {"q": told[commit], "c": code, "p": path, "n": names, "l": language}


def source_language(path: str) -> str:
    """Return the language of a program's own source file, else nothing."""
    language = "" if SKIPPED.search(path) or TESTS.search(path) else language_of(path)
    is_parsed = language not in MARKUP and language_row(language).grammar
    return language if is_parsed or language in UNPARSED else ""


def logged(mirror: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield commit, message and changed paths, newest first; merges are left out."""
    words = ["log", "--no-merges", "--no-renames", "--name-only", "--format=%x02%H%n%B%x01", "HEAD"]
    for commit, block in _by_commit(_git(mirror, words) or b""):
        text, _, paths = decode(block).text.partition("\x01")
        yield commit, text, [path for path in paths.split("\n") if path]


def diffs(mirror: Path, commits: list[str], at_once: int = _AT_ONCE) -> Iterator[tuple[str, str, list[str]]]:
    """Yield commit, path and diff of every changed file; a commit that git cannot show whole is left out."""
    words = ["show", "--no-renames", "--no-color", "--unified=5", "--format=%x02%H"]
    for begin in range(0, len(commits), at_once):
        batch = commits[begin : begin + at_once]
        output = _git(mirror, [*words, *batch])
        if output is None and at_once > 1:
            yield from diffs(mirror, batch, 1)
        for commit, shown in _by_commit(output or b""):
            for file in (decode(body).text for body in _FILE.split(shown)[1:]):
                if found := _PATH.search(file):
                    yield commit, found[1].strip(), file[found.end() :].split("\n")


def comment_rows(mirror: Path, seen: set[str]) -> list[Row]:
    """Return rows for the Japanese comments and docs of the newest tree, spread evenly over it."""
    rows: list[Row] = []
    for line in decode(_git(mirror, ["ls-tree", "-r", "-l", "HEAD"]) or b"").text.splitlines():
        (mode, _, blob, size), path = line.partition("\t")[0].split(), line.partition("\t")[2]
        language = source_language(path) if mode.startswith("100") and size.isdigit() and int(size) <= LARGEST else ""
        text = decode(_git(mirror, ["show", blob]) or b"").text if language else ""
        for said, code, name in comments(text, language) if JAPANESE.search(text) else ():
            if is_telling(said, True) and len(code) >= 20 and said not in seen:
                seen.add(said)
                rows.append({"q": said, "c": code, "p": path, "n": name, "l": language})
    share = min(1.0, MOST_COMMENTS / max(1, len(rows)))
    return [row for place, row in enumerate(rows) if int((place + 1) * share) > int(place * share)]


def _by_commit(output: bytes) -> Iterator[tuple[str, bytes]]:
    _, *parts = _COMMIT.split(output)
    yield from zip(map(bytes.decode, parts[::2]), parts[1::2], strict=True)


def _git(mirror: Path, words: list[str]) -> bytes | None:
    return git_output(mirror, words, _LIMITS, settings=_OURS)


if __name__ == "__main__":
    main()
