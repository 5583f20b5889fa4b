"""Addresses of remotes and names of branches, as they may be given."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from shirube.engine.repo.identity import normalised, shortened
from shirube.errors import BadArgument, TeamFault, plain

LONGEST_URL, LONGEST_BRANCH = 2000, 244
MOST_PATTERNS, MOST_BRANCHES = 50, 500
MOST_NAMED = 5
"""So many branches are named where none was meant."""
_AT = re.compile(r"@|^[^/]*//[^/]*%")
"""What may have a secret before it; a host has no percent sign, so that one stands for a hidden ``@`` or ``:``."""
_PLAIN_USER = re.compile(r"((git\+)?ssh(\+git)?://)?\w[\w.-]*@[^@]+", re.IGNORECASE)
"""An address with the name of a user, which ssh needs: ``ssh://git@host/path``, ``git@host:path``."""
_BEFORE_AT = re.compile(r"^([a-z][a-z0-9+.-]*://)?.*(@|%40)", re.IGNORECASE | re.DOTALL)
_QUERY = re.compile(r"[?#].*", re.DOTALL)
_PATH = tuple("/.~")
_BAD_URL = re.compile(r"^-|^[\w+.-]*::|[ \\]|[^/]/\.\.?(/|$)")
"""Options, helpers of git, and what is no path on a server."""
_DOTS = re.compile(r"/\.\.?(/|$)")
_LOCAL = re.compile(r"[/.~]|file:|[A-Za-z]:", re.IGNORECASE)
_BAD_BRANCH = re.compile(r"[\x00-\x20\x7f ~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|^[./-]|[/.]$|^@$")
"""What git does not take for the name of a branch, or what looks like an option."""


class Remote(Struct, frozen=True):
    """Where a repository is, and what it is called however it is reached."""

    name: str
    url: str


def read_remote(url: str) -> Remote:
    """Return the remote of an address that was given; refuse one that no clone could have.

    ``git@github.com:pallets/flask.git`` → ``github.com/pallets/flask``
    """
    url = url.strip()
    if _AT.search(url) and not url.startswith(_PATH) and not _PLAIN_USER.fullmatch(url):
        raise BadArgument("team.url_secret")
    if _QUERY.search(url):
        raise BadArgument("team.url_query", url=shown_remote(url))
    if len(url) > LONGEST_URL or not url.isprintable() or _BAD_URL.search(url):
        raise BadArgument("team.bad_url", url=shown_remote(url))
    name = normalised(url)
    if not name or name.startswith("-") or _DOTS.search(name):
        raise BadArgument("team.local_url" if is_path(url) else "team.bad_url", url=shown_remote(url))
    return Remote(shortened(name), url)


def is_path(url: str) -> bool:
    """Tell whether what was given for an address is a place on this machine."""
    return _LOCAL.match(url) is not None


def shown_remote(url: str) -> str:
    """Return what was given for an address as it may be shown: without what may be a secret."""
    if not url.startswith(_PATH):
        url = _BEFORE_AT.sub(r"\1…@", url)
    return plain(_QUERY.sub("…", url))


def read_patterns(given: Iterable[str]) -> tuple[str, ...]:
    """Return patterns of branches, each once; refuse what no branch can match."""
    patterns = tuple(dict.fromkeys(part.strip() for text in given for part in text.split(",") if part.strip()))
    if len(patterns) > MOST_PATTERNS:
        raise BadArgument("team.many_patterns", most=MOST_PATTERNS)
    for pattern in patterns:
        if not is_branch(pattern.replace("*", "x").replace("?", "x")):
            raise BadArgument("team.bad_pattern", pattern=plain(pattern))
    return patterns


def is_branch(name: str) -> bool:
    """Tell whether a branch can have this name."""
    fits = 0 < len(name.encode("utf-8", "replace")) <= LONGEST_BRANCH and name.isprintable()
    return fits and _BAD_BRANCH.search(name) is None


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Tell whether a branch is meant by any of some patterns; ``*`` stands for any letters, ``/`` among them."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def chosen(patterns: Sequence[str], default: str, commits: Mapping[str, str]) -> dict[str, str]:
    """Return the branches of a remote that are followed: those that match, or its own one without patterns."""
    if not commits:
        raise TeamFault("team.empty")
    if not patterns and not default:
        raise TeamFault("team.no_head", names=sorted(commits)[:MOST_NAMED])
    if not patterns:
        found = {name: commit for name, commit in commits.items() if name == default and is_branch(name)}
    else:
        found = {name: commit for name, commit in commits.items() if is_branch(name) and matches(name, patterns)}
        found = {name: found[name] for name in sorted(found, key=lambda name: (name != default, name))}
    if not found:
        raise TeamFault("team.no_branch", patterns=patterns or "HEAD", count=len(commits))
    if len(found) > MOST_BRANCHES:
        raise TeamFault("team.many_branches", count=len(found), most=MOST_BRANCHES)
    return found
