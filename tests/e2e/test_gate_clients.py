"""The gate in the real Claude Code and the real Codex, with models that do what a test wrote down."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shirube.doors.agents.pieces import hook_command
from shirube.engine.store.disk import GATE, JOURNAL, SESSION, project_directory
from shirube.engine.store.journal import Journal
from tests.conftest import write_sample
from tests.e2e.node import needs_npm, run_in, search_path
from tests.e2e.talks import Talk, Turn, Use, talking

TARGET = "src/shop/retry.py"
UNSEEN = "zebra.yml"
TOOLSETS = "core,session"
"""What the installer writes where there is a gate."""
START = "mcp__shirube__start_session"
NEW = "# changed by a model\n"
pytestmark = pytest.mark.slow
CLAUDE = needs_npm("claude")
CODEX = needs_npm("codex")


@dataclass(frozen=True)
class Desk:
    """A project under git, a home of its own, and an agent in it."""

    root: Path
    home: Path
    mode: str = "block"
    program: str = "shirube"

    @property
    def environ(self) -> dict[str, str]:
        passed = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
        return {
            **passed,
            "PATH": search_path(),
            "HOME": str(self.home),
            "CODEX_HOME": str(self.home / ".codex"),
            "SHIRUBE_CACHE_DIR": str(self.home / "cache"),
            "SHIRUBE_STATE_DIR": str(self.home / "state"),
            "SHIRUBE_EMBED_MODEL": "hashed",
            "ANTHROPIC_API_KEY": "none",
            "IS_SANDBOX": "1",
            "TERM": "dumb",
        }

    def run(self, *command: str) -> str:
        done = run_in(self.root, command, self.environ)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    def hooks(self, agent: str, edits: str, looks: str) -> dict[str, Any]:
        def entry(event: str, matcher: str) -> list[dict[str, Any]]:
            command = hook_command(self.program, agent, event, self.mode)
            return [{"matcher": matcher, "hooks": [{"type": "command", "command": command, "timeout": 30}]}]

        return {
            "hooks": {
                "SessionStart": entry("start", ""),
                "PreToolUse": entry("before", edits),
                "PostToolUse": entry("after", f"{edits}|{looks}"),
                "Stop": entry("stop", ""),
            }
        }

    def claude(self, *turns: Turn) -> Talk:
        talk = Talk(list(turns))
        settings, servers = self.home / "settings.json", self.home / "servers.json"
        settings.write_text(
            json.dumps(self.hooks("claude-code", "Edit|Write|MultiEdit|NotebookEdit|Bash", f"Read|{START}"))
        )
        server = {"command": "shirube", "args": ["serve", "--toolsets", TOOLSETS], "env": {}}
        servers.write_text(json.dumps({"mcpServers": {"shirube": server}}))
        with talking(talk) as address:
            self.run(
                *("env", f"ANTHROPIC_BASE_URL={address}", "claude", "-p", "go", "--dangerously-skip-permissions"),
                *("--settings", str(settings), "--mcp-config", str(servers), "--strict-mcp-config"),
                *("--output-format", "stream-json", "--verbose"),
            )
        return talk

    def codex(self, *turns: Turn) -> Talk:
        talk = Talk(list(turns))
        place = self.home / ".codex"
        place.mkdir(exist_ok=True)
        (place / "hooks.json").write_text(json.dumps(self.hooks("codex", "apply_patch|Bash", START)))
        passed = "".join(
            f'{name} = "{value}"\n' for name, value in self.environ.items() if name.startswith(("SHI", "PY"))
        )
        with talking(talk) as address:
            (place / "config.toml").write_text(
                'model = "gpt-5.5"\nmodel_provider = "mock"\n'
                f'[model_providers.mock]\nname = "mock"\nbase_url = "{address}/v1"\nwire_api = "responses"\n'
                f'[mcp_servers.shirube]\ncommand = "shirube"\nargs = ["serve", "--toolsets", "{TOOLSETS}"]\n'
                "required = true\n"
                f"[mcp_servers.shirube.env]\n{passed}"
            )
            self.run(
                *("codex", "exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust"),
                *("--dangerously-bypass-approvals-and-sandbox", "go"),
            )
        return talk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "home").mkdir()
    root = write_sample(tmp_path / "shop").resolve()
    (root / UNSEEN).write_text("zebra: 1\n")
    names = ("-c", "user.name=t", "-c", "user.email=t@t")
    for words in (("init", "-q"), ("add", "-A"), (*names, "commit", "-qm", "begin")):
        subprocess.run(["git", *words], cwd=root, check=True)
    made = Desk(root, tmp_path / "home")
    made.run("shirube", "index")
    return made


def say(name: str, **arguments: Any) -> Turn:
    return lambda shown: Use(name, arguments)


def handle_in(shown: list[str]) -> str:
    """Return the handle that ``start_session`` gave."""
    return next(found[0] for text in shown if (found := re.search(r"\bs_[0-9a-f]{12}\b", text)))


def steps(tool: str, space: str = "") -> list[Turn]:
    """Return the whole way to READY through the server's tools, as the flow prescribes it."""

    def ask(name: str, **arguments: Any) -> Turn:
        return lambda shown: Use(f"{tool}{name}", {"session_id": handle_in(shown), **arguments}, space)

    request = "Fix the retry of failed payments: checkout gives up too early"
    why = "`with_retries` calls the action ATTEMPTS times and then gives up"
    return [
        lambda shown: Use(f"{tool}start_session", {"intent": "MODIFY", "query": request}, space),
        ask("read", path=TARGET),
        ask("submit_understanding", symbols=["with_retries"], feature="retry of failed payments", why=why),
        ask("check_write_target", file_path=TARGET),
    ]


def linked(desk: Desk) -> bool:
    """Tell whether the session begun through the protocol is known as that of the client the hooks speak for."""
    journal = Journal(project_directory(desk.home / "state", desk.root) / JOURNAL, 5.0, lambda: 0)
    try:
        (session,) = journal.documents(SESSION)
        return {session.body["client"]} == {event.body["client"] for event in journal.events(GATE)}
    finally:
        journal.close()


@CLAUDE
def test_claude_code_writes_only_after_it_has_understood(desk: Desk):
    write = say("Write", file_path=str(desk.root / "src/shop/new.py"), content=NEW)
    shell = say("Bash", command=f"printf '{NEW}' >> {TARGET}", description="append")
    old = (desk.root / TARGET).read_text()
    look = say("Bash", command="git status --short && cat src/shop/retry.py | head -3", description="look")
    talk = desk.claude(look, write, shell, *steps("mcp__shirube__"), write, shell)
    looked, refused_write, refused_shell, *flow, written, ran = talk.results
    assert "shirube" not in looked
    for refused in (refused_write, refused_shell):
        assert "start_session" in refused
    assert "READY" in flow[-2]
    assert f"{TARGET} may be written" in flow[-1]
    assert (desk.root / "src/shop/new.py").read_text() == NEW, written
    assert (desk.root / TARGET).read_text() == old + NEW, ran
    assert linked(desk)
    insights = json.loads(desk.run("shirube", "outcome", "insights", "--json"))
    assert insights["gate"]["blocked"] == 2


@CLAUDE
def test_claude_code_reads_by_itself_and_another_conversation_has_nothing_of_it(desk: Desk):
    """What was read before the session counts; a session that is READY opens nothing for another conversation."""
    look = say("Read", file_path=str(desk.root / TARGET))
    edit = say("Edit", file_path=str(desk.root / TARGET), old_string="ATTEMPTS = 3", new_string="ATTEMPTS = 4")
    start, _, claim, _ = steps("mcp__shirube__")
    wait = say("Bash", command="sleep 2", description="wait")
    first = desk.claude(wait, look, edit, start, claim, edit)
    assert first.results[2] == (
        "PreToolUse:Edit hook error: shirube: this conversation has no session yet; "
        'call start_session {"intent":"MODIFY","query":"<the request>"}'
    )
    assert "ATTEMPTS = 4" in (desk.root / TARGET).read_text(), first.results
    back = say("Edit", file_path=str(desk.root / TARGET), old_string="ATTEMPTS = 4", new_string="ATTEMPTS = 9")
    second = desk.claude(wait, look, back, say("Bash", command=f"printf x >> {UNSEEN}", description="append"))
    assert all("this conversation has no session yet" in result for result in second.results[2:])
    assert "ATTEMPTS = 4" in (desk.root / TARGET).read_text()
    assert (desk.root / UNSEEN).read_text() == "zebra: 1\n"


@CLAUDE
def test_claude_code_in_advise_mode_writes_and_is_told(desk: Desk):
    desk = Desk(desk.root, desk.home, "advise")
    old = (desk.root / TARGET).read_text()
    write = say("Write", file_path=str(desk.root / "src/shop/new.py"), content=NEW)
    shell = say("Bash", command=f"printf '{NEW}' >> {TARGET}", description="append")
    talk = desk.claude(write, shell)
    assert (desk.root / "src/shop/new.py").read_text() == NEW
    assert (desk.root / TARGET).read_text() == old + NEW
    assert "shirube (advice): " in talk.text
    assert "start_session" in talk.text


@CLAUDE
def test_claude_code_is_stopped_once_when_the_tree_was_changed_around_the_gate(desk: Desk):
    """In READY a shell may write anything; what it wrote is looked at afterwards."""
    shell = say("Bash", command=f"printf x >> {UNSEEN}", description="around")
    talk = desk.claude(say("Bash", command="ls", description="wait"), *steps("mcp__shirube__"), shell)
    assert (desk.root / UNSEEN).read_text() == "zebra: 1\nx"
    assert talk.text.count(f"{UNSEEN} was not looked at in this session, yet a tool changed it") == 2


@CLAUDE
def test_claude_code_writes_nothing_when_the_gate_is_not_there(desk: Desk):
    """Hooks fail open; the lines of shell that we put into them do not."""
    broken = Desk(desk.root, desk.home, program="/nowhere/shirube")
    write = say("Write", file_path=str(desk.root / "new.py"), content=NEW)
    talk = broken.claude(write, say("Bash", command=f"printf x >> {UNSEEN}", description="append"))
    assert all("the gate failed" in result for result in talk.results)
    assert not (desk.root / "new.py").exists()
    assert (desk.root / UNSEEN).read_text() == "zebra: 1\n"


@CLAUDE
def test_the_plugin_blocks_when_the_user_says_so(desk: Desk):
    write = say("Write", file_path=str(desk.root / "new.py"), content=NEW)
    talk = Talk([write, say("Bash", command=f"printf x >> {UNSEEN}", description="append")])
    plugin = Path(__file__).resolve().parents[2] / "plugin"
    with talking(talk) as address:
        desk.run(
            *("env", f"ANTHROPIC_BASE_URL={address}", "SHIRUBE_GATE_MODE=block", "claude", "-p", "go"),
            *("--dangerously-skip-permissions", "--plugin-dir", str(plugin)),
        )
    assert all("start_session" in result for result in talk.results)
    assert not (desk.root / "new.py").exists()


@CODEX
def test_codex_writes_only_after_it_has_understood(desk: Desk):
    patch = f"*** Begin Patch\n*** Add File: src/shop/new.py\n+{NEW}*** End Patch\n"
    write = lambda shown: Use("apply_patch", {}, freeform=patch)  # noqa: E731
    shell = say("exec_command", cmd=f"printf '{NEW}' >> {TARGET}")
    old = (desk.root / TARGET).read_text()
    look = say("exec_command", cmd="git status --short")
    talk = desk.codex(look, write, shell, *steps("", "mcp__shirube"), write, shell)
    looked, refused_write, refused_shell, *flow, written, ran = talk.results
    assert "shirube" not in looked
    for refused in (refused_write, refused_shell):
        assert "start_session" in refused
    assert "READY" in flow[-2]
    assert (desk.root / "src/shop/new.py").read_text() == NEW, written
    assert (desk.root / TARGET).read_text() == old + NEW, ran
    assert linked(desk)


@CODEX
def test_codex_reads_by_itself_and_another_conversation_has_nothing_of_it(desk: Desk):
    def patch(old: str, new: str) -> Turn:
        change = f"*** Begin Patch\n*** Update File: {TARGET}\n@@\n-{old}\n+{new}\n*** End Patch\n"
        return lambda shown: Use("apply_patch", {}, freeform=change)

    look = say("exec_command", cmd=f"sed -n '1,40p' {TARGET}")
    start, _, claim, _ = steps("", "mcp__shirube")
    first = desk.codex(look, patch("ATTEMPTS = 3", "ATTEMPTS = 4"), start, claim, patch("ATTEMPTS = 3", "ATTEMPTS = 4"))
    assert "shirube: this conversation has no session yet; call start_session" in first.results[1]
    assert "ATTEMPTS = 4" in (desk.root / TARGET).read_text(), first.results
    second = desk.codex(look, patch("ATTEMPTS = 4", "ATTEMPTS = 9"), say("exec_command", cmd=f"printf x >> {UNSEEN}"))
    assert all("this conversation has no session yet" in result for result in second.results[1:])
    assert "ATTEMPTS = 4" in (desk.root / TARGET).read_text()


@CODEX
def test_codex_in_advise_mode_writes_and_is_told(desk: Desk):
    desk = Desk(desk.root, desk.home, "advise")
    old = (desk.root / TARGET).read_text()
    talk = desk.codex(say("exec_command", cmd=f"printf '{NEW}' >> {TARGET}"))
    assert (desk.root / TARGET).read_text() == old + NEW
    assert "shirube (advice): " in talk.text


def only_the_start(file: Path) -> None:
    """Leave of the installed hooks the one at the start, so that no other can have done its work."""
    hooks = json.loads(file.read_text())["hooks"]
    file.write_text(json.dumps({"hooks": {"SessionStart": hooks["SessionStart"]}}))


def snapshots(desk: Desk) -> list[Path]:
    return list((project_directory(desk.home / "state", desk.root) / GATE).glob("*.json"))


@CLAUDE
def test_the_hook_that_is_installed_for_claude_code_takes_the_snapshot_at_the_start(desk: Desk):
    desk.run("shirube", "install", "claude-code", "--type", "hooks")
    only_the_start(desk.root / ".claude" / "settings.json")
    with talking(Talk([])) as address:
        desk.run("env", f"ANTHROPIC_BASE_URL={address}", "claude", "-p", "go", "--dangerously-skip-permissions")
    assert len(snapshots(desk)) == 1


@CODEX
def test_the_hook_that_is_installed_for_codex_takes_the_snapshot_at_the_start(desk: Desk):
    place = desk.home / ".codex"
    desk.run("shirube", "install", "codex", "--type", "hooks", "--scope", "user")
    only_the_start(place / "hooks.json")
    with talking(Talk([])) as address:
        (place / "config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "mock"\n'
            f'[model_providers.mock]\nname = "mock"\nbase_url = "{address}/v1"\nwire_api = "responses"\n'
        )
        desk.run(
            *("codex", "exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust"),
            *("--dangerously-bypass-approvals-and-sandbox", "go"),
        )
    assert len(snapshots(desk)) == 1
