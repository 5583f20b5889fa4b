"""The library: a project whose methods are the operations, with the same checks as the other doors."""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

from shirube.features.commands.operations import CommandsMethods
from shirube.features.guard.insight_operations import InsightsMethods
from shirube.features.guard.operations import SessionMethods
from shirube.features.lookup.index_operations import IndexMethods
from shirube.features.lookup.operations import SearchMethods
from shirube.features.lookup.symbol_operations import SymbolsMethods
from shirube.features.map.operations import MapMethods
from shirube.features.plan.operations import PlanMethods
from shirube.operation import Call, Operation, Result
from shirube.operations import run
from shirube.workspace import Workspace, build_workspace


class Project(
    SearchMethods,
    PlanMethods,
    SymbolsMethods,
    CommandsMethods,
    SessionMethods,
    MapMethods,
    InsightsMethods,
    IndexMethods,
):
    """An open project; use it as a context manager, or call ``close``.

    A Each method takes the fields of its operation's request, and returns the operation's result.
    """

    def __init__(self, workspace: Workspace, session_id: str = "") -> None:
        self.workspace = workspace
        self._shared = {"session_id": session_id} if session_id else {}

    def run(self, operation: Operation[..., Result], *given: Any, **named: Any) -> Result:
        """Run an operation with the arguments of its request, in their order or by name."""
        arguments = {**dict(zip(operation.request.__struct_fields__, given, strict=False)), **named}
        shared = self._shared if operation.joins else {}
        result: Result = run(self.workspace, operation, {**shared, **arguments}, Call(patient=True))
        return result

    def call(self, operation: str, **arguments: Any) -> Any:
        """Run any operation by its name; unlike the methods, this accepts other spellings of arguments."""
        return run(self.workspace, operation, arguments, Call(patient=True))

    def in_session(self, session_id: str) -> "Project":
        """Return the same project for calls that are part of a session: checked against its phase, and recorded."""
        return Project(self.workspace, session_id)

    def close(self) -> None:
        """Close files and stop worker processes."""
        self.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_workspace(path: str | Path = ".", **settings: Any) -> Project:
    """Open the project at ``path``; in names of settings ``__`` stands for the dot: ``index__workers=1``."""
    flags = {name.replace("__", "."): value for name, value in settings.items()}
    return Project(build_workspace(Path(path), flags))
