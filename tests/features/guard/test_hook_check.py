"""The questions of a hook, on a real tree."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from shirube.engine.store.journal import Event as Happened
from shirube.features.guard.gate_memory import recall
from shirube.features.guard.hook_check import GateContext, after, before, is_harmless, remembered_tree, stop
from shirube.features.guard.hook_protocol import HookEvent, ToolKind
from shirube.features.guard.state import Phase, Recorded, Session, WriteCheck, pack_event, pack_session
from shirube.features.guard.stored_session import StoredSession
from shirube.features.guard.writes import WriteTarget
from shirube.features.plan.frame import Intent

LOOKED, UNSEEN = "src/shop/retry.py", "src/shop/payment.py"


class Notes(list):
    """What was recorded, and what was allowed."""

    def __init__(self) -> None:
        self.allowed: list[WriteTarget] = []

    def allow(self, handle: str, places: Sequence[WriteTarget]) -> None:
        assert handle == "s_1"
        self.allowed += places

    @property
    def verdicts(self) -> list[str]:
        return [f"{one['moment']} {one['verdict']}" for one in self]


def standing(phase: Phase = Phase.READY, *events: Recorded | WriteCheck) -> StoredSession:
    session = Session("s_1", Intent.MODIFY, "fix it", phase=phase)
    happened = events or (Recorded("search", ok=True, hits=1, answer="found", seen=(LOOKED,)),)
    return StoredSession(
        "s_1", pack_session(session), tuple(Happened(n + 1, pack_event(e), 0) for n, e in enumerate(happened))
    )


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def ground(repository: Path, env: dict[str, str], tmp_path: Path, notes: Notes) -> GateContext:
    memory = tmp_path / "state" / "c.json"
    remembered_tree(repository, memory, env)
    return GateContext(
        repository, "block", memory, env, lambda: None, notes.append, notes.allow, own=(tmp_path / "state",)
    )


def ready(ground: GateContext, phase: Phase = Phase.READY, *events: Recorded | WriteCheck) -> GateContext:
    return ground._replace(find_session=lambda: standing(phase, *events))


def edit(ground: GateContext, *paths: str, moment: str = "before") -> HookEvent:
    return HookEvent(moment, client="c", cwd=str(ground.root), tool="Write", kind=ToolKind.EDIT, targets=paths)


def shell(command: str, moment: str = "before") -> HookEvent:
    return HookEvent(moment, client="c", tool="Bash", kind=ToolKind.SHELL, command=command)


def test_before_ready_edits_and_commands_are_refused_and_looking_is_not(ground: GateContext, notes: Notes):
    exploring = ready(ground, Phase.EXPLORATION)
    assert before(ground, edit(ground, LOOKED)).code == 2
    assert before(exploring, edit(ground, LOOKED)).code == 2
    assert before(exploring, shell("make")).code == 2
    assert before(exploring, shell("git status | head")).code == 0
    assert before(exploring, HookEvent("before", tool="Read")).code == 0
    assert notes.verdicts == ["before block"] * 3


@pytest.mark.parametrize(
    ("request_", "mode", "told"),
    [
        ("決済の再試行を直して", "block", "shirube: 書き込めません: `src/shop/payment.py`（「src/shop/payment.py」は"),
        ("決済の再試行を直して", "advise", "何も拒否していません"),
        ("réparer checkout", "block", "shirube: writing `src/shop/payment.py`: 'src/shop/payment.py' was not looked"),
    ],
)
def test_it_speaks_the_language_of_the_request(ground: GateContext, notes: Notes, request_: str, mode: str, told: str):
    body = pack_session(Session("s_1", Intent.MODIFY, request_, phase=Phase.READY))
    answer = before(
        ground._replace(mode=mode, find_session=lambda: StoredSession("s_1", body, ())), edit(ground, UNSEEN)
    )
    text = answer.err or json.loads(answer.out.removeprefix("ALLOW "))["hookSpecificOutput"]["additionalContext"]
    assert told in text
    assert notes[0]["reason"] == {"code": "guard.not_looked", "values": {"path": UNSEEN}}


def test_in_ready_what_was_looked_at_may_be_written(ground: GateContext, notes: Notes):
    ground = ready(ground)
    assert before(ground, edit(ground, LOOKED)).code == 0
    assert before(ground, edit(ground, str(ground.root / LOOKED))).code == 0
    assert before(ground, shell("make")).code == 0
    refused = before(ground, edit(ground, LOOKED, UNSEEN))
    assert refused.code == 2
    assert UNSEEN in refused.err
    assert "`snippets_get`" in refused.err
    assert notes.verdicts == ["before allow"] * 3 + ["before block"]
    assert notes[1]["targets"] == [LOOKED]


def test_what_the_server_allowed_is_allowed(ground: GateContext):
    assert before(ready(ground, Phase.READY, WriteCheck(UNSEEN, True)), edit(ground, UNSEEN)).code == 0
    assert before(ready(ground, Phase.EXPLORATION, WriteCheck(UNSEEN, True)), edit(ground, UNSEEN)).code == 2


def test_a_tool_that_names_no_file_is_refused(ground: GateContext):
    assert before(ready(ground), edit(ground)).code == 2


def test_our_own_state_is_never_written_and_other_places_are_none_of_ours(ground: GateContext, tmp_path: Path):
    assert before(ready(ground), edit(ground, str(tmp_path / "state" / "c.json"))).code == 2
    (ground.root / "link").symlink_to(tmp_path / "state")
    assert before(ready(ground), edit(ground, "link/c.json")).code == 2
    assert before(ground, edit(ground, str(tmp_path / "elsewhere.txt"))).code == 0


def test_a_link_does_not_lead_around_the_gate(ground: GateContext, tmp_path: Path):
    (tmp_path / "in").symlink_to(ground.root)
    assert before(ground, edit(ground, str(tmp_path / "in" / UNSEEN))).code == 2
    assert before(ready(ground), edit(ground, f"src/../{UNSEEN}")).code == 2


def test_exempt_and_ignored_files_pass_at_any_time(ground: GateContext):
    assert before(ground._replace(exempt=("docs/**",)), edit(ground, "docs/a.md")).code == 0
    assert before(ground, edit(ground, "build/out.py")).code == 0
    assert before(ground, edit(ground, "build/new.py")).code == 2
    assert before(ground, edit(ground, ".git/hooks/pre-commit")).code == 2


def test_advice_lets_pass_and_says_what_would_be_better(ground: GateContext, notes: Notes):
    answer = before(ground._replace(mode="advise"), edit(ground, LOOKED))
    assert answer.code == 0
    assert "nothing was refused" in answer.out
    assert "start_session" in answer.out
    assert notes.verdicts == ["before advise"]


def test_a_shell_that_wrote_what_was_not_looked_at_is_found_out_once(ground: GateContext, notes: Notes):
    ground = ready(ground)
    (ground.root / LOOKED).write_text("x")
    assert after(ground, shell("make", "after")).code == 0
    (ground.root / UNSEEN).write_text("x")
    found = after(ground, shell("make", "after"))
    assert found.code == 2
    assert f"a tool has changed `{UNSEEN}`" in found.err
    assert after(ground, shell("make", "after")).code == 0
    (ground.root / UNSEEN).write_text("xy")
    assert after(ground, shell("make", "after")).code == 2
    assert notes.verdicts == ["after block"] * 2


def test_a_change_that_was_right_when_it_was_made_stays_right(ground: GateContext):
    (ground.root / LOOKED).write_text("x")
    assert after(ready(ground), shell("make", "after")).code == 0
    assert stop(ready(ground, Phase.EXPLORATION), HookEvent("stop")).code == 0


def test_a_stop_is_refused_once_for_the_same_tree(ground: GateContext):
    (ground.root / UNSEEN).unlink()
    assert stop(ground, HookEvent("stop", again=True)).code == 0
    refused = stop(ground, HookEvent("stop"))
    assert refused.code == 2
    assert UNSEEN in refused.err
    assert stop(ground, HookEvent("stop")).code == 0
    (ground.root / "more.py").write_text("x")
    assert "more.py" in stop(ground, HookEvent("stop")).err
    advised = stop(ground._replace(mode="advise"), HookEvent("stop"))
    assert advised.code == 0


def test_a_change_that_is_understood_afterwards_is_accepted(ground: GateContext):
    (ground.root / LOOKED).write_text("x")
    assert stop(ground, HookEvent("stop")).code == 2
    assert stop(ready(ground), HookEvent("stop")).code == 0
    held = recall(ground.memory)
    assert held is not None
    assert held.stopped == {}


def test_a_doubted_command_that_changed_nothing_is_a_false_block(ground: GateContext, notes: Notes):
    advising = ground._replace(mode="advise")
    assert after(advising, shell("make", "after")).code == 0
    assert after(advising, shell("ls", "after")).code == 0
    assert notes.verdicts == ["after harmless"]
    (ground.root / "new.py").write_text("x")
    told = after(advising, shell("make", "after"))
    assert told.code == 0
    assert "a tool has changed `new.py`" in told.out
    (ground.root / "newer.py").write_text("x")
    assert after(advising, edit(ground, "newer.py", moment="after")).out == "ALLOW"
    assert notes.verdicts == ["after harmless", "after advise"]


def test_in_advise_mode_a_tool_is_told_of_what_it_changed_beside_its_target(ground: GateContext, notes: Notes):
    for path in ("new.py", "beside.py"):
        (ground.root / path).write_text("x")
    told = after(ground._replace(mode="advise"), edit(ground, "new.py", moment="after")).out
    assert "`beside.py`" in told
    assert "new.py" not in told
    assert [one["targets"] for one in notes] == [["beside.py"]]


def test_tools_that_do_not_write_need_no_session():
    assert is_harmless(HookEvent("before", tool="Read"))
    assert is_harmless(shell("ls"))
    assert not is_harmless(shell("pytest"))
    assert is_harmless(shell("pytest"), ["pytest"])
    assert not is_harmless(HookEvent("before", kind=ToolKind.EDIT))


def test_what_may_be_written_is_put_on_record_once_and_what_may_not_is_not(ground: GateContext, notes: Notes):
    ground = ready(ground)
    before(ground, edit(ground, LOOKED, UNSEEN, "src/shop/new.py"))
    assert [(one.path, one.exists) for one in notes.allowed] == [(LOOKED, True), ("src/shop/new.py", False)]
    notes.allowed.clear()
    checked = ready(ground, Phase.READY, WriteCheck(LOOKED, True))
    before(checked, edit(checked, LOOKED))
    before(ready(ground, Phase.EXPLORATION), edit(ground, LOOKED))
    before(ground._replace(find_session=lambda: None), edit(ground, LOOKED))
    assert notes.allowed == []


def test_what_a_shell_rightly_changed_is_put_on_record_too(ground: GateContext, notes: Notes):
    ground = ready(ground)
    for path in (LOOKED, UNSEEN, "src/shop/made.py"):
        (ground.root / path).write_text("changed\n")
    assert after(ground, shell("make", "after")).code == 2
    assert sorted((one.path, one.exists) for one in notes.allowed) == [("src/shop/made.py", False), (LOOKED, True)]
