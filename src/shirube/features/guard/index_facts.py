"""What the index knows, as a session asks for it."""

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from shirube.engine.store.port import Ask
from shirube.features.guard.names import name_parts
from shirube.types import Edge

if TYPE_CHECKING:
    from shirube.engine.store.port import Definition
    from shirube.workspace import Workspace

MOST_DEFINITIONS = 2000
"""How many things of one name are looked at; a name that more things have says nothing."""


class IndexFacts:
    """The project as its index knows it at this moment."""

    def __init__(self, workspace: "Workspace", operations: Iterable[str]) -> None:
        self._workspace = workspace
        self.operations = frozenset(operations)

    @cached_property
    def files(self) -> int:
        """How many files there are."""
        return self._workspace.store.coverage()[1]

    @cached_property
    def symbols(self) -> int:
        """How many symbols there are."""
        return self._workspace.store.totals().symbols

    def defined(self, name: str) -> tuple[str, ...]:
        """Return the files that define a name; what stands before it has to be a scope of it, or its path."""
        parts = name_parts(name)
        if not parts:
            return ()
        *outer, last = parts
        ask = Ask(names=(last.lower(),), outer=".".join(outer).lower(), limit=MOST_DEFINITIONS)
        found = self._workspace.store.candidates(ask).definitions
        fitting = (one.path for one in found if one.symbol.name == last and _is_inside(one, outer))
        return tuple(dict.fromkeys(fitting))

    def known(self, paths: Collection[str]) -> frozenset[str]:
        """Return which of these files are indexed."""
        records = self._workspace.store.files(tuple(paths)) if paths else {}
        return frozenset(path for path, record in records.items() if record.language)

    def written(self, word: str, paths: Iterable[str]) -> bool:
        """Tell whether a word stands in the text of one of these files."""
        return any(word in self._workspace.store.text(path) for path in paths)

    def around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        """Return the dependencies between files that begin or end at one of these."""
        return self._workspace.store.edges_around(paths)


def _is_inside(one: "Definition", outer: list[str]) -> bool:
    """Tell whether every part before a name is a scope of it, or part of the path it stands at."""
    path = one.path.rpartition(".")[0] or one.path
    around = {*one.symbol.qualified.split("."), *path.split("/")}
    return all(part in around for part in outer)
