"""May this file be written? Only what was looked at, and new files only beside it."""

from msgspec import Struct

from shirube.features.guard.advice import call, next_steps, reclassify
from shirube.features.guard.evidence import only_absence, rests_on_absence
from shirube.features.guard.state import WRITERS, Phase, Session, WriteCheck
from shirube.features.guard.verdict import NextCall, Verdict
from shirube.messages import NOTHING, Message, say


class Target(Struct, frozen=True):
    """A path inside the project, as the disk has it."""

    path: str
    exists: bool
    folder: str = "."
    """The nearest directory above it that exists."""
    is_folder: bool = False
    indexed: int = 1
    """How many files the project has; in an empty one there is nothing to look at."""


def check_write(session: Session, target: Target, allow_new: bool) -> tuple[WriteCheck, Verdict]:
    """Return whether a file may be written now, and what unblocks it."""
    reason, steps = _refusal(session, target, allow_new)
    check = WriteCheck(target.path, not reason, not target.exists, reason)
    return check, Verdict(not reason, reason or say("guard.may_write", path=target.path), next=steps)


def written(session: Session) -> frozenset[str]:
    """Return what the session was told it may write."""
    return frozenset(check.path for check in session.checks if check.allowed)


def _refusal(session: Session, target: Target, allow_new: bool) -> tuple[Message, tuple[NextCall, ...]]:
    if session.intent not in WRITERS:
        return say("guard.intent_no_write", intent=session.intent), (reclassify(session),)
    if session.phase is not Phase.READY:
        return say("guard.phase_no_write", phase=session.phase), next_steps(session)
    if target.is_folder:
        return say("guard.is_directory", path=target.path), ()
    return _old_refusal(session, target) if target.exists else _new_refusal(session, target, allow_new)


def _old_refusal(session: Session, target: Target) -> tuple[Message, tuple[NextCall, ...]]:
    if any(check.path == target.path and check.allowed and check.new for check in session.checks):
        return NOTHING, ()  # made by this session
    if target.path not in session.explored:
        return say("guard.not_looked", path=target.path), _look(session, target.path)
    if only_absence(session) or rests_on_absence(session):
        look = call(session, "search", say("guard.relation"), query=session.about)
        return say("guard.absent"), (look, _back(session))
    return NOTHING, ()


def _new_refusal(session: Session, target: Target, allow_new: bool) -> tuple[Message, tuple[NextCall, ...]]:
    if not allow_new:
        again = call(session, "check_write_target", say("guard.to_make"), file_path=target.path, allow_new_files=True)
        return say("guard.no_new", path=target.path), (again,)
    if not target.indexed or is_explored_folder(session, target):
        return NOTHING, ()
    place = target.folder if target.folder != "." else say("guard.top")
    where = {} if target.folder == "." else {"path": target.folder}
    look = call(session, "search", say("guard.look_there"), query=session.about, **where)
    add = call(session, "add_explored_files", say("guard.if_returned"), files=[target.folder])
    steps = (add, look) if any(_is_below(path, target.folder) for path in session.returned) else (look, add)
    return say("guard.new_file", place=place), steps


def _is_below(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def is_explored_folder(session: Session, target: Target) -> bool:
    """Tell whether a new file belongs where it is to be made: beside a file that was looked at.

    A directory that does not exist yet has nothing in it; the one above has to have been added, or listed as such.
    """
    if target.folder in session.explored:
        return True
    beside = {path.rpartition("/")[0] or "." for path in session.explored}
    return target.folder == (target.path.rpartition("/")[0] or ".") and target.folder in beside


def _look(session: Session, path: str) -> tuple[NextCall, ...]:
    look = call(session, "snippets_get", say("session.look_first"), path=path)
    add = call(session, "add_explored_files", say("guard.then_named"), files=[path])
    return (add, look, _back(session)) if path in session.returned else (look, _back(session))


def _back(session: Session) -> NextCall:
    return call(session, "revert_to_exploration", say("guard.again"), keep_results=True)
