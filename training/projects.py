"""Lay the development split out for the evaluation: files cut by our own parser, questions, labels by file.

    python -m training.projects BENCH OUT.jsonl.xz --japanese benchmarks/quality/japanese.json

BENCH holds ``repos.json``, ``annotations/`` and ``repos/``, as the benchmark's own scripts lay them out.
"""

import argparse
import json
import lzma
from pathlib import Path
from typing import Any

from shirube.engine.parse.file import parse_file
from shirube.engine.parse.languages import language_of

LARGEST = 1_000_000


def main() -> None:
    """Write one line for each repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--japanese", type=Path, required=True)
    arguments = parser.parse_args()
    japanese = json.loads(arguments.japanese.read_text("utf-8"))
    with lzma.open(arguments.out, "wt", encoding="utf-8") as out:
        for spec in json.loads((arguments.bench / "repos.json").read_text("utf-8")):
            asked = [(row["number"], row["query"]) for row in japanese if row["repo"] == spec["name"]]
            row = {**project(arguments.bench, spec), "japanese": asked}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def project(bench: Path, spec: dict[str, Any]) -> dict[str, Any]:
    """Return files with their chunks, and questions with the files that answer them."""
    root = bench / "repos" / spec["name"] / (spec.get("benchmark_root") or "")
    found = (_file(root, path) for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink())
    files = [file for file in found if file]
    paths = [file["path"] for file in files]
    notes = json.loads((bench / "annotations" / f"{spec['name']}.json").read_text("utf-8"))
    return {"name": spec["name"], "files": files, "questions": [_question(note, paths) for note in notes]}


def _file(root: Path, path: Path) -> dict[str, Any] | None:
    body = path.read_bytes()
    language = language_of(path.name, body[:256])
    if not language or len(body) > LARGEST or b"\0" in body[:4096]:
        return None
    pieces = parse_file(body, language).pieces
    chunks = [body[piece.start : piece.end].decode("utf-8", "replace") for piece in pieces]
    symbols = [piece.symbol for piece in pieces]
    return {"path": path.relative_to(root).as_posix(), "chunks": chunks, "symbols": symbols} if chunks else None


def _question(note: dict[str, Any], paths: list[str]) -> dict[str, Any]:
    labels = [*note.get("relevant", []), *note.get("secondary", [])]
    wanted = [label if isinstance(label, str) else label["path"] for label in labels]
    targets = [[i for i, path in enumerate(paths) if same(path, target)] for target in wanted]
    return {"text": note["query"], "kind": note.get("category", "unknown"), "targets": targets}


def same(path: str, target: str) -> bool:
    """Tell whether two paths name one file, whichever root each is told from."""
    return path == target or path.endswith("/" + target) or target.endswith("/" + path)


if __name__ == "__main__":
    main()
