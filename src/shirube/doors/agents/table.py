"""What is known of each agent. ``agents.toml`` has a table for each and explains how places and shapes are written."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, convert

from shirube.codec import packaged

PROJECT, USER = "project", "user"
SCOPES = (PROJECT, USER)
KINDS = ("mcp", "instructions", "commands", "hooks", "scout")
DEFAULT_KINDS = ("mcp", "instructions")
"""Users must ask for the others: commands and hooks need the tools of sessions, and a scout is an agent of its own."""
SESSION_KINDS = ("commands", "hooks")
"""Where one of these is installed, the server lists the tools that they name."""
SERVER = "shirube"
COMMAND = "michishirube"
"""What agents start: another project's program is called ``shirube``, too, but none has this name."""
TEAM_SERVER = "shirube-team"
SERVE = "serve"
EVENTS = ("start", "before", "after", "stop", "compact")
"""The events of our hooks; ``compact`` is left out where an agent tells it by another start."""
GATE_MODES = ("advise", "block")

Places = Mapping[str, tuple[str, ...]]
"""The alternative paths of one file by scope (project, user): the first that exists is used, else the first.

A scope that is left out has no such file: its pieces are skipped, with a row that says so.
"""


class Registration(Struct, frozen=True, forbid_unknown_fields=True):
    """Where and how an MCP server is registered with an agent."""

    places: Places
    pointer: tuple[str, ...]
    """The keys that lead to our entry in the file."""
    entry: Mapping[str, Any]
    form: str = "json"
    """json (comments are allowed), toml"""
    remote: Mapping[str, Any] = {}
    """An entry of a server at an address, as a team has one; it names the variable with the token, never the token."""


class Hooks(Struct, frozen=True, forbid_unknown_fields=True):
    """Where and how an agent's hooks are configured; ``events`` maps our events to its own, with a matcher."""

    places: Places
    events: Mapping[str, tuple[str, str]]
    shape: Mapping[str, Any]
    always: Mapping[str, Any] = {}
    """Further members that the file needs; added if they are missing."""


class Commands(Struct, frozen=True, forbid_unknown_fields=True):
    """Where an agent looks for slash commands, one file for each; ``{name}`` is the flow's."""

    places: Places
    form: str
    """The format: claude, opencode, gemini (TOML), skill, described (only a description), bare (only the text)"""


class Scout(Struct, frozen=True, forbid_unknown_fields=True):
    """Where and how an agent defines a sub-agent; ``tool`` is how it names a tool of our server."""

    places: Places
    form: str
    """The format: claude, opencode, gemini, cursor (all of them Markdown) or codex (TOML)"""
    tool: str = "{name}"


class Agent(Struct, frozen=True, forbid_unknown_fields=True):
    """One agent."""

    name: str
    """The name on the command line; also the name of its table."""
    title: str
    """The name in messages."""
    signs: tuple[str, ...]
    """Programs on the path and files on disk that show that it is installed."""
    mcp: Registration
    instructions: Places = {}
    commands: Commands | None = None
    hooks: Hooks | None = None
    scout: Scout | None = None
    notes: Mapping[str, str] = {}
    """Codes of messages about what the user still has to do, by scope or kind."""


AGENTS: tuple[Agent, ...] = tuple(
    convert({"name": name, **row}, Agent) for name, row in packaged("shirube.doors.agents", "agents.toml").items()
)
ALIASES = {"claude": "claude-code", "gemini-cli": "gemini", "copilot": "vscode", "code": "vscode"}
