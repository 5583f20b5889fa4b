"""The agents, a row each: where their files are, in which form, and what an entry of ours looks like in them.

Places begin with a name in braces (``{root}`` is the project, ``{home}`` the user's home; the others follow the agents'
own rules); of several alternatives the first that exists is taken, else the first. In shapes ``{program}`` is our
program, and a list ``["{program}", …]`` or ``["{args}"]`` takes what follows it. What is marked "documented" in the
README was not tried with the agent itself.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

PROJECT, USER = "project", "user"
SCOPES = (PROJECT, USER)
KINDS = ("mcp", "instructions", "commands", "hooks")
DEFAULT_KINDS = ("mcp", "instructions", "commands")
"""Hooks run before every tool call of the agent, so they come only when they are asked for."""
SERVER = "shirube"
EVENTS = ("start", "before", "after", "stop")
GATE_MODES = ("advise", "block")

Places = Mapping[str, tuple[str, ...]]
"""Alternatives by scope."""


class Registration(Struct, frozen=True):
    """Where and how an agent is told of an MCP server."""

    places: Places
    pointer: tuple[str, ...]
    entry: Mapping[str, Any]
    form: str = "json"


class Hooks(Struct, frozen=True):
    """Where and how an agent is told to call the gate; ``events`` leads from ours to its own, with a matcher."""

    places: Places
    events: Mapping[str, tuple[str, str]]
    shape: Mapping[str, Any]
    always: Mapping[str, Any] = {}
    """Members that the file needs besides, if they are missing."""


class Commands(Struct, frozen=True):
    """Where an agent looks for slash commands, one file for each; ``{name}`` is the flow's."""

    places: Places
    form: str
    """Whose manner: claude, opencode, gemini (TOML), skill, described (only a description), bare (only the text)"""


class Agent(Struct, frozen=True):
    """One agent."""

    name: str
    title: str
    signs: tuple[str, ...]
    """Programs on the path and places on disk that tell of it."""
    mcp: Registration
    instructions: Places = {}
    commands: Commands | None = None
    hooks: Hooks | None = None
    notes: Mapping[str, str] = {}
    """What is left for the user to do, by scope or by kind: codes of messages."""


SERVE = ("serve",)
FOLDER = ("--root", "${workspaceFolder}", "serve")
STDIO = {"type": "stdio", "command": "{program}", "args": ["{args}"]}
PLAIN = {"command": "{program}", "args": ["{args}"]}
MATCHED = {"matcher": "{matcher}", "hooks": [{"type": "command", "command": "{command}", "timeout": 10}]}
AGENTS_MD = ("{root}/AGENTS.md",)

AGENTS: tuple[Agent, ...] = (
    Agent(
        name="claude-code",
        title="Claude Code",
        signs=("claude", "{claude}", "{root}/.claude", "{root}/CLAUDE.md", "{root}/.mcp.json"),
        mcp=Registration(
            {PROJECT: ("{root}/.mcp.json",), USER: ("{claude_state}/.claude.json",)}, ("mcpServers", SERVER), STDIO
        ),
        instructions={PROJECT: ("{root}/CLAUDE.md", "{root}/.claude/CLAUDE.md"), USER: ("{claude}/CLAUDE.md",)},
        commands=Commands(
            {PROJECT: ("{root}/.claude/commands/{name}.md",), USER: ("{claude}/commands/{name}.md",)}, "claude"
        ),
        hooks=Hooks(
            {PROJECT: ("{root}/.claude/settings.json",), USER: ("{claude}/settings.json",)},
            {
                "start": ("SessionStart", ""),
                "before": ("PreToolUse", "Edit|Write|MultiEdit|NotebookEdit|Bash"),
                "after": ("PostToolUse", "Edit|Write|MultiEdit|NotebookEdit|Bash"),
                "stop": ("Stop", ""),
            },
            MATCHED,
        ),
        notes={PROJECT: "install.claude_asks"},
    ),
    Agent(
        name="codex",
        title="Codex",
        signs=("codex", "{codex}", "{root}/.codex"),
        mcp=Registration(
            {PROJECT: ("{root}/.codex/config.toml",), USER: ("{codex}/config.toml",)},
            ("mcp_servers", SERVER),
            PLAIN,
            "toml",
        ),
        instructions={PROJECT: AGENTS_MD, USER: ("{codex}/AGENTS.md",)},
        commands=Commands(
            {
                PROJECT: ("{root}/.agents/skills/shirube-{name}/SKILL.md",),
                USER: ("{home}/.agents/skills/shirube-{name}/SKILL.md",),
            },
            "skill",
        ),
        hooks=Hooks(
            {PROJECT: ("{root}/.codex/hooks.json",), USER: ("{codex}/hooks.json",)},
            {
                "start": ("SessionStart", ""),
                "before": ("PreToolUse", "apply_patch|Bash"),
                "after": ("PostToolUse", "apply_patch|Bash"),
                "stop": ("Stop", ""),
            },
            MATCHED,
        ),
        notes={
            PROJECT: "install.codex_trusts",
            "hooks": "install.codex_reviews",
        },
    ),
    Agent(
        name="gemini",
        title="Gemini CLI",
        signs=("gemini", "{home}/.gemini", "{root}/.gemini", "{root}/GEMINI.md"),
        mcp=Registration(
            {PROJECT: ("{root}/.gemini/settings.json",), USER: ("{home}/.gemini/settings.json",)},
            ("mcpServers", SERVER),
            PLAIN,
        ),
        instructions={PROJECT: ("{root}/GEMINI.md",), USER: ("{home}/.gemini/GEMINI.md",)},
        commands=Commands(
            {PROJECT: ("{root}/.gemini/commands/{name}.toml",), USER: ("{home}/.gemini/commands/{name}.toml",)},
            "gemini",
        ),
        hooks=Hooks(
            {PROJECT: ("{root}/.gemini/settings.json",), USER: ("{home}/.gemini/settings.json",)},
            {
                "start": ("SessionStart", ""),
                "before": ("BeforeTool", "write_file|replace|run_shell_command"),
                "after": ("AfterTool", "write_file|replace|run_shell_command"),
                "stop": ("AfterAgent", ""),
            },
            {
                "matcher": "{matcher}",
                "hooks": [{"name": "shirube-gate", "type": "command", "command": "{command}", "timeout": 10_000}],
            },
        ),
        notes={PROJECT: "install.gemini_trusts"},
    ),
    Agent(
        name="opencode",
        title="opencode",
        signs=("opencode", "{config}/opencode", "{root}/.opencode", "{root}/opencode.json", "{root}/opencode.jsonc"),
        mcp=Registration(
            {
                PROJECT: ("{root}/opencode.json", "{root}/opencode.jsonc"),
                USER: ("{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc"),
            },
            ("mcp", SERVER),
            {"type": "local", "command": ["{program}", "{args}"], "enabled": True},
        ),
        instructions={PROJECT: AGENTS_MD, USER: ("{config}/opencode/AGENTS.md",)},
        commands=Commands(
            {
                PROJECT: ("{root}/.opencode/commands/{name}.md",),
                USER: ("{config}/opencode/commands/{name}.md",),
            },
            "opencode",
        ),
    ),
    Agent(
        name="cursor",
        title="Cursor",
        signs=("cursor", "{home}/.cursor", "{root}/.cursor"),
        mcp=Registration(
            {PROJECT: ("{root}/.cursor/mcp.json",), USER: ("{home}/.cursor/mcp.json",)},
            ("mcpServers", SERVER),
            {"command": "{program}", "args": [*FOLDER]},
        ),
        instructions={PROJECT: AGENTS_MD},
        commands=Commands(
            {PROJECT: ("{root}/.cursor/commands/{name}.md",), USER: ("{home}/.cursor/commands/{name}.md",)}, "bare"
        ),
        hooks=Hooks(
            {PROJECT: ("{root}/.cursor/hooks.json",), USER: ("{home}/.cursor/hooks.json",)},
            {
                "start": ("sessionStart", ""),
                "before": ("preToolUse", "Write|StrReplace|Edit|Delete|Shell"),
                "after": ("postToolUse", "Write|StrReplace|Edit|Delete|Shell"),
                "stop": ("stop", ""),
            },
            {"command": "{command}", "matcher": "{matcher}", "timeout": 10},
            {"version": 1},
        ),
    ),
    Agent(
        name="vscode",
        title="VS Code (Copilot)",
        signs=("code", "{root}/.vscode"),
        mcp=Registration(
            {PROJECT: ("{root}/.vscode/mcp.json",), USER: ("{code}/mcp.json",)},
            ("servers", SERVER),
            {"type": "stdio", "command": "{program}", "args": [*FOLDER]},
        ),
        instructions={PROJECT: AGENTS_MD},
        commands=Commands(
            {PROJECT: ("{root}/.github/prompts/{name}.prompt.md",), USER: ("{code}/prompts/{name}.prompt.md",)},
            "described",
        ),
    ),
    Agent(
        name="windsurf",
        title="Windsurf",
        signs=("windsurf", "{home}/.codeium/windsurf", "{root}/.windsurf"),
        mcp=Registration({USER: ("{home}/.codeium/windsurf/mcp_config.json",)}, ("mcpServers", SERVER), PLAIN),
        instructions={PROJECT: AGENTS_MD},
        commands=Commands({PROJECT: ("{root}/.windsurf/workflows/{name}.md",)}, "described"),
    ),
    Agent(
        name="zed",
        title="Zed",
        signs=("zed", "zeditor", "{config}/zed", "{root}/.zed"),
        mcp=Registration({USER: ("{config}/zed/settings.json",)}, ("context_servers", SERVER), PLAIN),
        instructions={PROJECT: AGENTS_MD, USER: ("{config}/zed/AGENTS.md",)},
    ),
)
ALIASES = {"claude": "claude-code", "gemini-cli": "gemini", "copilot": "vscode", "code": "vscode"}
