"""May this be written? Only what was looked at, and new files only beside it.

Pure: the session, the paths and the tree are handed in. ``check_write_target`` and the gate ask the same rules.
"""

import json
from collections.abc import Collection, Iterable
from typing import NamedTuple

from shirube.features.guard.advice import call, next_steps, reclassify
from shirube.features.guard.evidence import only_absence, rests_on_absence
from shirube.features.guard.programs import words_of
from shirube.features.guard.state import WRITERS, NextCall, Phase, Session, Verdict, WriteCheck
from shirube.messages import NOTHING, Message, say

MOST_NAMED = 5
"""Files named in one refusal."""
LONGEST = 200
LISTED = words_of(
    "search snippets_get search_text find_definitions find_references start_session "
    "set_query_frame submit_understanding submit_semantic submit_verification check_write_target"
)
"""Calls that every agent is shown; of those that would help, one of these is named."""


class WriteTarget(NamedTuple):
    """A path of the project, as it was before anybody wrote it."""

    path: str
    exists: bool
    folder: str = "."
    """The nearest directory above it that exists."""
    is_folder: bool = False


class Refused(NamedTuple):
    """Something that may not be written, why, and the one call that unblocks it."""

    target: str
    reason: Message
    next: Message


def check_write(session: Session, target: WriteTarget, allow_new: bool, files: int = 1) -> tuple[WriteCheck, Verdict]:
    """Return whether a file may be written now, and what unblocks it.

    ``files`` is how many the project has; in an empty one there is nothing to look at first.
    """
    reason, steps = _refusal(session, target, allow_new, files)
    check = WriteCheck(target.path, not reason, not target.exists, reason)
    return check, Verdict(not reason, reason or say("guard.may_write", path=target.path), next=steps)


def allowed_paths(session: Session) -> frozenset[str]:
    """Return what the session was told it may write."""
    return frozenset(check.path for check in session.checks if check.allowed)


def _refusal(
    session: Session, target: WriteTarget, allow_new: bool, files: int
) -> tuple[Message, tuple[NextCall, ...]]:
    reason, steps = _not_yet(session)
    if reason:
        return reason, steps
    if target.is_folder:
        return say("guard.is_directory", path=target.path), ()
    return _old_refusal(session, target) if target.exists else _new_refusal(session, target, allow_new, files)


def _not_yet(session: Session) -> tuple[Message, tuple[NextCall, ...]]:
    """Return why the session may write nothing at all now, and what to call."""
    if session.intent not in WRITERS:
        return say("guard.intent_no_write", intent=session.intent), (reclassify(session),)
    if session.phase is not Phase.READY:
        return say("guard.phase_no_write", phase=session.phase), next_steps(session)
    return NOTHING, ()


def _old_refusal(session: Session, target: WriteTarget) -> tuple[Message, tuple[NextCall, ...]]:
    if any(check.path == target.path and check.allowed and check.new for check in session.checks):
        return NOTHING, ()  # made by this session
    if target.path not in session.explored:
        return say("guard.not_looked", path=target.path), _look(session, target.path)
    if only_absence(session) or rests_on_absence(session):
        look = call(session, "search", say("guard.relation"), query=session.about)
        return say("guard.absent"), (look, _back(session))
    return NOTHING, ()


def _new_refusal(
    session: Session, target: WriteTarget, allow_new: bool, files: int
) -> tuple[Message, tuple[NextCall, ...]]:
    if not allow_new:
        again = call(session, "check_write_target", say("guard.to_make"), file_path=target.path, allow_new_files=True)
        return say("guard.no_new", path=target.path), (again,)
    if not files or is_explored_folder(session, target):
        return NOTHING, ()
    place = target.folder if target.folder != "." else say("guard.top")
    where = {} if target.folder == "." else {"path": target.folder}
    look = call(session, "search", say("guard.look_there"), query=session.about, **where)
    add = call(session, "add_explored_files", say("guard.if_returned"), files=[target.folder])
    beneath = "" if target.folder == "." else f"{target.folder}/"
    steps = (add, look) if any(path.startswith(beneath) for path in session.returned) else (look, add)
    return say("guard.new_file", place=place), steps


def is_explored_folder(session: Session, target: WriteTarget) -> bool:
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


# --- the gate ----------------------------------------------------------------------------------------------


def judge_paths(session: Session | None, targets: Iterable[WriteTarget], files: int) -> list[Refused]:
    """Return which targets may not be written."""
    if session is None:
        return [_first(target.path) for target in targets]
    checked = ((target, *check_write(session, target, True, files)) for target in targets)
    return [
        Refused(target.path, check.reason, _way_on(verdict.next))
        for target, check, verdict in checked
        if not check.allowed
    ]


def judge_command(session: Session | None, command: str) -> Refused | None:
    """Return why a command that may write must not run yet; in READY the tree is looked at afterwards."""
    shown = " ".join(command.split())[:120]
    if session is None:
        return _first(shown)
    reason, steps = _not_yet(session)
    return Refused(shown, reason, _way_on(steps)) if reason else None


def _first(target: str) -> Refused:
    """Return that a session has to be begun first."""
    return Refused(target, say("guard.no_session"), say("guard.start"))


def _way_on(steps: tuple[NextCall, ...]) -> Message:
    if not steps:
        return say("guard.other_file")
    step = next((step for step in steps if step.operation in LISTED), steps[0])
    given = json.dumps(dict(step.arguments), ensure_ascii=False)
    return say("guard.call_tool", tool=step.operation, given=given)


def describe(refused: list[Refused], what: str) -> Message:
    """Tell a model what it may not do (``what`` is a code), and the one call that unblocks the first of it."""
    first = refused[0]
    names: object = [f"`{_plain(one.target)}`" for one in refused[:MOST_NAMED]]
    if len(refused) > MOST_NAMED:
        names = say("guard.and_more", names=names, count=len(refused) - MOST_NAMED)
    return say("guard.refusal", what=say(what), names=names, reason=first.reason, next=first.next)


def _plain(name: str) -> str:
    """Return a name that cannot pass for anything else: no line breaks, no backquotes, not too long."""
    return "".join(char if char.isprintable() and char != "`" else "?" for char in name)[:LONGEST]


def targets_in(paths: Collection[str], files: Collection[str]) -> list[WriteTarget]:
    """Return paths as a tree of files has them."""
    folders: set[str] = set()
    for file in files if any(path not in files for path in paths) else ():  # a tree can be large, new files are few
        folder = file.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    targets = []
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and path not in files and folder not in folders:
            folder = folder.rpartition("/")[0]
        targets.append(WriteTarget(path, path in files, folder or "."))
    return targets
