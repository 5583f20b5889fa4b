"""How often the gate refused, and how often wrongly."""

from shirube.features.map.insights import GateRates, WriteRates, gate_days, gate_rates, write_rates


def row(verdict: str, moment: str = "before", kind: str = "edit", target: str = "a.py", client: str = "c") -> dict:
    return {"verdict": verdict, "moment": moment, "kind": kind, "targets": [target], "client": client}


def test_nothing_recorded_is_not_known_to_be_right():
    assert gate_rates([]) == GateRates()
    assert gate_rates([]).false_block_rate is None


def test_refusals_and_false_ones_are_counted():
    rates = gate_rates(
        [
            row("block"),
            row("advise", kind="shell", target="make"),
            row("harmless", "after", "shell", "make"),
            row("advise", kind="shell", target="rm x"),
            row("allow", target="b.py"),
            row("block", "after", "shell"),
            row("block", "stop"),
        ]
    )
    assert rates == GateRates(
        checks=4,
        blocked=1,
        advised=2,
        lifted=0,
        harmless=1,
        found=2,
        block_rate=0.75,
        false_block_rate=0.5,
        harmless_commands={"make": 1},
    )


def test_what_was_refused_and_then_allowed_to_the_same_client_was_a_detour():
    rows = [row("block"), row("allow", client="other"), row("allow"), row("allow"), row("block", kind="shell")]
    assert gate_rates([*rows, row("allow", kind="shell")]).lifted == 1


def test_the_commands_that_changed_nothing_most_often_are_named():
    names = ["make"] * 2 + [f"run {number}" for number in range(9)]
    rates = gate_rates([row("harmless", "after", "shell", name) for name in names])
    assert list(rates.harmless_commands.items())[:2] == [("make", 2), ("run 0", 1)]
    assert len(rates.harmless_commands) == 5
    assert rates.harmless == 11


def test_verdicts_are_counted_by_day():
    rows = [("2026-01-02", row("block")), ("2026-01-01", row("allow")), ("2026-01-01", row("allow"))]
    rows += [("2026-01-02", row("harmless", "after", "shell")), ("2026-01-03", row("block", "stop"))]
    assert gate_days(rows) == {"2026-01-01": {"allow": 2}, "2026-01-02": {"block": 1, "harmless": 1}}


def test_a_write_that_was_refused_and_then_allowed_is_counted_within_its_session():
    def check(path: str, allowed: bool) -> dict[str, object]:
        return {"kind": "check", "path": path, "allowed": allowed}

    first = [check("a", False), check("a", False), check("b", False), check("a", True), check("c", True)]
    assert write_rates([first, [check("b", True), {"kind": "call"}]]) == WriteRates(allowed=3, blocked=3, lifted=1)
    assert write_rates([]) == WriteRates()
