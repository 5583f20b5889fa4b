"""Floors, ports, purity and cycles: the contracts of ``[tool.importlinter]`` in pyproject.toml hold."""

import contextlib
import io
import tomllib
from typing import Any

import pytest
from importlinter import configuration
from importlinter.application import use_cases

from tests.architecture.house import ROOT, rooms

configuration.configure()
PYPROJECT = ROOT / "pyproject.toml"


def contracts() -> list[dict[str, Any]]:
    """Return the contracts as they are written."""
    found: list[dict[str, Any]] = tomllib.loads(PYPROJECT.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return found


@pytest.mark.parametrize("name", [contract["id"] for contract in contracts()])
def test_the_contract_holds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        kept = use_cases.lint_imports(str(PYPROJECT), limit_to_contracts=(name,), cache_dir=None)
    assert kept, said.getvalue()


def test_the_floors_are_exhaustive_and_name_every_room() -> None:
    floors = [contract for contract in contracts() if contract["type"] == "layers"]
    named = {
        f"{container}.{room.strip(' ()')}"
        for contract in floors
        for container in contract["containers"]
        for floor in contract["layers"]
        for room in floor.split("|")
    }
    assert all(contract["exhaustive"] for contract in floors)
    assert {f"shirube.{room.replace('/', '.')}" for room in rooms()} <= named


def test_no_contract_makes_an_exception() -> None:
    assert [contract["id"] for contract in contracts() if contract.get("ignore_imports")] == []
