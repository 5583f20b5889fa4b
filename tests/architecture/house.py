"""The source of the program as the rules of the house look at it."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "shirube"
TESTS = ROOT / "tests"
NOT_OURS = {".git", ".venv", ".hypothesis", "build", "dist", "__pycache__"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the program, read and parsed once."""

    path: Path
    tree: ast.Module
    lines: int

    @property
    def name(self) -> str:
        """The path below the package, as the tables of exceptions write it: ``store/port.py``."""
        return self.path.relative_to(SOURCE).as_posix()

    @property
    def words(self) -> tuple[str, ...]:
        """The names of its directories and its own, without the ending."""
        return self.path.relative_to(SOURCE).with_suffix("").parts


@cache
def repository_files() -> tuple[Path, ...]:
    """Return the files that belong to the repository, without asking git, which may be missing."""
    found = []
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if NOT_OURS.intersection(parts) or any(part.endswith(("_cache", ".egg-info")) for part in parts):
            continue
        if path.is_file():
            found.append(path)
    return tuple(found)


@cache
def modules() -> tuple[Module, ...]:
    """Return every Python file of the program in the order of their paths."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        found.append(Module(path, ast.parse(text, str(path)), text.count("\n")))
    return tuple(found)


@cache
def rooms() -> tuple[str, ...]:
    """Return the rooms: the packages below the program, and those below the engine, the features and the doors."""
    packages = [path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("__init__.py")]
    return tuple(sorted(room for room in packages if room.count("/") < 2 and room != "."))


def functions(module: Module) -> list[Function]:
    """Return every function and method of a module, nested ones too."""
    return [node for node in ast.walk(module.tree) if isinstance(node, Function)]


def dotted(node: ast.AST) -> str:
    """Return ``a.b.c`` for a chain of names, or the empty string for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""
