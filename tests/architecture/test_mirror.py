"""Every module has the test file of its name in the directory of its room."""

import tomllib
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


def test_everything_beside_the_code_is_part_of_the_package() -> None:
    """A file that only lies in the checkout is missing for everybody who installs the program."""
    globs = tomllib.loads((TESTS.parent / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"][
        "shirube"
    ]
    source = TESTS.parent / "src" / "shirube"
    data = [path for path in source.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert len(data) > 30
    packed = {path for pattern in globs for path in source.glob(pattern)}
    assert [path.relative_to(source).as_posix() for path in data if path not in packed] == []
