"""The kinds of questions, and the indexes they are asked of.

Questions, in English and Japanese, are asked of the trees of the public benchmark; commits, error messages and places
of the trees of the commits.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from training.ranking import cases
from training.ranking.cases import Asked

from benchmarks.quality.answers import Answer, Measure, among, by_files
from benchmarks.quality.data import Labelled, Repository, japanese, load
from benchmarks.quality.ours import Ours, questions

QUESTIONS = ("question", "question ja")
GROUPS = {
    "questions": ("question",),
    "questions, Japanese": ("question ja",),
    "commits": ("commit", "commit ja"),
    "messages": ("message", "message filled"),
    "places": ("place", "place ja"),
}
"""What is reported together → the kinds of questions in it."""
MEASURES: dict[str, Measure] = {name: among(1) if name in ("messages", "places") else by_files for name in GROUPS}
"""What counts in each group: the first place where its line is known to the letter, else the files."""


@dataclass
class Sets:
    """All questions by kind, with the indexes."""

    of_questions: Ours
    of_commits: Ours
    kinds: dict[str, list[Labelled]]

    def ours(self, kind: str) -> Ours:
        """Return the indexes that a kind of question is asked of."""
        return self.of_questions if kind in QUESTIONS else self.of_commits

    def group(self, name: str, every: int = 1, only: Iterable[str] | None = None) -> list[tuple[str, Labelled]]:
        """Return the questions of a group with their kinds: one in so many, of all or only some repositories."""
        names = None if only is None else set(only)
        asked = [(kind, one) for kind in GROUPS[name] for one in self.kinds[kind]]
        return [(kind, one) for kind, one in asked[::every] if names is None or one.repository in names]

    def ask(self, asked: Sequence[tuple[str, Labelled]], config: Any = None, **how: Any) -> list[Answer]:
        """Ask as the program is set up, or under another configuration, mode or table."""
        return [ask(self.ours(kind), one, config, **how) for kind, one in asked]

    def close(self) -> None:
        """Let go of the indexes."""
        self.of_questions.close()
        self.of_commits.close()


def ask(ours: Ours, question: Labelled, config: Any = None, mode: str = "auto", **how: Any) -> Answer:
    """Ask one question."""
    page = ours.found(question, config, mode, **how)
    return Answer(question, tuple((hit.path, hit.start_line, hit.end_line) for hit in page.hits), page.confidence)


def read_sets(bench: Path, commits: Path | None, errors: Path | None, only: Sequence[str], cache: str) -> Sets:
    """Read all questions that there are, and index their trees."""
    repositories = _chosen(load(bench), only)
    trees = _chosen(load(commits), only) if commits else []
    asked = cases.commits(commits) + cases.places() if commits else []
    asked += cases.errors(errors) if errors else []
    kinds: dict[str, list[Labelled]] = {kind: [] for group in GROUPS.values() for kind in group}
    kinds["question"], kinds["question ja"] = questions(repositories), questions(japanese(repositories))
    known = {tree.name for tree in trees}
    what = place_kinds()
    for number, one in enumerate(asked):
        if one.repository in known:
            category = what.get((one.repository, one.text), one.kind)
            kinds[one.kind].append(Labelled(one.repository, number, one.text, category, one.files, one.lines))
    return Sets(Ours(repositories, cache), Ours(trees, cache), kinds)


def _chosen(repositories: list[Repository], only: Sequence[str]) -> list[Repository]:
    return [one for one in repositories if not only or one.name in only]


def place_kinds() -> dict[tuple[str, str], str]:
    """Return what each question about a place is: how, symptom, change or name."""
    known = json.loads(cases.PLACES.read_text("utf-8"))
    return {(name, row["query"]): row["kind"] for name, data in known.items() for row in data["questions"]}


def as_asked(kind: str, one: Labelled) -> Asked:
    """Return a question as the fit reads it."""
    return Asked(kind, one.repository, one.text, one.targets, one.lines)


def elsewhere(asked: Sequence[tuple[str, Labelled]], every: int) -> list[tuple[str, Labelled]]:
    """Return one question in so many, to be asked of the next repository, where nothing answers it."""
    names = list(dict.fromkeys(one.repository for _, one in asked))
    following = dict(zip(names, [*names[1:], *names[:1]], strict=True))
    if len(names) < 2:
        return []
    return [
        (kind, replace(one, repository=following[one.repository], targets=(), lines=())) for kind, one in asked[::every]
    ]
