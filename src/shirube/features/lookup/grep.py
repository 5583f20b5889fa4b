"""Searches files for literal text or regular expressions."""

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.codec import replace
from shirube.config import child_environment
from shirube.errors import BadArgument
from shirube.features.lookup import coverage
from shirube.features.lookup.results import TextFile, TextMatch, TextResult
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call, pack_cursor, unpack_cursor
from shirube.types import Answer, FileRecord, Freshness, Scope

if TYPE_CHECKING:
    from shirube.engine.repo.grep import GrepResult, Mark
    from shirube.engine.repo.regex import Pattern
    from shirube.features.lookup.operations import TextRequest
    from shirube.workspace import Workspace

MOST_PATTERNS = 5
SHARE = 5
"""One file takes at most 1/SHARE of a page before the other files had their turn."""
LEAST_SHARE = 3
PAGE_CHARACTERS = 40_000
"""About ten thousand tokens, as much as an agent can use at once."""
NAMED = 5
"""How many unsearchable files an answer names."""
SECONDS = 20.0
"""The time limit, enough for a large tree on a cold disk; after it the answer is partial."""
HARMLESS = ("binary",)
"""Reasons for not reading a file that do not weaken the answer "none", because the file has no text."""


class _Asked(Struct, frozen=True):
    """A validated request."""

    request: "TextRequest"
    patterns: "tuple[Pattern, ...]"
    path: str
    languages: tuple[str, ...]
    share: int
    """How many lines of one file are shown in a turn before the next file; the same on every page."""
    after: "Mark | None"


class _Seen(Struct, frozen=True):
    """The matches, the files that were searched, and the reasons why the matches may be incomplete."""

    found: "GrepResult"
    records: dict[str, FileRecord]
    notes: tuple[Message, ...]
    left_out: dict[str, int]


def search_text(workspace: "Workspace", request: "TextRequest", call: Call) -> TextResult:
    """Answer the operation of this name."""
    asked = _asked(workspace, request)
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    records = _records(workspace, asked)
    matches = _look(workspace, asked, records, call)
    left_out = _left_out(workspace, asked, matches)
    answer, advice = _judged(workspace, asked, _Seen(matches, records, notes, left_out))
    if answer == Answer.NONE:
        for line in _other_readings(workspace, asked, records, call):
            advice = say("parts.then", first=advice, second=line)
    freshness = workspace.freshness(tuple(file.path for file in matches.files))
    return TextResult(
        pattern=request.patterns[0] if len(request.patterns) == 1 else "",
        patterns=request.patterns,
        answer=answer,
        matches=_matches(workspace, asked, matches, freshness),
        files=tuple(TextFile(file.path, file.total, len(file.lines)) for file in matches.files),
        total=matches.total,
        total_files=matches.total_files,
        truncated=bool(matches.hidden) or matches.late,
        next_cursor=pack_cursor(asked.share, *matches.next) if matches.next else "",
        searched=len(records),
        not_searched=left_out,
        degraded=(*notes, *workspace.notes, *_shortfalls(matches)),
        freshness=freshness,
        next=advice,
    )


# --- asking ------------------------------------------------------------------------------------------------


def _asked(workspace: "Workspace", request: "TextRequest") -> _Asked:
    from shirube.engine.repo.grep import Mark

    count = len(request.patterns)
    if not 1 <= count <= MOST_PATTERNS:
        raise BadArgument("text.many_patterns" if count else "text.no_pattern", count=count, most=MOST_PATTERNS)
    share, after = max(LEAST_SHARE, request.limit // SHARE), None
    if request.cursor:
        begun, turn, path, line = unpack_cursor(request.cursor, int, int, str, int)
        share, after = int(begun), Mark(int(turn), str(path), int(line))
    return _Asked(
        request,
        _compiled(request, ignore_case=not request.case_sensitive),
        coverage.scope_path(workspace, request.path),
        coverage.scope_languages(workspace, request.languages),
        share,
        after,
    )


def _compiled(request: "TextRequest", ignore_case: bool) -> "tuple[Pattern, ...]":
    from shirube.engine.repo.regex import Spelling, compile_pattern

    spelling = Spelling(request.regex, ignore_case, request.word)
    return tuple(compile_pattern(text, spelling) for text in request.patterns)


def _records(workspace: "Workspace", asked: _Asked) -> dict[str, FileRecord]:
    """Return the indexed files that the request is about."""
    from shirube.engine.store.scope import PathFilter

    meant = PathFilter(asked.path or "**")
    return {
        path: record
        for path, record in workspace.store.files().items()
        if record.language and (not asked.languages or record.language in asked.languages) and meant(path)
    }


def _look(workspace: "Workspace", asked: _Asked, records: dict[str, FileRecord], call: Call) -> "GrepResult":
    from shirube.engine.repo.grep import GrepOptions, grep

    options = GrepOptions(
        limit=asked.request.limit,
        per_file=asked.share,
        max_characters=PAGE_CHARACTERS,
        context_lines=asked.request.context_lines,
        after=asked.after,
        max_file_bytes=workspace.config.index.max_file_bytes,
        unsieved={path for path, record in records.items() if record.note},
        env=child_environment(),
        texts=workspace.texts,
    )
    call.progress(say("text.searching"), 0, len(records))
    matches = grep(workspace.root, asked.patterns, records, options, call.deadline.within(SECONDS))
    if call.deadline.cancelled:
        call.deadline.check()
    return matches


# --- judging -----------------------------------------------------------------------------------------------


def _left_out(workspace: "Workspace", asked: _Asked, found: "GrepResult") -> dict[str, int]:
    """Count the files that may contain the text but were not searched: not indexed, or unreadable now."""
    reasons = Counter(skip.reason for skip in coverage.skipped_in(workspace, Scope(asked.path, asked.languages)))
    reasons.update(reason for reason in found.unread.values() if reason not in HARMLESS)
    return dict(sorted(reasons.items()))


def _judged(workspace: "Workspace", asked: _Asked, seen: _Seen) -> tuple[Answer, Message]:
    """Return what the matches mean and what to do next."""
    found = seen.found
    unsure = Answer.PARTIAL if found.total else Answer.UNKNOWN
    if workspace.keeper.building or found.late:
        return unsure, say("index.building" if workspace.keeper.building else "text.late")
    if unread := [path for path, reason in found.unread.items() if reason not in HARMLESS]:
        return unsure, say("text.read_otherwise", problem=_unsearched(unread[0], found.unread[unread[0]]))
    if not found.total:
        return _absent(workspace, asked, seen)
    if found.next or not found.files:
        return Answer.FOUND, say("text.more_lines" if found.next else "text.behind_cursor")
    return Answer.FOUND, say("asking.read_line", path=found.files[0].path, line=found.files[0].lines[0].number)


def _absent(workspace: "Workspace", asked: _Asked, seen: _Seen) -> tuple[Answer, Message]:
    """Judge an empty result: "none" only when every file in scope was searched."""
    if seen.notes:
        return Answer.UNKNOWN, say("index.may_miss")
    if not seen.records:
        if skip := next((skip for skip in workspace.store.skips() if skip.path == asked.path), None):
            return Answer.UNKNOWN, say("text.left_out", path=skip.path, reason=coverage.why_skipped(skip))
        return Answer.UNKNOWN, coverage.nothing_indexed(asked.path, asked.languages)
    if unread := coverage.could_hold(coverage.skipped_in(workspace, Scope(asked.path, asked.languages))):
        return Answer.UNKNOWN, say("text.no_line", count=len(seen.records), beside=coverage.not_read(unread))
    hidden = sum(seen.left_out.values())
    beside = say("asking.see_status", count=hidden) if hidden else NOTHING
    return Answer.NONE, say("text.no_line", count=len(seen.records), beside=beside)


def _other_readings(workspace: "Workspace", asked: _Asked, records: dict[str, FileRecord], call: Call) -> list[Message]:
    """After an empty result, suggest other interpretations of the patterns that may find something."""
    from shirube.engine.repo.regex import looks_like_regex

    request = asked.request
    hints = []
    if request.case_sensitive:
        folded = replace(asked, patterns=_compiled(request, ignore_case=True), after=None)
        if total := _look(workspace, folded, records, call).total:
            hints.append(say("text.other_case", count=total))
    if not request.regex and any(map(looks_like_regex, request.patterns)):
        hints.append(say("text.read_as_plain"))
    if request.regex and any(r"\b" in text for text in request.patterns):
        hints.append(say("text.ascii_edges"))
    return hints or [say("text.other_words")]


def _shortfalls(found: "GrepResult") -> tuple[Message, ...]:
    """Return notes on what the search did not complete."""
    notes = []
    if found.late:
        notes.append(say("text.not_every_file", seconds=f"{SECONDS:.0f}"))
    if found.uncounted:
        notes.append(say("text.uncounted", count=found.total))
    for path, reason in list(found.unread.items())[:NAMED]:
        notes.append(_unsearched(path, reason))
    if len(found.unread) > NAMED:
        notes.append(say("text.more_unsearched", count=len(found.unread) - NAMED))
    return tuple(notes)


def _unsearched(path: str, reason: str) -> Message:
    if reason == "long_line":
        return say("text.long_line", path=path)
    return say("text.unsearched", path=path, reason=reason)


# --- answering ---------------------------------------------------------------------------------------------


def _matches(workspace: "Workspace", asked: _Asked, found: "GrepResult", freshness: Freshness) -> tuple[TextMatch, ...]:
    from shirube.features.lookup.context.fit import innermost

    texts = asked.request.patterns
    matches = []
    for file in found.files:
        symbols = workspace.store.symbols(file.path) if file.path not in freshness.stale_files else ()
        for line in file.lines:
            around = innermost(symbols, line.number)
            matches.append(
                TextMatch(
                    file=file.path,
                    line=line.number,
                    column=line.column,
                    end_column=line.end_column,
                    content=line.text,
                    symbol=around.qualified if around else "",
                    patterns=tuple(texts[number] for number in line.patterns),
                    context_before=line.before,
                    context_after=line.after,
                )
            )
    return tuple(matches)
