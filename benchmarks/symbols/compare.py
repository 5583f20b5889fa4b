"""Ours against a judge: definitions both ways, references by class, edges."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.symbols.judge import Judge, Named, Place
from shirube import Project

SEED = 20261115
SAMPLED = 300
KINDS = frozenset(
    {
        "function",
        "class",
        "method",
        "constructor",
        "interface",
        "enum",
        "struct",
        "type",
        "variable",
        "constant",
        "field",
    }
    | {"property", "macro"}
)
PAGE = 1000


@dataclass
class Score:
    """What came out for one repository."""

    repository: str
    judge: str
    files: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    definition_recall: tuple[int, int] = (0, 0)
    definition_precision: tuple[int, int] = (0, 0)
    reference_recall: tuple[int, int] = (0, 0)
    precision: dict[str, tuple[int, int]] = field(default_factory=dict)
    edge_recall: tuple[int, int] = (0, 0)
    edge_precision: tuple[int, int] = (0, 0)
    dangling: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def judged(project: Project, judge: Judge, root: Path, only: Callable[[str], bool]) -> Score:
    """Compare everything on one repository."""
    store = project.workspace.store
    files = sorted(path for path in store.files() if path.endswith(judge.endings) and only(path))
    score = Score(root.name, judge.name, len(files))
    named = [one for one in judge.symbols(files) if one.kind in KINDS and _is_plain(one.name)]
    told = list(_written(root, named))
    _definitions(project, judge, told, files, score)
    _references(project, judge, told, score)
    _edges(project, judge, files, score)
    return score


def _written(root: Path, named: Iterable[Named]) -> Iterator[Named]:
    """Leave out names that are not written where they are defined: those that macros of C put together."""
    lines: dict[str, list[str]] = {}
    for one in named:
        file, line, column = one.place
        if file not in lines:
            lines[file] = (root / file).read_text("utf-8", "replace").splitlines()
        if lines[file][line - 1][column - 1 :].startswith(one.name):
            yield one


def _is_plain(name: str) -> bool:
    return name.isidentifier() and name not in ("_", "__slots__", "__all__")


def _definitions(project: Project, judge: Judge, told: list[Named], files: list[str], score: Score) -> None:
    """Recall on names the judge knows, precision on names we know."""
    also = judge.declared(files)
    sample = random.Random(SEED).sample(told, min(SAMPLED, len(told)))
    found = []
    for one in sample:
        ours = project.find_definitions(one.name, path=one.place.file, exact_match=True, limit=500).definitions
        hit = any((two.file, two.line) == one.place[:2] for two in ours)
        found.append(hit)
        if not hit:
            score.missed.append(f"definition {one.place.file}:{one.place.line} {one.kind} {one.name}")
    score.definition_recall = (sum(found), len(found))
    known = {(one.place.file, one.place.line, one.name) for one in [*told, *also]}
    ours_all = [
        one
        for path in files
        for one in project.get_symbols(path, limit=2000).symbols
        if one.kind in KINDS and _is_plain(one.name)
    ]
    right = []
    for ours_one in random.Random(SEED).sample(ours_all, min(SAMPLED, len(ours_all))):
        hit = (ours_one.file, ours_one.line, ours_one.name) in known
        right.append(hit)
        if not hit:
            score.wrong.append(f"definition {ours_one.file}:{ours_one.line} {ours_one.kind} {ours_one.qualified}")
    score.definition_precision = (sum(right), len(right))


def _references(project: Project, judge: Judge, told: list[Named], score: Score) -> None:
    """Compare the uses of names both sides define at the same place."""
    # The judge's own names are sampled, so that its answers can be kept while ours change.
    sample = []
    for one in random.Random(SEED).sample(told, min(SAMPLED, len(told))):
        symbols = project.get_symbols(one.place.file, limit=2000).symbols
        ours = next((two for two in symbols if (two.line, two.name) == (one.place.line, one.name)), None)
        sample += [(one, ours)] if ours else []
    score.kinds = dict(Counter(one.kind for one, _ in sample).most_common())
    defined = {one.place for one in [*told, *judge.declared(sorted({one.place.file for one in told}))]}
    answers = judge.references([one.place for one, _ in sample])
    hits = total = 0
    right: Counter[str] = Counter()
    claimed: Counter[str] = Counter()
    for (one, ours), answer in zip(sample, answers, strict=True):
        wanted = {place for place in answer if place not in defined}
        found = _ours(project, ours)
        places = {place for place, _ in found}
        hits += len(wanted & places)
        total += len(wanted)
        score.missed += [
            f"reference of {one.name} ({one.place.file}:{one.place.line}) at {p.file}:{p.line}:{p.column}"
            for p in sorted(wanted - places)
        ]
        for place, how in found:
            if place in defined or not place.file.endswith(judge.endings):  # of other languages the judge knows nothing
                continue
            claimed[how] += 1
            right[how] += place in answer
            if place not in answer and how in ("import_resolved", "same_file"):
                score.wrong.append(
                    f"{how} {one.name} ({one.place.file}:{one.place.line}) at {place.file}:{place.line}:{place.column}"
                )
    score.reference_recall = (hits, total)
    score.precision = {how: (right[how], claimed[how]) for how in sorted(claimed)}


def _ours(project: Project, ours: Any) -> list[tuple[Place, str]]:
    """Return every use in code that we know of one definition."""
    found: list[tuple[Place, str]] = []
    cursor = ""
    while True:
        page = project.find_references(ours.qualified, defined_in=ours.file, limit=PAGE, cursor=cursor, prose=False)
        for one in page.references:
            how = one.how.value
            if one.definition and one.definition != f"{ours.file}:{ours.start_line}":
                how = "other"  # a name without a scope also means members of that name: another definition is claimed
            elif one.content[one.column - 1 : one.end_column - 1] != ours.name:
                how = "alias"  # ``import a as b``: a use all the same, and no judge for Python says so
            found.append((Place(one.file, one.line, one.column), how))
        cursor = page.next_cursor
        if not cursor:
            return found


def _edges(project: Project, judge: Judge, files: list[str], score: Score) -> None:
    store = project.workspace.store
    known = store.files()
    ours = {(edge.source, edge.target) for edge in store.edges(*files) if edge.kind == "path"}
    score.dangling = sum(target not in known for _, target in ours)
    theirs = {edge for edge in judge.edges(files) if edge[1] in known}
    score.edge_recall = (len(ours & theirs), len(theirs))
    sources = {source for source, _ in theirs}
    comparable = {edge for edge in ours if edge[0] in sources}
    score.edge_precision = (len(comparable & theirs), len(comparable))
    score.missed += [f"edge {source} -> {target}" for source, target in sorted(theirs - ours)]
    score.wrong += [f"edge {source} -> {target}" for source, target in sorted(comparable - theirs)]


def percent(pair: Iterable[int]) -> str:
    """Write a share with its size: ``0.987 (296/300)``."""
    part, whole = pair
    return f"{part / whole:.3f} ({part}/{whole})" if whole else "none"
