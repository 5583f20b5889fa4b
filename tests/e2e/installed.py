"""A small project under git, with everything installed by ``shirube install``, and agents that work in it."""

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.e2e.agents import shell, tool
from tests.e2e.node import run_in, search_path
from tests.e2e.talks import Talk, Turn, Use, talking

OLD, NEW = "range(ATTEMPTS)", "range(ATTEMPTS + 2)"
RETRY, PAYMENT = "src/shop/retry.py", "src/shop/payment.py"
FILES = {
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
    "README.md": "# Shop\n\nFailed payments are retried three times.\n\n支払いに失敗したときは、三回まで再試行する。\n",
    "src/shop/__init__.py": '"""The shop."""\n',
    RETRY: '''\
"""Trying again."""

from collections.abc import Callable

ATTEMPTS = 3


def with_retries(action: Callable[[], str]) -> str:
    """Retry a failed payment until it works; 決済の再試行を三回まで行う."""
    for attempt in range(ATTEMPTS):
        try:
            return action()
        except OSError:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")
''',
    PAYMENT: '''\
"""Taking money."""

from shop.retry import with_retries


class Gateway:
    """Talks to the bank."""

    def charge_card(self, amount: int) -> str:
        """Charge the card once and return the number of the receipt."""
        return f"receipt-{amount}"


def checkout(gateway: Gateway, amount: int) -> str:
    """Charge the card, trying again when the bank is slow."""
    return with_retries(lambda: gateway.charge_card(amount))
''',
    "src/shop/mail.py": '''\
"""Letters to customers."""


def send_receipt(address: str, receipt: str) -> str:
    """Send the receipt to the customer."""
    return f"to {address}: {receipt}"
''',
    "tests/test_retry.py": """\
from shop.payment import Gateway, checkout


def test_checkout_returns_a_receipt():
    assert checkout(Gateway(), 5) == "receipt-5"
""",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
}
INSTALLED_AS = {"claude": "claude-code", "codex": "codex"}
COMMAND = {"claude": "/{name} {words}", "codex": "$shirube-{name} {words}"}
"""How a user calls one of our commands; Codex has them as skills."""


def read(path: Path) -> Use:
    """Return a call of Claude Code's own reading tool."""
    return Use("Read", {"file_path": str(path)})


def replacing(agent: str, root: Path, path: str, old: str, new: str) -> Use:
    """Return the agent's own edit: some text of one line for other text."""
    if agent == "claude":
        return Use("Edit", {"file_path": str(root / path), "old_string": old, "new_string": new})
    line = next(line for line in FILES[path].splitlines() if old in line)
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{line}\n+{line.replace(old, new)}\n*** End Patch\n"
    return Use("apply_patch", {}, freeform=patch)


def handle_in(shown: list[str]) -> str:
    """Return the handle that ``start_session`` gave."""
    return next(found[0] for text in shown if (found := re.search(r"\bs_[0-9a-f]{12}\b", text)))


def step(agent: str, name: str, **arguments: Any) -> Turn:
    """Return a call of our tool with the session's handle."""
    return lambda shown: tool(agent, name, session_id=handle_in(shown), **arguments)


def run_command(agent: str, command: str) -> Use:
    """Return a call of the agent's own shell; as a login shell, Codex's would look for programs elsewhere."""
    call = shell(agent, command)
    return replace(call, arguments={**call.arguments, "login": False}) if agent == "codex" else call


@dataclass(frozen=True)
class Installed:
    """A project in which an agent has our server, instructions, commands and the gate in block mode."""

    agent: str
    root: Path
    home: Path

    @property
    def environ(self) -> dict[str, str]:
        """What a user's terminal holds; nothing in it tells of us."""
        passed = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
        client = {"ANTHROPIC_API_KEY": "none", "IS_SANDBOX": "1", "CODEX_HOME": str(self.home / ".codex")}
        return {**passed, **client, "PATH": search_path(), "HOME": str(self.home), "TERM": "dumb"}

    def run(self, *command: str, **environ: str) -> str:
        """Run a program in the project; it has to succeed."""
        done = run_in(self.root, command, {**self.environ, **environ})
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    def talk(self, prompt: str, *turns: Turn) -> Talk:
        """Have one conversation, and return what the model was shown in it."""
        waited: Callable[[list[str]], Use] = lambda shown: run_command(self.agent, "sleep 2")  # noqa: E731
        talk = Talk([waited, *turns])  # agents do not wait for servers to be there
        with talking(talk) as address:
            if self.agent == "claude":
                self.run("claude", "-p", prompt, "--dangerously-skip-permissions", ANTHROPIC_BASE_URL=address)
            else:
                self._trust(address)
                bypass = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox")
                self.run("codex", "exec", "--json", *bypass, prompt)
        return talk

    def _trust(self, address: str) -> None:
        """Write what Codex writes when its user trusts the project, and where the model is."""
        (self.home / ".codex").mkdir(exist_ok=True)
        (self.home / ".codex" / "config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "mock"\n'
            f'[model_providers.mock]\nname = "mock"\nbase_url = "{address}/v1"\nwire_api = "responses"\n'
            f'[projects."{self.root}"]\ntrust_level = "trusted"\n'
        )


def install(agent: str, base: Path) -> Installed:
    """Make the project and the home of its user, and install everything for an agent."""
    made = Installed(agent, (base / "shop").resolve(), base / "home")
    for path, text in FILES.items():
        (made.root / path).parent.mkdir(parents=True, exist_ok=True)
        (made.root / path).write_text(text, "utf-8")
    (made.home / ".config" / "shirube").mkdir(parents=True)
    (made.home / ".config" / "shirube" / "config.toml").write_text('[embed]\nmodel = "hashed"\n')
    kinds = "mcp,instructions,commands,hooks"
    made.run("shirube", "install", INSTALLED_AS[agent], "--type", kinds, "--gate", "block")
    names = ("-c", "user.name=t", "-c", "user.email=t@t")
    for words in (("init", "-q"), ("add", "-A"), (*names, "commit", "-qm", "begin")):
        subprocess.run(["git", *words], cwd=made.root, check=True)
    return made
