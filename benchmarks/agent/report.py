"""The results as a page to read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.agent.measurements import BUDGETS, GREP, IN_ORDER, OURS, READINGS, SEMBLE, SIZES

Goal = tuple[str, float, str, bool]
"""What, measured, the goal in words, and whether it is met."""
TOKENS = {GREP: 0.6, SEMBLE: 0.8}
CALLS = 1.4


def goals(part: Mapping[str, Any], reading: str) -> Iterator[Goal]:
    """Yield the goals for one reading."""
    agents = part["agents"]
    own = agents[OURS][reading]
    for peer, most in TOKENS.items():
        value = part["ratios"][reading][peer]["tokens"][0]
        yield f"tokens ÷ {peer}", value, f"≤ {most}", value <= most
    yield "calls", own["calls"], f"≤ {CALLS}", own["calls"] <= CALLS
    for peer in TOKENS:
        least = agents[peer][reading]["success"]
        yield f"success beside {peer}", own["success"], f"≥ {least:.3f}", own["success"] >= least


def curve_goals(part: Mapping[str, Any]) -> Iterator[Goal]:
    """Yield whether our curve is above the others."""
    for most in map(str, BUDGETS[:4]):
        value = part["curve"][OURS][most]
        least = max(part["curve"][peer][most] for peer in TOKENS)
        yield f"in view within {most} tokens", value, f"> {least:.3f}", value > least


def markdown(results: Mapping[str, Any]) -> str:
    """Return the tables."""
    found = results["parts"]
    lines = [
        "# What an agent pays until the answering line is in view",
        "",
        f"{results['date']}, {results['machine']}, by",
        "",
        f"```\n{results['command']}\n```",
        "",
        "The agents, their tasks and what counts are written down in `README.md`. Tokens are characters ÷ 4 of what",
        "the agent received. Ratios have their paired bootstrap intervals (95 %) over repositories.",
        "",
        "## Goals",
        "",
        *_goals(found["all"]),
        "",
        "## The size of the reply",
        "",
        "The same agent asking with other `max_tokens` than the default.",
        "",
        *_sizes(found["all"]["agents"]),
        "",
    ]
    for name, part in found.items():
        lines += [
            f"## {name[0].upper()}{name[1:]}",
            "",
            f"{part['tasks']} tasks in {part['repositories']} repositories.",
        ]
        lines += ["", *_agents(part), "", *_curve(part["curve"]), ""]
    return "\n".join(lines)


def _goals(part: Mapping[str, Any]) -> list[str]:
    rows = [
        (f"{name} ({reading})", value, goal, met)
        for reading in READINGS
        for name, value, goal, met in goals(part, reading)
    ]
    shown = [
        (name, f"{value:.3f}", goal, "yes" if met else "**no**")
        for name, value, goal, met in [*rows, *curve_goals(part)]
    ]
    return _table(("", "measured", "goal", "met"), shown)


def _agents(part: Mapping[str, Any]) -> list[str]:
    rows = []
    for reading in READINGS:
        for name, known in part["agents"].items():
            if name in SIZES.values():
                continue
            one = known[reading]
            ratio = part["ratios"][reading].get(name, {}).get("tokens")
            rows.append(
                (
                    reading,
                    name,
                    f"{one['tokens']:,.0f}",
                    f"{one['median tokens']:,.0f}",
                    f"{one['estimated tokens']:,.0f}",
                    f"{one['calls']:.2f}",
                    f"{one['success']:.3f}",
                    f"{one['first reply']:.3f}" if reading == IN_ORDER else "",
                    f"{ratio[0]:.2f} [{ratio[1]:.2f}, {ratio[2]:.2f}]" if ratio else "",
                )
            )
    head = ("reading", "agent", "tokens", "median", "estimated", "calls", "success", "first reply", "shirube ÷ this")
    return _table(head, rows)


def _sizes(agents: Mapping[str, Any]) -> list[str]:
    rows = []
    for tokens, name in SIZES.items():
        known = agents[name]
        cells = [f"{known[one]['tokens']:,.0f} / {known[one]['calls']:.2f}" for one in READINGS]
        rows.append((f"{tokens:,}", f"{known[IN_ORDER]['first reply']:.3f}", *cells))
    return _table(("tokens", "first reply", *(f"tokens / calls, {reading}" for reading in READINGS)), rows)


def _curve(curve: Mapping[str, Mapping[str, float]]) -> list[str]:
    rows = [(name, *(f"{known[str(most)]:.3f}" for most in BUDGETS)) for name, known in curve.items()]
    return _table(("in view within", *(f"{most:,} tokens" for most in BUDGETS)), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|---|" + "--:|" * (len(head) - 1)]
    return lines + [f"| {' | '.join(row)} |" for row in rows]
