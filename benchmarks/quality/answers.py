"""What a system answered, held against the labels: by files and, where the lines are known, by places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean

from benchmarks.quality.data import Labelled
from benchmarks.quality.metric import ndcg, same_file

Span = tuple[str, int, int]
"""Path, first line, last line; a system that finds only files leaves the lines at nought."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question, the first ten places that a system showed, and how sure it was of the first."""

    question: Labelled
    spans: tuple[Span, ...]
    confidence: float = 0.0

    @property
    def key(self) -> tuple[str, int]:
        """The key of its score."""
        return self.question.repository, self.question.number

    @property
    def files(self) -> float:
        """NDCG@10 over files."""
        return ndcg([path for path, _, _ in self.spans], self.question)

    @property
    def place(self) -> int:
        """At which number the first right place stands; nought if it is not there."""
        return next((number for number, span in enumerate(self.spans, 1) if self._holds(span)), 0)

    @property
    def first_file(self) -> bool:
        """Whether the file of the first place is right."""
        return any(same_file(path, target) for path, _, _ in self.spans[:1] for target in self.question.targets)

    @property
    def first_place(self) -> bool:
        """Whether the first place is right; where no line is known, its file."""
        return self.place == 1 if self.question.lines else self.first_file

    def _holds(self, span: Span) -> bool:
        path, start, end = span
        return any(path == right and start <= line <= end for right, line in self.question.lines)


Measure = Callable[[Answer], float]


def by_files(answer: Answer) -> float:
    """Measure an answer by its files."""
    return answer.files


def among(most: int) -> Measure:
    """Return a measure that is 1 when a right place is among the first so many."""
    return lambda answer: float(0 < answer.place <= most)


def scores(answers: Sequence[Answer], measure: Measure = by_files) -> dict[tuple[str, int], float]:
    """Return the score of each question."""
    return {answer.key: measure(answer) for answer in answers}


def share(answers: Sequence[Answer], measure: Measure) -> float:
    """Return the mean over all questions."""
    return mean(map(measure, answers)) if answers else 0.0
