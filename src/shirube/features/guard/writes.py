"""May this file be written? Only if the agent looked at it, and a new file only beside a file it looked at.

Pure: callers pass the session, the paths and the tree. ``check_write_target`` and the gate use the same rules.
"""

import json
from collections.abc import Collection, Iterable
from itertools import product
from typing import NamedTuple

from shirube.engine.text.budget import tokens_of
from shirube.features.guard.advice import call, claim_call, look_below, look_call, next_steps, reclassify
from shirube.features.guard.evidence import only_absence, rests_on_absence
from shirube.features.guard.programs import words_of
from shirube.features.guard.state import WRITERS, NextCall, Phase, Session, Verdict, WriteCheck
from shirube.features.plan.frame import Intent
from shirube.messages import NOTHING, Message, Speech, render, say

MOST_TOKENS = 60
"""How long a refusal may be."""
LONGEST = 32
"""How many characters of a name a refusal shows."""
WRITING, RUNNING, CHANGED = "guard.writing", "guard.running", "guard.changed"
"""What a refusal is about: a file that is to be written, a command that is to run, what a tool has changed."""
REQUEST = "<request>"
"""Stands for the request in a call, where it is unknown or too long."""
_UNDER_THEIR_NAMES = words_of(
    "search symbol start_session set_query_frame submit_understanding submit_semantic submit_verification "
    "check_write_target"
)
LISTED = {"snippets_get": "read", "search_text": "grep", **{name: name for name in _UNDER_THEIR_NAMES}}
"""Operations that every agent can call, by the tools' names; a refusal names one of these if it can."""


class WriteTarget(NamedTuple):
    """A path of the project, as it was before the write."""

    path: str
    exists: bool
    folder: str = "."
    """The nearest directory above it that exists."""
    is_folder: bool = False
    digest: str = ""
    """The short digest of its content; empty when that does not matter."""


class Refused(NamedTuple):
    """Something that may not be written, why, and what unblocks it: the same call, from the fullest to the shortest."""

    target: str
    reason: Message
    ways: tuple[Message, ...]

    @property
    def next(self) -> Message:
        """The call that unblocks it."""
        return self.ways[0]


def check_write(
    session: Session, target: WriteTarget, allow_new: bool, files: int = 1, gate: bool = False
) -> tuple[WriteCheck, Verdict]:
    """Return whether a file may be written now, and the calls that unblock it.

    ``files`` is how many files the project has; an empty project has nothing to look at first. ``gate`` says that the
    file is about to be written: then even a file that was allowed must have the content that was looked at.
    """
    reason, steps = _refusal(session, target, allow_new, files)
    if gate and not reason and has_changed(session, target):
        reason, steps = _changed(session, target)
    check = WriteCheck(target.path, not reason, not target.exists, reason)
    return check, Verdict(not reason, reason or say("guard.may_write", path=target.path), next=steps)


def has_changed(session: Session, target: WriteTarget) -> bool:
    """Tell whether a file has other content than the session looked at, by none of its own writes."""
    looked = session.looks.get(target.path, "")
    return bool(looked and target.digest) and looked != target.digest


def _changed(session: Session, target: WriteTarget) -> tuple[Message, tuple[NextCall, ...]]:
    return say("guard.changed_since", path=target.path), _look(session, target.path)


def allowed_paths(session: Session) -> frozenset[str]:
    """Return the files that the session was allowed to write."""
    return frozenset(check.path for check in session.checks if check.allowed)


def _refusal(
    session: Session, target: WriteTarget, allow_new: bool, files: int
) -> tuple[Message, tuple[NextCall, ...]]:
    reason, steps = _not_yet(session)
    if reason:
        if not session.scaled or session.intent not in WRITERS or not target.exists or session.elsewhere:
            return reason, steps
        seen = target.path in session.explored  # what leads to writing it: a look, then the claim that it will change
        return reason, (claim_call(session, files=[target.path]),) if seen else _look(session, target.path)
    if target.is_folder:
        return say("guard.is_directory", path=target.path), ()
    return _old_refusal(session, target) if target.exists else _new_refusal(session, target, allow_new, files)


def _not_yet(session: Session) -> tuple[Message, tuple[NextCall, ...]]:
    """Return why the session may not write anything yet, and what to call; an empty reason when it may."""
    if session.intent not in WRITERS:
        return say("guard.intent_no_write", intent=session.intent), (reclassify(session),)
    if session.phase is not Phase.READY:
        return say("guard.phase_no_write", phase=session.phase), next_steps(session)
    if session.elsewhere:
        return say("guard.elsewhere", now=session.elsewhere), (reclassify(session),)
    return NOTHING, ()


def _old_refusal(session: Session, target: WriteTarget) -> tuple[Message, tuple[NextCall, ...]]:
    if target.path in allowed_paths(session):
        return NOTHING, ()
    if target.path not in session.explored:
        return say("guard.not_looked", path=target.path), _look(session, target.path)
    if has_changed(session, target):
        return _changed(session, target)
    if session.scaled:
        steps = (claim_call(session, files=[target.path]),)
        return (NOTHING, ()) if belongs(session, target.path) else (say("guard.apart", path=target.path), steps)
    if only_absence(session) or rests_on_absence(session):
        look = call(session, "search", say("guard.relation"), query=session.about)
        return say("guard.absent"), (look, _back(session))
    return NOTHING, ()


def belongs(session: Session, path: str) -> bool:
    """Tell whether a file goes with what the session said it will change; tests, documents and settings always do."""
    claimed = {*(session.understanding.files if session.understanding else ()), *allowed_paths(session)}
    folders = {file.rpartition("/")[0] for file in claimed}
    expected = {place.path for place in session.expected}
    return path in {*claimed, *session.near, *expected} or path.rpartition("/")[0] in folders or not is_code(path)


def is_code(path: str) -> bool:
    """Tell whether a file is part of the program, by its path."""
    from shirube.engine.parse.languages import language_of
    from shirube.engine.search.roles import Role, role_of

    return role_of(path, language_of(path)) in (Role.IMPLEMENTATION, Role.STUB)


def _new_refusal(
    session: Session, target: WriteTarget, allow_new: bool, files: int
) -> tuple[Message, tuple[NextCall, ...]]:
    if not allow_new:
        again = call(session, "check_write_target", say("guard.to_make"), file_path=target.path, allow_new_files=True)
        return say("guard.no_new", path=target.path), (again,)
    if not files or is_explored_folder(session, target):
        return NOTHING, ()
    beneath = "" if target.folder == "." else f"{target.folder}/"
    look = look_below(session, target.folder)
    if not any(path.startswith(beneath) for path in session.countable):
        return say("guard.new_file"), (look,)
    add = call(session, "add_explored_files", say("guard.if_returned"), files=[target.folder])
    return say("guard.new_file"), (add, look)


def is_explored_folder(session: Session, target: WriteTarget) -> bool:
    """Tell whether the agent knows the place of a new file: it lies beside a file the agent looked at.

    In a directory that does not exist yet there is no such file, so the nearest existing directory must be explored.
    """
    if target.folder in session.looked_at:
        return True
    beside = {path.rpartition("/")[0] or "." for path in session.looked_at}
    return target.folder == (target.path.rpartition("/")[0] or ".") and target.folder in beside


def _look(session: Session, path: str) -> tuple[NextCall, ...]:
    look = look_call(session, path, say("session.look_first"))
    if session.scaled:
        return (look,)
    add = call(session, "add_explored_files", say("guard.then_named"), files=[path])
    return (add, look, _back(session)) if path in session.returned else (look, _back(session))


def _back(session: Session) -> NextCall:
    return call(session, "revert_to_exploration", say("guard.again"), keep_results=True)


# --- the gate ----------------------------------------------------------------------------------------------


def judge_paths(session: Session | None, targets: Iterable[WriteTarget], files: int) -> list[Refused]:
    """Return which targets may not be written."""
    if session is None:
        return [_first(target.path) for target in targets]
    checked = ((target, *check_write(session, target, True, files, gate=True)) for target in targets)
    return [
        Refused(target.path, check.reason, _ways_on(verdict.next))
        for target, check, verdict in checked
        if not check.allowed
    ]


def judge_command(session: Session | None, command: str) -> Refused | None:
    """Return why a command that may write must not run yet; in READY it may, and the gate checks the tree later."""
    shown = " ".join(command.split())[:120]
    if session is None:
        return _first(shown)
    reason, steps = _not_yet(session)
    return Refused(shown, reason, _ways_on(steps)) if reason else None


def _first(target: str) -> Refused:
    """Return the refusal that asks the agent to start a session first."""
    start = NextCall("start_session", {"intent": Intent.MODIFY.value, "query": REQUEST})
    return Refused(target, say("guard.no_session"), _ways_on((start,)))


def _ways_on(steps: tuple[NextCall, ...]) -> tuple[Message, ...]:
    """Return the calls that the agent can make, each in full, and at last the first of them without what is long."""
    if not steps:
        return (say("guard.other_file"),)
    listed = [step for step in steps if step.operation in LISTED] or [steps[0]]
    texts = {name: value for name, value in listed[0].arguments.items() if _is_plain(value)}
    short = {**texts, **({"query": REQUEST} if "query" in texts else {})}
    calls = [*((step, step.arguments) for step in listed), (listed[0], short)]
    ways = [
        (step.operation, json.dumps(dict(given), ensure_ascii=False, separators=(",", ":"))) for step, given in calls
    ]
    return tuple(say("guard.call", tool=LISTED.get(name, name), given=given) for name, given in ways)


def _is_plain(value: object) -> bool:
    """Tell whether an argument is text, or a list of it, that the agent does not have to fill in."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return isinstance(value, str) and (not value.startswith("<") or value == REQUEST)


def describe(refused: list[Refused], what: str, speech: Speech, frame: str = "guard.blocked") -> str:
    """Describe refusals to a model within ``MOST_TOKENS``: the reason, and at the end the call that unblocks.

    ``what`` is the code of what was about to happen or has happened, ``frame`` that of the text around. Names that the
    call repeats go first when it gets long.
    """
    first, text = refused[0], ""
    more = say("guard.more", count=len(refused) - 1) if len(refused) > 1 else NOTHING
    for way, brief in product(first.ways, range(3)):
        reason = first.reason
        name: object = f"`{_name(first.target)}`"
        if "path" in reason.values:
            named = say("guard.this_file") if brief else _name(reason.values["path"])
            reason, name = say(reason.code, **{**reason.values, "path": named}), say("guard.it")
        values = {"reason": reason, "next": way}
        if brief == 2:
            said = say("guard.undo" if what == CHANGED else WRITING, more=NOTHING, **values)
        else:
            said = say(what, name=name, more=more, **values)
        text = render(say(frame, text=said), speech).replace(REQUEST, render(say("guard.request"), speech))
        if tokens_of(text) <= MOST_TOKENS:
            break
    return text


def _name(path: str) -> str:
    """Return a path that is safe to quote in a message, without line breaks or backquotes, cut where it is long."""
    name = "".join(char if char.isprintable() and char != "`" else "?" for char in path)
    return name if len(name) <= LONGEST else f"…/{name.rpartition('/')[2][-LONGEST:]}"


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
