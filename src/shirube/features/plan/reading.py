"""What the words of a request tell by themselves: a first frame, for those who have no model to fill it."""

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from shirube.engine.text.glossary import stop_words
from shirube.engine.text.query_terms import TermKind, read_query
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import normalise
from shirube.features.plan.frame import SLOTS, Certainty, Intent, QueryFrame, Slot

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


class IntentReading(Struct, frozen=True):
    """An intent as far as the words tell it."""

    intent: Intent
    confidence: float
    """From 0 to 1; below ``UNSURE`` the words do not tell, and the intent is the careful choice."""
    words: tuple[str, ...] = ()
    """What it was read from."""


UNSURE = 0.6
"""Below this an intent was not understood: seed 003's flow then looks into it before anything is written."""
TOLD, MIXED, GUESSED = 0.9, 0.7, 0.4

_MARKS: dict[Intent, str] = {
    Intent.MODIFY: r"""
        \b(?:fix|change|modif|refactor|rename|replace|update|upgrade|improve|optimi[sz]e|remove|delete|correct|repair
        |adjust|migrate|move|rewrite|speed\ up|clean\ up|mend|patch)\w*
        | 修正 | 直し | 直す | なおし | なおす | 変更 | 変え | 改善 | 改修 | 削除 | 消し | 置き換え | 置換
        | 名前を変 | リファクタ | 最適化 | 更新し | 高速化 | 移行し | 書き換え
    """,
    Intent.IMPLEMENT: r"""
        \b(?:implement|add|create|build|introduce|develop|make\ (?:a|an|it|the)|write\ (?:a|an|the)|support\ for
        |extend)\w*\b
        | 実装し | 実装する | 実装を | 追加 | 作成 | 作って | 作る | 作りたい | 新しい | 新規
        | 開発し | 導入 | 対応させ | 対応し
    """,
    Intent.INVESTIGATE: r"""
        \b(?:investigate|look\ into|find\ out|debug|trace|diagnos\w+|analy[sz]e\w*|examine|explore|root\ cause
        |understand|figure\ out|track\ down)\b
        | \bwhy\b | 調べ | 調査 | 原因 | なぜ | 何故 | 解析 | 分析 | 追跡 | 理解 | 把握 | 探し | 確認
    """,
    Intent.QUESTION: r"""
        ^\s*(?:what|where|which|who|when|how|is|are|does|do|can|could|should)\b | \?\s*$ | ？\s*$
        | \b(?:explain|describe|tell\ me|show\ me|list)\b
        | ですか | ますか | のか$ | とは | どこ | どれ | どの | どう | 何 | 教えて | 説明 | 一覧
    """,
}
_BEGGED = re.compile(r"\s*(?:can|could|would) you\b", re.IGNORECASE)
"""A task in the form of a question; "how can I …" is none."""


def read_intent(text: str) -> IntentReading:
    """Return what a request wants, how surely, and by which words: ``"ログインを修正して"`` → ``MODIFY``.

    A task in the form of a question stays a question ("how is a session added?"), unless somebody is asked to do it.
    """
    plain = normalise(text)
    found = {intent: _marks(_reader(intent), plain) for intent in _MARKS}
    told = [intent for intent in Intent if found[intent]]
    if not told:
        return IntentReading(Intent.INVESTIGATE, GUESSED)
    chosen = _chosen(plain, told)
    return IntentReading(chosen, TOLD if len(told) == 1 else MIXED, found[chosen])


@cache
def _reader(intent: Intent) -> re.Pattern[str]:
    return re.compile(_MARKS[intent], re.VERBOSE | re.IGNORECASE)


def _marks(reader: re.Pattern[str], plain: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[0].strip() for match in reader.finditer(plain)))


def _chosen(plain: str, told: list[Intent]) -> Intent:
    tasks = [intent for intent in (Intent.MODIFY, Intent.IMPLEMENT) if intent in told]
    asked = _reader(Intent.QUESTION).match(plain) or plain.rstrip().endswith("?")
    if tasks and (not asked or _BEGGED.match(plain)):
        return tasks[0]
    if Intent.INVESTIGATE in told and not asked:
        return Intent.INVESTIGATE
    return Intent.QUESTION if Intent.QUESTION in told else told[0]
