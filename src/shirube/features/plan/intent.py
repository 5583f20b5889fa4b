"""What a request wants: to build, to change, to look into something, or only an answer.

The model on the other side usually says so itself; where it does not, the words are read, in English and Japanese.
"""

import re
from enum import StrEnum
from functools import cache

from msgspec import Struct


class Intent(StrEnum):
    """What a request wants; spelt as seed 003 spells it."""

    IMPLEMENT = "IMPLEMENT"
    MODIFY = "MODIFY"
    INVESTIGATE = "INVESTIGATE"
    QUESTION = "QUESTION"


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
    from shirube.engine.text.tokens import normalise

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
