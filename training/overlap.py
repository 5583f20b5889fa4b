"""What of the training data is also in a benchmark, by name and by content.

A name is not enough: packages carry copies of others, and forks have names of their own. So every row is compared with
the trees of the benchmark repositories by shingles, runs of eight words whatever stands between them; a row half of
whose shingles are known is a copy, edited or not. Japanese questions are compared by their letters.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from shirube.engine.text.tokens import normalise

SHINGLE = 8
LIMIT = 0.5
SOURCE_LIMIT = 0.03
"""A source with more copied rows than this share is left out whole: the copies nobody sees are there too."""
SOURCE_LEAST = 3
NEAR = 0.8
"""Japanese strings that share this much of their letter pairs are the same question."""
LARGEST_FILE = 1_000_000
COPIES = frozenset(
    {
        "googletest",
        "librust-dashmap-dev",
        "librust-futures-channel-dev",
        "librust-futures-lite-dev",
        "librust-libm-dev",
        "pypi:msgspec",
    }
)
"""Sources that copy the held-out half, as a run with all of its trees found them; later runs have only some trees."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9]+")
_STEP = np.uint64(0x9E3779B97F4A7C15)
_KNOWN: dict[str, int] = {}


def shingles(text: str) -> np.ndarray:
    """Return a number for every run of eight words; texts with fewer words have one."""
    words = [_KNOWN.setdefault(word, len(_KNOWN) + 1) for word in _WORD.findall(text.lower())]
    if not words:
        return np.empty(0, np.uint64)
    ids = np.array(words, np.uint64) * _STEP
    ids ^= ids >> np.uint64(29)
    length = min(SHINGLE, len(ids))
    total = np.zeros(len(ids) - length + 1, np.uint64)
    for place in range(length):
        total = total * _STEP + ids[place : len(ids) - length + 1 + place]
    return total


def reference(texts: Iterable[str]) -> np.ndarray:
    """Return the sorted shingles of all texts."""
    parts = [shingles(text) for text in texts]
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.uint64)


def copied(texts: Sequence[str], known: np.ndarray) -> np.ndarray:
    """Tell for every text whether half of its shingles are known; too short ones never are."""
    if not len(known):
        return np.zeros(len(texts), bool)
    flags = np.zeros(len(texts), bool)
    for begin in range(0, len(texts), 20_000):
        parts = [shingles(text) for text in texts[begin : begin + 20_000]]
        lengths = np.array([len(part) for part in parts])
        every = np.concatenate(parts)
        place = np.minimum(np.searchsorted(known, every), len(known) - 1)
        hits = np.concatenate([[0], np.cumsum(known[place] == every)])
        ends = np.cumsum(lengths)
        share = (hits[ends] - hits[ends - lengths]) / np.maximum(lengths, 1)
        flags[begin : begin + len(parts)] = (share >= LIMIT) & (lengths > 1)
    return flags


def tree_texts(roots: Iterable[Path]) -> Iterable[str]:
    """Yield every readable file of the trees."""
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST_FILE:
                body = path.read_bytes()
                if b"\0" not in body[:4096]:
                    yield body.decode("utf-8", "replace")


def named(source: str, repositories: Sequence[str]) -> bool:
    """Tell whether a source bears a benchmark repository's name, or copies one: ``librust-serde-json-dev`` is serde."""
    parts = set(re.split(r"[^a-z0-9]+", source.lower()))
    return source in COPIES or any(set(_parts(name)) <= parts for name in repositories)


def _parts(repository: str) -> list[str]:
    """Return the telling words of a name: ``FasterXML/jackson-databind`` → ``["jackson", "databind"]``."""
    words = [word for word in re.split(r"[^a-z0-9]+", repository.rsplit("/", 1)[-1].lower()) if word]
    telling = [word for word in words if word not in {"core", "framework", "cpp", "csharp"}]
    whole = repository.lower().replace("/", " ").replace("-", " ").replace(".", " ").split()
    return telling or whole


def sources_to_drop(sources: Sequence[str], flags: np.ndarray) -> set[str]:
    """Return the sources of which too much is copied."""
    totals: dict[str, list[int]] = {}
    for source, flag in zip(sources, flags, strict=True):
        count = totals.setdefault(source, [0, 0])
        count[0] += int(flag)
        count[1] += 1
    return {s for s, (hits, rows) in totals.items() if hits >= SOURCE_LEAST and hits / rows > SOURCE_LIMIT}


def like_questions(texts: Sequence[str], questions: Sequence[str]) -> np.ndarray:
    """Tell which Japanese texts are a question of the benchmark, or nearly."""
    asked = [_letters(question) for question in questions]
    index: dict[str, set[int]] = {}
    for number, letters in enumerate(asked):
        for pair in letters:
            index.setdefault(pair, set()).add(number)
    return np.array([_near(_letters(text), asked, index) for text in texts], bool)


def _near(letters: frozenset[str], asked: list[frozenset[str]], index: dict[str, set[int]]) -> bool:
    shared: dict[int, int] = {}
    for pair in letters:
        for number in index.get(pair, ()):
            shared[number] = shared.get(number, 0) + 1
    return any(count / len(letters | asked[number]) >= NEAR for number, count in shared.items())


def _letters(text: str) -> frozenset[str]:
    bare = re.sub(r"\W+", "", normalise(text).lower())
    return frozenset(bare[i : i + 2] for i in range(len(bare) - 1)) or frozenset([bare])
