"""What an agent saw with its own tools, told from the hook after each: the files shown, and those only named.

A file counts as shown when a reading tool was given it, or when the output has text of it after ``path:`` or a line of
its content. A command counts only if the shell parser understands all of it.
"""

import os
import re
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

from shirube.engine.repo.read import slurp
from shirube.errors import NotReadable
from shirube.features.guard.hook_protocol import HookEvent, ToolKind
from shirube.features.guard.programs import OWN_NAMES, PLACES, words_of

MOST = 200
"""How many files of one tool's answer count."""
MOST_LINES = 5000
MOST_BYTES = 4 << 20
DIGITS = 12
"""How many digits of a digest are kept: enough to tell a change, which nobody makes to look like none."""
_SHOWERS = words_of("cat head tail sed nl bat batcat less more tac awk")
_FINDERS = words_of("grep egrep fgrep rg ag find fd")
_HANDLE = r"\s*(?:text\s+)?(?:session_id |\{\s*\"session_id\":\s*\")?(s_[0-9a-f]{12})\b"
_PLACE = r"(?:(?:File: |--- |==> )(.+?)(?: ---| <==)?|([^:]+):.+)$"
_NUMBER = r"\s*\d+[:\t |]\s*"


class Looked(NamedTuple):
    """What a tool showed."""

    seen: dict[str, str] = {}  # noqa: RUF012 - never changed
    """Files by path, with the digest of the content at that time."""
    listed: tuple[str, ...] = ()
    asked: str = ""


def digest_of(place: Path) -> str:
    """Return the start of git's digest of a file; "" when it cannot be read, is special or too large."""
    data = _content(place)
    if data is None:
        return ""
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()[:DIGITS]


def started_session(event: HookEvent) -> str:
    """Return the handle of the session that a tool has just started; "" for any other tool."""
    if event.kind is not ToolKind.START and not (event.kind is ToolKind.SHELL and _starts(event.command)):
        return ""
    found = re.match(_HANDLE, event.shown)  # only at the beginning: an error may repeat what it was given
    return found[1] if found else ""


def _starts(command: str) -> bool:
    """Tell whether a command is nothing but our own ``session start``, so that all its output is ours."""
    if "start" not in command:
        return False
    from shirube.features.guard.shell import read_commands

    programs = read_commands(command) or []
    words = [word.text for program in programs for word in program.words]
    if len(programs) != 1 or words[0] not in [place + name for name in OWN_NAMES for place in ("", *PLACES)]:
        return False
    rest = words[3:] if words[1:2] == ["--root"] else words[1:]
    return rest[:2] in (["session", "start"], ["call", "start_session"])


def looked_at(event: HookEvent, root: Path) -> Looked:
    """Return what a tool has shown of the project's files."""
    base = Path(event.cwd or root)
    if event.kind is ToolKind.READ:
        found = [(base / path, True) for path in event.targets] or [*_places(base, event.shown)]
        return _looked(root, found, event.targets)
    if event.kind is ToolKind.FIND:
        given = [(base / path, True) for path in event.targets if _was_shown(base / path, event.shown)]
        return _looked(root, [*given, *_places(base, event.shown)], (event.pattern,))
    return _looked_by_command(event, root, base) if event.kind is ToolKind.SHELL else Looked()


def _looked_by_command(event: HookEvent, root: Path, base: Path) -> Looked:
    from shirube.features.guard.shell import read_commands

    found: list[tuple[Path, bool]] = []
    asked: list[str] = []
    for program in (read_commands(event.command) or []) if event.shown.strip() else []:
        words = [word.text for word in program.words if not word.opaque]
        name = words[0].rpartition("/")[2] if words else ""
        if name == "cd" and len(words) == 2:
            base = base / words[1]
        elif name in _SHOWERS or name in _FINDERS or words[:2] == ["git", "grep"]:
            finds = name not in _SHOWERS
            found += [(base / word, True) for word in words[1:] if _was_shown(base / word, event.shown)]
            found += _places(base, event.shown) if finds else ()
            asked += words[1:] if finds else []
    return _looked(root, found, asked)


def _looked(root: Path, found: list[tuple[Path, bool]], asked: "list[str] | tuple[str, ...]") -> Looked:
    shown = [path for place, is_shown in found if is_shown and (path := _inside(root, place))]
    named = [path for place, is_shown in found if not is_shown and (path := _inside(root, place))]
    seen = {path: digest_of(root / path) for path in list(dict.fromkeys(shown))[:MOST]}
    listed = tuple(path for path in dict.fromkeys(named) if path not in seen)[:MOST]
    return Looked(seen, listed, "\n".join(asked))


def _inside(root: Path, place: Path) -> str:
    """Return a file's path in the project; "" when it is outside, or no file."""
    if not _is_file(place):
        return ""
    real = Path(os.path.realpath(place))
    return real.relative_to(root).as_posix() if real.is_relative_to(root) else ""


def _places(base: Path, text: str) -> Iterator[tuple[Path, bool]]:
    """Yield the files that a tool's answer names, each with whether text of it follows."""
    known: set[tuple[str, bool]] = set()
    for line in text.splitlines()[:MOST_LINES]:
        match = re.match(_PLACE, line)
        named = ((match[1] or match[2]).strip(), True) if match else (line.strip(), False)
        if named in known:
            continue
        known.add(named)
        place = base / named[0]
        if _is_file(place):
            yield place, named[1]


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


def _was_shown(place: Path, output: str) -> bool:
    """Tell whether an output has a line of a file; of an empty file there is nothing to show."""
    data = _content(place)
    if data is None:
        return False
    lines = {line.strip() for line in data.decode("utf-8", "replace").splitlines()}
    shown = (line for line in output.splitlines()[:MOST_LINES] if line.strip())
    return not data or any(
        line.strip() in lines or re.sub(_NUMBER, "", line, count=1).strip() in lines for line in shown
    )


def _content(place: Path) -> bytes | None:
    """Return the bytes of a regular file that is not too large; else None."""
    try:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
        return slurp(os.open(place, flags), MOST_BYTES)
    except (OSError, ValueError, NotReadable):
        return None
