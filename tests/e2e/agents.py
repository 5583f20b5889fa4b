"""The four agents in a project with our server, each with a model that does what a test wrote down."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.node import run_in, search_path
from tests.e2e.talks import Talk, Turn, Use, talking

PREFIX = {"claude": "mcp__shirube__", "codex": "", "gemini": "mcp_shirube_", "opencode": "shirube_"}
"""How each agent names the tools of a server to its model; Codex has a space of names for each server instead."""
SHELL = {
    "claude": ("Bash", "command", {"description": "look"}),
    "codex": ("exec_command", "cmd", {}),
    "gemini": ("run_shell_command", "command", {}),
    "opencode": ("bash", "command", {"description": "look"}),
}
UPFRONT = "gpt-5.1"
"""A model to which Codex lists all tools; for newer ones it has them searched for."""


def tool(agent: str, name: str, **arguments: Any) -> Use:
    """Return a call of one of our tools, as the agent's model makes it."""
    return Use(PREFIX[agent] + name, arguments, "mcp__shirube" if agent == "codex" else "")


def shell(agent: str, command: str) -> Use:
    """Return a call of the agent's own shell."""
    name, field, more = SHELL[agent]
    return Use(name, {field: command, **more})


@dataclass(frozen=True)
class Agent:
    """An agent in a project; ``options`` are those of our server."""

    name: str
    root: Path
    home: Path
    options: tuple[str, ...] = ()
    model: str = "hashed"
    """The model that our server finds meanings with."""

    @property
    def environ(self) -> dict[str, str]:
        """What the agent and the server see."""
        passed = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
        return {**passed, **self._ours, "PATH": search_path(), "HOME": str(self.home), "TERM": "dumb"}

    @property
    def _ours(self) -> dict[str, str]:
        directories = {name: str(self.home / name) for name in ("cache", "state")}
        places = {f"SHIRUBE_{name.upper()}_DIR": place for name, place in directories.items()}
        return {**places, "SHIRUBE_EMBED_MODEL": self.model}

    def run(self, *command: str, **environ: str) -> str:
        """Run a program in the project; it has to succeed."""
        done = run_in(self.root, command, {**self.environ, **environ})
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    def talk(self, *turns: Turn) -> Talk:
        """Let the agent work until its model has nothing more to do, and return what the model was shown."""
        talk = Talk([lambda shown: shell(self.name, "sleep 2"), *turns])  # agents do not wait for servers to be there
        self.work(talk)
        return talk

    def work(self, talk: Talk) -> None:
        """Let the agent work with a model."""
        with talking(talk) as address:
            getattr(self, f"_{self.name}")(address)

    def _claude(self, address: str) -> None:
        servers = self.home / "servers.json"
        server = {"command": "shirube", "args": ["serve", *self.options], "env": {}}
        servers.write_text(json.dumps({"mcpServers": {"shirube": server}}))
        self.run(
            *("claude", "-p", "go", "--dangerously-skip-permissions"),
            *("--mcp-config", str(servers), "--strict-mcp-config"),
            ANTHROPIC_BASE_URL=address,
            ANTHROPIC_API_KEY="none",
            IS_SANDBOX="1",
            ENABLE_TOOL_SEARCH="false",
        )

    def _codex(self, address: str) -> None:
        place = self.home / ".codex"
        place.mkdir(exist_ok=True)
        passed = "".join(f'{name} = "{value}"\n' for name, value in self._ours.items())
        (place / "config.toml").write_text(
            f'model = "{UPFRONT}"\nmodel_provider = "mock"\n'
            f'[model_providers.mock]\nname = "mock"\nbase_url = "{address}/v1"\nwire_api = "responses"\n'
            f'[mcp_servers.shirube]\ncommand = "shirube"\nargs = {json.dumps(["serve", *self.options])}\n'
            f"required = true\n[mcp_servers.shirube.env]\n{passed}"
        )
        self.run(
            *("codex", "exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox", "go"),
            CODEX_HOME=str(place),
        )

    def _gemini(self, address: str) -> None:
        place = self.home / ".gemini"
        place.mkdir(exist_ok=True)
        server = {"command": "shirube", "args": ["serve", *self.options], "env": self._ours, "trust": True}
        settings = {"mcpServers": {"shirube": server}, "security": {"auth": {"selectedType": "gemini-api-key"}}}
        (place / "settings.json").write_text(json.dumps(settings))
        self.run(
            *("gemini", "--yolo", "--model", "gemini-2.5-flash", "--prompt", "go"),
            GEMINI_API_KEY="none",
            GOOGLE_GEMINI_BASE_URL=address,
            GEMINI_CLI_TRUST_WORKSPACE="true",
        )

    def _opencode(self, address: str) -> None:
        place = self.home / ".config" / "opencode"
        place.mkdir(parents=True, exist_ok=True)
        server = {"type": "local", "command": ["shirube", "serve", *self.options], "enabled": True, "timeout": 60_000}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{address}/v1", "apiKey": "none"},
            "models": {"m": {"name": "m", "tool_call": True}},
        }
        config = {"mcp": {"shirube": server}, "provider": {"mock": provider}, "model": "mock/m"}
        (place / "opencode.json").write_text(json.dumps(config))
        self.run("opencode", "run", "go", OPENCODE_DISABLE_MODELS_FETCH="1", OPENCODE_DISABLE_AUTOUPDATE="1")


def listed(agent: str, talk: Talk) -> list[dict[str, Any]]:
    """Return our tools as the model was told of them: name, description and input schema."""
    tools = talk.asked[-1]["tools"]
    if agent == "codex":
        (ours,) = [space["tools"] for space in tools if space.get("name") == "mcp__shirube"]
        return [{"name": one["name"], "description": one["description"], "s": one["parameters"]} for one in ours]
    return [
        {"name": one["name"], "description": one["description"], "s": one["input_schema"]}
        for one in tools
        if one["name"].startswith(PREFIX[agent])
    ]


def tokens(value: Any) -> float:
    """Return what something costs: characters of compact JSON, divided by four."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) / 4
