"""What a request says about the work before it: it failed, it was nearly right, or it was right. Pure.

Words differ in how surely they say it. やり直し can hardly mean anything else; "bug" is what half of all requests
are about and says nothing by itself. So each phrase has a share, shares add up as those of independent witnesses do,
and only words about what was just done ("your change", さっきの) make weak words strong.
"""

import re

from msgspec import Struct

from shirube.engine.text.tokens import normalise
from shirube.features.map.records import Result
from shirube.messages import Message, say, verbatim

LONG = 60
"""In a longer text words stand for more things: complaints are short."""


class Judgement(Struct, frozen=True):
    """An outcome that a text tells of, how surely, and by which words; no outcome when it tells of none."""

    outcome: Result | None
    confidence: float
    why: Message


Phrases = tuple[tuple[str, float], ...]

FAILURE: Phrases = (
    (r"やり直", 0.85),
    (r"最初から(やって|お願い|やり|して)", 0.8),
    (r"もう一度", 0.45),
    (r"そうじゃな|そうではな", 0.8),
    (r"^(それは|いや|いえ|全然|ぜんぜん|まったく)?[、, ]*(違う|違います|ちがう)(?!い)", 0.8),
    (r"間違(い|って|えて)", 0.5),
    (r"(?<!ままで)だめ|ダメ|駄目", 0.55),
    (r"動かな|動いていな|動きませ", 0.5),
    (r"エラーにな|エラーが出", 0.4),
    (r"落ち(る|た|ます|ました)", 0.35),
    (r"おかし|変だ|変です", 0.35),
    (r"直ってな|直っていな|直りませ|治ってな", 0.85),
    (r"壊れ(た|て|ました)", 0.5),
    (r"元に戻し|取り消し", 0.7),
    (r"バグ", 0.15),
    (r"\b(re-?do|start over|try again|do it again)\b", 0.8),
    (r"\bagain\b", 0.2),
    (r"^(no|nope|wrong)\b[,.! ]", 0.75),
    (r"\b(that|this|it)('s| is| was)? (wrong|not right|incorrect|not what i)", 0.8),
    (r"\bnot what i (asked|meant|wanted)", 0.85),
    (r"\b(doesn'?t|does not|didn'?t|did not|isn'?t|is not) (work|working|help|fix)", 0.45),
    (r"\bstill (fails?|failing|broken|crash|not|doesn'?t|wrong|get|the same)", 0.75),
    (r"\b(crash(es|ed)?|broke[n]?|breaks)\b", 0.35),
    (r"\b(revert|undo|roll ?back) (that|this|it|your|the (last|change))", 0.8),
    (r"\bbug\b", 0.1),
)
PARTIAL: Phrases = (
    (r"惜し", 0.85),
    (r"ほぼ|ほとんど(できて|合って|OK)", 0.6),
    (r"一部(が|は|だけ)?(違|間違|足り)", 0.85),
    (r"あと少し|もう少し(で|だけ)", 0.6),
    (r"\b(almost|nearly|close, but|not quite|partly|partially|half right)\b", 0.75),
)
SUCCESS: Phrases = (
    (r"完璧|かんぺき", 0.9),
    (r"これで(いい|OK|大丈夫|よい|良い)", 0.9),
    (r"ありがとう|助かりました", 0.75),
    (r"うまく(いった|いきました|動)|動きました|直りました|できました", 0.8),
    (r"^(OK|オッケー|オーケー|了解)(です|だ)?[。.!！ ]*$", 0.8),
    (r"\b(perfect|works (now|great|fine|well)|that works|looks good|lgtm|well done|all good)\b", 0.85),
    (r"\bthank(s| you)\b", 0.7),
    (r"^ok(ay)?[.! ]*$", 0.8),
)
BEFORE: Phrases = (
    (r"さっき|先ほど|前回|今の(修正|変更|実装)|直前|その(修正|変更|実装)", 0.6),
    (r"\b(your|the last|the previous|that|this last) (change|fix|edit|patch|commit|attempt|answer|version)\b", 0.6),
    (r"\b(you (just|broke|changed|did|wrote))\b", 0.6),
    (r"まだ|\bstill\b", 0.3),
)
"""Words about what was just done."""


def judge(request: str) -> Judgement:
    """Tell whether a request says that the work before it failed (seed 003's Step 0), was nearly right, or right."""
    text = " ".join(normalise(request).split())
    about, said = _weight(text, BEFORE)
    found = []
    for outcome, phrases in ((Result.FAILURE, FAILURE), (Result.PARTIAL, PARTIAL), (Result.SUCCESS, SUCCESS)):
        weight, words = _weight(text, phrases)
        if weight:
            found.append((1 - (1 - weight) * (1 - about), outcome, [*words, *said]))
    if not found:
        return Judgement(None, 0.0, say("insights.not_about"))
    # "Thanks, but it still crashes": what is wrong outweighs the politeness.
    order = [Result.FAILURE, Result.PARTIAL, Result.SUCCESS]
    confidence, outcome, words = max(found, key=lambda one: (round(one[0], 1), -order.index(one[1])))
    if len(text) > LONG:
        confidence *= LONG / len(text) if len(text) < 2 * LONG else 0.5
    return Judgement(outcome, round(confidence, 2), verbatim(", ".join(f"'{word}'" for word in words)))


def judge_outcome(message: str) -> Judgement:
    """Read what was said to ``/outcome``: who calls it without a complaint is content (seed 003)."""
    found = judge(message)
    if found.outcome is None or found.confidence < 0.3:
        return Judgement(Result.SUCCESS, 0.5, say("insights.no_complaint"))
    return found


def _weight(text: str, phrases: Phrases) -> tuple[float, list[str]]:
    """Return how surely one of the phrases is meant, and the words that say so."""
    doubt, words = 1.0, []
    for pattern, share in phrases:
        if found := re.search(pattern, text, re.I):
            doubt *= 1 - share
            words.append(found[0].strip())
    return 1 - doubt, words
