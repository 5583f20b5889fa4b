"""How far an answer about symbols reaches: what was looked at, what was not, and what an empty list means."""

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.features.lookup.query_building import NAMED, could_hold, looked_again, skipped_in
from shirube.features.lookup.scope import scope_file, scope_languages, scope_path
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call
from shirube.types import Answer, Scope

if TYPE_CHECKING:
    from shirube.workspace import Workspace

NO_GRAMMAR = "no_grammar"
"""The reason for which a file's symbols are not known."""


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


def brought_up(workspace: "Workspace", call: Call) -> tuple[Message, ...]:
    """Look for changes, and return what stands in the way of calling the index whole."""
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    call.deadline.check()
    return notes


def file_as_it_is(workspace: "Workspace", path: str, call: Call) -> str:
    """Return the path of an indexed file, after another look at the tree when the file is not what was indexed."""
    workspace.keeper.refresh(call.progress, patient=call.patient)
    found = scope_file(workspace, path)
    if not workspace.freshness((found,)).stale_files:
        return found
    looked_again(workspace, call)
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
    unread = could_hold(skip for skip in skips if not (symbols and _defines_nothing(language_of(skip.path))))
    return Covered(scope, notes, workspace.keeper.building, sum(counts.values()), dict(sorted(reasons.items())), unread)


_NO_CODE = frozenset(
    {"markdown", "blade", "text", "rst", "asciidoc", "ini", "xml", "svg", "po", "csv", "diff", "gitignore", "tex"}
)
"""Languages without a grammar that define nothing, or whose symbols are known all the same."""
_DATA = frozenset({"json", "yaml", "toml", "html", "css"})
"""Languages whose files are large for other reasons than what they define."""


def _defines_nothing(language: str) -> bool:
    return language in _NO_CODE or language in _DATA


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
