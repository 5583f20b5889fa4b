"""The development questions as numbers: what each signal measures, and which files and places are right."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.quality.data import Labelled, Repository, japanese, load
from benchmarks.quality.metric import same_file
from benchmarks.quality.ours import Ours
from numpy.typing import NDArray

PLACES = Path(__file__).parents[2] / "benchmarks" / "quality" / "places.json"
AT = (0.0, 0.2, 0.45, 0.7, 0.9, 1.0)
"""The knots of every shape."""
Numbers = NDArray[Any]
STRANGER, EVERY = "stranger", 3
"""The kind of questions that belong to another project; every third question is asked as one."""


@dataclass(frozen=True)
class Asked:
    """A question with its kind, its right files and, where they are known, its right lines."""

    kind: str
    repository: str
    text: str
    files: tuple[str, ...]
    lines: tuple[tuple[str, int], ...] = ()


@dataclass
class Case:
    """A question that was asked: the measures of its files and places, and which of them are right."""

    asked: Asked
    files: Numbers
    """One row for each file, one column for each signal."""
    named: Numbers
    """The points of seed 001 for what the question names outright, for each of its words."""
    factors: Numbers
    """What the shipped boost profile multiplies each file by, without the table."""
    roles: list[tuple[str, ...]]
    """The names by which the table may correct the factor of each file."""
    owners: Numbers
    places: Numbers
    """One row for each place."""
    right: Numbers
    hit: Numbers


@dataclass(frozen=True)
class FirstPlace:
    """The signs of the first place of an answer, and whether it is right."""

    asked: Asked
    signs: tuple[float, ...]
    right: bool
    confidence: float


def questions(bench: Path) -> list[Asked]:
    """Return the questions of the public benchmark, in English and in Japanese."""
    repositories = load(bench)
    english = [_asked("question", one) for repository in repositories for one in repository.questions]
    return english + [_asked("question ja", one) for repo in japanese(repositories) for one in repo.questions]


def _asked(kind: str, one: Labelled, lines: tuple[tuple[str, int], ...] = ()) -> Asked:
    return Asked(kind, one.repository, one.text, one.targets, lines)


def commits(data: Path) -> list[Asked]:
    """Return the subjects of commits with the files and, as far as they are still there, the lines they changed."""
    asked = []
    for repository in load(data):
        for one, sha in zip(repository.questions, shas(data, repository), strict=True):
            kind = "commit ja" if one.category == "japanese" else "commit"
            asked.append(_asked(kind, one, tuple(changed_lines(repository, sha, one.targets))))
    return asked


def shas(data: Path, repository: Repository) -> list[str]:
    """Return the commit of each question of a repository."""
    rows = json.loads((data / "annotations" / f"{repository.name}.json").read_text("utf-8"))
    return [row["sha"] for row in rows]


def changed_lines(repository: Repository, sha: str, paths: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """Yield the lines of the snapshot that a later commit removes or adds to; a line that is not unique is left out."""
    command = ["git", "-C", str(repository.root), "show", "--format=", "-U3", "--no-renames", sha, "--", *paths]
    shown = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout
    path, before, known = "", 0, dict[str, list[str]]()
    for line in shown.split("\n"):
        if line.startswith("--- a/"):
            path = line[6:]
            source = repository.root / path
            known[path] = source.read_text("utf-8", "replace").split("\n") if source.is_file() else []
        elif line.startswith("@@"):
            before = 0
        elif path and line.startswith("-") and not line.startswith("---"):
            if before := _line(known[path], line[1:]):
                yield path, before
        elif line.startswith("+") and not line.startswith("+++"):
            if before:
                yield path, before
            before = 0
        elif path and line.startswith(" "):
            before = _line(known[path], line[1:]) or (before and before + 1)


def _line(lines: list[str], text: str) -> int:
    found = [number for number, line in enumerate(lines, 1) if line == text] if len(text.strip()) > 5 else []
    return found[0] if len(found) == 1 else 0


def errors(path: Path) -> list[Asked]:
    """Return the error messages, each with the line it comes from."""
    return [
        Asked("message filled" if row["holes"] else "message", name, row["query"], (row["path"],), (_place(row),))
        for name, rows in json.loads(path.read_text("utf-8")).items()
        for row in rows
    ]


def places() -> list[Asked]:
    """Return the questions about places."""
    asked = []
    for name, data in json.loads(PLACES.read_text("utf-8")).items():
        for row in data["questions"]:
            lines = tuple(map(_place, (row, *row.get("also", ()))))
            kind = "place" if row["language"] == "en" else "place ja"
            asked.append(Asked(kind, name, row["query"], tuple(dict.fromkeys(path for path, _ in lines)), lines))
    return asked


def _place(row: dict[str, Any]) -> tuple[str, int]:
    return row["path"], row["line"]


def strangers(asked: list[Asked]) -> list[Asked]:
    """Return every third question, asked of another repository, where nothing answers it."""
    names = list(dict.fromkeys(one.repository for one in asked))
    return [
        Asked(STRANGER, names[(names.index(one.repository) + 1) % len(names)], one.text, ()) for one in asked[::EVERY]
    ]


def measure(ours: Ours, asked: Asked, mode: str = "auto") -> Case:
    """Ask a question and keep what every signal measures."""
    from shirube.engine.search.pipeline import Around, weigh
    from shirube.engine.search.places import shown_span
    from shirube.engine.search.question import read_question
    from shirube.engine.search.rank import rank
    from shirube.engine.search.shapes import Shapes
    from shirube.engine.search.signals import FILE_SIGNALS, PLACE_SIGNALS
    from shirube.types import Mode, Query

    workspace = ours.workspaces[asked.repository]
    config = workspace.config.search
    question = read_question(asked.text, config)
    if mode == "auto":
        mode = "lexical" if question.bare else "hybrid"
    around = Around(background=workspace.embedder.background, is_change=workspace.asks_for_change(asked.text))
    query = Query(asked.text, 10, 0, Mode(mode))
    ranking, _ = weigh(query, question, workspace.store, workspace.embedder, config, around)
    evidence = ranking.evidence
    right = [any(same_file(path, target) for target in asked.files) for path in evidence.paths]
    symbols = {path: workspace.store.symbols(path) for path in {path for path, _ in asked.lines}}
    hit = [_holds(asked, place.path, shown_span(place, symbols.get(place.path, ()))) for place in evidence.places]
    plain = rank(evidence, Shapes(AT, {}, {}, {}, {}))  # without what was fitted before
    lifted = evidence.boosts.implementation  # also that of a file which the question names: nothing corrects it
    return Case(
        asked,
        np.array([signal.measure(evidence) for signal in FILE_SIGNALS]).T.reshape(-1, len(FILE_SIGNALS)),
        plain.points[-1] / evidence.question.words,
        np.array([float(np.prod([factor for _, factor in some])) for some in plain.factors]),
        [tuple(name for name, factor in some if factor != lifted) for some in plain.factors],
        evidence.owners,
        np.array([signal.measure(evidence) for signal in PLACE_SIGNALS]).T.reshape(-1, len(PLACE_SIGNALS)),
        np.array(right, dtype=bool),
        np.array(hit, dtype=bool),
    )


def _holds(asked: Asked, path: str, span: tuple[int, int]) -> bool:
    return any(path == known and span[0] <= line <= span[1] for known, line in asked.lines)


def first_answer(ours: Ours, asked: Asked) -> FirstPlace | None:
    """Ask a question as the program is set up; None when nothing was found.

    The first place is right by its lines where those are known, else by its file.
    """
    from msgspec.structs import astuple

    from shirube.engine.search import Around, search
    from shirube.types import Query

    workspace = ours.workspaces[asked.repository]
    around = Around(background=workspace.embedder.background, is_change=workspace.asks_for_change(asked.text))
    found = search(Query(asked.text, 10), workspace.store, workspace.embedder, workspace.config.search, around)
    if not found.hits or found.signs is None:
        return None
    first = found.hits[0]
    if asked.kind.startswith(("message", "place")):
        right = _holds(asked, first.path, (first.start_line, first.end_line))
    else:
        right = any(same_file(first.path, target) for target in asked.files)
    return FirstPlace(asked, astuple(found.signs), right, found.confidence)
