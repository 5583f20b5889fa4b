"""Settings as people really have them: comments, trailing commas, other servers, odd line ends, links, broken ones."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """One file, for which agent and scope; ``link`` is where it really is, ``mode`` its permissions."""

    name: str
    agent: str
    scope: str
    path: str
    """Below the project, or below the home for the scope user."""
    text: str
    kinds: str = "mcp"
    encoding: str = "utf-8"
    link: str = ""
    mode: int = 0o644

    @property
    def data(self) -> bytes:
        """Return the file as it is on disk."""
        return self.text.encode(self.encoding)


CLAUDE = """\
{
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://example.com/mcp",
      "headers": { "Authorization": "Bearer ${GITHUB_TOKEN}" }
    },
    "postgres": { "command": "npx", "args": ["-y", "pg-mcp", "postgres://localhost/app"] }
  }
}
"""
CLAUDE_STATE = """\
{
  "numStartups": 184,
  "tipsHistory": {"shift-enter": 180, "memory-command": 12},
  "projects": {
    "/home/user/app": {"allowedTools": [], "mcpServers": {}, "hasTrustDialogAccepted": true}
  },
  "oauthAccount": {"emailAddress": "user@example.com", "displayName": "山田 太郎"}
}"""
SETTINGS = """\
{
  "permissions": { "allow": ["Bash(npm run test:*)"], "deny": ["Read(./.env)"] },
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "~/bin/check.sh" }] }
    ],
    "Stop": []
  },
  "model": "opus"
}
"""
GEMINI = """\
{
  // how it looks
  "ui": { "theme": "GitHub", "hideTips": true },
  "general": { "vimMode": true }, /* fast fingers */
  "mcpServers": {
    // docs, kept local
    "docs": { "command": "docs-mcp", "args": [], "timeout": 30000 } // half a minute
    // more to come
  }
}
"""
OPENCODE = """\
{
\t"$schema": "https://opencode.ai/config.json",
\t"theme": "tokyonight",
\t"mcp": {
\t\t"linear": {
\t\t\t"type": "remote",
\t\t\t"url": "https://example.com/sse",
\t\t\t"enabled": false,
\t\t},
\t},
\t// local models
\t"provider": {},
}
"""
ZED = """\
// Zed settings
//
// For information on how to configure Zed, see the documentation.
{
  "ui_font_size": 16,
  "theme": {
    "mode": "system",
    "light": "One Light",
    "dark": "One Dark",
  },
  "context_servers": {},
}
"""
VSCODE = """\
{
    "inputs": [
        { "type": "promptString", "id": "key", "description": "API key", "password": true }
    ],
    "servers": {
        "fetch": {
            "type": "stdio",
            "command": "uvx",
            "args": ["mcp-server-fetch"],
            "env": { "KEY": "${input:key}" },
        },
    },
}
"""
LAST_LINE = '{"servers": {\n  "a": {"command": "a"}}}'
CODEX = """\
model = "gpt-5.4"
approval_policy = "on-request"   # ask me

[projects."/home/user/app"]
trust_level = "trusted"

[mcp_servers.context7]
command = "npx"
args = ["-y", "context7"]
env = { "KEY" = "x" }

[tui]
notifications = true

# the end
"""
CODEX_STRINGS = '''\
instructions = """
[mcp_servers.shirube]
is not a table here, only text.
"""
notify = [
  "python3",
  [ "nested", "list" ],
]

[[hooks.PreToolUse]]
matcher = "^Bash$"

[mcp_servers."with.dots"]
command = 'C:\\tools\\x.exe'
'''
AGENTS_MD = "# House rules\n\n- Run the tests.\n- 変数名は英語で。\n"
IN_ONE_LINE = 'mcp_servers = { a = { command = "a" } }\n'
NO_LIST = '{"hooks": {"PreToolUse": {}}}'
CONFLICT = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n"
OPEN_FENCE = "# a\n<!-- shirube:begin -->\nb\n"


def crlf(text: str) -> str:
    """Return a text with the line ends of another system."""
    return text.replace("\n", "\r\n")


MCP, STATE, SET = ".mcp.json", ".claude.json", ".claude/settings.json"
GEM, TOML, OWN = ".gemini/settings.json", ".codex/config.toml", ".config/opencode/opencode.json"

SAMPLES = (
    Sample("claude project with other servers", "claude-code", "project", MCP, CLAUDE),
    Sample("claude project, CRLF", "claude-code", "project", MCP, crlf(CLAUDE)),
    Sample("claude project, BOM", "claude-code", "project", MCP, "\ufeff" + CLAUDE),
    Sample("claude project, minified", "claude-code", "project", MCP, '{"mcpServers":{"a":{"command":"a"}}}'),
    Sample("claude project, empty object", "claude-code", "project", MCP, "{}"),
    Sample("claude project, empty servers", "claude-code", "project", MCP, '{\n  "mcpServers": {}\n}\n'),
    Sample("claude project, empty file", "claude-code", "project", MCP, ""),
    Sample("claude project, blank file", "claude-code", "project", MCP, "\n\n"),
    Sample("claude state, no servers, no last line end", "claude-code", "user", STATE, CLAUDE_STATE),
    Sample("claude state, private", "claude-code", "user", STATE, CLAUDE_STATE, mode=0o600),
    Sample("claude state, linked dotfile", "claude-code", "user", STATE, CLAUDE_STATE, link="dots/claude.json"),
    Sample("claude hooks beside others", "claude-code", "project", SET, SETTINGS, "hooks"),
    Sample("claude hooks in a linked dotfile", "claude-code", "user", SET, SETTINGS, "hooks", link="dots/settings"),
    Sample("claude instructions", "claude-code", "project", "CLAUDE.md", AGENTS_MD, "instructions"),
    Sample("claude instructions, no last line end", "claude-code", "project", "CLAUDE.md", "# Rules", "instructions"),
    Sample("claude instructions, CRLF", "claude-code", "user", ".claude/CLAUDE.md", "# a\r\n\r\nb\r\n", "instructions"),
    Sample("gemini with comments", "gemini", "project", GEM, GEMINI),
    Sample("gemini with comments, servers and hooks", "gemini", "user", GEM, GEMINI, "mcp,hooks"),
    Sample("gemini one line", "gemini", "user", GEM, '{"ui": {"theme": "Ayu"}}\n', "mcp,hooks"),
    Sample("opencode with tabs and trailing commas", "opencode", "project", "opencode.jsonc", OPENCODE),
    Sample("opencode, CRLF and tabs", "opencode", "user", OWN, crlf(OPENCODE)),
    Sample("opencode instructions", "opencode", "project", "AGENTS.md", AGENTS_MD + "\n\n", "instructions"),
    Sample("zed with comments before the object", "zed", "user", ".config/zed/settings.json", ZED),
    Sample("vscode with inputs and trailing commas", "vscode", "project", ".vscode/mcp.json", VSCODE),
    Sample("vscode user, braces on the last line", "vscode", "user", ".config/Code/User/mcp.json", LAST_LINE),
    Sample("cursor", "cursor", "user", ".cursor/mcp.json", CLAUDE, mode=0o640),
    Sample("cursor hooks", "cursor", "project", ".cursor/hooks.json", '{"version": 1, "hooks": {}}', "hooks"),
    Sample("windsurf", "windsurf", "user", ".codeium/windsurf/mcp_config.json", CLAUDE.replace("  ", "    ")),
    Sample("codex with other tables", "codex", "user", TOML, CODEX),
    Sample("codex, CRLF without last line end", "codex", "user", TOML, crlf(CODEX.strip())),
    Sample("codex with strings that look like tables", "codex", "project", TOML, CODEX_STRINGS),
    Sample("codex hooks", "codex", "user", ".codex/hooks.json", SETTINGS, "hooks"),
    Sample("codex, linked dotfile", "codex", "user", TOML, CODEX, link="dots/codex.toml"),
)

BROKEN = (
    Sample("a comma is missing", "claude-code", "project", MCP, '{"a": 1 "b": 2}'),
    Sample("a brace is missing", "claude-code", "project", MCP, CLAUDE.rstrip()[:-1]),
    Sample("cut off in a string", "claude-code", "user", STATE, CLAUDE_STATE[:150]),
    Sample("conflict marks", "gemini", "project", GEM, CONFLICT),
    Sample("two objects", "cursor", "project", ".cursor/mcp.json", "{}\n{}\n"),
    Sample("a list", "vscode", "project", ".vscode/mcp.json", "[]"),
    Sample("servers are a list", "claude-code", "project", MCP, '{"mcpServers": []}'),
    Sample("servers are null", "opencode", "project", "opencode.json", '{"mcp": null}'),
    Sample("hooks are no list", "claude-code", "project", SET, NO_LIST, "hooks"),
    Sample("single quotes", "zed", "user", ".config/zed/settings.json", "{'a': 1}"),
    Sample("UTF-16", "claude-code", "project", MCP, CLAUDE, encoding="utf-16"),
    Sample("deeply nested", "claude-code", "project", MCP, '{"a":' * 5000),
    Sample("an open comment", "gemini", "project", GEM, '{ /* "a": 1 }'),
    Sample("TOML with a table twice", "codex", "user", TOML, "[a]\nb = 1\n[a]\n"),
    Sample("TOML with a stray line", "codex", "user", TOML, "model = \n"),
    Sample("TOML with servers in one line", "codex", "user", TOML, IN_ONE_LINE),
    Sample("an open fence", "claude-code", "project", "CLAUDE.md", OPEN_FENCE, "instructions"),
    Sample("read-only", "claude-code", "project", MCP, CLAUDE, mode=0o444),
    Sample("read-only instructions", "codex", "project", "AGENTS.md", AGENTS_MD, "instructions", mode=0o400),
)
