"""Finds the words of a question as they stand in the code: in order and side by side, as an error message does.

The wrapping of error output is taken off first (``ValueError: ``, ``panic: ``, a log's time and level). A placeholder
in the code (``%s``, ``{name}``, ``${x}``, ``#{x}``) matches whatever the message has in its place.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct

MOST_WORDS = 64
"""Words of a question that are looked for in order."""
NEAR, FAR = 0.5, 0.2
"""What a word counts when up to two words, or up to four, stand between it and the one before it."""
REACH = 4
"""How many words may stand between two words of a run."""
FILLED = 6
"""How many words of the message one placeholder may stand for."""
GAP = "…"
_HOLE_MARK = "\0"
_HOLE = re.compile(
    r"%[-+ #0]*\d*(?:\.\d+)?l{0,2}[sdrifxqvuctgepA-Z@](?!\w)|%\(\w+\)[srd]|[$#]\{[^{}\n]*\}|\\\([^()\n]*\)"
    r"|\{[^{}\n]{0,60}\}|\$[A-Za-z_]\w*"
)
_BETWEEN_JAPANESE = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff]) (?=[\u3040-\u30ff\u3400-\u9fff])")
_SCRAP = re.compile(rf"(?:^| {GAP} )(?:[ぁ-ヿ]|[ぁぃぅぇぉっゃゅょァィゥェォッャュョー][ぁ-ヿ]*)(?= {GAP}|$)")
"""One kana between gaps, or the inside of a word: it tells a reader nothing."""
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|[\u3040-\u30ff\u3400-\u9fff]|\0")
_BLANK = bytes(c if chr(c).isalnum() or chr(c) in f"_\n{_HOLE_MARK}" else ord(" ") for c in range(128)) + b" " * 128
_WRAPPING = re.compile(
    r"\s*(?:(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S*|\[[^\]\n]{1,40}\]"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE)\b:?"
    r"|(?i:panic|fatal|error|warning|fatal error|エラー|警告)(?:\[\w+\])?[:：]|Uncaught\b|Caused by:|E(?=\s{2})"
    r"|Traceback \(most recent call last\):|File \"[^\"\n]*\", line \d+(?:, in [^\n]*)?|at [^\n()]*\([^()\n]*:\d+\)"
    r"|[\w./\\-]*\w\.\w+:\d+(?::\d+)?:|Exception in thread \"[^\"\n]*\"|thread '[^'\n]*' panicked at [^\n]*?:(?:\d+:)+"
    r"|(?:[\w$]+(?:\.|::))*[A-Z]\w*(?:Error|Exception|Warning|Failure|Exit|Interrupt|Fault)\b(?:\s*\([^)\n]*\))?:)"
    r"[\s|:-]*"
)


_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_STAMP = re.compile(
    r"\s*(?:[\w.-]+\s+\|\s+)?(?:\d+:[A-Z]\s+)?\[?"
    rf"(?:\d{{4}}[-/]\d\d[-/]\d\d|\d{{1,2}}\s+{_MONTH}(?:\s+\d{{4}})?|{_MONTH}\s+\d{{1,2}}(?:\s+\d{{4}})?)?"
    r"[T\s]*\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"(?:\s+[\w.-]+\s+[\w./-]+\[\d+\]:)?"
    r"(?:\s+\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE)\]?:?|\s+[*#.-](?=\s))*[\s|:-]*"
)
"""What a log puts before a message: a container's name, a process, date and time, host and program, level."""


def without_stamp(text: str) -> str:
    """Return a line of a log without its date, time and level; any other text as it is."""
    match = _STAMP.match(text)
    rest = text[match.end() :] if match else text
    return rest if words_of(rest) else text


class Run(Struct, frozen=True):
    """The best run of a question's words in a text."""

    share: float = 0.0
    """The part of the question's weight that the run has, from 0 to 1."""
    line: int = 0
    """The line of the text where it begins, from 0."""
    words: tuple[str, ...] = ()
    """The words of the question from the first to the last of the run; ``GAP`` for those that are not there."""


def unwrapped(text: str) -> str:
    """Return a message without what error output puts before it: ``ValueError: no such user`` → ``no such user``."""
    rest = text
    while (match := _WRAPPING.match(rest)) is not None and match.end():
        rest = rest[match.end() :]
    return rest if len(words_of(rest)) > 1 else text


def words_of(text: str) -> list[str]:
    """Return the words of a text in order, in lower case; Japanese is cut into characters."""
    return [word for word in _WORD.findall(text.lower()) if word != _HOLE_MARK]


def joined(words: Sequence[str]) -> str:
    """Return words as a text: with a space between two words, but none between two Japanese characters.

    Scraps of Japanese words are left out: ``予約の … ャン … ル`` → ``予約の``.
    """
    text = _BETWEEN_JAPANESE.sub("", " ".join(words))
    return _SCRAP.sub("", text).removeprefix(f" {GAP} ") or text


def best_run(message: Sequence[str], weights: Sequence[float], text: str) -> Run:
    """Return the run of the message's words in a text that weighs most."""
    places: dict[str, list[int]] = {}
    for at, word in enumerate(message):
        places.setdefault(word, []).append(at)
    filled = _HOLE.sub(f" {_HOLE_MARK} ", text) if any(mark in text for mark in "%{$\\") else text
    spaced = _spaced(filled.lower())
    words = spaced.split()
    best = _longest(words, places, weights)
    if best is None:
        return Run()
    weight, first, last, begin, end = best
    there = set(words[begin : end + 1])
    told = [word if word in there else GAP for word in message[first : last + 1]]
    counts = accumulate(len(line.split()) for line in spaced.split("\n"))
    line = next(line for line, count in enumerate(counts) if begin < count)
    return Run(min(1.0, weight / sum(weights)), line, tuple(_one_gap(told)))


def _one_gap(words: Sequence[str]) -> Iterator[str]:
    """Yield words, and one mark for each run of those that are not there."""
    for word, before in zip(words, ["", *words[:-1]], strict=True):
        if word != GAP or before != GAP:
            yield word


def _spaced(text: str) -> str:
    """Return a text with only its words and line ends, with spaces between words."""
    if text.isascii():
        return text.encode().translate(_BLANK).decode()
    return "\n".join(" ".join(_WORD.findall(line)) for line in text.split("\n"))


_Chain = tuple[int, int, float, bool, int, int]
"""Where a run stands: its last word in the text and in the message, its weight, whether a placeholder follows, and
where it began in the message and in the text."""


def _longest(
    words: Sequence[str], places: Mapping[str, list[int]], weights: Sequence[float]
) -> tuple[float, int, int, int, int] | None:
    """Return the best run of two words or more: its weight, its first and last word of the message, begin and end."""
    best: tuple[float, int, int, int, int] | None = None
    chains: list[_Chain] = []
    for at, word in [(at, word) for at, word in enumerate(words) if word in places or word == _HOLE_MARK]:
        if word == _HOLE_MARK:
            chains = [(at, *chain[1:3], True, *chain[4:]) for chain in chains if at - chain[0] <= 2]
            chains.append((at, -1, 0.0, True, -1, at))
            continue
        chains = [chain for chain in chains if at - chain[0] <= REACH]
        longer: list[_Chain] = []
        for place in places[word]:
            weight, first, begin = weights[place], place, at
            for chain in chains:
                worth = _worth(chain, place, at)
                more = chain[2] + worth * weights[place]
                if worth and more > weight:
                    weight, first, begin = more, chain[4] if chain[4] >= 0 else place, chain[5]
            longer.append((at, place, weight, False, first, begin))
            if first != place and (best is None or weight > best[0]):
                best = (weight, first, place, begin, at)
        chains += longer
    return best


def _worth(chain: _Chain, place: int, at: int) -> float:
    """Return what a word counts behind a chain: all of it when it follows directly, less over a gap."""
    missing, between = place - chain[1] - 1, at - chain[0] - 1
    if missing < 0:
        return 0.0
    if chain[3]:
        return 0.0 if missing > FILLED else NEAR if between else 1.0
    if missing > REACH:
        return 0.0
    return 1.0 if not missing and not between else NEAR if max(missing, between) <= 2 else FAR
