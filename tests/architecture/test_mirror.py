"""Every room has its tests, in the directory of its name."""

import tomllib

from tests.architecture.house import SOURCE, TESTS, modules


def test_every_room_has_its_tests() -> None:
    rooms = {module.path.parent.relative_to(SOURCE) for module in modules()}
    missing = [str(room) for room in rooms if not list((TESTS / room).rglob("test_*.py"))]
    assert missing == []


def test_every_module_of_the_top_floor_has_its_test_file() -> None:
    wanted = {module.path.stem for module in modules() if module.path.parent == SOURCE} - {"__init__", "__main__"}
    assert [name for name in wanted if not (TESTS / f"test_{name}.py").is_file()] == []


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
