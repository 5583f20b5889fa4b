"""What was done here before: the past commits that are like a goal, or one of them, with the diff on request.

Messages and diffs are the words of the repository: they are shown as data, without what looks like a secret.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.engine.history.commits import OUTSIDE
from shirube.engine.history.together import day
from shirube.engine.store.port import PastChange
from shirube.errors import BadArgument, plain
from shirube.features.lookup.query_building import SearchInput, query_of
from shirube.features.lookup.results import EarlierChange, EarlierFile, PastChangesResult
from shirube.messages import Message, say, step
from shirube.operation import Call
from shirube.types import Answer, Query, Scope

if TYPE_CHECKING:
    from shirube.features.lookup.operations import PastChangesRequest
    from shirube.workspace import Workspace

POOL = 500
"""How many similar commits are looked through for those that a narrower question means."""
LIKELY = 4
"""Of so many times as many commits as asked for, those that say most words of the goal come first."""
ROUTINE_SHARE = 0.6
"""What the words of a routine commit, such as one that mends a typing error, count beside those of others."""
MOST_FILES, MOST_SYMBOLS = 10, 6
"""How many files of a commit, and symbols of a file, are named."""
BODY_LINES, BODY_CHARACTERS = 4, 300
"""How much of a message is shown below its subject."""
ENOUGH = 0.5
"""How much of the goal the best commit has to say for the answer to count as found."""
DIFF_TOKENS = 6000
"""What the diffs of an answer may take, all together."""
READING = ("history.behind", "history.begun")
_HASH = re.compile(r"[0-9a-f]{4,64}")


def past_changes(workspace: "Workspace", request: "PastChangesRequest", call: Call) -> PastChangesResult:
    """Answer the operation of this name."""
    from shirube.features.lookup.past_diff import with_diff

    if not request.goal.strip() and not request.commit:
        raise BadArgument("past.nothing_asked")
    query = Query("", request.limit)
    if request.goal.strip():
        query = query_of(workspace, SearchInput(request.goal, request.limit, path=request.path))
    notes = workspace.read_history(call)
    found = _commit(workspace, request.commit, notes) if request.commit else _similar(workspace, query)
    changes = _described(workspace, query, found)
    if request.diff or request.commit:
        room = DIFF_TOKENS // max(1, len(found))
        changes = [with_diff(workspace, one, change, room) for one, change in zip(changes, found, strict=True)]
    notes = notes or workspace.keeper.history.problems()
    lacks = workspace.keeper.history.lacks()
    answer, advice = _judged(workspace, query, changes, notes)
    return PastChangesResult(
        goal=query.text,
        changes=tuple(changes),
        answer=Answer.FOUND if request.commit and found else answer,
        degraded=(*notes, *lacks, *workspace.notes),
        next=advice,
    )


def similar_changes(workspace: "Workspace", query: Query) -> list[EarlierChange]:
    """Return the past commits that are most like a question, without their diffs."""
    return _described(workspace, query, _similar(workspace, query))


def _similar(workspace: "Workspace", query: Query) -> list[PastChange]:
    """Return the commits that say most of a goal, the rarer words first; mass changes are not among them."""
    from shirube.engine.parse.languages import language_of
    from shirube.engine.search.question import read_question
    from shirube.engine.store.scope import ScopeFilter

    scope = Scope(query.scope.path, query.scope.languages)
    meant = ScopeFilter(scope)
    terms = read_question(query.text, workspace.config.search).terms
    found = [one.change for one in workspace.store.similar_changes(terms, POOL)]
    words = GoalWords.of(query.text)
    if scope != Scope():
        found = [one for one in found if any(meant(file.path, language_of(file.path)) for file in one.files)]
    likely = found[: query.limit * LIKELY]
    # A search for words returns subjects only; the words are counted in whole messages.
    whole = {change.commit: change for change in workspace.store.changes_named([change.commit for change in likely])}
    likely = [whole.get(change.commit, change) for change in likely]
    likely.sort(key=lambda change: -len(words.said_in(change)) * (1.0 if change.weight == 1 else ROUTINE_SHARE))
    return likely[: query.limit]


def _commit(workspace: "Workspace", name: str, notes: tuple[Message, ...]) -> list[PastChange]:
    """Return the known commit whose hash begins like this; no other name of a commit is accepted.

    Return nothing when nobody knows yet whether it is there, because history is not read, or still being read.
    """
    store, wanted = workspace.store, name.strip().lower()
    if not _HASH.fullmatch(wanted):
        raise BadArgument("past.no_hash", name=plain(name))
    known = store.commits()
    named = [commit for commit in known if commit.startswith(wanted)]
    if len(named) > 1:
        raise BadArgument("past.ambiguous", name=wanted, count=len(named))
    if not named and known and not _is_reading(notes):
        raise BadArgument("past.unknown_commit", name=wanted, count=len(known))
    return list(store.changes_named(named))


class GoalWords(Struct, frozen=True):
    """The words of a goal that tell something, each with what it means in English if it is Japanese."""

    words: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, goal: str) -> "GoalWords":
        """Read a goal."""
        from shirube.engine.text.glossary import stop_words
        from shirube.engine.text.tokens import tokenize
        from shirube.features.map.meanings import telling_parts

        latin = [token for token in tokenize(goal) if token.isascii()]
        telling = [token for token in latin if token not in stop_words()]
        words = dict.fromkeys(telling or latin, ()) | {part.text: part.english for part in telling_parts(goal)}
        return cls(tuple(words.items()))

    def said_in(self, change: PastChange) -> tuple[str, ...]:
        """Return which of the words its message has; ``返金 (refund)`` when it has the English for a Japanese one."""
        from shirube.engine.text.stems import stem
        from shirube.engine.text.tokens import index_terms, normalise

        message = f"{change.subject}\n{change.body}"
        terms, text = set(index_terms(message)), normalise(message)
        said = []
        for word, meanings in self.words:
            if stem(word) in terms or (not word.isascii() and word in text):
                said.append(word)
                continue
            there = [one for one in meanings if terms.issuperset(map(stem, one.lower().split()))]
            said += [f"{word} ({there[0]})"] if there else []
        return tuple(said)


def _described(workspace: "Workspace", query: Query, changes: Sequence[PastChange]) -> list[EarlierChange]:
    """Return commits as they are shown."""
    from shirube.engine.store.scope import PathFilter

    words, meant = GoalWords.of(query.text), PathFilter(query.scope.path) if query.scope.path else None

    def order(file: EarlierFile) -> tuple[bool, ...]:
        return (meant is not None and not meant(file.path), not file.exists, not file.symbols)

    described = []
    for change in changes:
        files = []
        for file in change.files:
            if not file.path.startswith(OUTSIDE):
                then = file.then if file.then and not file.then.startswith(OUTSIDE) else ""
                exists = workspace.has(file.path)
                files.append(EarlierFile(file.path, then, exists, file.symbols[:MOST_SYMBOLS]))
        files.sort(key=order)
        said = words.said_in(change)
        lines = [line for line in change.body.splitlines() if line.strip()][:BODY_LINES]
        shown = EarlierChange(
            commit=change.short,
            hash=change.commit,
            date=day(change.seconds),
            subject=change.subject,
            body="\n".join(lines)[:BODY_CHARACTERS],
            author=change.author if workspace.config.history.authors else "",
            files=tuple(files[:MOST_FILES]),
            more_files=max(0, len(files) - MOST_FILES),
            similarity=round(len(said) / max(1, len(words.words)), 2),
            why=said,
        )
        described.append(shown)
    return described


def _judged(
    workspace: "Workspace", query: Query, changes: Sequence[EarlierChange], notes: tuple[Message, ...]
) -> tuple[Answer, Message]:
    """Return what the list means and what to do next."""
    if not changes:
        return _absent(workspace, query, notes)
    first = changes[0]
    answer = Answer.FOUND if first.similarity >= ENOUGH and not _is_reading(notes) else Answer.PARTIAL
    if first.diff or first.diff_notes:
        there = next((file.path for file in first.files if file.exists), "")
        return answer, say("past.read", path=there) if there else say("past.gone" if first.files else "past.now")
    code = "past.see_diff" if first.similarity >= ENOUGH else "past.weak"
    return answer, say(code, call=step("past_changes", commit=first.commit))


def _is_reading(notes: tuple[Message, ...]) -> bool:
    return any(note.code in READING for note in notes)


def _absent(workspace: "Workspace", query: Query, notes: tuple[Message, ...]) -> tuple[Answer, Message]:
    """Say why there is no commit to show: proved absence, or nothing that could be searched."""
    from shirube.engine.repo.git import find_top

    history = workspace.config.history
    if not history.read:
        return Answer.UNKNOWN, say("past.off", setting="history.read = true")
    if not history.commits:
        return Answer.UNKNOWN, say("past.off", setting="history.commits = 20000")
    known = workspace.store.commits()
    if not known and find_top(workspace.root) is None:
        return Answer.NONE, say("past.no_git")
    if _is_reading(notes):
        return Answer.UNKNOWN, say("past.reading")
    if not known:
        return (Answer.UNKNOWN, say("past.unreadable")) if notes else (Answer.NONE, say("past.no_commits"))
    code = "past.none_there" if query.scope != Scope() else "past.none"
    return Answer.NONE, say(code, count=len(known), path=query.scope.path)
