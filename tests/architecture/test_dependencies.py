"""Everything the program imports from outside is declared where it is installed from."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from tests.architecture.house import ROOT, modules

NAME = re.compile(r"[A-Za-z0-9._-]+")
USERS_EXTRAS = ("e5", "postgres", "team")
"""The extras a user installs; the others are for whoever works on the program."""


def test_every_import_from_outside_is_declared() -> None:
    declared, homes = _declared(), packages_distributions()
    missing = {
        f"{name}: {package}"
        for name, package in _imported()
        if not declared.intersection(map(_plain, homes.get(package, [package])))
    }
    assert missing == set()


def test_every_dependency_that_is_no_grammar_is_imported() -> None:
    homes = packages_distributions()
    used = {_plain(home) for _, package in _imported() for home in homes.get(package, [package])}
    loaded_by_name = {name for name in _declared() if name.startswith("tree-sitter-")}
    assert _declared() - used == loaded_by_name


def _declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = (line for extra in USERS_EXTRAS for line in project["optional-dependencies"][extra])
    return {_plain(found.group()) for line in (*project["dependencies"], *extras) if (found := NAME.match(line))}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _imported() -> set[tuple[str, str]]:
    """Return (module, package) for each package from outside that a module imports, wherever in it."""
    found = set()
    for module in modules():
        for node in ast.walk(module.tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            found |= {(module.name, name.partition(".")[0]) for name in names}
    return {row for row in found if row[1] not in sys.stdlib_module_names | {"shirube"}}
