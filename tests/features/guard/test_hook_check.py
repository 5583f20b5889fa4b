"""The questions of a hook, on a real tree."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from shirube.engine.store.journal import Event as Happened
from shirube.features.guard.gate_memory import recall
from shirube.features.guard.hook_check import GateContext, after, before, is_harmless, remembered_tree, stop
from shirube.features.guard.hook_protocol import HookEvent, ToolKind
from shirube.features.guard.looks import digest_of
from shirube.features.guard.state import Phase, Recorded, Session, WriteCheck, pack_event, pack_session, unpack_event
from shirube.features.guard.stored_session import DIGESTS, WRITTEN, StoredSession
from shirube.features.guard.writes import WriteTarget
from shirube.features.plan.frame import Intent
from tests.features.guard.conftest import git

LOOKED, UNSEEN = "src/shop/retry.py", "src/shop/payment.py"


class Notes(list):
    """What was recorded, and what was allowed."""

    def __init__(self) -> None:
        self.allowed: list[WriteTarget] = []
        self.bound: list[str] = []
        self.looks: list[Mapping[str, object]] = []

    def allow(self, handle: str, places: Sequence[WriteTarget]) -> None:
        assert handle == "s_1"
        self.allowed += places

    def bind(self, handle: str) -> bool:
        self.bound.append(handle)
        return True

    def look(self, handle: str, body: Mapping[str, object]) -> None:
        assert handle == "s_1"
        self.looks.append(body)

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
        *(repository, "block", memory, env, lambda: None, notes.append, notes.allow, notes.bind, notes.look),
        own=(tmp_path / "state",),
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
    assert before(exploring, shell("python fix.py")).code == 2
    assert before(exploring, shell("git status | head")).code == 0
    assert before(exploring, HookEvent("before", tool="Read")).code == 0
    assert notes.verdicts == ["before block"] * 3


@pytest.mark.parametrize(
    ("request_", "mode", "told"),
    [
        ("決済の再試行を直して", "block", "shirube: 「src/shop/payment.py」はまだ見ていません。"),
        ("決済の再試行を直して", "advise", "shirube（助言）: "),
        ("réparer checkout", "block", "shirube: src/shop/payment.py was not looked at"),
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
    assert before(ground, shell("python fix.py")).code == 0
    refused = before(ground, edit(ground, LOOKED, UNSEEN))
    assert refused.code == 2
    assert UNSEEN in refused.err
    assert "call read {" in refused.err
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
    assert "shirube (advice): " in answer.out
    assert "start_session" in answer.out
    assert notes.verdicts == ["before advise"]


def test_a_shell_that_wrote_what_was_not_looked_at_is_found_out_once(ground: GateContext, notes: Notes):
    ground = ready(ground)
    (ground.root / LOOKED).write_text("x")
    assert after(ground, shell("python fix.py", "after")).code == 0
    (ground.root / UNSEEN).write_text("x")
    found = after(ground, shell("python fix.py", "after"))
    assert f"{UNSEEN} was not looked at in this session, yet a tool changed it" in found.out
    assert after(ground, shell("python fix.py", "after")).out == "ALLOW"
    (ground.root / UNSEEN).write_text("xy")
    assert UNSEEN in after(ground, shell("python fix.py", "after")).out
    assert notes.verdicts == ["after block"] * 2


def test_a_change_that_was_right_when_it_was_made_stays_right(ground: GateContext):
    (ground.root / LOOKED).write_text("x")
    assert after(ready(ground), shell("python fix.py", "after")).code == 0
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
    assert after(advising, shell("python fix.py", "after")).code == 0
    assert after(advising, shell("ls", "after")).code == 0
    assert notes.verdicts == ["after harmless"]
    (ground.root / "new.py").write_text("x")
    told = after(advising, shell("python fix.py", "after"))
    assert told.code == 0
    assert "yet a tool changed `new.py`" in told.out
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
    assert not is_harmless(shell("python fix.py"))
    assert is_harmless(shell("python fix.py"), ["python fix.py"])
    assert is_harmless(shell("pytest -q | tail"))
    assert not is_harmless(HookEvent("before", kind=ToolKind.EDIT))


def test_git_needs_a_session_where_a_repository_starts_programs(repository: Path):
    here = shell("git status")._replace(cwd=str(repository))
    assert is_harmless(here)
    git(repository, "config", "core.fsmonitor", "./evil")
    assert not is_harmless(here)
    assert not is_harmless(shell(f"cd {repository} && git log")._replace(cwd="/"))
    assert is_harmless(here, ["git status"])


def test_a_shell_with_other_quotes_is_not_taken_for_one_of_ours():
    """To PowerShell a backslash quotes nothing, and a block in braces runs."""
    assert is_harmless(shell("ls | cat")._replace(tool="PowerShell"))
    for command in ('echo "a\\" ; rm x ; echo "b"', "ls | cat {rm x}", "echo ‘a; rm x’", "echo @'a'@"):
        assert not is_harmless(shell(command)._replace(tool="PowerShell"))


def test_what_may_be_written_is_put_on_record_once_and_what_may_not_is_not(ground: GateContext, notes: Notes):
    ground = ready(ground)
    before(ground, edit(ground, LOOKED, UNSEEN, "src/shop/new.py"))
    assert [(one.path, one.exists) for one in notes.allowed] == [(LOOKED, True), ("src/shop/new.py", False)]
    notes.allowed.clear()
    event = Happened(1, {**pack_event(WriteCheck(LOOKED, True)), WRITTEN: True}, 0)
    checked = ground._replace(find_session=lambda: standing()._replace(events=(event,)))
    before(checked, edit(checked, LOOKED))
    before(ready(ground, Phase.EXPLORATION), edit(ground, LOOKED))
    before(ground._replace(find_session=lambda: None), edit(ground, LOOKED))
    assert notes.allowed == []


def test_what_a_shell_rightly_changed_is_put_on_record_too(ground: GateContext, notes: Notes):
    ground = ready(ground)
    for path in (LOOKED, UNSEEN, "src/shop/made.py"):
        (ground.root / path).write_text("changed\n")
    assert UNSEEN in after(ground, shell("python fix.py", "after")).out
    assert sorted((one.path, one.exists) for one in notes.allowed) == [("src/shop/made.py", False), (LOOKED, True)]


def test_a_look_is_recorded_once_as_long_as_the_file_stays_the_same(ground: GateContext, notes: Notes):
    ground = ready(ground)
    read = HookEvent("after", cwd=str(ground.root), tool="Read", kind=ToolKind.READ, targets=(UNSEEN,))
    assert after(ground, read).out == "ALLOW"
    (body,) = notes.looks
    seen = unpack_event(body, 1)
    assert isinstance(seen, Recorded)
    assert (seen.seen, seen.hits, seen.tells) == ((UNSEEN,), 1, True)
    held = standing()._replace(events=(Happened(1, body, 0),))
    assert held.looks == {UNSEEN: digest_of(ground.root / UNSEEN)}
    after(ground._replace(find_session=lambda: held), read)
    assert len(notes.looks) == 1
    (ground.root / UNSEEN).write_text("changed\n")
    after(ground._replace(find_session=lambda: held), read)
    assert len(notes.looks) == 2


def test_what_was_read_before_the_session_counts_from_its_start(ground: GateContext, notes: Notes):
    read = HookEvent("after", cwd=str(ground.root), tool="Read", kind=ToolKind.READ, targets=(UNSEEN,))
    after(ground, read)
    after(ground, read._replace(targets=(LOOKED,)))
    assert notes.looks == []
    started = HookEvent(
        "after", tool="mcp__shirube__start_session", kind=ToolKind.START, shown="session_id s_0123456789ab"
    )
    noted: list[tuple[str, object]] = []
    after(ground._replace(look=lambda handle, body: noted.append((handle, body["seen"]))), started)
    assert noted == [("s_0123456789ab", [UNSEEN, LOOKED])]
    after(ground, started)
    assert notes.looks == []


def looked_with(ground: GateContext, path: str, *events: WriteCheck) -> GateContext:
    """Return a READY session that looked at a file as it is now."""
    call = {**pack_event(Recorded("read", hits=1, seen=(path,))), DIGESTS: [digest_of(ground.root / path)]}
    happened = (Happened(1, call, 0), *(Happened(n + 2, pack_event(event), 0) for n, event in enumerate(events)))
    return ground._replace(find_session=lambda: standing()._replace(events=happened))


@pytest.mark.parametrize("checked", [(), (WriteCheck(LOOKED, True),)], ids=["looked at", "asked for"])
def test_a_file_that_changed_underneath_is_looked_at_again(
    ground: GateContext, notes: Notes, checked: tuple[WriteCheck, ...]
):
    gate = looked_with(ground, LOOKED, *checked)
    assert before(gate, edit(gate, LOOKED)).code == 0
    (ground.root / LOOKED).write_text("somebody else was here\n")
    refused = before(gate, edit(gate, LOOKED))
    assert refused.code == 2
    assert "changed since you looked at it; call read" in refused.err
    again = looked_with(ground, LOOKED, *checked)
    assert before(again, edit(again, LOOKED)).code == 0


def test_only_what_the_tool_itself_changed_is_its_own(ground: GateContext, notes: Notes):
    """A change by somebody else is accepted as the new state, but opens nothing."""
    gate = looked_with(ground, LOOKED)
    (ground.root / LOOKED).write_text("somebody else was here\n")
    assert after(gate, edit(gate, "src/shop/other.py", moment="after")).code == 0
    assert notes.allowed == []
    assert before(gate, edit(gate, LOOKED)).code == 2
    (ground.root / LOOKED).write_text("formatted\n")
    assert after(gate, shell("python format.py", "after")).code == 0
    assert [one.path for one in notes.allowed] == [LOOKED]


def test_a_session_of_another_branch_may_not_write_here(ground: GateContext):
    moved = standing()._replace(elsewhere="other")
    gate = ground._replace(find_session=lambda: moved)
    for event in (edit(ground, LOOKED), shell("python fix.py")):
        refused = before(gate, event)
        assert refused.code == 2
        assert refused.err.startswith("shirube: the branch is now other, another than this session's")
        assert "call start_session {" in refused.err
    assert before(gate, shell("git log")).code == 0
