"""Looking for text as it is written."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shirube.codec.records import replace
from shirube.config import child_environment
from shirube.errors import BadArgument, counted
from shirube.operations.asking import could_hold, not_read, skipped_in
from shirube.operations.cursor import pack_cursor, unpack_cursor
from shirube.operations.declare import Call
from shirube.operations.results.search import TextFile, TextMatch, TextResult
from shirube.operations.scope import scope_languages, scope_path
from shirube.types import Answer, FileRecord, Freshness, Scope, Symbol

if TYPE_CHECKING:
    from shirube.operations.declared.search import TextRequest
    from shirube.repo import GrepResult, Pattern
    from shirube.repo.grep import Mark
    from shirube.workspace import Workspace

MOST_PATTERNS = 5
LIMIT = 50
SHARE = 5
"""One file takes at most this part of a page before the others had theirs."""
LEAST_SHARE = 3
PAGE_CHARACTERS = 40_000
"""About ten thousand tokens: more is no answer, it is a dump."""
NAMED = 5
"""How many files that could not be searched are named."""
SECONDS = 20.0
"""Patience with a large tree on a cold disk; what was found by then is returned and said to be partial."""
HARMLESS = ("binary",)
"""What is found unreadable now, and proves nothing against an absence: there is no text in it."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request, read."""

    request: "TextRequest"
    patterns: "tuple[Pattern, ...]"
    path: str
    languages: tuple[str, ...]
    share: int
    """Lines of one file that come before further ones of any other; the same on every page."""
    after: "Mark | None"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was found, in which files, and what stands in the way of saying that this is all."""

    found: "GrepResult"
    records: dict[str, FileRecord]
    notes: tuple[str, ...]
    left_out: dict[str, int]


def search_text(workspace: "Workspace", request: "TextRequest", call: Call) -> TextResult:
    """Answer the operation of this name."""
    asked = _asked(workspace, request)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    records = _records(workspace, asked)
    found = _look(workspace, asked, records, call)
    if not found.total and not notes:
        # Before it is said that something is not there, the tree is looked at once more.
        notes = workspace.keeper.refresh(call.progress, patient=call.patient, now=True)
        known, records = records, _records(workspace, asked)
        if records.keys() != known.keys():
            found = _look(workspace, asked, records, call)
    left_out = _left_out(workspace, asked, found)
    answer, advice = _judged(workspace, asked, _Seen(found, records, notes, left_out))
    if answer == Answer.NONE:
        advice += _other_readings(workspace, asked, records, call)
    freshness = workspace.freshness(tuple(file.path for file in found.files))
    return TextResult(
        patterns=request.patterns,
        answer=answer,
        matches=_matches(workspace, asked, found, freshness),
        files=tuple(TextFile(file.path, file.total, len(file.lines)) for file in found.files),
        total=found.total,
        total_files=found.total_files,
        truncated=bool(found.hidden) or found.late,
        next_cursor=pack_cursor(asked.share, *found.next) if found.next else "",
        searched=len(records),
        not_searched=left_out,
        degraded=(*notes, *workspace.notes, *_shortfalls(found)),
        freshness=freshness,
        next=advice,
    )


# --- asking ------------------------------------------------------------------------------------------------


def _asked(workspace: "Workspace", request: "TextRequest") -> _Asked:
    count = len(request.patterns)
    if not 1 <= count <= MOST_PATTERNS:
        hint = "join some in one regular expression (a|b), or ask twice" if count else "give 1 to 5 texts to look for"
        cause = f"{count} patterns were given, the limit is {MOST_PATTERNS}" if count else "no pattern was given"
        raise BadArgument(cause, hint)
    share, after = _begin(request)
    return _Asked(
        request,
        _compiled(request, ignore_case=not request.case_sensitive),
        scope_path(workspace, request.path),
        scope_languages(workspace, request.languages),
        share,
        after,
    )


def _begin(request: "TextRequest") -> "tuple[int, Mark | None]":
    """Return the share of a file, and where the page begins."""
    from shirube.repo.grep import Mark

    if not request.cursor:
        return max(LEAST_SHARE, request.limit // SHARE), None
    share, turn, path, line = unpack_cursor(request.cursor, int, int, str, int)
    return int(share), Mark(int(turn), str(path), int(line))


def _compiled(request: "TextRequest", ignore_case: bool) -> "tuple[Pattern, ...]":
    from shirube.repo import Spelling, compile_pattern

    spelling = Spelling(request.regex, ignore_case, request.word)
    return tuple(compile_pattern(text, spelling) for text in request.patterns)


def _records(workspace: "Workspace", asked: _Asked) -> dict[str, FileRecord]:
    """Return the files the index knows and the question is about."""
    from shirube.store.scope import PathFilter

    meant = PathFilter(asked.path or "**")
    return {
        path: record
        for path, record in workspace.store.files().items()
        if record.language and (not asked.languages or record.language in asked.languages) and meant(path)
    }


def _look(workspace: "Workspace", asked: _Asked, records: dict[str, FileRecord], call: Call) -> "GrepResult":
    from shirube.repo.grep import GrepOptions, grep

    options = GrepOptions(
        limit=asked.request.limit,
        per_file=asked.share,
        max_characters=PAGE_CHARACTERS,
        context_lines=asked.request.context_lines,
        after=asked.after,
        max_file_bytes=workspace.config.index.max_file_bytes,
        unsieved={path for path, record in records.items() if record.note},
        env=child_environment(),
    )
    call.progress("searching", 0, len(records))
    found = grep(workspace.root, asked.patterns, records, options, call.deadline.within(SECONDS))
    if call.deadline.cancelled:
        call.deadline.check()
    return found


# --- judging -----------------------------------------------------------------------------------------------


def _left_out(workspace: "Workspace", asked: _Asked, found: "GrepResult") -> dict[str, int]:
    """Count what may hold the text and was not searched: left out of the index, or unreadable now."""
    reasons = Counter(skip.reason for skip in skipped_in(workspace, Scope(asked.path, asked.languages)))
    reasons.update(reason for reason in found.unread.values() if reason not in HARMLESS)
    return dict(sorted(reasons.items()))


def _judged(workspace: "Workspace", asked: _Asked, seen: _Seen) -> tuple[Answer, str]:
    """Say what the lines mean and what to do next."""
    found = seen.found
    unsure = Answer.PARTIAL if found.total else Answer.UNKNOWN
    if workspace.keeper.building:
        return unsure, "the index is still being built; ask again in a moment for a whole answer"
    if found.late:
        return unsure, "time ran out; narrow it by path or languages"
    if unread := [path for path, reason in found.unread.items() if reason not in HARMLESS]:
        return unsure, f"{_told(unread[0], found.unread[unread[0]])}; read it by other means"
    return (Answer.FOUND, _after_found(found)) if found.total else _absent(workspace, asked, seen)


def _absent(workspace: "Workspace", asked: _Asked, seen: _Seen) -> tuple[Answer, str]:
    """Judge an empty list: "none" only when every file that is meant was searched."""
    if seen.notes:
        return Answer.UNKNOWN, "the index may miss what changed; ask again in a moment"
    if not seen.records:
        return Answer.UNKNOWN, _nothing_there(workspace, asked)
    told = f"no line of {counted(len(seen.records), 'file')} matches"
    if unread := could_hold(skipped_in(workspace, Scope(asked.path, asked.languages))):
        return Answer.UNKNOWN, f"{told}{not_read(unread)}"
    hidden = sum(seen.left_out.values())
    beside = f" ({counted(hidden, 'file was', 'files were')} not read: see not_searched)" if hidden else ""
    return Answer.NONE, f"{told}{beside}"


def _after_found(found: "GrepResult") -> str:
    if found.next:
        return "next_cursor shows more lines; path or languages narrow it"
    if not found.files:
        return "no line matches behind the cursor"
    return f"read {found.files[0].path}:{found.files[0].lines[0].number}"


def _nothing_there(workspace: "Workspace", asked: _Asked) -> str:
    where = f"at '{asked.path}'" if asked.path else "here"
    skip = next((skip for skip in workspace.store.skips() if skip.path == asked.path), None)
    if skip is not None:
        return f"{skip.path} is not searched: {skip.reason}"
    what = f" in {', '.join(asked.languages)}" if asked.languages else ""
    return f"nothing {where}{what} is indexed; index_status tells what is left out and why"


def _other_readings(workspace: "Workspace", asked: _Asked, records: dict[str, FileRecord], call: Call) -> str:
    """Say after an absence what another reading of the same patterns would find."""
    from shirube.repo import looks_like_regex

    request = asked.request
    told = []
    if request.case_sensitive:
        folded = replace(asked, patterns=_compiled(request, ignore_case=True), after=None)
        if total := _look(workspace, folded, records, call).total:
            told.append(f"{counted(total, 'line matches', 'lines match')} with case_sensitive=false")
    if not request.regex and any(map(looks_like_regex, request.patterns)):
        told.append("the patterns were read as plain text: regex=true reads them as expressions")
    if request.regex and any(r"\b" in text for text in request.patterns):
        told.append(r"\b knows ASCII letters only: word=true knows others")
    return "".join(f"; {line}" for line in told) or "; try other words, or ask search by meaning"


def _shortfalls(found: "GrepResult") -> tuple[str, ...]:
    """Say what was not done the whole way."""
    told = []
    if found.late:
        told.append(f"time: not every file was searched within {SECONDS:.0f} s")
    if found.uncounted:
        told.append(f"total: counting stopped at {found.total} lines")
    for path, reason in list(found.unread.items())[:NAMED]:
        told.append(_told(path, reason))
    if len(found.unread) > NAMED:
        told.append(f"{counted(len(found.unread) - NAMED, 'more file was', 'more files were')} not searched")
    return tuple(told)


def _told(path: str, reason: str) -> str:
    if reason == "long_line":
        return f"{path} was not searched whole: it has a line too long for a pattern of this size"
    return f"{path} was not searched: {reason}"


# --- answering ---------------------------------------------------------------------------------------------


def _matches(workspace: "Workspace", asked: _Asked, found: "GrepResult", freshness: Freshness) -> tuple[TextMatch, ...]:
    texts = asked.request.patterns
    matches = []
    for file in found.files:
        symbols = workspace.store.symbols(file.path) if file.path not in freshness.stale_files else ()
        for line in file.lines:
            matches.append(
                TextMatch(
                    file=file.path,
                    line=line.number,
                    column=line.column,
                    end_column=line.end_column,
                    content=line.text,
                    symbol=_enclosing(symbols, line.number),
                    patterns=tuple(texts[number] for number in line.patterns),
                    context_before=line.before,
                    context_after=line.after,
                )
            )
    return tuple(matches)


def _enclosing(symbols: tuple[Symbol, ...], line: int) -> str:
    """Return the innermost symbol around a line, by its qualified name."""
    around = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return max(around, key=lambda symbol: (symbol.start_line, -symbol.end_line)).qualified if around else ""
