"""What is known of each agent. ``agents.toml`` has a table for each and explains how places and shapes are written."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from msgspec import Struct, convert

PROJECT, USER = "project", "user"
SCOPES = (PROJECT, USER)
KINDS = ("mcp", "instructions", "commands", "hooks")
DEFAULT_KINDS = ("mcp", "instructions", "commands")
"""Hooks run before every tool call of the agent, so they come only when they are asked for."""
SERVER = "shirube"
EVENTS = ("start", "before", "after", "stop")
GATE_MODES = ("advise", "block")

Places = Mapping[str, tuple[str, ...]]
"""By scope (project, user) the places of one file, of which the first that exists is taken, else the first.

A scope that is left out has no such file: what belongs there is skipped, and the user is told.
"""


class Registration(Struct, frozen=True, forbid_unknown_fields=True):
    """Where and how an agent is told of an MCP server."""

    places: Places
    pointer: tuple[str, ...]
    """The keys that lead to our entry in the file."""
    entry: Mapping[str, Any]
    form: str = "json"
    """json (comments are allowed), toml"""


class Hooks(Struct, frozen=True, forbid_unknown_fields=True):
    """Where and how an agent is told to call the gate; ``events`` leads from ours to its own, with a matcher."""

    places: Places
    events: Mapping[str, tuple[str, str]]
    shape: Mapping[str, Any]
    always: Mapping[str, Any] = {}
    """Members that the file needs besides, if they are missing."""


class Commands(Struct, frozen=True, forbid_unknown_fields=True):
    """Where an agent looks for slash commands, one file for each; ``{name}`` is the flow's."""

    places: Places
    form: str
    """Whose manner: claude, opencode, gemini (TOML), skill, described (only a description), bare (only the text)"""


class Agent(Struct, frozen=True, forbid_unknown_fields=True):
    """One agent."""

    name: str
    """What is typed; the name of its table."""
    title: str
    """What messages call it."""
    signs: tuple[str, ...]
    """Programs on the path and places on disk that tell of it."""
    mcp: Registration
    instructions: Places = {}
    commands: Commands | None = None
    hooks: Hooks | None = None
    notes: Mapping[str, str] = {}
    """What is left for the user to do, by scope or by kind: codes of messages."""


SERVE = ("serve",)


def _read() -> tuple[Agent, ...]:
    rows = tomllib.loads(resources.files("shirube.doors.agents").joinpath("agents.toml").read_text("utf-8"))
    return tuple(convert({"name": name, **row}, Agent) for name, row in rows.items())


AGENTS: tuple[Agent, ...] = _read()
ALIASES = {"claude": "claude-code", "gemini-cli": "gemini", "copilot": "vscode", "code": "vscode"}
