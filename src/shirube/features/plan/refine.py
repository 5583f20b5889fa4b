"""Chooses the next question of a plan from the results so far, and gives the reason; no question is asked twice."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct

from shirube.codec import packaged
from shirube.engine.text.bm25 import idf
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.tokens import index_terms, normalise
from shirube.features.plan.evaluate import GOOD, Frequencies, Keyword, goal_words
from shirube.features.plan.record import (
    Evaluation,
    Expectation,
    RefinementMethod,
    RefinementStrategy,
    Step,
    StepResults,
    Tactic,
)
from shirube.messages import say
from shirube.types import Mode

_GLOB = re.compile(r"[\w./-]*\*[\w.*/-]*")
_DIRECTORY = re.compile(r"(?<![\w.])((?:[\w.-]+/)+[\w.-]*)")
_KINDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"\btests?\b|\bspecs?\b|テスト", "*test*", ()),
    (r"\bdocs?\b|\bdocumentation\b|\breadme\b|文書|ドキュメント", "", ("markdown",)),
    (r"\bconfig\w*\b|\bsettings?\b|設定", "", ("json", "yaml", "toml")),
    (r"\bstyles?(?:heets?)?\b|スタイル", "", ("css", "scss")),
)
_WORD = re.compile(r"[A-Za-z+#]+")
POOR = 0.5
"""Below this score the goal's words have failed, and words from the results are worth a try. Above it they make the
results worse (measured: scores 0.004 to 0.012 lower)."""
ADDED = 4
"""How many words are added to a question at once; more would obscure the question."""
FEEDBACK_RESULTS = 5
MOST_FILES = 25
K1, B = 1.2, 0.75
NAME = 0.5
"""The weight of a file name that consists of the goal's words; the best text has weight 1."""


class ExpansionRule(Struct, frozen=True):
    """A parsed rule: filters, or else words to add."""

    text: str
    path: str = ""
    languages: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def read_rule(text: str, language: Callable[[str], str]) -> ExpansionRule:
    """Parse a rule; ``language`` returns the language that a word names, or an empty string.

    A glob or directory is tried first, then a language, then a kind of file; a rule without any of them adds its words.
    """
    plain, idle = normalise(text), packaged("shirube.features.plan", "words.toml")["rule"]["en"].split()
    for place in (_GLOB, _DIRECTORY):
        if found := place.search(plain):
            return ExpansionRule(text, path=found[0].rstrip("."))
    if named := [name for word in _WORD.findall(plain) if word.lower() not in idle and (name := language(word))]:
        return ExpansionRule(text, languages=tuple(dict.fromkeys(named)))
    for mark, path, languages in _KINDS:
        if re.search(mark, plain, re.IGNORECASE):
            return ExpansionRule(text, path, languages)
    return ExpansionRule(text, words=tuple(word for word in goal_words(plain) if word.lower() not in idle))


class ProjectAccess(Struct, frozen=True):
    """What a plan needs from a project, as functions: search, read, match, translate and count."""

    search: Callable[[Step], StepResults]
    frequencies: Callable[[Sequence[str]], Frequencies]
    match: Callable[[str], Callable[[str], bool]]
    late: Callable[[], bool]
    clock: Callable[[], float]
    translate: Callable[[str], tuple[str, ...]] = lambda goal: ()
    """Words of the other language for a goal, best first."""
    terms: Callable[[str], tuple[str, ...]] = lambda goal: ()
    """The symbols that the map's agreements name for a goal."""
    names: Callable[[Sequence[str]], tuple[str, ...]] = lambda words: ()
    """Names defined in the project that are made of these words."""
    read: Callable[[str], str] = lambda path: ""
    """A whole file."""
    language: Callable[[str], str] = lambda word: ""
    """The language a word stands for, or nothing."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a plan between two turns."""

    goal: str
    expected: Expectation
    keywords: tuple[Keyword, ...]
    strategy: RefinementStrategy
    access: ProjectAccess
    found: StepResults = StepResults()
    """The results of all turns so far, fused."""
    evaluation: Evaluation = Evaluation()
    asked: frozenset[tuple[frozenset[str], tuple[str, ...]]] = frozenset()
    """The meanings of the steps so far."""
    avoided: frozenset[tuple[str, ...]] = frozenset()
    """Steps that failed for a similar goal."""
    preferred: tuple[Tactic, ...] = ()
    """Tactics that helped with a similar goal, best first."""


Propose = Callable[[Progress], Iterator[Step]]


def next_step(progress: Progress, tactics: Mapping[Tactic, Propose] | None = None) -> Step | None:
    """Return the best question that was not asked yet; None when there is nothing new to ask."""
    table = tactics if tactics is not None else TACTICS
    live = [tactic for tactic in table if tactic in METHODS[progress.strategy.method]]
    preferred = [tactic for tactic in progress.preferred if tactic in live]
    for tactic in (*preferred, *(tactic for tactic in live if tactic not in preferred)):
        for step in table[tactic](progress):
            if step.meaning not in progress.asked and step.identity not in progress.avoided:
                return step
    return None


# --- the tactics, one function each -------------------------------------------------------------------------


def _unmatched(progress: Progress) -> Iterator[Step]:
    """Add the expected words missing from the results to the goal, then all informative ones; then ask without it."""
    if not progress.expected.given:
        return
    telling = [word for word in progress.keywords if word.telling]
    missing = sorted(
        (word for word in telling if word.text in progress.evaluation.unmatched), key=lambda word: -word.rarity
    )
    rare = [word.text for word in missing[:ADDED]]
    every = [word.text for word in telling[: 2 * ADDED]]
    known = set(index_terms(progress.goal))
    for words, why in ((rare, say("plan.not_yet", words=rare)), (every, say("plan.every_word"))):
        if not known.issuperset(term for word in words for term in index_terms(word)):
            yield Step(" ".join([progress.goal, *words]), tactic=Tactic.UNMATCHED, why=why)
    if every:
        yield Step(" ".join(every), tactic=Tactic.UNMATCHED, why=say("plan.expected_alone"))


def _rules(progress: Progress) -> Iterator[Step]:
    for text in progress.strategy.rules:
        if step := ruled(progress.goal, text, progress.access):
            yield step


def ruled(asked: str, text: str, access: ProjectAccess) -> Step | None:
    """Return the question that an expansion rule makes of another; none when the rule says nothing."""
    rule = read_rule(text, access.language)
    if not (rule.path or rule.languages or rule.words):
        return None
    words, why = " ".join([asked, *rule.words]), say("plan.rule", rule=text)
    return Step(words, path=rule.path, languages=rule.languages, tactic=Tactic.RULE, why=why)


def _translated(progress: Progress) -> Iterator[Step]:
    """Ask in the other language: for the whole of a Japanese goal, or for the unmatched words of an English one."""
    text = progress.goal if not progress.goal.isascii() else " ".join(progress.evaluation.unmatched)
    if words := progress.access.translate(text)[: 2 * ADDED]:
        yield Step(" ".join(words), tactic=Tactic.TRANSLATED, why=say("plan.other_language"))


def _retriever(progress: Progress) -> Iterator[Step]:
    yield Step(progress.goal, Mode.LEXICAL, tactic=Tactic.RETRIEVER, why=say("plan.words_alone"))
    if progress.evaluation.metrics.keyword_match < POOR or progress.strategy.method is RefinementMethod.SEMANTIC:
        yield Step(progress.goal, Mode.DENSE, tactic=Tactic.RETRIEVER, why=say("plan.sense_alone"))


def _near(progress: Progress) -> Iterator[Step]:
    if progress.found.results:
        best = progress.found.results[0].path
        yield Step(progress.goal, near=best, tactic=Tactic.NEAR, why=say("plan.from_where", name=best))


def _read(progress: Progress) -> Iterator[Step]:
    if len(progress.found.results) > 1:
        yield Step(progress.goal, near="*", tactic=Tactic.READ, why=say("plan.whole_files"))


def _names(progress: Progress) -> Iterator[Step]:
    words = tuple(word.text for word in progress.keywords)
    if progress.evaluation.score < GOOD and (found := progress.access.names(words)[:ADDED]):
        yield Step(f"{progress.goal} {' '.join(found)}", tactic=Tactic.NAMES, why=say("plan.defined", names=found))


def _dropped(progress: Progress) -> Iterator[Step]:
    """Drop words that no file contains: they only distort the meaning of the question."""
    terms = sorted({term for word in progress.keywords for form in word.forms for term in form})
    _, counts = progress.access.frequencies(terms)
    there = {term for term in terms if counts.get(term, 0)}
    kept = [word.text for word in progress.keywords if any(form and form <= there for form in word.forms)]
    gone = [word.text for word in progress.keywords if word.text not in kept]
    if gone and kept:
        yield Step(" ".join(kept), tactic=Tactic.DROPPED, why=say("plan.nowhere", names=gone))


def _feedback(progress: Progress) -> Iterator[Step]:
    """Add words that the best results share and few other texts have; only if the goal's own words failed."""
    if progress.evaluation.score >= POOR or not progress.found.texts:
        return
    asked = set(index_terms(progress.goal)) | stop_words()
    bags = [set(index_terms(text)) for text in progress.found.texts[:FEEDBACK_RESULTS]]
    counted = Counter(
        term for bag in bags for term in bag if len(term) > 2 and not term.isdigit() and term not in asked
    )
    shared = [term for term, count in counted.items() if count > 1] or list(counted)
    total, counts = progress.access.frequencies(sorted(shared))
    worth = {term: counted[term] * idf(max(1, total), min(total, counts.get(term, 0))) for term in shared}
    words = sorted(worth, key=lambda term: (-worth[term], term))[:ADDED]
    if words:
        yield Step(f"{progress.goal} {' '.join(words)}", tactic=Tactic.FEEDBACK, why=say("plan.share", words=words))


TACTICS: Mapping[Tactic, Propose] = {
    Tactic.RULE: _rules,
    Tactic.UNMATCHED: _unmatched,
    Tactic.RETRIEVER: _retriever,
    Tactic.NEAR: _near,
    Tactic.READ: _read,
    Tactic.TRANSLATED: _translated,
    Tactic.DROPPED: _dropped,
    Tactic.NAMES: _names,
    Tactic.FEEDBACK: _feedback,
}
"""In the order in which they are tried; tactics that helped with a similar goal come first."""

METHODS: Mapping[RefinementMethod, frozenset[Tactic]] = {
    RefinementMethod.KEYWORDS: frozenset(
        {Tactic.UNMATCHED, Tactic.RULE, Tactic.READ, Tactic.DROPPED, Tactic.NAMES, Tactic.FEEDBACK}
    ),
    RefinementMethod.SEMANTIC: frozenset({Tactic.RULE, Tactic.TRANSLATED, Tactic.RETRIEVER, Tactic.NEAR, Tactic.READ}),
    RefinementMethod.HYBRID: frozenset(TACTICS),
}


def read_whole(
    texts: Mapping[str, str], keywords: Sequence[Keyword], lists: Sequence[Mapping[str, float]]
) -> dict[str, float]:
    """Return a score for each file: by its whole text, its name, and its relative scores in other result lists."""
    bags = {path: Counter(index_terms(text)) for path, text in texts.items()}
    sizes = {path: sum(bag.values()) for path, bag in bags.items()}
    usual = sum(sizes.values()) / len(sizes) if sizes else 1.0
    by_words = dict.fromkeys(texts, 0.0)
    for path, bag in bags.items():
        length = 1 - B + B * (sizes[path] / max(1.0, usual))
        for word in keywords:
            count = max((min((bag.get(term, 0) for term in form), default=0) for form in word.forms), default=0)
            by_words[path] += word.rarity * count * (K1 + 1) / (count + K1 * length)
    best = max(by_words.values(), default=0.0) or 1.0
    wanted = {term for word in keywords for form in word.forms for term in form}
    scores = {}
    for path in texts:  # the share of a name that is made of words of the goal: ``web_app.py`` for "web" → 0.5
        words = set(index_terms(path.rpartition("/")[2].partition(".")[0]))
        name_fit = len(words & wanted) / len(words) if words else 0.0
        scores[path] = by_words[path] / best + NAME * name_fit + sum(shares.get(path, 0.0) for shares in lists)
    return scores
