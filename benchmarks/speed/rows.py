"""From measurements to the rows of a table: what was measured, beside what, against which limit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shirube.codec import replace

COLD_RATIO = 1.0
MEMORY_MB = 500.0
UNCHANGED_SECONDS = 0.5
VISIBLE_SECONDS = 0.2
QUERY_MS = 5.0
LIST_MORE_SECONDS = 0.2
INSTALL_MB = 250.0
WHEELS_MB = 90.0
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Row:
    """One measured quantity; the smaller, the better."""

    name: str
    unit: str
    ours: float
    peers: Mapping[str, float] = field(default_factory=dict)
    limit: float | None = None

    @property
    def verdict(self) -> str:
        """Say whether the limit is met; nothing where there is none."""
        if self.limit is None:
            return ""
        return "met" if self.ours <= self.limit else "**not met**"


def rows_of(found: Mapping[str, Any]) -> list[Row]:
    """Return the rows of one repository."""
    sized = [*_cold(found), *_questions(found)]
    if found["size"] != "middle":
        sized = [replace(row, limit=None) for row in sized]
    return [*sized, *_warm(found), *_branches(found), *_disk(found), *_door(found)]


def rows_of_install(found: Mapping[str, float]) -> list[Row]:
    """Return what an installation weighs."""
    return [
        Row("installed, fresh environment", "MB", found["disk_bytes"] / MEGABYTE, limit=INSTALL_MB),
        Row("all wheels", "MB", found["wheel_bytes"] / MEGABYTE, limit=WHEELS_MB),
        Row("distributions", "", found["distributions"]),
    ]


def _cold(found: Mapping[str, Any]) -> list[Row]:
    cold, rows = found["cold"], []
    others = [name for name in cold if name != "shirube"]
    for kind in ("wall", "cpu"):
        peers = {name: cold[name][kind]["best"] for name in others}
        rows.append(Row(f"cold index, {kind}", "s", cold["shirube"][kind]["best"], peers))
    for name in others:
        for kind in ("wall", "cpu"):
            ratio = cold["shirube"][kind]["best"] / cold[name][kind]["best"]
            rows.append(Row(f"cold index, {kind}, against {name}", "×", ratio, {name: 1.0}, COLD_RATIO))
    whole = {name: cold[name]["whole_process"]["wall"]["best"] for name in cold}
    rows.append(Row("cold index, whole process with imports, wall", "s", whole.pop("shirube"), whole))
    peak = {name: value / MEGABYTE for name, value in found["memory"].items()}
    rows.append(Row("cold index, peak memory (PSS of all processes)", "MB", peak.pop("shirube"), peak, MEMORY_MB))
    return rows


def _warm(found: Mapping[str, Any]) -> list[Row]:
    ours, semble = found["warm"]["shirube"], found["warm"]["semble"]
    fresh = found["fresh_sync"]["index"]
    return [
        _seconds("sync without a change, warm process", ours["unchanged"], semble["unchanged"], UNCHANGED_SECONDS),
        Row("sync without a change, new process (CLI)", "s", fresh["wall"]["best"], limit=UNCHANGED_SECONDS),
        _seconds("edited file visible, best", ours["edit"], semble["edit"], VISIBLE_SECONDS),
        _seconds("edited file visible, median", ours["edit"], semble["edit"], VISIBLE_SECONDS, "median"),
        _seconds("… size and mtime kept, median", ours["edit_kept_time"], None, VISIBLE_SECONDS, "median"),
        Row("… first edit of a process", "s", ours["first_edit"]["wall"], limit=VISIBLE_SECONDS),
        *(
            Row(f"{name}, cpu, best", "s", ours[key]["cpu"]["best"], {"semble": semble[key]["cpu"]["best"]})
            for name, key in (("sync without a change, warm process", "unchanged"), ("edited file visible", "edit"))
        ),
    ]


def _seconds(
    name: str, ours: Mapping[str, Any], semble: Mapping[str, Any] | None, limit: float, which: str = "best"
) -> Row:
    peers = {"semble": semble["wall"][which]} if semble else {}
    return Row(name, "s", ours["wall"][which], peers, limit)


def _branches(found: Mapping[str, Any]) -> list[Row]:
    there, back, again = found["branches"]
    return [
        Row(f"to another branch ({there['changed']} files differ)", "s", there["wall"]),
        Row("back to the first branch", "s", back["wall"]),
        Row("back to the first branch, files parsed", "files", back["parsed"], limit=0),
        Row("to the other branch again", "s", again["wall"]),
        Row("to the other branch again, files parsed", "files", again["parsed"], limit=0),
    ]


def _questions(found: Mapping[str, Any]) -> list[Row]:
    warm, rows = found["warm"], []
    asked = {name: warm[name]["query"] for name in ("semble", "ripgrep") if warm[name]}
    for kind, name in (("wall", "p50"), ("wall", "p95"), ("cpu", "p50"), ("cpu", "p95")):
        peers = {peer: query[kind][name] for peer, query in asked.items() if kind == "wall" or peer != "ripgrep"}
        limit = QUERY_MS if name == "p50" else None
        rows.append(Row(f"question {name}, {kind}", "ms", warm["shirube"]["query"][kind][name], peers, limit))
    every = {peer: query["wall"]["p95_all_calls"] for peer, query in asked.items()}
    rows.append(Row("question p95 of all calls, wall", "ms", warm["shirube"]["query"]["wall"]["p95_all_calls"], every))
    hybrid = warm["shirube"]["query_hybrid"]["wall"]["p50"]
    rows.append(Row("question p50, both legs (hybrid), wall", "ms", hybrid, limit=QUERY_MS))
    return rows


def _disk(found: Mapping[str, Any]) -> list[Row]:
    disk, source = found["disk"], found["tree"]["source_bytes"]
    peers = {"semble": disk["semble"] / MEGABYTE}
    return [
        Row("index on disk", "MB", disk["shirube"] / MEGABYTE, peers),
        Row("index on disk, times the source", "×", disk["shirube"] / source, {"semble": disk["semble"] / source}),
    ]


def _door(found: Mapping[str, Any]) -> list[Row]:
    ours, bare = found["door"]["shirube"], found["door"]["bare"]
    more = ours["cpu"]["best"] - bare["cpu"]["best"]
    return [
        Row("first tools/list, cpu", "s", ours["cpu"]["best"], {"bare server": bare["cpu"]["best"]}),
        Row("first tools/list, wall", "s", ours["wall"]["best"], {"bare server": bare["wall"]["best"]}),
        Row("first tools/list, cpu more than a bare server", "s", more, limit=LIST_MORE_SECONDS),
    ]
