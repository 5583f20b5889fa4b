"""The changes: commits of other projects, each with its subject, the files it changed and the symbols in them."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.ranking.cases import changed_lines, shas

from benchmarks.quality.data import Labelled, Repository

SEED = 20261116
TWELVE = 12
MINOR, MAJOR = 2, 6
"""How many changes of each repository: of an English one, of a Japanese one."""
NEW = re.compile(r"^(?:\w+: *)?(?:\[[^\]]*\] *)*(?:add(?:s|ed)?|implement(?:s|ed)?|introduce[sd]?)\b|追加|実装", re.I)
"""A subject that asks for something new."""


@dataclass(frozen=True)
class Target:
    """A file to write, and a symbol in it that is to be changed; the symbol may be unknown."""

    path: str
    symbol: str = ""


@dataclass(frozen=True)
class Change:
    """A change that somebody made: what was asked for, and where it had to be made."""

    repository: str
    number: int
    sha: str
    request: str
    targets: tuple[Target, ...]
    japanese: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were changed."""
        return tuple(target.path for target in self.targets)

    @property
    def intent(self) -> str:
        """What a model says that follows our flow: something new, or a change."""
        return "IMPLEMENT" if NEW.search(self.request) else "MODIFY"

    @property
    def size(self) -> str:
        """One file or several."""
        return "one file" if len(self.targets) == 1 else "several files"

    @property
    def name(self) -> str:
        """A name for a file or a row."""
        return f"{self.repository}-{self.number}"


@dataclass(frozen=True)
class Picked:
    """A commit before its lines are looked up."""

    repository: Repository
    question: Labelled
    sha: str


def choose(data: Path, repositories: Sequence[Repository], seed: int = SEED) -> tuple[list[Picked], list[Picked]]:
    """Return the twelve changes to read, and the others to measure; no commit is in both."""
    pools = {one.name: _pool(data, one, seed) for one in repositories}
    twelve = _twelve(pools)
    taken = {(one.repository.name, one.question.number) for one in twelve}
    others: list[Picked] = []
    for repository in repositories:
        left = [one for one in pools[repository.name] if (repository.name, one.question.number) not in taken]
        count = MAJOR if _is_japanese(left) else MINOR
        several = [one for one in left if len(one.question.targets) > 1][: count // 2]
        single = [one for one in left if len(one.question.targets) == 1][: count - len(several)]
        others += [*single, *several]
    return twelve, others


def _pool(data: Path, repository: Repository, seed: int) -> list[Picked]:
    """Return the commits of a repository whose files are all there, in a random order that is always the same."""
    names = shas(data, repository)
    picked = [
        Picked(repository, question, sha)
        for question, sha in zip(repository.questions, names, strict=True)
        if all((repository.root / path).is_file() for path in question.targets)
    ]
    random.Random(f"{seed} {repository.name}").shuffle(picked)
    return picked


def _twelve(pools: dict[str, list[Picked]]) -> list[Picked]:
    """Return one change of each of eight English repositories and two of each Japanese one; a third has several files.

    Repositories are taken in turn by a rule that does not look at the changes: every second one by name, then the rest.
    """
    names = sorted(name for name, pool in pools.items() if pool and not _is_japanese(pool))
    japanese = sorted(name for name, pool in pools.items() if _is_japanese(pool))
    order = [*names[::2], *names[1::2]][: TWELVE - 2 * len(japanese)] + [name for name in japanese for _ in range(2)]
    chosen: list[Picked] = []
    for at, name in enumerate(order):
        left = [one for one in pools[name] if one not in chosen]
        wanted = [one for one in left if (len(one.question.targets) > 1) == (at % 3 == 2)]
        chosen += (wanted or left)[:1]
    return chosen


def _is_japanese(pool: Sequence[Picked]) -> bool:
    return any(one.question.category == "japanese" for one in pool)


def change_of(picked: Picked, store: Any) -> Change:
    """Return a change with the symbol in each of its files that has most of the changed lines."""
    question = picked.question
    lines = list(changed_lines(picked.repository, picked.sha, question.targets))
    targets = []
    for path in question.targets:
        names = [_symbol_at(store, path, line) for file, line in lines if file == path]
        named = [name for name in names if name]
        targets.append(Target(path, max(named, key=named.count) if named else ""))
    japanese = question.category == "japanese"
    return Change(question.repository, question.number, picked.sha, question.text, tuple(targets), japanese)


def _symbol_at(store: Any, path: str, line: int) -> str:
    around = [one for one in store.symbols(path) if one.start_line <= line <= one.end_line]
    return min(around, key=lambda one: one.end_line - one.start_line).qualified if around else ""
