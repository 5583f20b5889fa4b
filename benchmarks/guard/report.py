"""The page of results."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.guard.sums import LIMITS

Numbers = Mapping[str, Any]


def markdown(results: Numbers) -> str:
    """Return the page."""
    lines = [
        "# Does the guard help?",
        "",
        f"{results['date']}, {results['machine']}; `{results['command']}`. Seed {results['seed']}.",
        "",
        *_about(),
    ]
    for title, numbers in results["parts"].items():
        lines += ["", f"## {title}", "", *part(numbers)]
    return "\n".join(lines) + "\n"


def _about() -> Iterator[str]:
    yield "Requests are subjects of real commits; right are the files that the commit changed, wrong are all others,"
    yield "even where somebody might have put the change there. Tokens are those of arguments and texts, as"
    yield "`estimate_tokens` counts them; medians are of those changes that became READY. The gate is asked in block"
    yield "mode. There are no recorded conversations in this repository to replay."
    yield ""
    yield "What flatters the guard: the careful agent recognises the right file when it sees it, and a user who is"
    yield "asked always names the right file and never a wrong one. What does not: a lost agent never changes its mind."
    yield "The changes of seed 20261116 were read while the rules were made; nobody had read those of seed 7, but for"
    yield "four that are in both."


def part(numbers: Numbers) -> Iterator[str]:
    """Yield one set of changes."""
    yield f"{numbers['changes']} changes, {numbers['japanese']} of them in Japanese."
    yield ""
    yield from _costs(numbers)
    if numbers["wrong"]:
        yield ""
        yield from _wrong(numbers)
    yield ""
    if real := numbers.get("real"):
        yield (
            f"- Really written, in copies of {real['wrong']} repositories, with every hook in a process: "
            f"{real['reported']} of {real['wrong']} wrong edits by a shell were reported, "
            f"{real['stood']} of {real['right']} right changes stood after the tool and at the stop"
        )
    yield from _right(numbers)
    yield ""
    yield from _refusals(numbers)


def _costs(numbers: Numbers) -> Iterator[str]:
    yield "| careful agent | changes | not named | READY | calls to READY (p90) | tokens | calls to write | wanted |  |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|---|"
    for name, cost in numbers["sizes"].items():
        calls, tokens, written = (_pair(cost[key]) for key in ("calls", "tokens", "to_write"))
        wanted, verdict = "", ""
        if name in LIMITS and cost["calls"]:
            most = LIMITS[name]
            wanted = f"≤ {most[0]} / ≤ {most[1]:,}"
            met = cost["calls"][0] <= most[0] and cost["tokens"][0] <= most[1]
            verdict = "met" if met else "**not met**"
        yield (
            f"| {name} | {cost['changes']} | {cost['helped']} | {cost['ready']} | {calls} | {tokens} | {written} "
            f"| {wanted} | {verdict} |"
        )


def _pair(pair: list[float]) -> str:
    return f"{_number(pair[0])} ({_number(pair[1])})" if pair else "–"


def _number(value: float) -> str:
    """Return a small number with its half, a large one without."""
    return f"{value:g}" if value < 100 else f"{value:,.0f}"


def _wrong(numbers: Numbers) -> Iterator[str]:
    yield "| agent | wrong files | prevented |  | written in spite of a refusal, or of the right file named |"
    yield "|---|---:|---:|---:|---:|"
    for name, (prevented, count) in numbers["wrong"].items():
        warned, written = numbers["warned"].get(name, (0, 0))
        yield f"| {name} | {count} | {prevented} | {_share(prevented, count)} | {warned} of {written} |"
    prevented, count = numbers["wrong_total"]
    yield f"| all | {count} | {prevented} | {_share(prevented, count)} |  |"
    for key, name in (("lies", "lying, over the protocol"), ("old_lies", "lying, the kinds told before")):
        lies = numbers[key]
        if lies["told"]:
            blocked = lies["told"] - len(lies["believed"])
            yield f"| {name}: {lies['kinds']} kinds | {lies['told']} | {blocked} | {_share(blocked, lies['told'])} |  |"
    yield ""
    for key in ("lies", "old_lies"):
        for text in numbers[key]["believed"]:
            yield f"- believed: {text}"
    for name, (refused, count) in numbers["hasty_right"].items():
        yield f"- {name}: {refused} of {count} right files refused until something was looked at, as is meant"


def _share(some: int, all_of: int) -> str:
    return f"{100 * some / all_of:.1f} %" if all_of else "–"


def _right(numbers: Numbers) -> Iterator[str]:
    right = numbers["right"]
    share = _share(right["refused"], right["files"])
    met = right["files"] and right["refused"] <= 0.03 * right["files"]
    yield (
        f"- Right files refused to the careful agent at the end: {right['refused']} of {right['files']} "
        f"({share}; wanted ≤ 3 %: {'met' if met else '**not met**'})"
    )
    for text in right["refused_files"]:
        yield f"  - {text}"
    yield (
        f"- Delayed: {right['delayed']} of {right['changes_done']} changes took more than three calls until all was "
        f"written; extra calls, median (p90): {_pair(right['extra_calls'])}"
    )
    if right["asked_user"]:
        names = ", ".join(right["asked_user"])
        yield f"- Had to ask the user which file is meant: {len(right['asked_user'])} ({names})"
    yield f"- Tokens of a `check_write_target` that allowed everything, median (p90): {_pair(numbers['checks'])}"
    for text in right["check_and_gate_differ"]:
        yield f"- `check_write_target` and the gate differ: {text}"


def _refusals(numbers: Numbers) -> Iterator[str]:
    refusals, gate = numbers["refusals"], numbers["gate_refusals"]
    yield (
        f"- Refusals of the careful agent: {refusals['true']} checked and true, {refusals['untrue']} untrue, "
        f"{refusals['read']} that state nothing checkable."
    )
    for one in refusals["sentences"]:
        yield f"  - {one['times']} × {one['verdict']}: {one['tool']}: {one['example'][:160]} ({one['change']})"
    yield f"- Dead ends: {len(numbers['dead_ends'])}"
    yield from (f"  - {text}" for text in numbers["dead_ends"])
    yield f"- Proposed calls that are not listed: {len(numbers['unlisted'])}"
    yield from (f"  - {text}" for text in numbers["unlisted"][:10])
    yield f"- Calls made as they were proposed, and refused: {len(numbers['turned_down'])}"
    yield from (f"  - {text}" for text in numbers["turned_down"][:10])
    if gate["count"]:
        tokens = f"{_pair(gate['tokens'])}, longest {gate['longest_tokens']}"
        yield f"- Refusals of the gate: {gate['count']}; tokens, median (p90): {tokens}"
    if numbers["foreign"]:
        yield f"- English in conversations in Japanese: {len(numbers['foreign'])} of {numbers['japanese']}"
        texts = dict.fromkeys(text for found in numbers["foreign"].values() for text in found)
        yield from (f"  - {text}" for text in list(texts)[:10])


def twelve(rows: list[Mapping[str, Any]]) -> str:
    """Return a line for each of the twelve changes."""
    head = "change         files risk   READY: calls tokens all calls tokens  request"
    lines = [
        f"{one['change']:14} {one['written']:>3}/{one['files']} {one['risk']:6} {one['ready'] or '–':>12} "
        f"{one['tokens'] or '–':>6} {one['calls']:>9} {one['all_tokens']:>6}  {one['request'][:60]}"
        + ("  (no reply named the file)" if one["helped"] else "")
        + (f"  !! {one['dead_end']}" if one["dead_end"] else "")
        for one in rows
    ]
    return "\n".join([head, *lines])
