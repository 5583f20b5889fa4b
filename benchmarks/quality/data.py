"""The labelled questions: given by path, because the trees and labels are not ours."""

import json
from dataclasses import dataclass
from pathlib import Path

JAPANESE = Path(__file__).with_name("japanese.json")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, and the files that answer it."""

    repository: str
    number: int
    text: str
    category: str
    targets: tuple[str, ...]
    lines: tuple[tuple[str, int], ...] = ()
    """Where they are known, the lines that answer it: path and line."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A tree to index and its questions."""

    name: str
    language: str
    root: Path
    questions: tuple[Labelled, ...]


def load(bench: Path) -> list[Repository]:
    """Return the repositories below a folder with ``repos.json``, ``annotations/`` and ``repos/``."""
    found = []
    for spec in json.loads((bench / "repos.json").read_text("utf-8")):
        root = bench / "repos" / spec["name"] / (spec.get("benchmark_root") or "")
        if root.is_dir():
            found.append(Repository(spec["name"], spec["language"], root, _questions(bench, spec["name"])))
    return found


def _questions(bench: Path, name: str) -> tuple[Labelled, ...]:
    rows = json.loads((bench / "annotations" / f"{name}.json").read_text("utf-8"))
    return tuple(
        Labelled(name, number, row["query"], row.get("category", "unknown"), tuple(map(_path, _targets(row))))
        for number, row in enumerate(rows)
    )


def _targets(row: dict[str, list[object]]) -> list[object]:
    return [*row.get("relevant", []), *row.get("secondary", [])]


def _path(target: object) -> str:
    return target if isinstance(target, str) else str(target["path"])  # type: ignore[index]


def japanese(repositories: list[Repository]) -> list[Repository]:
    """Return the same repositories with the questions that are asked again in Japanese, and only those."""
    asked: dict[str, dict[int, str]] = {}
    for row in json.loads(JAPANESE.read_text("utf-8")):
        asked.setdefault(row["repo"], {})[row["number"]] = row["query"]
    return [_with(repository, asked.get(repository.name, {})) for repository in repositories]


def _with(repository: Repository, texts: dict[int, str]) -> Repository:
    questions = tuple(
        Labelled(one.repository, one.number, texts[one.number], one.category, one.targets)
        for one in repository.questions
        if one.number in texts
    )
    return Repository(repository.name, repository.language, repository.root, questions)
