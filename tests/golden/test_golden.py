"""Every door answers as it did when the golden files were written; each family runs once, in one test."""

import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from tests.cases import for_each
from tests.golden import adapter, files
from tests.golden.__main__ import FAMILIES

MODULES = tuple(dict.fromkeys(FAMILIES.values()))
MOST_FILES = 12
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is missing")


@needs_git
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_everything_is_answered_as_before(module: ModuleType, tmp_path: Path):
    produced = module.produce(tmp_path)
    kept = {name for family, one in FAMILIES.items() if one is module for name in files.kept(family)}
    assert kept == set(produced), "python -m tests.golden writes the golden files anew"
    differences = [told for name, text in produced.items() if (told := files.difference(name, text))]
    assert not differences, "\n\n".join([f"{len(differences)} files differ", *differences[:MOST_FILES]])


AGAIN = "python -m tests.golden"


def cases(family: str, operation: str) -> dict[str, dict[str, object]]:
    """Return the golden cases of an operation."""
    file = files.KEPT / family / f"{operation}.json"
    return json.loads(file.read_text("utf-8")) if file.is_file() else {}


@for_each("operation", adapter.operation_names())
def test_every_operation_has_answers_an_error_and_a_recording(operation: str):
    told, what = cases("operations", operation), f"of {operation} to ASK in tests/golden/calls.py, then {AGAIN}"
    assert any("result" in case for case in told.values()), f"add a call {what}"
    assert any("error" in case for case in told.values()), f"add a call that is refused {what}"
    assert set(cases("recordings", operation)) == {name for name, case in told.items() if "result" in case}, AGAIN


def test_every_command_has_its_text():
    pages = {name: files.KEPT / "terminal" / f"{name.replace(' ', '-')}.txt" for name in adapter.command_names()}
    few = [name for name, page in pages.items() if not page.is_file() or page.read_text().count("$ shirube") < 2]
    assert few == [], f"add two lines of each to STORY in tests/golden/terminal.py, then {AGAIN}"


def test_every_operation_has_its_text_for_agents():
    texts = "\n".join(file.read_text("utf-8") for file in sorted((files.KEPT / "texts").glob("*.txt")))
    missing = [name for name in adapter.operation_names() if f"\n{name} {{" not in f"\n{texts}"]
    assert missing == [], f"add a call of each to STORY in tests/golden/texts.py, then {AGAIN}"


def test_the_golden_files_stay_small():
    assert sum(file.stat().st_size for file in files.KEPT.rglob("*") if file.is_file()) < 2_400_000
