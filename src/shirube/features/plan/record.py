"""The records of a plan: expectations, a step and its results, an iteration, the outcome."""

from enum import StrEnum

from msgspec import Struct

from shirube.engine.text.glossary import stop_words
from shirube.engine.text.tokens import index_terms
from shirube.messages import NOTHING, Message
from shirube.types import Mode


class PlanStatus(StrEnum):
    """How a plan ended."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"


class Stop(StrEnum):
    """Why no further question was asked; each is the name of its message."""

    CONFIDENT = "confident"
    MET = "met"
    ITERATIONS = "iterations"
    STAGNATION = "stagnation"
    DEADLINE = "deadline"
    NOTHING_NEW = "nothing_new"


class EvaluationMode(StrEnum):
    """How results are compared with what was expected."""

    STRICT = "strict"
    FUZZY = "fuzzy"
    SEMANTIC = "semantic"


class InitialMode(StrEnum):
    """How the first question is put: by the goal alone, or with every expected word in it."""

    BROAD = "broad"
    SPECIFIC = "specific"


class RefinementMethod(StrEnum):
    """What a better question is made from."""

    KEYWORDS = "keywords"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


class Tactic(StrEnum):
    """Why a step is asked; a tactic that helped before is tried first for a similar goal."""

    GOAL = "goal"
    GIVEN = "given"
    MAP = "map"
    UNMATCHED = "unmatched"
    RULE = "rule"
    TRANSLATED = "translated"
    RETRIEVER = "retriever"
    NEAR = "near"
    READ = "read"
    NAMES = "names"
    DROPPED = "dropped"
    FEEDBACK = "feedback"


class RefinementStrategy(Struct, frozen=True):
    """How a plan asks first, and what it asks next."""

    initial_mode: InitialMode = InitialMode.BROAD
    method: RefinementMethod = RefinementMethod.HYBRID
    rules: tuple[str, ...] = ()
    """Further things to try, in words: "add file type filters for *.test.ts"."""


class Expectation(Struct, frozen=True):
    """What a good answer would hold."""

    keywords: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    min_matches: int = 3
    confidence: float = 0.7
    given: bool = False
    """Whether somebody said so; else it was read from the goal."""


class Step(Struct, frozen=True):
    """One question to the search."""

    text: str
    mode: Mode = Mode.AUTO
    path: str = ""
    languages: tuple[str, ...] = ()
    near: str = ""
    """A file: what it imports, resembles or changes with gains."""
    tactic: Tactic = Tactic.GOAL
    why: Message = NOTHING
    also: "Step | None" = None
    """A second question of the same turn, which an expansion rule makes of the first."""

    @property
    def identity(self) -> tuple[str, ...]:
        """What makes it the same question as another: everything but the reason for it."""
        further = self.also.identity if self.also else ()
        return (self.text, self.mode.value, self.path, *self.languages, self.near, *further)

    @property
    def meaning(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """What it asks for, whatever the order of its words: a plan asks nothing twice."""
        return frozenset(index_terms(self.text)) - stop_words(), self.identity[1:]


class PlanResult(Struct, frozen=True):
    """A place that may answer, with enough of its text to judge it."""

    path: str
    start_line: int
    end_line: int
    symbol: str = ""
    kind: str = ""
    language: str = ""
    score: float = 0.0
    similarity: float | None = None
    """To the goal, from 0 to 1, calibrated; none where no model takes part."""
    preview: str = ""


class StepResults(Struct, frozen=True):
    """What a step brought: results with their whole texts beside them."""

    results: tuple[PlanResult, ...] = ()
    texts: tuple[str, ...] = ()
    confidence: float = 0.0
    """How likely the search thinks its first result is right."""
    cached: bool = False


class Metrics(Struct, frozen=True):
    """The six measures of seed 002, each from 0 to 1."""

    keyword_match: float = 0.0
    pattern_match: float = 1.0
    semantic_similarity: float = 0.0
    coverage: float = 0.0
    precision: float = 0.0
    recall: float = 0.0


class Evaluation(Struct, frozen=True):
    """A judgement of some results."""

    metrics: Metrics = Metrics()
    score: float = 0.0
    feedback: Message = NOTHING
    suggestions: tuple[Message, ...] = ()
    matched: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    first: float = 0.0
    """The share of the expected words that the first result has."""
    least: float = 0.0
    """The lowest of the measures that were available."""


class Iteration(Struct, frozen=True):
    """One turn of a plan."""

    number: int
    step: Step
    results: tuple[PlanResult, ...] = ()
    evaluation: Evaluation = Evaluation()
    confidence: float = 0.0
    """How likely the first of all results so far is right."""
    search_confidence: float = 0.0
    """How likely the search thought the first result of this turn is right."""
    refinements: tuple[Message, ...] = ()
    """What is asked next because of this one, and why."""
    error: Message = NOTHING
    cached: bool = False
    seconds: float = 0.0


class PlanOutcome(Struct, frozen=True):
    """A plan that has been run."""

    goal: str
    expected: Expectation
    status: PlanStatus
    stopped: Stop
    iterations: tuple[Iteration, ...] = ()
    results: tuple[PlanResult, ...] = ()
    evaluation: Evaluation = Evaluation()
    confidence: float = 0.0
    seconds: float = 0.0
    cache_hits: int = 0
    improvement: float = 0.0
    """How much better the best turn was than the first, as a share of the first."""
    errors: tuple[Message, ...] = ()
