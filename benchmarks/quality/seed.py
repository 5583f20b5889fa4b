"""Seed 001's context_bundle score as its text gives it, to be measured beside ours.

Keywords and phrases are substrings, each counted once; the path's first match counts; what the first eight files import
and what stands beside them gains; likeness is its 64-place hash of tokens, sign and place from the same bits.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from math import log, sqrt

TEXT, PATH, DEPENDENCY, PROXIMITY, STRUCTURAL = 1.0, 1.5, 0.6, 0.25, 0.6
BLACKLIST = {"docs", "test", "tests", "node_modules", ".git", ".cursor", "dist", "build", "coverage", "tmp"}
_STOP = frozenset({"the", "and", "for", "with", "from", "this", "that", "have", "has", "will", "would", "into"})
_WORD = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")


def rank_as_written(goal: str, texts: Mapping[str, str], imports: Mapping[str, set[str]]) -> list[str]:
    """Return the paths whose score is above nought, best first."""
    terms = [word.lower() for word in _WORD.findall(goal)]
    phrases = [word for word in terms if "-" in word or "_" in word]
    keywords = [word for word in terms if word not in phrases and len(word) > 2 and word not in _STOP]
    scores = {}
    for path, text in texts.items():
        lower = text.lower()
        matches = sum(word in lower for word in keywords) + 2.0 * sum(word in lower for word in phrases)
        if matches:
            scores[path] = TEXT * matches + _path(path.lower(), phrases, keywords)
    first = sorted(scores, key=lambda path: path)[:8]
    for path in first:
        for target in imports.get(path, ()):
            scores[target] = scores.get(target, 0.0) + DEPENDENCY
        for near in sorted(other for other in texts if _directory(other) == _directory(path))[:6]:
            scores[near] = scores.get(near, 0.0) + PROXIMITY
    wanted = _hashed(goal)
    for path in scores:
        scores[path] += STRUCTURAL * _cosine(wanted, _hashed(texts.get(path, ""))) + _boost(path)
    return sorted((path for path in scores if scores[path] > 0), key=lambda path: (-scores[path], path))


def _path(path: str, phrases: list[str], keywords: list[str]) -> float:
    if any(phrase in path for phrase in phrases):
        return PATH * 1.5
    return PATH * 0.5 if any(word in path for word in keywords) else 0.0


def _boost(path: str) -> float:
    if BLACKLIST & set(path.split("/")[:-1]):
        return -100.0
    if path.endswith((".md", ".yaml", ".yml")):
        return -0.3
    return 0.5 if path.startswith("src/") and path.endswith(".ts") else 0.0


def _directory(path: str) -> str:
    return path.rpartition("/")[0]


def _hashed(text: str) -> list[float]:
    row = [0.0] * 64
    for word in set(_WORD.findall(text.lower())):
        number = int.from_bytes(sha256(word.encode()).digest()[:4], "big")
        row[number % 64] += (-1 if number & 1 else 1) * log(1 + len(word))
    return row


def _cosine(one: list[float], other: list[float]) -> float:
    length = sqrt(sum(x * x for x in one)) * sqrt(sum(x * x for x in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / length if length else 0.0
