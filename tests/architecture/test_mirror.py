"""Every module has the test file of its name in the directory of its room."""

from pathlib import Path

from tests.architecture.house import SOURCE, TESTS, modules

SPECIAL = {"__init__.py", "__main__.py"}
ELSEWHERE = {
    "store/port.py": "tests/contracts/test_store.py",
}
"""Ports hold no behaviour of their own; one suite runs on every implementation."""


def test_every_module_has_its_test_file() -> None:
    wanted = {module.name: _test_of(module.path) for module in modules() if module.path.name not in SPECIAL}
    missing = {name: test for name, test in wanted.items() if not (TESTS.parent / test).is_file()}
    assert missing == {}


def test_an_exception_names_a_module_that_exists() -> None:
    assert [name for name in ELSEWHERE if not (SOURCE / name).is_file()] == []


def _test_of(path: Path) -> str:
    place = path.relative_to(SOURCE)
    return ELSEWHERE.get(place.as_posix()) or f"tests/{place.with_name(f'test_{place.name}').as_posix()}"
