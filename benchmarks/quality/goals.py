"""The goals we have set ourselves, and what was measured."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.quality.measurements import OURS
from benchmarks.quality.peers import SEMBLE

Goal = tuple[str, float, float, bool]
"""What, measured, goal, and whether at least (or at most) that much is wanted."""


HISTORY = {"commit": 0.045, "commit ja": 0.0, "question": -0.002}
"""What history is to bring each kind of question, at least."""


def goals(results: Mapping[str, Any]) -> list[Goal]:
    """Return the goals of which something was measured."""
    found: list[Goal] = [
        ("questions, NDCG@10", results["questions"]["systems"][OURS]["ndcg"], 0.905, True),
        *_of_trees(results.get("trees", {})),
        *_of_confidence(results["reliability"]),
    ]
    for kind, least in HISTORY.items():
        if row := results.get("history", {}).get(kind):
            found.append((f"{kind}: gained by history", row["with minus without"][0], least, True))
    for name, row in results.get("left out", {}).get("groups", {}).items():
        found.append((f"{name}: lost when left out of the fit", -row["left out minus fitted on all"][0], 0.01, False))
    return found


def _of_trees(trees: Mapping[str, Any]) -> Iterator[Goal]:
    for part, least in (("English", 0.07), ("Japanese", 0.17)):
        row = trees.get("commits", {}).get(part, {})
        if SEMBLE in row.get("ours minus this", {}):
            yield f"commits, {part}: above semble", row["ours minus this"][SEMBLE][0], least, True
    for part, least in (("all", 0.88), ("literal", 0.93), ("filled in", 0.75)):
        if row := trees.get("messages", {}).get(part):
            yield f"messages, {part}: place@1", row["systems"][OURS]["place@1"], least, True
    if row := trees.get("places", {}).get("all"):
        yield "places: place@1", row["systems"][OURS]["place@1"], 0.65, True
        yield "places: place@3", row["systems"][OURS]["place@3"], 0.85, True


def _of_confidence(row: Mapping[str, Any]) -> Iterator[Goal]:
    for name in ("all", "mean of the kinds"):
        yield f"`found`: first place right ({name})", row[name]["right when found"], 0.85, True
        yield f"first place right: `found` ({name})", row[name]["found when right"], 0.6, True
    yield "questions of other projects: `found`", row["strangers"]["all"]["found"], 0.04, False
    for name, one in row["kinds"].items():
        yield f"{name}: ECE", one["ece"], 0.05, False
        yield f"{name}: AUROC", one["auroc"], 0.75, True
