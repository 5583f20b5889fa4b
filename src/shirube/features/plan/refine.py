"""What to ask next, and why: every step rests on something that was seen, and none is asked twice."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from shirube.engine.text.bm25 import idf
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.tokens import index_terms
from shirube.features.plan.evaluate import GOOD
from shirube.features.plan.expect import Frequencies, Keyword, nowhere
from shirube.features.plan.record import Evaluation, Expectation, Found, Ground, RefinementMethod, Step, Strategy
from shirube.features.plan.rules import read_rule
from shirube.messages import say
from shirube.types import Mode

POOR = 0.5
"""Below this the words of the goal have failed, and words from the results are worth a try; else they only blur
what was asked (measured: 0.004 to 0.012 lower)."""
ADDED = 4
"""Words added to a question at once: more drown it."""
FEEDBACK_RESULTS = 5


class World(Struct, frozen=True):
    """What the room is handed: how to search, read, match, translate and count."""

    search: Callable[[Step], Found]
    frequencies: Callable[[Sequence[str]], Frequencies]
    match: Callable[[str], Callable[[str], bool]]
    late: Callable[[], bool]
    clock: Callable[[], float]
    translate: Callable[[str], tuple[str, ...]] = lambda goal: ()
    """Words of the other language for a goal, best first."""
    terms: Callable[[str], tuple[str, ...]] = lambda goal: ()
    """What the map knows of a goal: names people agreed on."""
    names: Callable[[Sequence[str]], tuple[str, ...]] = lambda words: ()
    """Names defined in the project that are made of these words."""
    read: Callable[[str], str] = lambda path: ""
    """A whole file."""
    language: Callable[[str], str] = lambda word: ""
    """The language a word stands for, or nothing."""


@dataclass(frozen=True, slots=True)
class View:
    """A plan as far as it has come."""

    goal: str
    expected: Expectation
    keywords: tuple[Keyword, ...]
    strategy: Strategy
    world: World
    found: Found = Found()
    """The results of all turns so far, fused."""
    evaluation: Evaluation = Evaluation()
    asked: frozenset[tuple[str, ...]] = frozenset()
    avoided: frozenset[tuple[str, ...]] = frozenset()
    """Steps that led nowhere for a similar goal."""
    preferred: tuple[Ground, ...] = ()
    """Grounds that helped with a similar goal, best first."""
    lists: tuple[Mapping[str, float], ...] = field(default=())
    """For each turn, the share of the best score that each file had."""


Propose = Callable[[View], Iterator[Step]]


def next_step(view: View, grounds: Mapping[Ground, Propose] | None = None) -> Step | None:
    """Return the best question that was not asked yet, or None when there is nothing new to ask."""
    table = grounds if grounds is not None else GROUNDS
    for ground in _order(view, table):
        for step in table[ground](view):
            if step.identity not in view.asked and step.identity not in view.avoided:
                return step
    return None


def _order(view: View, table: Mapping[Ground, Propose]) -> list[Ground]:
    allowed = METHODS[view.strategy.method]
    live = [ground for ground in table if ground in allowed]
    return [*(ground for ground in view.preferred if ground in live), *(g for g in live if g not in view.preferred)]


# --- the grounds, one function each -------------------------------------------------------------------------


def _unmatched(view: View) -> Iterator[Step]:
    """Ask for expected words that are not in the results, then for all that tell: beside the goal, then alone."""
    if not view.expected.given:
        return
    telling = [word for word in view.keywords if word.telling]
    missing = sorted(
        (word for word in telling if word.text in view.evaluation.unmatched), key=lambda word: -word.rarity
    )
    rare = [word.text for word in missing[:ADDED]]
    every = [word.text for word in telling[: 2 * ADDED]]
    for words, why in ((rare, say("plan.not_yet", words=rare)), (every, say("plan.every_word"))):
        if words:
            yield Step(" ".join([view.goal, *words]), ground=Ground.UNMATCHED, why=why)
    if every:
        yield Step(" ".join(every), ground=Ground.UNMATCHED, why=say("plan.expected_alone"))


def _rules(view: View) -> Iterator[Step]:
    for text in view.strategy.rules:
        rule = read_rule(text, view.world.language)
        asked = " ".join([view.goal, *rule.words])
        if rule.path or rule.languages or rule.words:
            why = say("plan.rule", rule=text)
            yield Step(asked, path=rule.path, languages=rule.languages, ground=Ground.RULE, why=why)


def _translated(view: View) -> Iterator[Step]:
    """Ask in the other language: for all of a Japanese goal, and for the words of an English one that failed."""
    text = view.goal if not view.goal.isascii() else " ".join(view.evaluation.unmatched)
    if words := view.world.translate(text)[: 2 * ADDED]:
        yield Step(" ".join(words), ground=Ground.TRANSLATED, why=say("plan.other_language"))


def _retriever(view: View) -> Iterator[Step]:
    yield Step(view.goal, Mode.LEXICAL, ground=Ground.RETRIEVER, why=say("plan.words_alone"))
    if view.evaluation.metrics.keyword_match < POOR or view.strategy.method is RefinementMethod.SEMANTIC:
        yield Step(view.goal, Mode.DENSE, ground=Ground.RETRIEVER, why=say("plan.sense_alone"))


def _near(view: View) -> Iterator[Step]:
    if view.found.results:
        best = view.found.results[0].path
        yield Step(view.goal, near=best, ground=Ground.NEAR, why=say("plan.from_where", name=best))


def _read(view: View) -> Iterator[Step]:
    if len(view.found.results) > 1:
        yield Step(view.goal, near="*", ground=Ground.READ, why=say("plan.whole_files"))


def _names(view: View) -> Iterator[Step]:
    words = tuple(word.text for word in view.keywords)
    if view.evaluation.score < GOOD and (found := view.world.names(words)[:ADDED]):
        yield Step(f"{view.goal} {' '.join(found)}", ground=Ground.NAMES, why=say("plan.defined", names=found))


def _dropped(view: View) -> Iterator[Step]:
    """Leave out words that stand nowhere: they only pull the meaning away."""
    terms = sorted({term for word in view.keywords for form in word.forms for term in form})
    _, counts = view.world.frequencies(terms)
    gone = [word.text for word in view.keywords if nowhere(word, counts)]
    kept = [word.text for word in view.keywords if word.text not in gone]
    if gone and kept:
        yield Step(" ".join(kept), ground=Ground.DROPPED, why=say("plan.nowhere", names=gone))


def _feedback(view: View) -> Iterator[Step]:
    """Add the words that the best results share and few others have; only where the goal's own words failed."""
    if view.evaluation.score >= POOR or not view.found.texts:
        return
    asked = set(index_terms(view.goal)) | stop_words()
    bags = [set(index_terms(text)) for text in view.found.texts[:FEEDBACK_RESULTS]]
    counted = Counter(
        term for bag in bags for term in bag if len(term) > 2 and not term.isdigit() and term not in asked
    )
    shared = [term for term, count in counted.items() if count > 1] or list(counted)
    total, counts = view.world.frequencies(sorted(shared))
    worth = {term: counted[term] * idf(max(1, total), min(total, counts.get(term, 0))) for term in shared}
    words = sorted(worth, key=lambda term: (-worth[term], term))[:ADDED]
    if words:
        yield Step(f"{view.goal} {' '.join(words)}", ground=Ground.FEEDBACK, why=say("plan.share", words=words))


GROUNDS: Mapping[Ground, Propose] = {
    Ground.UNMATCHED: _unmatched,
    Ground.RULE: _rules,
    Ground.RETRIEVER: _retriever,
    Ground.NEAR: _near,
    Ground.READ: _read,
    Ground.TRANSLATED: _translated,
    Ground.DROPPED: _dropped,
    Ground.NAMES: _names,
    Ground.FEEDBACK: _feedback,
}
"""In the order in which they are tried, unless a similar goal taught otherwise."""

METHODS: Mapping[RefinementMethod, frozenset[Ground]] = {
    RefinementMethod.KEYWORDS: frozenset(
        {Ground.UNMATCHED, Ground.RULE, Ground.READ, Ground.DROPPED, Ground.NAMES, Ground.FEEDBACK}
    ),
    RefinementMethod.SEMANTIC: frozenset({Ground.RULE, Ground.TRANSLATED, Ground.RETRIEVER, Ground.NEAR, Ground.READ}),
    RefinementMethod.HYBRID: frozenset(GROUNDS),
}
