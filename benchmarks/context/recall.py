"""What share of the files a question needs is read, and what share of the tokens is spent on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from benchmarks.context.readers import Read, Reader
from benchmarks.quality.data import Labelled
from benchmarks.quality.metric import overall, same_file


@dataclass(frozen=True, slots=True)
class Point:
    """One reader at one budget."""

    recall: float
    aimed: float
    """The share of the tokens read that are of needed files."""
    files: float
    tokens: float
    scores: dict[tuple[str, int], float]


def recall(reads: Sequence[Read], question: Labelled) -> float:
    """Return the share of the needed files of which something was read."""
    paths = {path for path, _ in reads}
    hit = sum(any(same_file(path, target) for path in paths) for target in question.targets)
    return hit / len(question.targets)


def aimed(reads: Sequence[Read], question: Labelled) -> float:
    """Return the share of the tokens that were spent on needed files."""
    spent = sum(tokens for _, tokens in reads)
    well = sum(tokens for path, tokens in reads if any(same_file(path, target) for target in question.targets))
    return well / spent if spent else 0.0


def point(reader: Reader, questions: Iterable[Labelled], budget: int) -> Point:
    """Ask every question at one budget; the mean is over repositories of each one's mean."""
    found = {(one.repository, one.number): (one, reader(one, budget)) for one in questions}
    scores = {key: recall(reads, one) for key, (one, reads) in found.items()}
    return Point(
        overall(scores),
        overall({key: aimed(reads, one) for key, (one, reads) in found.items()}),
        mean(len({path for path, _ in reads}) for _, reads in found.values()),
        mean(sum(tokens for _, tokens in reads) for _, reads in found.values()),
        scores,
    )
