"""Ours against a judge: definitions both ways, references by class, edges."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

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
C_ENDINGS = (".c", ".h", ".cc", ".cpp", ".hpp")


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
    texts = Texts(root, judge.unread(files))
    told = [one for one in named if texts.has(one) and not texts.is_forward(one)]
    _definitions(project, judge, Told(told, named, texts), files, score)
    _references(project, judge, Told(told, named, texts), score)
    _edges(project, judge, files, score)
    return score


class Texts:
    """The files of a project, as far as a name has to be looked at where it stands."""

    def __init__(self, root: Path, unread: dict[str, list[int]]) -> None:
        self._root = root
        self._lines: dict[str, list[str]] = {}
        self._unread = {file: set(lines) for file, lines in unread.items()}

    def _at(self, place: Place, lines: int = 1) -> str:
        if place.file not in self._lines:
            self._lines[place.file] = (self._root / place.file).read_text("utf-8", "replace").splitlines()
        return "\n".join(self._lines[place.file][place.line - 1 : place.line - 1 + lines])

    def has(self, one: Named) -> bool:
        """Tell whether a name is written where it is defined; those that macros of C put together are not."""
        return self.is_written(one.place, one.name)

    def is_forward(self, one: Named) -> bool:
        """Tell ``struct a;`` and ``typedef struct a b;`` of C: a name that is said to exist, its body elsewhere."""
        if not one.place.file.endswith(C_ENDINGS) or one.kind not in ("class", "enum", "struct"):
            return False
        text = self._at(one.place, 3)
        before, after = text[: one.place.column - 1], text[one.place.column - 1 + len(one.name) :]
        return re.search(r"\b(struct|union|enum|class)\s+$", before) is not None and not after.lstrip().startswith(
            ("{", ":")
        )

    def is_written(self, place: Place, name: str) -> bool:
        """Tell whether a use is written where the judge sees it; in C a macro may bring it there."""
        return not place.file.endswith(C_ENDINGS) or self._at(place)[place.column - 1 :].startswith(name)

    def is_read(self, file: str, line: int) -> bool:
        """Tell whether the judge speaks about a line; what a macro of C is made of it sees where the macro is used."""
        return self.is_compiled(file, line) and not (file.endswith(C_ENDINGS) and self._is_macro(file, line))

    def is_compiled(self, file: str, line: int) -> bool:
        """Tell whether a line is for this system."""
        return line not in self._unread.get(file, ())

    def _is_macro(self, file: str, line: int) -> bool:
        """Tell whether a line belongs to what a macro is made of."""
        first = line
        while first > 1 and self._at(Place(file, first - 1, 1)).endswith("\\"):
            first -= 1
        return re.match(r"\s*#\s*define\b", self._at(Place(file, first, 1))) is not None


class Told(NamedTuple):
    """What the judge lists: the names that are compared, and all of them."""

    names: list[Named]
    every: list[Named]
    texts: Texts


def _is_plain(name: str) -> bool:
    return name.isidentifier() and name not in ("_", "__slots__", "__all__")


def _definitions(project: Project, judge: Judge, told: Told, files: list[str], score: Score) -> None:
    """Recall on names the judge knows, precision on names we know."""
    also = judge.declared(files)
    sample = random.Random(SEED).sample(told.names, min(SAMPLED, len(told.names)))
    found = []
    for one in sample:
        ours = project.find_definitions(one.name, path=one.place.file, exact_match=True, limit=500).definitions
        hit = any((two.file, two.line) == one.place[:2] for two in ours)
        found.append(hit)
        if not hit:
            score.missed.append(f"definition {one.place.file}:{one.place.line} {one.kind} {one.name}")
    score.definition_recall = (sum(found), len(found))
    known = {(one.place.file, one.place.line, one.name) for one in [*told.every, *also]}
    made = {(one.place.file, one.place.line): one.name for one in told.every if not told.texts.has(one)}
    ours_all = [
        one
        for path in files
        for one in _listed(project, path, judge.sees_inside)
        if one.kind in KINDS and _is_plain(one.name) and told.texts.is_compiled(path, one.line)
    ]
    right = []
    for ours_one in random.Random(SEED).sample(ours_all, min(SAMPLED, len(ours_all))):
        # ``DEFINE(name) {`` defines a name that a macro puts together from ours
        hit = (ours_one.file, ours_one.line, ours_one.name) in known or ours_one.name in made.get(
            (ours_one.file, ours_one.line), ""
        )
        right.append(hit)
        if not hit:
            score.wrong.append(f"definition {ours_one.file}:{ours_one.line} {ours_one.kind} {ours_one.qualified}")
    score.definition_precision = (sum(right), len(right))


def _listed(project: Project, path: str, inside: bool) -> list[Any]:
    """Return our symbols of a file, without those inside functions where the judge is silent about them."""
    found = project.get_symbols(path, limit=2000).symbols
    functions = [one for one in found if one.kind in ("function", "method", "test")]
    return [
        one
        for one in found
        if inside
        or not any(
            outer.start_line <= one.start_line <= one.end_line <= outer.end_line
            and one.qualified.startswith(f"{outer.qualified}.")
            for outer in functions
        )
    ]


def _references(project: Project, judge: Judge, told: Told, score: Score) -> None:
    """Compare the uses of names both sides define at the same place."""
    # The judge's own names are sampled, so that its answers can be kept while ours change.
    sample = []
    for one in random.Random(SEED).sample(told.names, min(SAMPLED, len(told.names))):
        symbols = project.get_symbols(one.place.file, limit=2000).symbols
        ours = next((two for two in symbols if (two.line, two.name) == (one.place.line, one.name)), None)
        sample += [(one, ours)] if ours else []
    score.kinds = dict(Counter(one.kind for one, _ in sample).most_common())
    files = sorted({one.place.file for one in told.every})
    defined = {one.place for one in [*told.every, *judge.declared(files)]}
    twins = [_twins(told.every, one) for one, _ in sample]
    asked = judge.references(sorted({place for places in twins for place in places}))
    found_at = dict(zip(sorted({place for places in twins for place in places}), asked, strict=True))
    answers = [set().union(*(found_at[place] for place in places)) for places in twins]
    hits = total = 0
    right: Counter[str] = Counter()
    claimed: Counter[str] = Counter()
    for (one, ours), answer in zip(sample, answers, strict=True):
        wanted = {place for place in answer if place not in defined and told.texts.is_written(place, one.name)}
        found = _ours(project, ours)
        places = {place for place, _ in found}
        hits += len(wanted & places)
        total += len(wanted)
        score.missed += [
            f"reference of {one.name} ({one.place.file}:{one.place.line}) at {p.file}:{p.line}:{p.column}"
            for p in sorted(wanted - places)
        ]
        for place, how in found:
            silent = not place.file.endswith(judge.endings) or not told.texts.is_read(place.file, place.line)
            if place in defined or silent:  # of other languages and other systems the judge knows nothing
                continue
            claimed[how] += 1
            right[how] += place in answer
            if place not in answer and how in ("import_resolved", "same_file"):
                score.wrong.append(
                    f"{how} {one.name} ({one.place.file}:{one.place.line}) at {place.file}:{place.line}:{place.column}"
                )
    score.reference_recall = (hits, total)
    score.precision = {how: (right[how], claimed[how]) for how in sorted(claimed)}


def _twins(every: list[Named], one: Named) -> list[Place]:
    """Return where a name is defined; ``typedef struct a {…} a;`` of C is one type, and two names for its judge."""
    if not one.place.file.endswith(C_ENDINGS) or one.kind not in ("class", "struct", "enum"):
        return [one.place]
    return [two.place for two in every if (two.place.file, two.name, two.kind) == (one.place.file, one.name, one.kind)]


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
