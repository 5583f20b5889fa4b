"""The agent that greps and reads."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from benchmarks.agent.play import Reply, Round, Span
from benchmarks.agent.tasks import Line
from benchmarks.agent.tree import COLUMNS, Tree
from benchmarks.quality.peers import STOP

Match = tuple[str, int, set[str]]
"""Path, line, and which of the words stand in it."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[.:-]+[A-Za-z0-9_]+)*")
_CJK = re.compile(r"[ァ-ヴー]{2,}|[一-龯々]{2,}")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")


@dataclass(frozen=True)
class Habits:
    """What the agent does."""

    most: int = 40
    """Matching lines it lets a call show."""
    window: int = 80
    """Lines it reads around a place."""
    words: int = 4
    """Words it looks for at once, at most."""
    rounds: int = 1
    """How often it greps; the next time for the next words."""


HABITS = Habits()
TIRELESS = Habits(rounds=3)
"""For the curve: an agent that has tokens left greps on."""


def telling_words(text: str) -> list[str]:
    """Return what a question can be grepped for: names as they are, words without their endings."""
    found: dict[str, None] = {}
    for word in _NAME.findall(text):
        if _is_name(word):
            found.setdefault(word.lower())
        elif len(word) > 2 and word.lower() not in STOP:
            stem = _ENDING.sub("", word.lower())
            found.setdefault(stem if len(stem) > 3 else word.lower())
    found |= dict.fromkeys(_CJK.findall(text))
    return list(found)


def _is_name(word: str) -> bool:
    """Tell whether a word is written as names in code are."""
    return bool(re.search(r"[_.:]|[a-z][A-Z]", word))


def rounds(tree: Tree, text: str, habits: Habits = HABITS) -> Iterator[Round]:
    """Yield what the agent does: it greps for the rarest words first, then for the next."""
    counts = {word: len(tree.matches(word)) for word in telling_words(text)}
    left = sorted((word for word in counts if counts[word]), key=lambda word: (counts[word], word))
    for _ in range(habits.rounds):
        words = _together(left, counts, habits)
        if not words:
            return
        left = [word for word in left if word not in words]
        yield Round(partial(_grep, tree, words, counts, habits), tree.read)


def _together(left: list[str], counts: dict[str, int], habits: Habits) -> tuple[str, ...]:
    """Return the rarest words of which all lines fit one reply, at least one."""
    words: list[str] = left[:1]
    for word in left[1 : habits.words]:
        if sum(counts[one] for one in words) + counts[word] > habits.most:
            break
        words.append(word)
    return tuple(words)


def _grep(tree: Tree, words: tuple[str, ...], counts: dict[str, int], habits: Habits) -> Reply:
    had: dict[int, set[str]] = defaultdict(set)
    for word in words:
        for line in tree.matches(word):
            had[line].add(word)
    matches = [(*tree.place(line), had[line]) for line in sorted(had)]
    matches = matches[: habits.most]
    lines = [f"{path}:{number}:{_shown(tree.lines(path)[number - 1])}" for path, number, _ in matches]
    shown = tuple((path, number, number) for path, number, _ in matches)
    return Reply("\n".join(lines), shown, tuple(_windows(matches, counts, habits.window)))


def _shown(line: str) -> str:
    return line if len(line) <= COLUMNS else "[Omitted long matching line]"


def _windows(matches: list[Match], counts: dict[str, int], size: int) -> Iterator[Span]:
    """Yield windows around the matches: first where most of the words are together, the rare ones counting more."""
    left = matches
    while left:
        path, start = _densest(left, size, counts)
        inside = [number for other, number, _ in left if other == path and start <= number < start + size]
        middle = (inside[0] + inside[-1]) // 2
        first = max(1, middle - size // 2)
        yield path, first, first + size - 1
        left = [one for one in left if not (one[0] == path and first <= one[1] < first + size)]


def _densest(matches: list[Match], size: int, counts: dict[str, int]) -> Line:
    """Return the match with which the best window begins; the first of equals."""
    return max(((path, number) for path, number, _ in matches), key=lambda at: _worth(matches, at, size, counts))


def _worth(matches: list[Match], at: Line, size: int, counts: dict[str, int]) -> tuple[float, int]:
    near = [words for path, number, words in matches if path == at[0] and at[1] <= number < at[1] + size]
    return sum(1 / counts[word] ** 0.5 for word in set().union(*near)), len(near)
