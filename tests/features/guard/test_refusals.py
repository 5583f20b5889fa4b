"""What the gate says when it refuses: the reason first, one call at the end, in few words."""

import json
from collections.abc import Iterator

import pytest

from shirube.codec import replace
from shirube.engine.text.budget import tokens_of
from shirube.features.guard.state import Phase, Recorded, Session, with_events
from shirube.features.guard.writes import (
    LISTED,
    MOST_TOKENS,
    Refused,
    WriteTarget,
    describe,
    judge_command,
    judge_paths,
)
from shirube.features.plan.frame import Certainty, Intent, QueryFrame, Slot
from shirube.messages import LANGUAGES, Speech, render, say

PATHS = (
    "app.py",
    "src/shop/payment.py",
    "packages/frontend/src/components/settings/NotificationPreferences.vue",
    "src/main/java/org/example/boot/autoconfigure/web/servlet/WebMvcAutoConfiguration.java",
    "ドキュメント/設計/決済の再試行.md",
)
REQUESTS = {
    "en": (
        "Fix the retry of failed payments: checkout gives up too early",
        "When a user cancels an order that was already shipped, the refund is booked twice; add a check to the order "
        "service, a test for it, and a note in the changelog, but leave the public interface exactly as it is today",
    ),
    "ja": (
        "決済の再試行がうまくいかない。直して",
        "注文がすでに発送された後で利用者がキャンセルすると返金が二重に計上されるので、注文サービスに確認処理を追加し、"
        "テストと変更履歴への記載も行い、公開インターフェースは今のままにしてください",
    ),
}


def sessions(request: str) -> Iterator[Session]:
    """Yield a session in every state that refuses something."""
    bare = Session("s_0123456789ab", Intent.MODIFY, request)
    calls = [
        Recorded("search", "search", request, hits=2, answer="found", seen=("lib/seen.py",), symbols=("with_retries",)),
        Recorded("find_definitions", "symbols", "with_retries", answer="none"),
    ]
    looked = with_events(bare, calls)
    yield bare
    yield looked
    for phase in (Phase.SEMANTIC, Phase.VERIFICATION):
        yield replace(looked, phase=phase)
    ready = replace(looked, phase=Phase.READY)
    yield ready
    yield replace(ready, elsewhere="feature/notification-preferences")
    yield replace(ready, intent=Intent.QUESTION)
    yield replace(ready, added=PATHS, looks=dict.fromkeys(PATHS, "0" * 12))
    yield replace(looked, scaled=True)
    yield replace(ready, scaled=True, added=PATHS)
    feature = request[:8]
    absent = Recorded("find_definitions", "symbols", feature, answer="none")
    seen = Recorded("search", "search", "forms", hits=1, answer="found", seen=PATHS)
    frame = QueryFrame(request, {"target_feature": Slot(feature, feature, Certainty.FACT)})
    yield with_events(replace(bare, frame=frame, phase=Phase.READY), [absent, seen])


def refusals(request: str) -> Iterator[tuple[str, Refused]]:
    """Yield every refusal with what it is about."""
    targets = [
        *(WriteTarget(path, True, path.rpartition("/")[0] or ".", digest="1" * 12) for path in PATHS),
        *(WriteTarget(path, False, path.rpartition("/")[0] or ".") for path in PATHS),
        WriteTarget("src/shop", True, "src", is_folder=True),
    ]
    for session in (None, *sessions(request)):
        for refused in judge_paths(session, targets, 9):
            yield "guard.writing", refused
            if refused.reason.code != "guard.changed_since":  # after a tool it has changed anyhow
                yield "guard.changed", refused
        if stopped := judge_command(session, "make all"):
            yield "guard.running", stopped
    for reason, way in (("guard.own_state", "guard.leave_it"), ("guard.unnamed", "guard.name_it")):
        yield "guard.writing", Refused("apply_patch", say(reason), (say(way),))


def worded(refused: Refused, language: str) -> list[str]:
    """Return the ways in which a reason may be said, the file by its name or without."""
    reason = refused.reason
    path = str(reason.values.get("path", ""))
    names = (path, f"…/{path.rpartition('/')[2]}", say("guard.this_file"))
    return [render(say(reason.code, **{**reason.values, "path": name}), Speech(language)) for name in names]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("frame", "most"), [("guard.blocked", MOST_TOKENS), ("guard.advice", MOST_TOKENS + 4)])
def test_every_refusal_is_short_and_ends_with_a_call(language: str, frame: str, most: int):
    codes = set()
    start = render(say(frame, text=""), Speech(language))
    for what, refused in (found for request in REQUESTS[language] for found in refusals(request)):
        codes.add(refused.reason.code)
        for count in (1, 7):
            text = describe([refused] * count, what, Speech(language), frame)
            assert tokens_of(text) <= most, (tokens_of(text), text)
            assert text.removeprefix(start).startswith(tuple(worded(refused, language))), text
            if refused.next.code == "guard.call":
                operation = text[: text.index("{")].split()[-1]
                given = json.loads(text[text.index("{") :])
                assert operation in LISTED.values()
                assert given.get("path", refused.target) in (refused.target, refused.target.rpartition("/")[0])
    assert codes == {
        *("guard.no_session", "guard.phase_no_write", "guard.intent_no_write", "guard.is_directory"),
        *("guard.not_looked", "guard.changed_since", "guard.new_file", "guard.absent", "guard.elsewhere"),
        *("guard.own_state", "guard.unnamed", "guard.apart"),
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_other_refusals_are_short_too(language: str):
    slow = say("guard.no_answer", seconds="5")
    place = "/srv/projects/shop/.local/state/shirube"
    for message in (
        say("guard.forgeable", path=place),
        say("guard.failed_closed", what=slow),
        say("guard.failed_closed", what=say("guard.no_json", error="Expecting value: line 1 column 1 (char 0)")),
    ):
        text = render(message, Speech(language))
        assert tokens_of(text) <= MOST_TOKENS, (tokens_of(text), text)
