"""The generated files of the Claude Code plugin; they share their sources with ``install``, so they never differ."""

import json
from typing import Any

from shirube import __version__
from shirube.doors.agents.pieces import Setting, command_file, hook_script, scout_file
from shirube.doors.agents.table import AGENTS, COMMAND, SERVER, USER
from shirube.features.guard.flows import FLOWS, instructions

MANIFEST: dict[str, Any] = {
    "name": SERVER,
    "version": __version__,
    "description": "Code intelligence that a coding agent consults before it writes. 書く前に尋ねるコード索引。",
    "author": {"name": "The shirube authors"},
    "license": "MIT",
    "keywords": ["code search", "mcp", "japanese"],
    "userConfig": {
        "gate_mode": {
            "type": "string",
            "title": "What the write gate does",
            "description": "off, advise (tell the model, never block) or block (no write before the session is ready)",
            "default": "advise",
        }
    },
}
CLAUDE = next(agent for agent in AGENTS if agent.name == "claude-code")
TOOLS = (f"mcp__plugin_{SERVER}_{SERVER}__{{name}}", f"mcp__{SERVER}__{{name}}")
"""How Claude Code names a tool of the plugin's server, and one of a server registered by hand."""
SKILL = (
    "Use before reading, explaining or changing code in this repository: finds where something is done, who uses a "
    "symbol and what a change touches, in English or Japanese. コードを読む前・変える前に使う。"
)


def plugin_files() -> dict[str, str]:
    """Return the generated files of the plugin by their paths in it."""
    setting = Setting(USER, {}, COMMAND, toolsets={CLAUDE.name: ("session",)})
    server = {"type": "stdio", "command": COMMAND, "args": [*setting.serve(CLAUDE.name)]}
    hooks: dict[str, Any] = {}
    for event, (theirs, matcher) in CLAUDE.hooks.events.items() if CLAUDE.hooks else ():
        script = {"command": "/bin/sh", "args": ["${CLAUDE_PLUGIN_ROOT}/bin/gate.sh", event]}
        call = {"type": "command", **script, "timeout": 10}
        hooks[theirs] = [{"matcher": matcher, "hooks": [call]} if matcher else {"hooks": [call]}]
    files = {
        ".claude-plugin/plugin.json": _json(MANIFEST),
        ".mcp.json": _json({"mcpServers": {SERVER: server}}),
        "hooks/hooks.json": _json({"hooks": hooks}),
        "bin/gate.sh": hook_script(),
        "agents/scout.md": scout_file("claude", TOOLS, "scout"),
        f"skills/{SERVER}/SKILL.md": f'---\nname: {SERVER}\ndescription: "{SKILL}"\n---\n\n{instructions()}\n',
    }
    return files | {f"commands/{flow.name}.md": command_file(flow, "claude") for flow in FLOWS}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
