"""Asking before a file is written."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shirube.operations.keeping import happened, load_session
from shirube.operations.knowing import IndexFacts
from shirube.operations.model import Call, Operation, arg
from shirube.operations.sessions import SHOWN, callable_steps, covered
from shirube.session.coverage import Coverage
from shirube.session.state import Phase
from shirube.session.verdict import NextCall
from shirube.session.writes import Target, check_write

if TYPE_CHECKING:
    from shirube.workspace import Workspace


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """What ``check_write_target`` takes."""

    session_id: str = arg(..., "Session handle.")
    file_path: str = arg(..., "The file to be written, relative to the project.")
    allow_new_files: bool = arg(True, "false refuses a file that does not exist yet.")


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Whether it may be written, and what unblocks it."""

    session_id: str
    path: str
    allowed: bool
    new: bool
    phase: Phase
    message: str
    coverage: Coverage
    """What imports it or is imported by it, and how much of that was looked at."""
    explored_files: tuple[str, ...]
    next: tuple[NextCall, ...]


def _check(workspace: "Workspace", request: WriteRequest, call: Call) -> WriteResult:
    session = load_session(workspace, call.session_id)
    facts = IndexFacts(workspace, call.operations)
    target = target_of(workspace, request.file_path, facts.files)
    check, verdict = check_write(session, target, request.allow_new_files)
    happened(workspace, session.id, check)
    return WriteResult(
        session_id=session.id,
        path=check.path,
        allowed=check.allowed,
        new=check.new,
        phase=session.phase,
        message=verdict.message,
        coverage=covered(session, facts, check.path),
        explored_files=tuple(sorted(session.explored))[:SHOWN],
        next=callable_steps(verdict.next, call),
    )


def target_of(workspace: "Workspace", path: str, indexed: int) -> Target:
    """Return a path as the disk has it; one that leads out of the project is refused."""
    from shirube.repo.read import resolve_inside

    inside = resolve_inside(workspace.root, path)
    real = workspace.root / inside
    above = next(folder for folder in real.parents if folder.is_dir())
    folder = above.relative_to(workspace.root) if above.is_relative_to(workspace.root) else Path()
    return Target(inside, real.exists(), folder.as_posix(), real.is_dir(), indexed)


CHECK_WRITE_TARGET = Operation(
    name="check_write_target",
    summary="May this file be written now? Existing files must have been looked at in the session, new ones belong "
    "beside such.",
    request=WriteRequest,
    result=WriteResult,
    function=_check,
    group="session",
    core=True,
    read_only=False,
    aliases={"path": "file_path"},
)
