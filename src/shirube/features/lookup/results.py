"""What the operations of group ``search`` return."""

from collections.abc import Iterable
from enum import StrEnum

from shirube.codec import Record, Shown, ShownPlace, symbol_of
from shirube.messages import NOTHING, Message
from shirube.types import Answer, Collection, Freshness, Hit, Judgement, MapHit, Reason, Skip, Status

WORDED = ("text:words", "phrase:", "path", "definition", "message:")
"""Reasons that rest on words; a hit with reasons and none of these is a guess if it was found by sense, …"""
TOLD = ("coverage", "verbatim", "name", "symbol", "compound", "file", "frame", "artifact")
"""… or has none of these either: then it is only near other hits."""


def _is_guess(reasons: Iterable[str]) -> bool:
    names = tuple(reasons)
    enough = WORDED if "text:sense" in names else WORDED + TOLD
    return bool(names) and not any(name.startswith(enough) for name in names)


class LookupResult(Record, kw_only=True):
    """The last fields of most answers from the index; keyword-only fields stand behind those of the record itself."""

    degraded: tuple[Message, ...]
    """What stands in the way of calling the answer whole."""
    freshness: Freshness = Freshness()
    next: Message = NOTHING


class SearchResult(Record):
    """What every search returns."""

    query: str
    source: Collection = Collection.FOREST
    status: Status = Status.HYPOTHESIS
    short_circuit: bool = False
    map_hits: tuple[MapHit, ...] = ()
    forest_hits: tuple[Hit, ...] = ()
    total_chunks: int = 0
    answer: Answer = Answer.UNKNOWN
    confidence: float = 0.0
    """How likely the first hit is right, from 0 to 1: measured on labelled questions, not a score."""
    degraded: tuple[Message, ...] = ()
    freshness: Freshness = Freshness()
    truncated: bool = False
    total: int = 0
    next_cursor: str = ""
    next: Message = NOTHING
    planId: str = ""  # noqa: N815
    """The plan that the question belongs to, when it was named."""
    evaluation: Judgement | None = None
    """What the hits are worth beside what was expected, when that was asked for."""

    def shown(self) -> Shown:
        """Return the places of the hits, each file's best first, and of agreements that answer with their code.

        What was found by sense alone is a guess.
        """
        sure = [hit for hit in self.forest_hits if not _is_guess(reason.name for reason in hit.why)]
        printed = [hit for hit in self.map_hits if hit.fresh and hit.preview] if self.short_circuit else []
        places = [
            ShownPlace(hit.path, hit.start_line, hit.end_line, symbol_of(hit.kind, hit.symbol)) for hit in printed
        ]
        for hit in sure:
            places.append(ShownPlace(hit.path, hit.start_line, hit.end_line, symbol_of(hit.kind, hit.symbol)))
            places += [ShownPlace(hit.path, one.start_line, one.end_line, one.symbol) for one in hit.also]
        guessed = tuple(hit.path for hit in self.forest_hits if hit not in sure)
        return Shown(tuple(places), (), guessed, tuple(hit for hit in self.map_hits if hit.similarity is not None))


class FileFound(Record):
    """A file that fits, and the first line to look at; the names are seed 001's."""

    path: str
    matchLine: int  # noqa: N815
    lang: str
    ext: str
    score: float
    why: tuple[Reason, ...]
    preview: str = ""


class FilesResult(LookupResult):
    """The files, best first."""

    query: str
    results: tuple[FileFound, ...]
    answer: Answer
    confidence: float
    total: int
    truncated: bool
    next_cursor: str

    def shown(self) -> Shown:
        """Return the line of each file to begin at."""
        sure = [one for one in self.results if not _is_guess(reason.name for reason in one.why)]
        places = tuple(ShownPlace(one.path, one.matchLine, one.matchLine) for one in sure)
        return Shown(places, guessed=tuple(one.path for one in self.results if one not in sure))


class TextMatch(Record):
    """A line that matches, as it is on disk now; the column is that of the first match, both count from 1."""

    file: str
    line: int
    column: int
    end_column: int
    content: str
    """The line; a very long one is cut around the match, with … where it was cut."""
    symbol: str
    """What encloses it, when the index knows the file as it is now."""
    patterns: tuple[str, ...]
    """Which of the patterns match."""
    context_before: tuple[str, ...]
    context_after: tuple[str, ...]


class TextFile(Record, rename={"shown_lines": "shown"}):
    """How much of a file is in this answer."""

    file: str
    total: int
    shown_lines: int


class TextResult(LookupResult):
    """Lines that match, file by file."""

    pattern: str
    """The pattern, when there is one."""
    patterns: tuple[str, ...]
    answer: Answer
    matches: tuple[TextMatch, ...]
    files: tuple[TextFile, ...]
    total: int
    """Lines that match, shown or not."""
    total_files: int
    truncated: bool
    next_cursor: str
    searched: int
    """How many files were to be searched."""
    not_searched: dict[str, int]
    """How many files there may hold the text and were not read, for each reason."""

    def shown(self) -> Shown:
        """Return the lines, and the files of which none is in this answer."""
        places = tuple(ShownPlace(one.file, one.line, one.line, one.symbol) for one in self.matches)
        seen = {one.path for one in places}
        return Shown(places, tuple(one.file for one in self.files if one.file not in seen))


class EarlierFile(Record):
    """A file that a past commit changed, by its path of today."""

    path: str
    then: str
    """Its path after the commit, where that differs."""
    exists: bool
    symbols: tuple[str, ...]
    """What the commit touched in it, as far as the diff shows it."""


class EarlierChange(Record):
    """A past commit. Its message and diff are the repository's words: data, without what looks like a secret."""

    commit: str
    hash: str
    date: str
    subject: str
    body: str
    """The first lines below the subject."""
    author: str
    """Only where ``history.authors`` is set."""
    files: tuple[EarlierFile, ...]
    """Those below the path that was asked about first, then those that still exist, then those with symbols."""
    more_files: int
    similarity: float
    """The share of the goal's words that the message has, from 0 to 1. Rare words decide the order of the commits."""
    why: tuple[str, ...]
    """Those words; behind a Japanese one its English, where the message has that."""
    diff: str = ""
    diff_notes: tuple[Message, ...] = ()
    """What the diff leaves out."""


class PastChangesResult(Record):
    """The commits most like the goal, best first; no answer from the index, so a look at the tree cannot change it."""

    goal: str
    changes: tuple[EarlierChange, ...]
    answer: Answer
    degraded: tuple[Message, ...]
    next: Message

    def shown(self) -> Shown:
        """Name the files that still exist."""
        return Shown(listed=still_there(self.changes))


def still_there(changes: Iterable[EarlierChange]) -> tuple[str, ...]:
    """Return the files of past commits that still exist."""
    return tuple(dict.fromkeys(file.path for change in changes for file in change.files if file.exists))


class ContextItem(Record):
    """Lines to read; ``why`` holds tags, the most telling first."""

    path: str
    range: tuple[int, ...]
    """First and last line."""
    symbol: str
    kind: str
    preview: str
    why: tuple[str, ...]
    score: float
    tokens: int
    whole: bool
    """false: a part of a longer symbol, around the line that matters."""


class Omitted(Record):
    """What did not fit, and what it would cost."""

    path: str
    range: tuple[int, ...]
    symbol: str
    score: float
    tokens: int
    reason: str
    """budget or limit"""


class BundleResult(Record):
    """The most valuable first."""

    goal: str
    profile: str
    context: tuple[ContextItem, ...]
    tokens_estimate: int
    budget: int
    answer: Answer
    confidence: float
    omitted: tuple[Omitted, ...]
    omitted_total: int
    warnings: tuple[Message, ...]
    freshness: Freshness = Freshness()
    next: Message = NOTHING
    past_changes: tuple[EarlierChange, ...] = ()
    """Past commits like the goal, when they were asked for."""

    def shown(self) -> Shown:
        """Return the snippets, those found by sense alone as guesses; files of past commits are named."""
        sure = [one for one in self.context if not _is_guess(one.why)]
        places = tuple(
            ShownPlace(one.path, one.range[0], one.range[-1], symbol_of(one.kind, one.symbol)) for one in sure
        )
        guessed = tuple(one.path for one in self.context if one not in sure)
        return Shown(places, still_there(self.past_changes), guessed)


class SnippetView(StrEnum):
    """What to show."""

    AUTO = "auto"
    LINES = "lines"
    SYMBOL = "symbol"
    OUTLINE = "outline"
    FULL = "full"


class SnippetResult(Record):
    """The lines; the names are those of seed 001's program."""

    path: str
    view: SnippetView
    startLine: int  # noqa: N815
    endLine: int  # noqa: N815
    totalLines: int  # noqa: N815
    symbolName: str  # noqa: N815
    symbolKind: str  # noqa: N815
    content: str
    tokens: int
    truncated: bool
    freshness: Freshness = Freshness()
    next: Message = NOTHING

    def shown(self) -> Shown:
        """Return the lines, or the file alone when its text was left out."""
        if not self.content:
            return Shown(listed=(self.path,))
        return Shown((ShownPlace(self.path, self.startLine, self.endLine),))


class Reranked(Record):
    """combined = base + the profile's structural weight × semantic."""

    path: str
    semantic: float
    base: float
    combined: float


class RerankResult(Record):
    """The files in their new order, and those the index does not know."""

    candidates: tuple[Reranked, ...]
    unknown: tuple[str, ...]
    model: str
    degraded: tuple[Message, ...]
    next: Message = NOTHING

    def shown(self) -> Shown:
        """Return the files, which are named and not shown."""
        return Shown(listed=tuple(one.path for one in self.candidates))


class ResponseFormat(StrEnum):
    """How much of a hit is shown."""

    CONCISE = "concise"
    DETAILED = "detailed"


class SearchedCollection(StrEnum):
    """Which collection is asked."""

    AUTO = "auto"
    MAP = "map"
    FOREST = "forest"


class JobStatus(Record):
    """The sync that runs, or the last one that did."""

    job_id: str
    state: str
    """running, done, failed"""
    step: Message
    done: int
    total: int
    error: Message


class SyncResult(Record):
    """What a sync changed; with ``job.state`` "running" it is still at it."""

    job: JobStatus
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    totals: dict[str, int]
    seconds: float
    map: dict[str, int]
    """How many agreements are fresh, changed, moved, gone; empty without a map."""
    warnings: tuple[Message, ...]
    truncated: bool
    next: Message


class IndexStatus(Record):
    """What the index holds, how fresh it is, and what it leaves out."""

    root: str
    state: str
    """empty, building, complete"""
    files: int
    chunks: int
    symbols: int
    edges: int
    waiting: int
    source_bytes: int
    disk_bytes: int
    languages: dict[str, int]
    lexical: str
    model: str
    needs_sync: bool | None
    """Whether the index differs from the tree; None when it does not look so, and the tree was not looked at."""
    watching: Message
    """How the tree is followed (events, polling and why, by another process), or empty."""
    job: JobStatus | None
    freshness: Freshness
    skipped: dict[str, int]
    """How many paths are left out for each reason."""
    skips: tuple[Skip, ...]
    notes: tuple[Message, ...]
    """Files that were indexed less than well, with the reason."""
    warnings: tuple[Message, ...]
    truncated: bool
    next: Message
    unembedded: int = 0
    """Files that have no vectors of the model yet, and are found by their words alone."""
    commits: int = 0
    """Past commits that were read."""
    store: Message = NOTHING
    """The server, repository and branch under which the index is kept; empty when it is on this machine."""
    dead: int = 0
    """Chunks that are gone, but still count in the statistics of the lexical index until it is rebuilt."""
