"""Is this write one the session may make? Pure: the session, the paths and the tree are handed in."""

import json
from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from shirube.session.state import Session
    from shirube.session.verdict import NextCall

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
    reason: str
    next: str


NO_SESSION = "no session of this work tree has looked at anything yet"
START = (
    'call the shirube tool `start_session` with {"intent": "MODIFY", "query": "<the request in the user\'s own words>"}'
    ", and follow `next` in its answers until the phase is READY"
)
OWN_STATE = "this is shirube's own state or settings; only shirube and the user write there"


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
        return [Refused(place.path, NO_SESSION, START) for place in places]
    from shirube.session.writes import Target, check_write

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
        return Refused(shown, NO_SESSION, START)
    from shirube.session.advice import next_steps, reclassify
    from shirube.session.state import WRITERS, Phase

    if session.intent not in WRITERS:
        return Refused(shown, f"{session.intent} may not write", _told((reclassify(session),)))
    if session.phase is not Phase.READY:
        return Refused(shown, f"nothing may be written in {session.phase}", _told(next_steps(session)))
    return None


def tell(refused: list[Refused], what: str) -> str:
    """Say to a model what it may not do, and the one call that unblocks the first of it."""
    first = refused[0]
    names = ", ".join(f"`{_plain(one.target)}`" for one in refused[:SHOWN])
    more = f" and {len(refused) - SHOWN} more" if len(refused) > SHOWN else ""
    return f"{what} {names}{more}: {first.reason}. To go on, {first.next}."


def _plain(name: str) -> str:
    """Return a name that cannot pass for anything else: no lines, no quotes of ours, no end."""
    return "".join(char if char.isprintable() and char != "`" else "?" for char in name)[:LONGEST]


def _told(steps: "tuple[NextCall, ...]") -> str:
    if not steps:
        return "write another file"
    step = next((step for step in steps if step.operation in LISTED), steps[0])
    given = json.dumps(dict(step.arguments), ensure_ascii=False)
    return f"call the shirube tool `{step.operation}` with {given}"


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
