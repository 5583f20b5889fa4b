"""Finds what a session confirmed by writing: claimed symbols whose own lines it changed, for the feature it quoted.

This replaces ``confirm_symbol_relevance`` where a session did what it said. The claim was checked against recorded
calls when it was submitted, the feature is quoted from the request, and the changed lines tell which symbol it was.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shirube.engine.search.roles import Role, role_of
from shirube.engine.text.glossary import stop_words
from shirube.features.guard.evidence import plain_name
from shirube.features.map.agreement import plain_term
from shirube.features.map.check import is_named
from shirube.features.map.facts import ConfirmedSymbol, SessionFacts
from shirube.features.map.message_terms import words
from shirube.features.map.records import WrittenFile
from shirube.features.map.same_term import read_term
from shirube.features.map.states import Standing
from shirube.features.map.written import changed_lines, content_before, content_now
from shirube.messages import NOTHING, Message, language_of, say, spoken

if TYPE_CHECKING:
    from shirube.types import Symbol
    from shirube.workspace import Workspace

MOST = 3
"""How many symbols a term may get at once; a change of more symbols says little about each of them."""
LONGEST_TERM = 60
"""In characters; longer words for a feature are a description, which nobody uses twice."""

LONGEST_SHOWN = 200
"""How many characters of the request the evidence shows."""

Found = tuple[tuple[ConfirmedSymbol, ...], Message]


def written_symbols(workspace: "Workspace", known: SessionFacts, files: Sequence[WrittenFile]) -> Found:
    """Return the symbols that a session confirmed by writing them, or why there are none."""
    term = " ".join(known.quoted_feature.split())
    written = [file.path for file in files if file.before != file.after and file.after]
    if not written:
        return (), say("session.wrote_nothing")
    if not term or len(term) > LONGEST_TERM:
        return (), say("session.feature_guessed")
    kinds = (words(name) for name in ("message_words", "general_words", "kind_words"))
    if stop_words().union(*kinds).issuperset(word for word in read_term(term).words):
        # like "the page", it has only words that any program has, and would answer for anything
        return (), say("session.feature_general", term=term)
    counts = Counter(
        (path, symbol.qualified) for path in written for symbol in _changed_symbols(workspace, known, path)
    )
    chosen = _meant(workspace, term, counts)
    if not chosen:
        code = "session.wrote_many" if counts else "session.wrote_unclaimed"
        return (), say(code, files=written[:MOST], count=len(counts), term=term)
    agreed = (item for item in workspace.map.load().own if item.standing == Standing.AGREED and item.symbol)
    meaning = {item.symbol for item in agreed if plain_term(item.nl_term) == plain_term(term)}
    if other := meaning - {symbol for _, symbol, _ in chosen}:
        return (), say("session.means_already", term=term, symbol=min(other))
    return tuple(
        ConfirmedSymbol(term, symbol, path, evidence=_evidence(known, counts[path, symbol]), similarity=value)
        for path, symbol, value in chosen
    ), NOTHING


def _changed_symbols(workspace: "Workspace", known: SessionFacts, path: str) -> "Iterator[Symbol]":
    """Yield for each changed line of a file of the program the innermost claimed symbol around it."""
    record = workspace.store.files((path,)).get(path)
    after = content_now(workspace, path)
    if record is None or after is None or role_of(path, record.language) != Role.IMPLEMENTATION:
        return
    names = [plain_name(name) for name in known.claimed]
    claimed = [one for one in workspace.store.symbols(path) if any(is_named(one, name) for name in names)]
    for line in changed_lines(content_before(workspace, known.session_id, path), after):
        around = [one for one in claimed if one.start_line <= line <= one.end_line]
        if around:
            yield min(around, key=lambda one: (one.end_line - one.start_line, one.qualified))


def _meant(workspace: "Workspace", term: str, counts: Counter[tuple[str, str]]) -> list[tuple[str, str, float]]:
    """Return the written symbols that are near to the term, most similar first; if none is, the one written most."""
    near = {
        (path, symbol): max(workspace.similarity(term, [symbol.rpartition(".")[2], symbol])) for path, symbol in counts
    }
    ranked = sorted(near, key=lambda place: (-near[place], -counts[place], place))
    chosen = [place for place in ranked if near[place] >= workspace.config.map.doubtful][:MOST]
    if counts and not chosen:
        most = min(counts, key=lambda place: (-counts[place], place))
        chosen = [most] if 2 * counts[most] > counts.total() else []
    return [(path, symbol, near[path, symbol]) for path, symbol in chosen]


def _evidence(known: SessionFacts, lines: int) -> str:
    """Return the evidence as the page shows it, in the language of the request."""
    request = " ".join(known.request.split())
    shown = request if len(request) <= LONGEST_SHOWN else f"{request[: LONGEST_SHOWN - 1]}…"
    told = say("session.by_writing", request=shown, count=lines, session=known.session_id)
    return str(spoken(told, language_of(known.request)))
