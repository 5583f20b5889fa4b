"""Asking before a file is written."""

from pathlib import Path
from typing import TYPE_CHECKING

from shirube.features.guard.index_facts import IndexFacts
from shirube.features.guard.results import WriteResult
from shirube.features.guard.session_store import happened, load_session
from shirube.features.guard.sessions import SHOWN, callable_steps, covered
from shirube.features.guard.writes import Target, check_write
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.guard.operations import WriteRequest
    from shirube.workspace import Workspace


def check_write_target(workspace: "Workspace", request: "WriteRequest", call: Call) -> WriteResult:
    """Answer the operation of this name."""
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
    from shirube.engine.repo.read import resolve_inside

    inside = resolve_inside(workspace.root, path)
    real = workspace.root / inside
    above = next(folder for folder in real.parents if folder.is_dir())
    folder = above.relative_to(workspace.root) if above.is_relative_to(workspace.root) else Path()
    return Target(inside, real.exists(), folder.as_posix(), real.is_dir(), indexed)
