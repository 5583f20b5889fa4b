"""What the words of a request tell by themselves: a first frame, for those who have no model to fill it."""

import re
from collections.abc import Iterator

from shirube.engine.text.glossary import stop_words
from shirube.engine.text.query_terms import TermKind, read_query
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import normalise
from shirube.features.plan.frame import SLOTS, Certainty, QueryFrame, Slot
from shirube.features.plan.intent import Intent

_CLAUSES = re.compile(
    r"""
    [,;?!、。]+\s* | [.](?:\s+|$)
    | \s+(?=(?:when(?:ever)?|if|while|after|before|during|unless|because|but|so)\b)
    | (?<=とき) | (?<=場合に) | (?<=場合は) | (?<=すると) | (?<=したら) | (?<=ので) | (?<=ため)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CONDITION = re.compile(
    r"""
    ^(?:when(?:ever)?|if|while|after|before|during|unless)\s+(?P<en>.+)
    | (?P<ja>.+?)(?:すると|したら|とき|時に?|間に?|後に?|前に?|場合[には]?|際に?)$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ISSUE = re.compile(
    r"""
    \b(?:error|exception|fail\w*|crash\w*|bug|broken|wrong|hangs?|freez\w*|slow|leak\w*|time[sd]?\s?out|traceback|panic
    |segfault|cannot|can't|doesn't|does\ not|isn't|is\ not|not\ working|stale|missing|lost|incorrect|duplicate\w*)\b
    | エラー | 例外 | 失敗 | 落ち | 動かな | 動作しな | バグ | 不具合 | おかし | 壊れ | 遅い | 重い | できな | されな
    | 出な | 止ま | 固ま | 消え | 間違 | 漏れ | ずれ | 二重 | 重複
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ACTION = re.compile(
    r"""
    \b(?P<en>(?:add|implement|create|build|introduce|fix|change|modify|refactor|rename|replace|update|improve
    |optimi[sz]e|remove|delete|support|extend|migrate|move|rewrite|allow|prevent|handle)\b\s+.+)
    | (?P<ja>.*(?:追加|修正|変更|実装|削除|改善|作成|置き換え|対応|直し|直す|移行|変え|最適化|統一|導入).*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NOUN = re.compile(r"(?P<ja>[^\sはがをにでとのへも、。,.?「」]{2,20}?)(?:は|が|を|の|で|に|へ|も|って)")
_ASKING = re.compile(r"^(?:なぜ|何故|どう|どの|どこ|何)+")
_RUN = re.compile(r"[A-Za-z][\w-]+(?:\s+[A-Za-z][\w-]+){0,7}")
_VERBS = frozenset(
    stem(word)
    for word in (
        *("add", "implement", "create", "build", "fix", "change", "modify", "refactor", "rename", "replace", "update"),
        *("improve", "optimize", "remove", "delete", "find", "show", "explain", "describe", "investigate", "look"),
        *("list", "tell", "understand", "please", "make", "write", "debug", "trace", "work"),
    )
)


def read_frame(request: str, intent: Intent) -> QueryFrame:
    """Return what the words of a request tell by themselves; every value is a quotation.

    It is a reading, not an understanding: a model that fills the frame knows better, and its slots come first.
    """
    found = dict(_read(normalise(request)))
    if intent is Intent.QUESTION:
        found.pop("desired_action", None)  # "how are users added" wishes for nothing
    slots = {name: Slot(found[name], found[name], Certainty.FACT) for name in SLOTS if found.get(name)}
    return QueryFrame(request, slots)


def _read(text: str) -> Iterator[tuple[str, str]]:
    yield "target_feature", _target(text)
    for clause in reversed(_clauses(text)):
        if condition := _CONDITION.match(clause):
            yield "trigger_condition", condition["en"] or condition["ja"]
        elif _ISSUE.search(clause):
            yield "observed_issue", _bare(clause)
        if action := _ACTION.search(clause):
            yield "desired_action", action["en"] or action["ja"]


def _target(text: str) -> str:
    """Return what a request is about: a name, a path or a quotation in it, else its first telling noun."""
    read = read_query(text)
    for kind in (TermKind.SYMBOL, TermKind.COMPOUND, TermKind.PATH, TermKind.PHRASE):
        if named := read.of(kind):
            return named[0]
    for noun in _NOUN.finditer(text):
        if not noun["ja"].isascii() and (kept := _ASKING.sub("", noun["ja"])):
            return kept
    runs = (run for clause in _clauses(text) for run in _RUN.findall(clause))
    return next((kept for kept in map(_bare, runs) if kept), "")


def _clauses(text: str) -> list[str]:
    return [part.strip() for part in _CLAUSES.split(text) if part and part.strip()]


def _bare(clause: str) -> str:
    """Take off verbs and small words at both ends: ``"fix the login crash"`` → ``"login crash"``."""
    words = clause.split()
    while words and _says_little(words[0]):
        words.pop(0)
    while words and _says_little(words[-1]):
        words.pop()
    return " ".join(words)


def _says_little(word: str) -> bool:
    return word.lower() in stop_words() or stem(word.lower()) in _VERBS
