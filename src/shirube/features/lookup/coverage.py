"""Which part of the project a question is about, how much of it an answer covers, and what an empty result means."""

from collections import Counter
from difflib import get_close_matches
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.index.keeper import UNSEEN
from shirube.errors import BadArgument, UnknownFile, did_you_mean
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call
from shirube.types import Answer, Scope, Skip

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from shirube.workspace import Workspace

NO_LANGUAGE = "text"
NO_GRAMMAR = "no_grammar"
"""The reason given when a file's symbols are unknown."""
UNREAD = ("too_large", "unreadable", "quarantined", "secret", "odd_name")
"""Why a file that may contain the words is not in the index."""
SECRET = "secret"
"""The only reason that is deliberate; such files do not make an answer incomplete."""
_BEHIND = ("index.behind", "index.not_current")
"""The codes of notes that a check was made for this answer, but has not ended or has failed."""
NAMED = 3
"""How many unread files an answer names."""
_NO_CODE = frozenset(
    {"markdown", "blade", "text", "rst", "asciidoc", "ini", "xml", "svg", "po", "csv", "diff", "gitignore", "tex"}
)
"""Languages without a grammar that define no symbols, or whose symbols are found without one."""
_DATA = frozenset({"json", "yaml", "toml", "html", "css"})
"""Languages whose large files are data, and hardly define symbols."""


def scope_path(workspace: "Workspace", path: str) -> str:
    """Return a glob or directory relative to the root, empty for the root itself; refuse a path outside the root."""
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
    """Return languages by their full names; accept file endings too (``py``, ``ts``), refuse unknown languages."""
    from shirube.engine.parse.languages import known_languages, language_of

    languages = []
    for name in names:
        plain = name.lower().removeprefix(".")
        ending = language_of(f"x.{plain}") if plain.isalnum() else NO_LANGUAGE
        language = plain if plain in known_languages() or ending == NO_LANGUAGE else ending
        workspace.check_language(language)
        languages.append(language)
    return tuple(languages)


def scope_file(workspace: "Workspace", path: str) -> str:
    """Return the path of an indexed file; refuse any other, with the reason it was skipped or the nearest path."""
    from shirube.engine.repo.read import resolve_inside

    inside = resolve_inside(workspace.root, path)
    record = workspace.store.files((inside,)).get(inside)
    if record is not None and record.language:
        return inside
    skip = next((skip for skip in workspace.store.skips() if skip.path == inside), None)
    if skip is not None:
        raise UnknownFile(inside, say("asking.left_out", why=why_skipped(skip)))
    if workspace.has_directory(inside):
        raise UnknownFile(inside, say("asking.directory"))
    near, is_there = nearest_path(inside, workspace.store.files()), workspace.has(inside)
    hint = did_you_mean(near) if near else say("asking.status_tells" if is_there else "asking.find_files")
    raise UnknownFile(inside, hint, is_there)


def why_skipped(skip: Skip) -> Message:
    """Say why a file is left out."""
    reason = say(f"skip.{skip.reason}")
    return say("repo.reason", reason=reason, detail=skip.detail) if skip.detail else reason


def nearest_path(path: str, known: "Collection[str]") -> str:
    """Return the known path most similar to an unknown one: the same file name elsewhere, or a similar name."""
    name = path.rpartition("/")[2]
    by_name: dict[str, list[str]] = {}
    for other in known:
        by_name.setdefault(other.rpartition("/")[2], []).append(other)
    near = [name] if name in by_name else get_close_matches(name, by_name, n=1, cutoff=0.6)
    if not near:
        return ""
    folders = set(path.split("/")[:-1])
    return max(sorted(by_name[near[0]]), key=lambda other: len(folders.intersection(other.split("/")[:-1])))


class Covered(Struct, frozen=True):
    """How much of the part of the project that was asked about the index covers."""

    scope: Scope
    notes: tuple[Message, ...]
    """Reasons why an answer may be incomplete."""
    building: bool
    files: int
    not_searched: dict[str, int]
    """How many files there were not searched, by reason."""
    unread: tuple[str, ...] = ()
    """The unsearched files that may contain what was asked for, each with its reason."""


def refresh_index(workspace: "Workspace", call: Call) -> tuple[Message, ...]:
    """Update the index if it is due; return the reasons why it may be incomplete."""
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    call.deadline.check()
    return notes


def is_current(notes: "Iterable[Message]") -> bool:
    """Tell whether the index is up to date, or a check would make it so: nothing worse is noted than unseen seconds."""
    return all(note.code == UNSEEN for note in notes)


def refresh_now(workspace: "Workspace", call: Call) -> tuple[tuple[Message, ...], bool]:
    """Check the tree for changes now; return why the index may be incomplete, and whether it is another now."""
    epoch, generation = workspace.store.epoch, workspace.store.state().generation
    notes = workspace.keeper.refresh(call.progress, patient=call.patient, now=True)
    call.deadline.check()
    is_another = workspace.store.epoch != epoch
    workspace.store.forget()  # another process may have written
    return notes, is_another or workspace.store.state().generation != generation


def answered(workspace: "Workspace", call: Call, answer: "Callable[[], Any]") -> Any:
    """Return an answer; if it names nothing, or files that have changed, check the tree first, and ask once more."""
    keeper, began = workspace.keeper, monotonic()
    try:
        result = answer()
    except UnknownFile:
        if keeper.building or keeper.looked_from >= began:
            raise
        notes, is_another = refresh_now(workspace, call)
        if notes or not is_another:
            raise
        return answer()
    if call.passing or keeper.building or keeper.looked_from >= began or not _is_doubtful(workspace, result):
        return result
    notes, is_another = refresh_now(workspace, call)
    if not notes:
        unseen = any(note.code == UNSEEN for note in result.degraded)
        return answer() if unseen or is_another else result
    unproved = (
        {"answer": Answer.UNKNOWN, "next": _because(notes, "index.may_miss")} if result.answer == Answer.NONE else {}
    )
    return replace(result, degraded=(*notes, *result.degraded), **unproved)


def told_what_lacks(workspace: "Workspace", result: Any) -> Any:
    """Return a result with a note of what could not be asked; it proves no absence then."""
    if "degraded" not in getattr(result, "__struct_fields__", ()):
        return result
    if not (lacks := workspace.store.lacks()):
        return result
    result = replace(result, degraded=tuple(dict.fromkeys((*result.degraded, lacks))))
    is_absent = getattr(result, "answer", None) == Answer.NONE
    return replace(result, answer=Answer.UNKNOWN, next=lacks) if is_absent else result


def _is_doubtful(workspace: "Workspace", result: Any) -> bool:
    """Tell whether a check of the tree may change a result: an empty one, or one that shows indexed files as stale."""
    from shirube.features.lookup.results import LookupResult, SearchResult, TextResult

    if not isinstance(result, SearchResult | LookupResult) or any(note.code in _BEHIND for note in result.degraded):
        return False
    # Lines of text are read from the files themselves, so they are never stale.
    stale = () if isinstance(result, TextResult) else result.freshness.stale_files
    is_empty = getattr(result, "answer", None) in (Answer.NONE, Answer.UNKNOWN)
    return is_empty or bool(stale and workspace.store.files(stale))


def current_file(workspace: "Workspace", path: str, call: Call) -> str:
    """Return the path of an indexed file; update the index first if the file has changed since it was indexed."""
    workspace.keeper.refresh(call.progress, patient=call.patient)
    known = scope_file(workspace, path)
    if not workspace.freshness((known,)).stale_files:
        return known
    refresh_now(workspace, call)
    return scope_file(workspace, path)


def scope_of(workspace: "Workspace", path: str, languages: tuple[str, ...]) -> Scope:
    """Return a checked scope from a path or glob and languages."""
    return Scope(scope_path(workspace, "" if path == "." else path), scope_languages(workspace, languages))


def coverage(
    workspace: "Workspace", scope: Scope, notes: tuple[Message, ...], *, symbols: bool = False, found: bool = False
) -> Covered:
    """Count what an answer about a scope covers; with ``symbols``, files without a grammar count as not searched.

    Files are counted only for an empty answer (``found`` is false): otherwise nobody needs the count.
    """
    from shirube.engine.parse.languages import language_of, language_row

    skips = skipped_in(workspace, scope)
    reasons = Counter(skip.reason for skip in skips)
    if found:
        return Covered(scope, notes, workspace.keeper.building, 0, dict(sorted(reasons.items())))
    counts = workspace.store.counts(scope)
    if symbols:
        plain = sum(n for name, n in counts.items() if not language_row(name).grammar and name not in _NO_CODE)
        reasons.update({NO_GRAMMAR: plain} if plain else {})
    unread = could_hold(skip for skip in skips if not (symbols and language_of(skip.path) in _NO_CODE | _DATA))
    return Covered(scope, notes, workspace.keeper.building, sum(counts.values()), dict(sorted(reasons.items())), unread)


def skipped_in(workspace: "Workspace", scope: Scope) -> list[Skip]:
    """Return the files of a scope that may contain the words but are not in the index."""
    from shirube.engine.parse.languages import language_of
    from shirube.engine.store.scope import ScopeFilter

    meant = ScopeFilter(scope)
    return [skip for skip in workspace.store.skips(*UNREAD) if meant(skip.path, language_of(skip.path))]


def could_hold(skips: "Iterable[Skip]") -> tuple[Message, ...]:
    """Return the files that were not skipped on purpose, each with its reason; they may contain what was asked for."""
    return tuple(
        say("repo.reason", reason=skip.path, detail=say(f"skip.{skip.reason}"))
        for skip in skips
        if skip.reason != SECRET
    )


def not_read(unread: tuple[str, ...]) -> Message:
    """Name the unread files that make it impossible to answer "none"."""
    more = len(unread) - NAMED
    code = "asking.may_be_there_more" if more > 0 else "asking.may_be_there"
    return say(code, files=unread[:NAMED], more=more)


def nothing_indexed(path: str, languages: tuple[str, ...] = ()) -> Message:
    """Say that the index has nothing of the part of the project that was asked about."""
    return say(
        "asking.nothing_indexed",
        where=say("asking.at", path=path) if path else say("asking.here"),
        languages=say("asking.in_languages", languages=languages) if languages else NOTHING,
    )


def _because(notes: "Iterable[Message]", code: str) -> Message:
    """Say why an answer is not certain: that the index cannot be brought up to date, rather than that it will be."""
    return next((note for note in notes if note.code == "index.not_current"), say(code))


def judge(covered: Covered, found: bool, advice: Message) -> tuple[Answer, Message]:
    """Return what a list means and what to do next; an empty list means "none" only if the index covers the scope."""
    if covered.building:
        return (Answer.PARTIAL if found else Answer.UNKNOWN), _because(covered.notes, "index.building")
    if found:
        return Answer.FOUND, advice
    if covered.notes:
        return Answer.UNKNOWN, _because(covered.notes, "index.may_miss")
    if not covered.files:
        code = "index.nothing_at" if covered.scope.path else "index.nothing_here"
        return Answer.UNKNOWN, say(code, path=covered.scope.path)
    if covered.unread:
        return Answer.UNKNOWN, say("symbols.may_be_there", what=advice, unread=not_read(covered.unread))
    counts = covered.not_searched.items()
    left = [say("symbols.left", count=count, reason=say(f"skip.{reason}")) for reason, count in counts]
    return Answer.NONE, say("symbols.not_searched", what=advice, left=left) if left else advice
