"""Everything that can go wrong, as one tree.

ShirubeError
├── UsageError                 the caller asked for something that cannot be
│   ├── UnknownName            an argument, key, language, profile or operation that does not exist
│   ├── BadArgument            a known argument with a value that does not fit
│   ├── StaleCursor            a cursor of an index that has changed since
│   ├── UnknownFile            a path that is not in the index, and why
│   ├── SmallBudget            too few tokens for anything useful, and how many would do
│   ├── UnknownSession         a session handle that was never given here, or is too old
│   ├── PhaseBlocked           an operation that the session's phase does not allow yet
│   └── OutsideRoot            a path that leaves the project
├── ConfigError                a configuration file cannot be used
├── RepoError                  the project on disk cannot be read
│   ├── NotADirectory          the root is missing or is a file
│   ├── NoPermission           the operating system refused
│   ├── NotReadable            a file of the project that cannot be read, and why
│   └── ToolFailed             git or ripgrep failed, was killed or said too much
├── IndexFault                 the index cannot answer
│   ├── FutureIndex            a newer shirube wrote it
│   ├── BrokenIndex            its files are damaged
│   ├── NotWritable            the disk is full or failing
│   ├── IndexBusy              another process holds it for too long
│   ├── MovedIndex             what it builds on was replaced, so the tree has to be compared again
│   ├── Unreachable            the server that has it does not answer
│   └── NoAccess               the server that has it refuses
├── ModelFault                 an embedding model is missing, damaged or cannot be fetched
├── CommandFault               a command of a registry cannot be rendered or run
│   ├── NotAccepted            its profile refuses it
│   ├── TemplateMissing        none of the files it could be rendered from is there
│   └── TimedOut               the outside runner took too long and was killed
├── StateFault                 what was recorded (sessions, plans, outcomes) cannot be read or written
│   └── Conflict               somebody else changed it meanwhile
├── TeamFault                  a repository of the team cannot be followed, and will not be by trying again
│   └── RemoteAway             … but this passes: its remote does not answer now
└── Cancelled                  the deadline passed or the caller gave up

Every error has a stable ``code``, a ``message`` naming the cause and a ``hint`` naming the next step.
Expected answers ("no match", "write blocked") are values, not errors.
"""

import re
from typing import TYPE_CHECKING, Any, ClassVar

from shirube.messages import AGENT, NOTHING, Message, NextStep, Speech, hint_of, is_code, render, say, verbatim

if TYPE_CHECKING:
    from collections.abc import Iterable


LONGEST = 80
"""How many characters of a caller's name an error message repeats."""
LISTED = 12
"""How many names are listed where none is similar; of more, only the first few."""
FEW = 5
NEAR = 0.76
"""How similar (0 to 1) a name must be to be proposed: typos score 0.8 or more, unrelated words up to 0.75."""
BEGINNING = 3
"""A name is also proposed when one is a prefix of the other and has this many letters: ``func``, ``function``."""


def plain(name: str) -> str:
    """Return a caller's name as it can be put between quotes: on one line, and not too long."""
    return "".join(char if char.isprintable() and char != "'" else "?" for char in name[:LONGEST])


class ShirubeError(Exception):
    """The base of all our errors: the cause, and the next step."""

    code: ClassVar[str] = "error"

    def __init_subclass__(cls, code: str) -> None:
        cls.code = code

    def __init__(self, message: str, hint: str = "", /, **values: Any) -> None:
        """Take a message, or a message's code and values; the code's row has the hint, unless one is given."""
        self.message = say(message, **values) if is_code(message) else verbatim(message)
        self.hint = verbatim(hint) if hint or not self.message.code else hint_of(self.message.code, values)
        super().__init__(self.message)

    def as_dict(self, speech: Speech = AGENT) -> dict[str, Any]:
        """Return the shape every door shows: code, message, hint."""
        return {"code": self.code, "message": render(self.message, speech), "hint": render(self.hint, speech)}

    @property
    def told(self) -> Message:
        """The message and its hint as one message."""
        return say("parts.told", message=self.message, hint=self.hint) if self.hint else self.message

    def __str__(self) -> str:
        return str(self.told)


def told(error: Exception) -> Message:
    """Return an error as one message; one of ours includes its hint."""
    return error.told if isinstance(error, ShirubeError) else verbatim(str(error))


class UsageError(ShirubeError, code="usage"):
    """The caller asked for something that cannot be."""


class UnknownName(UsageError, code="unknown_name"):
    """A name that does not exist, with the nearest one that does; ``what`` is a row of ``[terms]``, or a message."""

    def __init__(self, what: str, name: str, known: "Iterable[str]", otherwise: Message = NOTHING) -> None:
        term = what if isinstance(what, Message) else say(f"terms.{what}")
        names = sorted({*known} - {name})  # no name is proposed for itself
        near = nearest(name, names)
        hint = did_you_mean(near) if near else otherwise or _listed(term, names)
        super().__init__("parts.unknown", hint, what=term, name=plain(name))
        self.nearest = near


def did_you_mean(name: str) -> Message:
    """Return the proposal of a name that was probably meant."""
    return say("parts.did_you_mean", name=plain(name))


def _listed(what: Message, names: list[str]) -> Message:
    if not names:
        return say("parts.there_is_no", what=what)
    # A name may come from a stranger: it is quoted unless it is one plain word.
    quoted = [name if re.fullmatch(r"[\w.:/{}?,+-]{1,80}", name) else f"'{plain(name)}'" for name in names]
    shown = quoted if len(names) <= LISTED else quoted[:FEW]
    code = "parts.known_more" if len(names) > len(shown) else "parts.known"
    return say(code, names=shown, more=len(names) - len(shown))


def nearest(name: str, known: "Iterable[str]") -> str | None:
    """Return the known name that was probably meant (a common prefix, swapped letters, similar spelling), or None."""
    from difflib import get_close_matches  # imported late: most runs raise no such error

    meant = _bare(name[:LONGEST])
    names = {_bare(candidate): candidate for candidate in known}
    for bare, candidate in names.items():
        if min(len(bare), len(meant)) >= BEGINNING and (
            bare.startswith(meant) or meant.startswith(bare) or sorted(bare) == sorted(meant)
        ):
            return candidate
    near = get_close_matches(meant, names, n=1, cutoff=NEAR)
    return names[near[0]] if near else None


def _bare(name: str) -> str:
    """Return the part of a name to compare; leading dashes would make all options look similar."""
    return name.strip().lstrip("-").lower()


class BadArgument(UsageError, code="bad_argument"):
    """A known argument with a value that does not fit."""


class StaleCursor(UsageError, code="stale_cursor"):
    """A cursor of an index that has changed since: the next page would skip or repeat results."""


class UnknownFile(UsageError, code="unknown_file"):
    """A path that is not there, or not in the index, with the reason or the nearest one that is."""

    def __init__(self, path: str, hint: Message, is_there: bool = True) -> None:
        super().__init__("files.not_indexed" if is_there else "files.no_file", hint, path=plain(path))


class SmallBudget(UsageError, code="small_budget"):
    """A budget in which nothing useful fits; ``smallest`` is the least that would do."""

    def __init__(self, budget: int, smallest: int) -> None:
        super().__init__("bundle.small_budget", budget=budget, smallest=smallest)
        self.smallest = smallest


class UnknownSession(UsageError, code="unknown_session"):
    """A session handle that was never given for this work tree, or is too old."""


class PhaseBlocked(UsageError, code="phase_blocked"):
    """An operation that the session's phase does not allow; the error names the allowed ones."""

    def __init__(self, operation: NextStep, phase: str, allowed: "Iterable[str]", hint: str) -> None:
        super().__init__("session.op_not_allowed", hint, operation=operation, phase=phase)
        self.phase = phase
        self.allowed = tuple(allowed)

    def as_dict(self, speech: Speech = AGENT) -> dict[str, Any]:
        """Return the shape every door shows, with the phase and what it allows."""
        return {**super().as_dict(speech), "current_phase": self.phase, "allowed_operations": list(self.allowed)}


class OutsideRoot(UsageError, code="outside_root"):
    """A path that leaves the project."""


class ConfigError(ShirubeError, code="config"):
    """A configuration file cannot be used."""


class RepoError(ShirubeError, code="repo"):
    """The project on disk cannot be read."""


class NotADirectory(RepoError, code="not_a_directory"):
    """The root is missing or is a file."""


class NoPermission(RepoError, code="no_permission"):
    """The operating system refused."""


class NotReadable(RepoError, code="not_readable"):
    """A file of the project that cannot be read; ``reason`` is one of the words of ``Skip``."""

    def __init__(self, path: str, reason: str, detail: Message = NOTHING) -> None:
        super().__init__("files.not_read", path=repr(path), why=detail or reason)
        self.path = path
        self.reason = reason
        self.detail = detail


class ToolFailed(RepoError, code="tool_failed"):
    """An outside program (git, ripgrep) failed, was killed or said too much."""


class IndexFault(ShirubeError, code="index"):
    """The index cannot answer."""


class FutureIndex(IndexFault, code="future_index"):
    """A newer shirube wrote this index."""


class BrokenIndex(IndexFault, code="broken_index"):
    """The files of the index are damaged."""


class NotWritable(IndexFault, code="not_writable"):
    """The disk that holds the index is full or failing."""


class IndexBusy(IndexFault, code="index_busy"):
    """Another process holds the index for too long."""


class MovedIndex(IndexFault, code="moved_index"):
    """What the index builds on was replaced; it has to be compared with the tree before it answers."""


class Unreachable(IndexFault, code="unreachable"):
    """The server that has the index does not answer."""


class NoAccess(IndexFault, code="no_access"):
    """The server that has the index refuses this user, or what the user wants to do."""


class ModelFault(ShirubeError, code="model"):
    """An embedding model is missing, damaged or cannot be fetched."""


class CommandFault(ShirubeError, code="command"):
    """A command of a registry cannot be rendered or run."""


class NotAccepted(CommandFault, code="not_accepted"):
    """The profile of a command refuses it."""


class TemplateMissing(CommandFault, code="template_missing"):
    """None of the files a command could be rendered from is there."""


class TimedOut(CommandFault, code="timed_out"):
    """The outside runner took too long and was killed."""


class StateFault(ShirubeError, code="state"):
    """The records of sessions, plans and outcomes cannot be read or written."""


class Conflict(StateFault, code="conflict"):
    """Another process changed a document since we read it."""


class TeamFault(ShirubeError, code="team"):
    """A repository of the team cannot be followed as it is; trying again does not help."""


class RemoteAway(TeamFault, code="remote_away"):
    """The remote of a repository does not answer now."""


class Cancelled(ShirubeError, code="cancelled"):
    """The deadline passed or the caller gave up."""
