"""Which part of the project is meant, how much of it an answer covers, and what an empty list means."""

from collections import Counter
from difflib import get_close_matches
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.errors import BadArgument, UnknownFile, did_you_mean
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call
from shirube.types import Answer, Scope, Skip

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from shirube.workspace import Workspace

NO_LANGUAGE = "text"
NO_GRAMMAR = "no_grammar"
"""The reason for which a file's symbols are not known."""
UNREAD = ("too_large", "unreadable", "quarantined", "secret", "odd_name")
"""Reasons for which a file that may hold the words is not in the index."""
SECRET = "secret"
"""The one of them that is left out on purpose: an answer need not reach there."""
NAMED = 3
"""Unread files that an answer names."""
_NO_CODE = frozenset(
    {"markdown", "blade", "text", "rst", "asciidoc", "ini", "xml", "svg", "po", "csv", "diff", "gitignore", "tex"}
)
"""Languages without a grammar that define nothing, or whose symbols are known all the same."""
_DATA = frozenset({"json", "yaml", "toml", "html", "css"})
"""Languages whose files are large for other reasons than what they define."""


def scope_path(workspace: "Workspace", path: str) -> str:
    """Return a glob or directory relative to the root, empty for the root itself; what leads out is refused."""
    from shirube.engine.repo.read import resolve_inside
    from shirube.engine.store.scope import MOST_SPREAD, is_glob, spread

    if len(spread(path)) > MOST_SPREAD:
        raise BadArgument("asking.many_braces", most=MOST_SPREAD)
    if path.startswith("/") and is_glob(path):
        raise BadArgument("asking.glob")
    if path and not is_glob(path):
        path = resolve_inside(workspace.root, path)
    return "" if path == "." else path


def scope_languages(workspace: "Workspace", names: tuple[str, ...]) -> tuple[str, ...]:
    """Return languages by their own names; an ending is as good (``py``, ``ts``), and an unknown one is refused."""
    from shirube.engine.parse.languages import known_languages, language_of

    found = []
    for name in names:
        plain = name.lower().removeprefix(".")
        ending = language_of(f"x.{plain}") if plain.isalnum() else NO_LANGUAGE
        language = plain if plain in known_languages() or ending == NO_LANGUAGE else ending
        workspace.check_language(language)
        found.append(language)
    return tuple(found)


def scope_file(workspace: "Workspace", path: str) -> str:
    """Return the path of an indexed file; another is refused, with the reason it is left out or the nearest path."""
    from shirube.engine.repo.read import resolve_inside

    inside = resolve_inside(workspace.root, path)
    found = workspace.store.files((inside,)).get(inside)
    if found is not None and found.language:
        return inside
    skip = next((skip for skip in workspace.store.skips() if skip.path == inside), None)
    if skip is not None:
        why = say("repo.reason", reason=skip.reason, detail=skip.detail) if skip.detail else skip.reason
        raise UnknownFile(inside, say("asking.left_out", why=why))
    if (workspace.root / inside).is_dir():
        raise UnknownFile(inside, say("asking.directory"))
    near = nearest_path(inside, workspace.store.files())
    raise UnknownFile(inside, did_you_mean(near) if near else say("asking.status_tells"))


def nearest_path(path: str, known: "Collection[str]") -> str:
    """Return the known path most like one that is not known: the same name elsewhere, or a name like it."""
    name = path.rpartition("/")[2]
    by_name: dict[str, list[str]] = {}
    for one in known:
        by_name.setdefault(one.rpartition("/")[2], []).append(one)
    near = [name] if name in by_name else get_close_matches(name, by_name, n=1, cutoff=0.6)
    if not near:
        return ""
    folders = set(path.split("/")[:-1])
    return max(sorted(by_name[near[0]]), key=lambda one: len(folders.intersection(one.split("/")[:-1])))


class Covered(Struct, frozen=True):
    """The part of the project that was asked about, as the index knows it."""

    scope: Scope
    notes: tuple[Message, ...]
    """What stands in the way of calling an answer whole."""
    building: bool
    files: int
    not_searched: dict[str, int]
    """Files there that were not looked at, for each reason."""
    unread: tuple[str, ...] = ()
    """Those of them that could hold what was asked for and could not be read, each with its reason."""


def refresh_index(workspace: "Workspace", call: Call) -> tuple[Message, ...]:
    """Look for changes, and return what stands in the way of calling the index whole."""
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    call.deadline.check()
    return notes


def refresh_now(workspace: "Workspace", call: Call) -> tuple[tuple[Message, ...], bool]:
    """Look at the tree now; return what stands in the way of a whole index, and whether it is another one since."""
    before = workspace.keeper.made
    notes = workspace.keeper.refresh(call.progress, patient=call.patient, now=True)
    call.deadline.check()
    return notes, workspace.keeper.made != before


def current_file(workspace: "Workspace", path: str, call: Call) -> str:
    """Return the path of an indexed file, after another look at the tree when the file is not what was indexed."""
    workspace.keeper.refresh(call.progress, patient=call.patient)
    found = scope_file(workspace, path)
    if not workspace.freshness((found,)).stale_files:
        return found
    refresh_now(workspace, call)
    return scope_file(workspace, path)


def scope_of(workspace: "Workspace", path: str, languages: tuple[str, ...]) -> Scope:
    """Return a checked scope from a path or glob and languages."""
    return Scope(scope_path(workspace, "" if path == "." else path), scope_languages(workspace, languages))


def coverage(
    workspace: "Workspace", scope: Scope, notes: tuple[Message, ...], *, symbols: bool = False, found: bool = False
) -> Covered:
    """Count what an answer about a scope covers; with ``symbols``, files without a grammar count as not searched.

    Files are counted only for an empty answer: whoever has found something need not wait for it.
    """
    from shirube.engine.parse.languages import language_of, language_row

    skips = skipped_in(workspace, scope)
    reasons = Counter(skip.reason for skip in skips)
    if found:
        return Covered(scope, notes, workspace.keeper.building, 0, dict(sorted(reasons.items())))
    counts = workspace.store.counts(scope)
    if symbols:
        plain = sum(n for one, n in counts.items() if not language_row(one).grammar and one not in _NO_CODE)
        reasons.update({NO_GRAMMAR: plain} if plain else {})
    unread = could_hold(skip for skip in skips if not (symbols and language_of(skip.path) in _NO_CODE | _DATA))
    return Covered(scope, notes, workspace.keeper.building, sum(counts.values()), dict(sorted(reasons.items())), unread)


def skipped_in(workspace: "Workspace", scope: Scope) -> list[Skip]:
    """Return the files of a scope that may hold the words and are not in the index."""
    from shirube.engine.parse.languages import language_of
    from shirube.engine.store.scope import ScopeFilter

    meant = ScopeFilter(Scope(scope.path, scope.languages))
    return [skip for skip in workspace.store.skips(*UNREAD) if meant(skip.path, language_of(skip.path), "")]


def could_hold(skips: "Iterable[Skip]") -> tuple[str, ...]:
    """Return those that nobody chose to leave out, each with its reason: what is asked for may be there."""
    return tuple(f"{skip.path} ({skip.reason.replace('_', ' ')})" for skip in skips if skip.reason != SECRET)


def not_read(unread: tuple[str, ...]) -> Message:
    """Name what stands in the way of saying "none"."""
    more = len(unread) - NAMED
    code = "asking.may_be_there_more" if more > 0 else "asking.may_be_there"
    return say(code, files=unread[:NAMED], more=more)


def nothing_indexed(path: str, languages: tuple[str, ...] = ()) -> Message:
    """Say that the part of the project that is meant is not in the index."""
    return say(
        "asking.nothing_indexed",
        where=say("asking.at", path=path) if path else say("asking.here"),
        languages=say("asking.in_languages", languages=languages) if languages else NOTHING,
    )


def judge(covered: Covered, found: bool, advice: Message) -> tuple[Answer, Message]:
    """Say what a list means: "none" only where the index covers what was asked."""
    if covered.building:
        return (Answer.PARTIAL if found else Answer.UNKNOWN), say("index.building")
    if found:
        return Answer.FOUND, advice
    if covered.notes:
        return Answer.UNKNOWN, say("index.may_miss")
    if not covered.files:
        code = "index.nothing_at" if covered.scope.path else "index.nothing_here"
        return Answer.UNKNOWN, say(code, path=covered.scope.path)
    if covered.unread:
        more = len(covered.unread) - NAMED
        others = say("symbols.and_more", count=more) if more > 0 else NOTHING
        return Answer.UNKNOWN, say("symbols.may_be_there", what=advice, files=covered.unread[:NAMED], more=others)
    left = [say(f"symbols.left_{reason}", count=count) for reason, count in covered.not_searched.items()]
    return Answer.NONE, say("symbols.not_searched", what=advice, left=left) if left else advice
