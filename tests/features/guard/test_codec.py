import json

import pytest

from shirube.codec import replace
from shirube.errors import StateFault
from shirube.features.guard.state import (
    Confirmed,
    Hypothesis,
    Phase,
    Recorded,
    Refusal,
    Understanding,
    WriteCheck,
    pack_event,
    pack_session,
    unpack_event,
    unpack_session,
)
from shirube.features.plan.frame import Slot
from shirube.messages import Message, Speech, render, say
from tests.cases import for_each
from tests.features.guard.sample import FRAME, LOOKED, map_hit, session


def test_a_session_comes_back_from_json_as_it_was():
    state = replace(
        session(**FRAME, desired_action=Slot("x")),
        phase=Phase.VERIFICATION,
        confirmed=(Confirmed("ログイン", "AuthService", similarity=0.5, tier="raised"),),
        understanding=Understanding(("A",), files=("a.py",)),
        hypotheses=(Hypothesis("h1", "x"),),
        missing=("entry_points",),
        since=7,
    )
    assert unpack_session(json.loads(json.dumps(pack_session(state)))) == state


def test_events_are_no_part_of_the_document():
    assert not {"calls", "checks", "refusals"} & pack_session(session()).keys()


@for_each(
    "event",
    [
        replace(LOOKED[0], number=5, maps=(map_hit(0.9),)),
        WriteCheck("a.py", False, True, Message("no")),
        Refusal("search_forest", Phase.EXPLORATION, Message("not yet")),
    ],
)
def test_an_event_comes_back_as_it_was(event):
    assert unpack_event(json.loads(json.dumps(pack_event(event))), 5) == event


def test_a_kind_of_event_nobody_knows_is_passed_over():
    assert unpack_event({"kind": "dream"}, 1) is None


def test_a_call_gets_its_number_from_the_journal():
    assert unpack_event(pack_event(Recorded("search")), 42).number == 42


def test_a_document_that_cannot_be_read_is_named():
    with pytest.raises(StateFault, match="Session"):
        unpack_session({"id": "s", "intent": "DANCE", "request": "x"})


def test_sentences_are_kept_by_their_code():
    reason = say("session.also", first=say("guard.is_directory", path="src"), second=say("session.no_file"))
    event = Refusal("check_write_target", Phase.READY, reason)
    read = unpack_event(json.loads(json.dumps(pack_event(event))), 1)
    assert isinstance(read, Refusal)
    assert read.reason == "src is a directory; no file was given"
    assert render(read.reason, Speech("ja")) == "「src」はディレクトリです、ファイルが指定されていません"
    words = say("session.agreed", term="会計", symbol="checkout", files=("a.py", "b.py"))
    held = unpack_session(json.loads(json.dumps(pack_session(replace(session(), map_used=words)))))
    assert (held.map_used, held.map_used.code) == ("'会計' is checkout (a.py, b.py)", "session.agreed")


def test_what_an_earlier_version_kept_is_read_as_it_was():
    body = {"id": "s_1", "intent": "MODIFY", "request": "x", "map_used": "'a' is b (c.py)", "mood": "good"}
    held = unpack_session(body)
    assert (held.map_used, held.map_used.code, held.phase) == ("'a' is b (c.py)", "", Phase.EXPLORATION)
    check = unpack_event({"kind": "check", "path": "a.py", "allowed": False, "reason": "no", "mood": "good"}, 3)
    assert check == WriteCheck("a.py", False, reason=Message("no"))
    refusal = unpack_event({"kind": "refusal", "operation": "o", "phase": "READY", "reason": "not yet"}, 4)
    assert refusal == Refusal("o", Phase.READY, Message("not yet"))
