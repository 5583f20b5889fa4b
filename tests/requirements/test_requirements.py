"""Every requirement has a test, and every test that claims a requirement names one that exists."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
DECISIONS = TESTS.parent / "docs" / "decisions"
FILES = sorted(Path(__file__).parent.glob("*.toml"))
ROWS = [row for file in FILES for row in tomllib.loads(file.read_text("utf-8"))["row"]]
KEYS = {"id", "source", "sentence", "gloss", "tried"}
ID = re.compile(r"N?00\d-[A-Z]+-\d\d")
FORM = {
    *("001-TOK-05", "001-PROFILE-06", "001-PROFILE-07", "N001-SNIPPET-01", "003-ROUTE-03", "003-SESS-02"),
    *("003-PHASE-01", "003-PHASE-02", "003-PHASE-03", "003-PHASE-04"),
    *("004-FIELDS-01", "004-PAIRS-01", "004-MIGRATE-04", "004-TOOLS-01"),
}
"""Deviations that change a name, a form or a place, or fill in what the source leaves open: nothing to measure."""
UNMEASURED = {
    *("001-TOK-06", "001-BLACK-06", "001-SCORE-05", "001-BUNDLE-01", "N001-RANK-08"),
    *("003-RELEVANT-03", "003-FRAME-03", "003-FRAMES-03", "003-RISK-04"),
}
"""Deviations whose decision gives a reason and no measurement. These can only become fewer."""


def test_every_row_is_whole_and_has_its_own_id():
    ids = [row["id"] for row in ROWS]
    assert len(ids) == len(set(ids))
    assert [row for row in ROWS if not set(row) >= KEYS or not ID.fullmatch(row["id"])] == []
    assert [row["id"] for row in ROWS if set(row) - KEYS - {"deviation", "record", "measured"}] == []
    assert [row["id"] for row in ROWS if not all(str(value).strip() for value in row.values())] == []


def test_a_deviation_names_its_decision():
    assert [row["id"] for row in ROWS if ("deviation" in row) != ("record" in row)] == []
    records = [row["record"] for row in ROWS if "record" in row]
    assert [record for record in records if not (DECISIONS / f"{record}.md").is_file()] == []


def test_a_deviation_quotes_the_measurement_that_speaks_for_it():
    """What is quoted has a number, and stands in the evidence of the decision word for word."""
    quoted = {row["id"]: row["measured"] for row in ROWS if "measured" in row}
    assert [name for name, quote in quoted.items() if not re.search(r"\d", quote)] == []
    evidence = {row["id"]: _evidence(row["record"]) for row in ROWS if "record" in row}
    assert {name: quote for name, quote in quoted.items() if " ".join(quote.split()) not in evidence[name]} == {}
    assert evidence.keys() - quoted.keys() == FORM | UNMEASURED


@cache
def _evidence(record: str) -> str:
    text = (DECISIONS / f"{record}.md").read_text("utf-8")
    return " ".join(text.partition("\n## Evidence\n")[2].partition("\n## ")[0].split())


def test_every_requirement_has_a_test():
    missing = {row["id"]: row["gloss"] for row in ROWS if row["id"] not in claims()}
    assert missing == {}


def test_every_claim_names_a_requirement():
    ids = {row["id"] for row in ROWS}
    assert {name: tests for name, tests in claims().items() if name not in ids} == {}


def test_a_claim_is_read_from_the_decorators_of_functions_and_classes():
    tree = ast.parse("import pytest\n@pytest.mark.requirement('A', 'B')\ndef test_x(): ...")
    assert list(_claimed(tree)) == [("A", "test_x"), ("B", "test_x")]


@cache
def claims() -> dict[str, list[str]]:
    """Return the tests that claim each requirement, by its id."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for name, test in _claimed(ast.parse(path.read_text("utf-8"))):
            found.setdefault(name, []).append(f"{path.relative_to(TESTS).as_posix()}::{test}")
    return found


def _claimed(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if not node.name.lower().startswith("test"):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.requirement":
                yield from ((_text(argument), node.name) for argument in mark.args)


def _text(argument: Any) -> str:
    assert isinstance(argument, ast.Constant), "a requirement is named by a plain string"
    return str(argument.value)
