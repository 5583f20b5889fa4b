"""May this file be written? Only if the agent looked at it, and a new file only beside a file it looked at.

Pure: callers pass the session, the paths and the tree. ``check_write_target`` and the gate use the same rules.
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
"""How many files one refusal names."""
LONGEST = 200
"""How many characters of a name one refusal shows."""
LISTED = words_of(
    "search symbol snippets_get search_text start_session "
    "set_query_frame submit_understanding submit_semantic submit_verification check_write_target"
)
"""Operations that every agent can call; a refusal names one of these if it can."""


class WriteTarget(NamedTuple):
    """A path of the project, as it was before the write."""

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
    """Return whether a file may be written now, and the calls that unblock it.

    ``files`` is how many files the project has; an empty project has nothing to look at first.
    """
    reason, steps = _refusal(session, target, allow_new, files)
    check = WriteCheck(target.path, not reason, not target.exists, reason)
    return check, Verdict(not reason, reason or say("guard.may_write", path=target.path), next=steps)


def allowed_paths(session: Session) -> frozenset[str]:
    """Return the files that the session was allowed to write."""
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
    """Return why the session may not write anything yet, and what to call; an empty reason when it may."""
    if session.intent not in WRITERS:
        return say("guard.intent_no_write", intent=session.intent), (reclassify(session),)
    if session.phase is not Phase.READY:
        return say("guard.phase_no_write", phase=session.phase), next_steps(session)
    return NOTHING, ()


def _old_refusal(session: Session, target: WriteTarget) -> tuple[Message, tuple[NextCall, ...]]:
    if any(check.path == target.path and check.allowed and check.new for check in session.checks):
        return NOTHING, ()  # this session created the file
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
    """Tell whether the agent knows the place of a new file: it lies beside a file the agent looked at.

    In a directory that does not exist yet there is no such file, so the nearest existing directory must be explored.
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
    """Return why a command that may write must not run yet; in READY it may, and the gate checks the tree later."""
    shown = " ".join(command.split())[:120]
    if session is None:
        return _first(shown)
    reason, steps = _not_yet(session)
    return Refused(shown, reason, _way_on(steps)) if reason else None


def _first(target: str) -> Refused:
    """Return the refusal that asks the agent to start a session first."""
    return Refused(target, say("guard.no_session"), say("guard.start"))


def _way_on(steps: tuple[NextCall, ...]) -> Message:
    if not steps:
        return say("guard.other_file")
    step = next((step for step in steps if step.operation in LISTED), steps[0])
    given = json.dumps(dict(step.arguments), ensure_ascii=False)
    return say("guard.call_tool", tool=step.operation, given=given)


def describe(refused: list[Refused], what: str) -> Message:
    """Describe refusals to a model (``what`` is a message code), with the call that unblocks the first of them."""
    first = refused[0]
    names: object = [f"`{_plain(refusal.target)}`" for refusal in refused[:MOST_NAMED]]
    if len(refused) > MOST_NAMED:
        names = say("guard.and_more", names=names, count=len(refused) - MOST_NAMED)
    return say("guard.refusal", what=say(what), names=names, reason=first.reason, next=first.next)


def _plain(name: str) -> str:
    """Return a name that is safe to quote in a message: no line breaks, no backquotes, not too long."""
    return "".join(char if char.isprintable() and char != "`" else "?" for char in name)[:LONGEST]


def targets_in(paths: Collection[str], files: Collection[str]) -> list[WriteTarget]:
    """Return write targets for paths, judged by a list of the project's files instead of the disk."""
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
