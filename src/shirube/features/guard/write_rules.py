"""Is this write one the session may make? Pure: the session, the paths and the tree are handed in."""

import json
from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from shirube.messages import Message, say

if TYPE_CHECKING:
    from shirube.features.guard.state import Session
    from shirube.features.guard.verdict import NextCall

SHOWN = 5
"""Files named in one refusal."""
LONGEST = 200
LISTED = frozenset(
    {
        *("search", "snippets_get", "search_text", "find_definitions", "find_references", "start_session"),
        *("set_query_frame", "submit_understanding", "submit_semantic", "submit_verification", "check_write_target"),
    }
)
"""Calls that every agent is shown; of those that would help, one of these is named."""


class Refused(NamedTuple):
    """Something that may not be written, why, and the one call that unblocks it."""

    target: str
    reason: Message
    next: Message


class Place(NamedTuple):
    """A path of the project, as it was before anybody wrote it."""

    path: str
    exists: bool
    folder: str = "."
    """The nearest directory above it that was there."""
    is_folder: bool = False


def judge_paths(session: "Session | None", places: Iterable[Place], files: int) -> list[Refused]:
    """Return which places may not be written; ``files`` is how many the project has."""
    if session is None:
        return [_first(place.path) for place in places]
    from shirube.features.guard.writes import Target, check_write

    refused = []
    for place in places:
        target = Target(place.path, place.exists, place.folder, place.is_folder, files)
        check, verdict = check_write(session, target, allow_new=True)
        if not check.allowed:
            refused.append(Refused(place.path, check.reason, _told(verdict.next)))
    return refused


def judge_command(session: "Session | None", command: str) -> Refused | None:
    """Return why a command that may write must not run yet; in READY the tree is looked at afterwards."""
    shown = " ".join(command.split())[:120]
    if session is None:
        return _first(shown)
    from shirube.features.guard.advice import next_steps, reclassify
    from shirube.features.guard.state import WRITERS, Phase

    if session.intent not in WRITERS:
        return Refused(shown, say("guard.intent_no_write", intent=session.intent), _told((reclassify(session),)))
    if session.phase is not Phase.READY:
        return Refused(shown, say("guard.phase_no_write", phase=session.phase), _told(next_steps(session)))
    return None


def _first(target: str) -> Refused:
    """Return that a session has to be begun first."""
    return Refused(target, say("guard.no_session"), say("guard.start"))


def tell(refused: list[Refused], what: str) -> Message:
    """Say to a model what it may not do (``what`` is a code), and the one call that unblocks the first of it."""
    first = refused[0]
    names: object = [f"`{_plain(one.target)}`" for one in refused[:SHOWN]]
    if len(refused) > SHOWN:
        names = say("guard.and_more", names=names, count=len(refused) - SHOWN)
    return say("guard.refusal", what=say(what), names=names, reason=first.reason, next=first.next)


def _plain(name: str) -> str:
    """Return a name that cannot pass for anything else: no lines, no quotes of ours, no end."""
    return "".join(char if char.isprintable() and char != "`" else "?" for char in name)[:LONGEST]


def _told(steps: "tuple[NextCall, ...]") -> Message:
    if not steps:
        return say("guard.other_file")
    step = next((step for step in steps if step.operation in LISTED), steps[0])
    given = json.dumps(dict(step.arguments), ensure_ascii=False)
    return say("guard.call_tool", tool=step.operation, given=given)


def places_in(paths: Iterable[str], files: Collection[str]) -> list[Place]:
    """Return paths as a tree of files has them."""
    folders = cache(lambda: _folders(files))  # made when there is a new file among them
    return [
        Place(path, True, path.rpartition("/")[0] or ".")
        if path in files
        else Place(path, False, _nearest(path, folders()))
        for path in paths
    ]


def _folders(files: Collection[str]) -> frozenset[str]:
    found = {"."}
    for file in files:
        folder = file.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def _nearest(path: str, folders: Collection[str]) -> str:
    folder = path.rpartition("/")[0]
    while folder and folder not in folders:
        folder = folder.rpartition("/")[0]
    return folder or "."
