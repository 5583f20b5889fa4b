"""What each signal is worth: the same questions with one thing switched off.

A signal is switched off in the fitted table, which is the same as a weight of nought; several signals share a setting,
and those of places have none. What is not a signal is switched off by its setting.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.quality.answers import Answer, scores
from benchmarks.quality.metric import difference, overall
from benchmarks.quality.sets import GROUPS, MEASURES, Sets

EVERY = {"commits": 4}
"""Of the commits one in so many is asked: that is enough, and takes a quarter of the time."""
BY_PLACE = ("messages", "places")
STRATEGIES = ("phrase-aware", "legacy", "hybrid")
ROLES = ("implementation", "test", "example", "doc", "config", "generated", "vendored", "stub")


@dataclass(frozen=True)
class Off:
    """What to switch off: settings, signals of the table, and the roles that the table corrects."""

    settings: Mapping[str, float | str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()

    def table(self) -> Any:
        """Return the shipped table without them."""
        from shirube.codec import replace
        from shirube.engine.search.shapes import shapes

        known = shapes()
        flat = (0.0,) * len(known.at)
        return replace(
            known,
            files={**known.files, **dict.fromkeys(self.files, flat)},
            places={**known.places, **dict.fromkeys(self.places, flat)},
            roles={name: factor for name, factor in known.roles.items() if name not in self.roles},
        )


def _roles(factor: float, *names: str) -> Off:
    return Off({f"boosts__default__{name}": factor for name in names}, roles=names)


OFF: dict[str, Off] = {
    "sense altogether": Off(files=("text:sense", "text:whole"), places=("sense", "sense in file")),
    "the path altogether": Off(files=("path-keyword", "file-name", "path-segment")),
    "definitions altogether": Off(files=("definition", "bare")),
    "plain words as names": Off({"signals__plain_definition": 0.0}),
    "stems of short forms (config ↔ configuration)": Off({"signals__other_forms": 0.0}),
    "file name beside the path": Off({"fields__name": 0.0}),
    "symbol names beside the content": Off({"fields__symbols": 0.0}),
    "chunks of a file adding up (best chunk alone)": Off({"signals__coherence": 50.0}),
    "tests, examples held back": _roles(1.5, "test", "example"),
    "documents held back": _roles(1.5, "doc"),
    "settings held back": _roles(1.5, "config"),
    "old versions, internals held back": _roles(1.0, "superseded", "internal"),
    "all roles": _roles(1.0, *ROLES),
    "translation (Japanese only)": Off({"signals__translation": 0.0}),
}


HISTORY = Off({"signals__history": 0.0})
"""Without votes nothing of the history counts."""


def history(sets: Sets, answers: dict[str, list[Answer]]) -> dict[str, dict[str, Any]]:
    """Return for each kind of question its score with and without the history, and the difference it makes."""
    rows: dict[str, dict[str, Any]] = {}
    for group in (name for name in GROUPS if answers[name]):
        config = sets.ours(GROUPS[group][0]).config(**HISTORY.settings)
        asked = sets.group(group)
        without = sets.ask(asked, config)
        for kind in GROUPS[group]:
            of_kind = [number for number, (name, _) in enumerate(asked) if name == kind]
            before, after = (
                scores([some[number] for number in of_kind], MEASURES[group]) for some in (without, answers[group])
            )
            if after:
                rows[kind] = {
                    "without": overall(before),
                    "with": overall(after),
                    "with minus without": difference(after, before),
                }
    return rows


def signals() -> dict[str, Off]:
    """Return each signal of the table by itself."""
    from shirube.engine.search.shapes import shapes

    files = {f"file: {name}": Off(files=(name,)) for name in shapes().files}
    return files | {f"place: {name}": Off(places=(name,)) for name in shapes().places}


def ablations(sets: Sets, answers: dict[str, list[Answer]]) -> dict[str, dict[str, Any]]:
    """Return, for each thing switched off, the difference it makes to each group."""
    rows: dict[str, dict[str, Any]] = {}
    for name, off in {**signals(), **OFF}.items():
        groups = [group for group in GROUPS if answers[group] and (group in BY_PLACE or not name.startswith("place:"))]
        rows[name] = {group: _without(sets, group, off, answers[group]) for group in groups}
        print(" ", name, flush=True)
    return rows


def _without(sets: Sets, group: str, off: Off, answers: list[Answer]) -> tuple[float, float, float]:
    asked = sets.group(group, EVERY.get(group, 1))
    config = sets.ours(GROUPS[group][0]).config(**off.settings)
    without = sets.ask(asked, config, table=off.table())
    return difference(scores(without, MEASURES[group]), scores(answers, MEASURES[group]))
