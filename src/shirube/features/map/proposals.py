"""Proposes agreements from history: words of commit messages that go with a symbol again and again.

A proposal is a hypothesis with its evidence. It answers no question; a person or a session that checked it adds it to
the map. The rule is pure, and its time grows evenly with the number of changes.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import log, sqrt
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.engine.history.together import day
from shirube.engine.search.roles import Role, role_of
from shirube.engine.store.port import PastChange, TouchedFile, newest_first
from shirube.engine.text.glossary import japanese_words
from shirube.engine.text.tokens import split_identifier
from shirube.features.map.agreement import Agreement, plain_term
from shirube.features.map.answers import similarity_of
from shirube.features.map.check import is_named
from shirube.features.map.lookup import Similarity
from shirube.features.map.message_terms import Dictionary, words
from shirube.features.map.results import Proposal, ProposalCommit, ProposalsResult
from shirube.features.map.states import Standing
from shirube.messages import language_of, say, step
from shirube.operation import Call
from shirube.types import BIG_KINDS, Symbol

if TYPE_CHECKING:
    from shirube.features.map.operations import ProposalsRequest
    from shirube.workspace import Workspace

DAY = 86_400
MOST_FILES, MOST_SYMBOLS = 20, 100
"""Changes of more files or symbols say little about each of them."""
LEAST_DAYS, LEAST_DAYS_NAMED = 3, 2
"""On how many days a term and a symbol must have changed together, and on how many if its name says the term: commits
of one day are often one change."""
LEAST_FOCUS = 1.2
"""The least sum of the shares of such changes on two days: two of three files each are just enough."""
LEAST_LIFT = 3.0
"""How much more often than by chance they must have changed together."""
LEAST_RATIO, LEAST_RATIO_NAMED = 10.8, 3.8
"""The least log-likelihood ratio: chance reaches the first once in 1,000 pairs, the second once in 20."""
ALIKE, CLEAR = 0.8, 0.5
"""A name says a term if it is so similar, and if so much of it is about the term."""
MEANS = 0.5
"""From this similarity on, a word of a name is about a term."""
LEARNED = 0.4
"""From this association on, a word in the names of several files is taken for the translation of a term."""
UNLIKE, UNTRANSLATED = 0.1, 0.35
"""How much the history of a term counts if the name means something else, and if nobody knows what the term means."""
WITHOUT_ATTRIBUTE = 0.5
"""What is left of a similarity if the name leaves out the attribute that a term ends with (在庫数 is no stock)."""
OWNER_SHARE = 0.5
"""How much it counts for a method that its class is named like the term: the class is meant, then."""
INNER, DECLARED, DONE = 0.85, 0.9, 0.7
"""How much a symbol inside another one counts beside it; a declaration (an interface, a type) beside what implements
it; and a function for a term that is no action."""
KIND_SHARE = 0.2
"""How much words such as ``Controller`` count in a name."""
LEAST_CONFIDENCE = 0.4
"""About two of three proposals between 0.38 and 0.45 held in the histories that were looked at."""
_MEANT, _MEANT_ALONE = BIG_KINDS | {"function", "method", "component"}, ("constant", "variable")
"""Kinds of symbols that a term can mean; constants and variables only if nothing encloses them."""


Place = tuple[str, str]
"""A symbol that a term may mean: its path and its qualified name."""


class ProposedTerm(Struct, frozen=True):
    """A term, the symbol it may mean, and the changes that say so, newest first."""

    term: str
    path: str
    symbol: Symbol
    confidence: float
    changes: tuple[PastChange, ...]


def propose(
    changes: Iterable[PastChange],
    symbols: Mapping[str, Sequence[Symbol]],
    code: Collection[str],
    similarity: Similarity,
) -> list[ProposedTerm]:
    """Return the terms of past messages with the symbol each may mean, the surest first.

    ``changes`` come newest first; ``code`` has today's files of the program itself, and ``symbols`` what they define.
    Tests and documents are left out: every word occurs there.
    """
    now, counts = _CodeNow(symbols), _Counts()
    changes, usable = list(changes), []
    dictionary = Dictionary(change.subject for change in changes)
    for change in changes:
        files = [file for file in change.files if file.path in code]
        if change.weight > 0 and 0 < len(files) <= MOST_FILES:
            usable.append((change, dictionary.terms(change.subject), files))
    often = Counter(term for _, terms, _ in usable for term in terms)
    for change, terms, files in usable:
        counts.add(change, [term for term in terms if often[term] >= LEAST_DAYS_NAMED], files, now)
    places: dict[str, list[Place]] = defaultdict(list)
    for term, other in counts.changes:
        if isinstance(other, tuple) and term.casefold() not in other[1].casefold():  # search finds that by itself
            places[term].append(other)
    found = [_best(_Term(term, some, counts, similarity), some, now) for term, some in places.items()]
    likely = [one for one in found if one.confidence >= LEAST_CONFIDENCE]
    return _distinct(sorted(likely, key=lambda one: (-one.confidence, -len(one.term), one.term)))


# --- what changed ------------------------------------------------------------------------------------------


class _CodeNow:
    """Today's symbols, by the names that past changes touched, and how rare the words of their names are."""

    def __init__(self, symbols: Mapping[str, Sequence[Symbol]]) -> None:
        self.symbols: dict[Place, Symbol] = {}
        self._named: dict[str, dict[str, set[str]]] = {}
        self._main: dict[str, str] = {}
        for path, defined in symbols.items():
            meant = [one for one in defined if one.kind in _MEANT or (one.kind in _MEANT_ALONE and not one.scope)]
            self.symbols |= {(path, one.qualified): one for one in meant}
            self._main[path] = _main_symbol(path, [one for one in meant if not one.scope])
            named = self._named[path] = defaultdict(set)
            for one in defined:
                named[one.name].add(one.qualified)
        outer = [one.name for one in self.symbols.values() if not one.scope]
        self._total, self._counts = len(outer), Counter(word for name in outer for word in set(split_identifier(name)))

    def touched(self, file: TouchedFile) -> Iterator[Place]:
        """Yield what a change touched, with what encloses it; the main symbol stands for the whole file."""
        named = self._named.get(file.path, {})
        found = {self._main.get(file.path, "")}
        for name in file.symbols:
            # Of several with one name, nobody knows which was touched.
            qualified = next(iter(named[name])) if len(named.get(name, ())) == 1 else ""
            while qualified:
                found.add(qualified)
                qualified = qualified.rpartition(".")[0]
        return ((file.path, name) for name in found if (file.path, name) in self.symbols)

    def share(self, name: str, meant: Callable[[str], float]) -> float:
        """Return how much of a name is about something, by its words; rare words count more than common ones."""
        weights = {}
        for word in split_identifier(name):
            if len(word) > 1:
                kind = KIND_SHARE if word in words("kind_words") else 1.0
                weights[word] = kind * log(1 + self._total / max(1, self._counts[word]))
        return sum(weights[word] * meant(word) for word in weights) / sum(weights.values()) if weights else 0.0


def _main_symbol(path: str, outer: Sequence[Symbol]) -> str:
    """Return the symbol a file is for: the longest that it is named after, else its only class, else its only one."""
    named = [one for one in outer if _bare_words(one.name) == _bare_words(_stem(path))]
    if named:
        return max(named, key=lambda one: (one.end_line - one.start_line, -one.start_line)).qualified
    large = [one for one in outer if one.kind in BIG_KINDS]
    return next((found[0].qualified for found in (large, outer) if len(found) == 1), "")


def _bare_words(name: str) -> str:
    """Return the words of a name without those for kinds of things: ``"presetStore"`` → ``"preset"``."""
    parts = split_identifier(name)
    return "".join([part for part in parts if part not in words("kind_words")] or parts)


def _stem(path: str) -> str:
    return PurePosixPath(path).name.partition(".")[0]


# --- what goes together ------------------------------------------------------------------------------------


class _Counts:
    """How often terms, places and words of file names occur; a change of many files counts less for each."""

    def __init__(self) -> None:
        self.total = 0.0
        self.alone: dict[str | Place, float] = defaultdict(float)
        self.both: dict[tuple[str, str | Place], float] = defaultdict(float)
        self.changes: dict[tuple[str, str | Place], list[PastChange]] = defaultdict(list)
        self.paths: dict[tuple[str, str], set[str]] = defaultdict(set)
        """By term and word: the files with this word in their names that changed with the term."""

    def add(self, change: PastChange, terms: Sequence[str], files: Sequence[TouchedFile], now: _CodeNow) -> None:
        """Count one change."""
        share = change.weight / sqrt(len(files))
        places = {place for file in files for place in now.touched(file)}
        named = [(word, file.path) for file in files for word in split_identifier(_stem(file.path)) if len(word) > 2]
        others: set[str | Place] = {word for word, _ in named}
        if len(places) <= MOST_SYMBOLS:
            others |= places
        self.total += share
        for one in {*terms, *others}:
            self.alone[one] += share
        for term in terms:
            for word, path in named:
                self.paths[term, word].add(path)
            for one in others:
                self.both[term, one] += share
                self.changes[term, one].append(change)

    def days(self, term: str, other: str | Place) -> int:
        """Return on how many days a term and something else changed together."""
        return len({change.seconds // DAY for change in self.changes.get((term, other), ())})

    def association(self, term: str, other: str | Place) -> float:
        """Return how closely two go together, from 0 to 1: the cosine, a little lower for rare ones."""
        both, first, second = self.both[term, other], self.alone[term], self.alone[other]
        if both * self.total < LEAST_LIFT * first * second:
            return 0.0
        return both / sqrt((first + 1) * (second + 1))

    def ratio(self, term: str, other: str | Place) -> float:
        """Return the log-likelihood ratio of two going together: how surely it is not by chance."""
        both, first, second = self.both[term, other], self.alone[term], self.alone[other]
        neither = self.total - first - second + both
        apart = _entropy(first, self.total - first) + _entropy(second, self.total - second)
        return 2 * (_entropy(both, first - both, second - both, neither) - apart)

    def translation(self, term: str, word: str) -> float:
        """Return how closely a term goes with several files that have a word in their names."""
        return self.association(term, word) if len(self.paths.get((term, word), ())) > 1 else 0.0


def _entropy(*counts: float) -> float:
    return sum(count * log(count / sum(counts)) for count in counts if count > 0)


# --- what it is called -------------------------------------------------------------------------------------


class _Term:
    """A term, and what it means as far as that is known: by the model, or by the names of the files it goes with."""

    def __init__(self, text: str, places: Sequence[Place], counts: _Counts, similarity: Similarity) -> None:
        self.text, self.counts = text, counts
        names = {name for _, qualified in places for name in (qualified, qualified.rpartition(".")[2])}
        texts = sorted(names | {word for name in names for word in split_identifier(name)})
        self._similar = dict(zip(texts, similarity(text, texts), strict=True))
        self.translated = any(self._similar.values())
        attributes = [word for word in words("attribute_words") if text != word and text.endswith(word)]
        # What things have, at the end of a term; a term that is one word has none.
        self._attribute = max(attributes, key=len, default="") if len(japanese_words(text)) != 1 else ""
        if self._attribute:
            self._similar_attribute = dict(zip(texts, similarity(self._attribute, texts), strict=True))

    def meant(self, word: str) -> float:
        """Return how surely a word of a name is about the term."""
        if not self.translated:
            return min(1.0, self.counts.translation(self.text, word) / LEARNED)
        return self._similar[word] if self._similar[word] >= MEANS else 0.0

    def alike(self, symbol: Symbol) -> float:
        """Return how similar a symbol's name is to the term."""
        if not self.translated:
            return max(map(self.meant, split_identifier(symbol.name)), default=0.0)
        similar = self._similar[symbol.name]
        if symbol.scope:
            similar = max(similar, OWNER_SHARE * self._similar[symbol.qualified])
        left_out = self._attribute and self._similar_attribute[symbol.name] < MEANS
        return similar * (WITHOUT_ATTRIBUTE if left_out else 1.0)

    def fit(self, symbol: Symbol) -> float:
        """Return how well the kind of a symbol fits the term."""
        is_action = self.text.endswith(("ング", *words("action_words")))
        share = INNER if symbol.scope else 1.0
        if symbol.kind in ("interface", "type"):
            share *= DECLARED
        return share * (DONE if symbol.kind in ("function", "method") and not is_action else 1.0)

    def strength(self, place: Place, says_it: bool) -> tuple[float, Sequence[PastChange]]:
        """Return how closely a term and a place go together, and the changes that show it; 0 if that may be chance.

        Where the name says the term, changes of other files that are named with the same word count, too.
        """
        counts, text = self.counts, self.text
        direct, changes = counts.association(text, place), counts.changes[text, place]
        if says_it and direct:
            about = [word for word in split_identifier(place[1].rpartition(".")[2]) if self.meant(word) >= MEANS]
            others, word = max((counts.translation(text, word), word) for word in about)
            if others and counts.days(text, word) >= LEAST_DAYS and counts.ratio(text, word) >= LEAST_RATIO:
                every = {change.commit: change for change in (*changes, *counts.changes[text, word])}
                return max(direct, (direct + others) / 2), sorted(every.values(), key=newest_first)
        least_days, least_ratio = (LEAST_DAYS_NAMED, LEAST_RATIO_NAMED) if says_it else (LEAST_DAYS, LEAST_RATIO)
        often = counts.days(text, place) >= least_days and counts.ratio(text, place) >= least_ratio
        focused = counts.both[text, place] >= LEAST_FOCUS or counts.days(text, place) >= LEAST_DAYS
        return (direct if often and focused else 0.0), changes


def _best(term: _Term, places: Sequence[Place], now: _CodeNow) -> ProposedTerm:
    """Return what a term most likely means, by its history and the names of the symbols."""
    ranked = []
    for place in places:
        symbol = now.symbols[place]
        alike, share = term.alike(symbol), now.share(symbol.name, term.meant)
        strength, changes = term.strength(place, alike >= ALIKE and share >= CLEAR)
        named = UNLIKE + (1 - UNLIKE) * alike * share if term.translated or alike else UNTRANSLATED
        ranked.append((-strength * named * term.fit(symbol), place, changes))
    worth, place, changes = min(ranked, key=lambda row: row[:2])
    return ProposedTerm(term.text, place[0], now.symbols[place], round(sqrt(-worth), 3), tuple(changes))


def _distinct(ranked: Sequence[ProposedTerm]) -> list[ProposedTerm]:
    """Return the terms without those that say no more than a better one.

    Those are a part of it for the same symbol, or hold it; or the two differ by a general word only (設定, 設定データ).
    """
    kept: list[ProposedTerm] = []
    for one in ranked:
        if not any(_says_same(one, better) for better in kept):
            kept.append(one)
    return kept


def _says_same(one: ProposedTerm, better: ProposedTerm) -> bool:
    short, long = sorted((one.term, better.term), key=len)
    if short not in long:
        return False
    same_symbol = (one.path, one.symbol.qualified) == (better.path, better.symbol.qualified)
    return same_symbol or long.replace(short, "", 1) in words("general_words")


# --- the operation -----------------------------------------------------------------------------------------

SHOWN_COMMITS = 5
"""How many commits a proposal shows, the newest first."""
MOST_UNASKED = 5000
"""A history of more commits is read for proposals only if somebody asks for them: it takes seconds."""
SHORT = 8
"""How many digits of a commit's name are shown."""


def list_proposals(workspace: "Workspace", request: "ProposalsRequest", call: Call) -> ProposalsResult:
    """Answer the operation of this name."""
    notes = workspace.keeper.refresh(call.progress, patient=call.patient)
    unread = workspace.read_history(call)
    changes = workspace.store.past_changes()
    found = _new_to_map(workspace, changes)
    wanted = plain_term(request.query)
    listed = [one for one in found if wanted in plain_term(f"{one.term} {one.symbol.qualified} {one.path}")]
    return ProposalsResult(
        proposals=tuple(_shown(one) for one in listed[: request.limit]),
        total=len(listed),
        commits=len(changes),
        truncated=len(listed) > request.limit,
        degraded=(*notes, *unread),
        next=say("proposals.check" if listed else "proposals.none" if changes else "proposals.no_history"),
    )


def proposals_for(workspace: "Workspace", paths: Collection[str]) -> list[ProposedTerm]:
    """Return the proposals for symbols of some files, if they take no longer than somebody waits who did not ask."""
    changes = workspace.store.past_changes()
    about = (change.subject for change in changes for file in change.files if file.path in paths)
    if len(changes) > MOST_UNASKED or not any(language_of(subject) == "ja" for subject in about):
        return []  # only Japanese terms are read
    return [one for one in _new_to_map(workspace, changes) if one.path in paths]


def _new_to_map(workspace: "Workspace", changes: Sequence[PastChange]) -> list[ProposedTerm]:
    """Return the candidates that people did not decide: whose term has a meaning, or lost this one, is left out."""
    languages = {path: file.language for path, file in workspace.store.files().items() if file.language}
    code = [path for path, language in languages.items() if role_of(path, language) == Role.IMPLEMENTATION]
    found = propose(changes, workspace.store.symbols_in(code), frozenset(code), similarity_of(workspace))
    decided: dict[str, list[Agreement]] = defaultdict(list)
    for agreement in workspace.map.load().agreements:
        decided[plain_term(agreement.nl_term)].append(agreement)
    return [
        one
        for one in found
        if not any(
            known.standing != Standing.EXPIRED or is_named(one.symbol, known.symbol)
            for known in decided[plain_term(one.term)]
        )
    ]


def _shown(one: ProposedTerm) -> Proposal:
    symbol = one.symbol.qualified
    return Proposal(
        nl_term=one.term,
        symbol=symbol,
        kind=one.symbol.kind,
        path=one.path,
        start_line=one.symbol.start_line,
        confidence=one.confidence,
        evidence=tuple(
            ProposalCommit(change.commit[:SHORT], day(change.seconds), change.subject)
            for change in one.changes[:SHOWN_COMMITS]
        ),
        commits=len(one.changes),
        next=say("proposals.confirm", call=step("add_agreement", nl_term=one.term, symbol=[symbol], path=one.path)),
    )
