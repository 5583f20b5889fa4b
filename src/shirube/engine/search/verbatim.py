"""Finds the words of a question as they stand in the code: in order and side by side, as an error message does.

The wrapping of error output is taken off first (``ValueError: ``, ``panic: ``, a log's time and level). A placeholder
in the code (``%s``, ``{name}``, ``${x}``, ``#{x}``) matches whatever the message has in its place.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice

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
_JSON = re.compile(r'"(?:msg|message|error|err|detail|reason)"\s*:\s*"((?:[^"\\]|\\.)+)"')
_LOOSE = " \t[](){}.,:;!?*…-"
"""What may stand between the words of a string and its ends."""
HALF = {**dict.fromkeys("'\"`<>", 0.5), _HOLE_MARK: 0.4}
"""How surely a string, or a part of it between placeholders, ends at such a character."""
LOOK, IMPORTED = 80, -1.0
_TAG = re.compile(r"\[[^\[\]\n]{1,40}\]\s*$")
_ESCAPE = re.compile(r"\\([nrt\"'`])")
_IMPORT = re.compile(r"\s*(?:import|from|use|using|require|include|#\s*include|export \*)\b")
_BETWEEN_JAPANESE = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff]) (?=[\u3040-\u30ff\u3400-\u9fff])")
_SCRAP = re.compile(rf"(?:^| {GAP} )(?:[ぁ-ヿ]|[ぁぃぅぇぉっゃゅょァィゥェォッャュョー][ぁ-ヿ]*)(?= {GAP}|$)")
"""One kana between gaps, or the inside of a word: it tells a reader nothing."""
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|[\u3040-\u30ff\u3400-\u9fff]|\0")
_BLANK = bytes(c if chr(c).isalnum() or chr(c) in f"_\n{_HOLE_MARK}" else ord(" ") for c in range(128)) + b" " * 128
_WRAPPING = re.compile(
    r"[\s×✘✖✗╭├╰│└─▶>]*(?:(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S*|\[[^\]\n]{1,40}\]"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE)\b:?"
    r"|(?i:panic|(?:internal (?:server )?|fatal )?error|fatal|warning|エラー|警告)(?:\[\w+\])?[:：]|Uncaught\b"
    r"|Caused by:|E(?=\s{2})|(?:[\w$-]+(?:\.|::))+[\w$-]+:(?=\s)|[×✘✖✗╰├]"
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
    """Return a line of a log without its date, time and level, or what it says as JSON; any other text as it is."""
    match = _STAMP.match(text)
    rest = text[match.end() :] if match else text
    if rest.lstrip().startswith("{") and (said := _JSON.search(rest)) is not None:
        rest = _ESCAPE.sub(lambda one: one[1] if one[1] in "\"'`" else " ", said[1])
        rest = re.sub(r"\\u([0-9a-fA-F]{4})", lambda one: chr(int(one[1], 16)), rest)
    return rest if words_of(rest) else text


class Run(Struct, frozen=True):
    """The best run of a question's words in a text."""

    share: float = 0.0
    """The part of the question's weight that the run has, from 0 to 1."""
    line: int = 0
    """The line of the text where it begins, from 0."""
    words: tuple[str, ...] = ()
    """The words of the question from the first to the last of the run; ``GAP`` for those that are not there."""
    whole: float = 0.0
    """How surely it is all of a string: a half for each end of it where a string ends; ``IMPORTED`` in an import."""


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


def best_run(message: Sequence[str], weights: Sequence[float], text: str, least: float = 0.0) -> Run:
    """Return the run of the message's words in a text that weighs most; with ``least``, whether it is a string."""
    places: dict[str, list[int]] = {_HOLE_MARK: []}
    for at, word in enumerate(message):
        places.setdefault(word, []).append(at)
    filled = _ESCAPE.sub(lambda one: '" ' if one[1] in "nr" else "  ", text) if "\\" in text else text
    filled = _HOLE.sub(f" {_HOLE_MARK} ", filled) if any(mark in text for mark in "%{$\\") else text
    spaced = _spaced(filled.lower())
    words = spaced.split()
    best = _longest(words, places, weights)
    if best is None:
        return Run()
    weight, first, last, begin, end = best
    there = set(words[begin : end + 1])
    told = [word if word in there else GAP for word in message[first : last + 1]]
    share, before, line = min(1.0, weight / sum(weights)), 0, 0
    for line, count in enumerate(accumulate(len(one.split()) for one in spaced.split("\n"))):  # noqa: B007
        if begin < count:
            break
        before = count
    ends = _ends(filled.split("\n", line)[line], begin - before, end - before) if share >= least else 0.0
    return Run(share, line, tuple(_one_gap(told)), ends)


def _ends(text: str, first: int, last: int) -> float:
    """Return how surely a run from one word of a text to another is all of a string."""
    if _IMPORT.match(text):
        return IMPORTED
    text = text.lower()
    found = list(islice(_WORD.finditer(text), first, last + 1))
    left, right = _TAG.sub("", text[: found[0].start()]).rstrip(_LOOSE), text[found[-1].end() :][:LOOK].lstrip(_LOOSE)
    begins = HALF.get(left[-1:], 0.0) if not left.endswith('"""') else 0.0  # documentation, more often than not
    return begins + HALF.get(right[:1], 0.0)


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
    for at, word in [(at, word) for at, word in enumerate(words) if word in places]:
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
