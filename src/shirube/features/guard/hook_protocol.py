"""Hook events in one form for all agents, and the answers in the format of each agent.

The first word on stdout decides: ``ALLOW``, or ``BLOCK`` with exit code 2 and the reason on stderr, each with JSON for
the agent after it if it has to read some. The shell script between the agent and shirube accepts only these words, so
that silence, a crash or garbage never counts as permission.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from shirube.errors import BadArgument
from shirube.features.guard.programs import words_of

MOMENTS = ("start", "before", "after", "stop", "compact")
MODES = ("off", "advise", "block")
AGENTS = ("claude-code", "codex", "gemini", "cursor")
NAMING = ("claude-code", "codex", "gemini")
"""Agents that name the tool in every hook event."""
_EDITORS = words_of("Write Edit MultiEdit NotebookEdit apply_patch write_file replace edit StrReplace Delete TabWrite")
_SHELLS = words_of("Bash PowerShell Shell run_shell_command shell exec_command local_shell unified_exec write_stdin")
_READERS = words_of("Read NotebookRead ReadFile read_file read_many_files")
_FINDERS = words_of("Grep Glob grep_search search_file_content glob FindFiles SearchText")
_PATHS = ("file_path", "notebook_path", "path", "absolute_path", "target_file")
_PATCHES = ("command", "patch", "input")
_PATCHED = r"(?m)^\s*\*\*\*\s*(?:(?:Add|Update|Delete)\s+File|Move\s+to)\s*:\s*(.+?)\s*$"
"""A header of a patch; agents accept blanks around it."""
_CLIENTS = ("session_id", "conversation_id", "thread_id")
_RESPONSES = ("tool_response", "tool_output", "result_json", "output")
_START = r"(?:^|[_:./])start_session$"
"""The name of our tool, after whatever an agent puts before the names of a server's tools."""
_FORGETTING = ("compact", "clear", "resume")
ALLOW, BLOCK = "ALLOW", "BLOCK"
PASSED, FAILED, BLOCKED = 0, 1, 2
_EVENTS = {"before": "PreToolUse", "after": "PostToolUse", "start": "SessionStart"}
_GEMINI = {"before": "BeforeTool", "after": "AfterTool", "start": "SessionStart"}


class ToolKind(StrEnum):
    """What a tool does, judged by its name."""

    EDIT = "edit"
    SHELL = "shell"
    READ = "read"
    """It shows the files it is given."""
    FIND = "find"
    """It shows or names the files it finds."""
    START = "start"
    """It is our own ``start_session``."""
    OTHER = "other"


class HookEvent(NamedTuple):
    """One event that a hook asks about."""

    moment: str
    agent: str = "claude-code"
    client: str = ""
    """The agent's own name for its conversation."""
    helper: str = ""
    """The agent's own name for the sub-agent that called the tool; empty for the conversation itself."""
    cwd: str = ""
    tool: str = ""
    kind: ToolKind = ToolKind.OTHER
    targets: tuple[str, ...] = ()
    """The files a tool is about to write, or has read, as the agent spells them."""
    command: str = ""
    pattern: str = ""
    """What a tool looked for."""
    shown: str = ""
    """What a tool answered, after it ran."""
    again: bool = False
    """Whether the agent continued only because an earlier stop was refused."""
    forgot: bool = False
    """Whether the agent's conversation loses what it has read: it is compacted, cleared or resumed."""


def read_event(text: str, moment: str, agent: str) -> HookEvent:
    """Parse the JSON that an agent sends to a hook's standard input."""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument("guard.no_json", error=str(error)) from error
    if not isinstance(payload, Mapping):
        raise BadArgument("guard.no_object")
    tool = _text(payload.get("tool_name"))
    tool_input = payload.get("tool_input")
    if isinstance(tool_input, str):
        tool_input = {"command": tool_input}
    arguments = tool_input if isinstance(tool_input, Mapping) else payload
    kind = _kind(tool, payload)
    roots = payload.get("workspace_roots")
    return HookEvent(
        moment=moment,
        agent=agent,
        client=next((_text(payload[key]) for key in _CLIENTS if payload.get(key)), ""),
        helper=_text(payload.get("agent_id")),
        cwd=_text(payload.get("cwd")) or _text(roots[0] if isinstance(roots, list) and roots else ""),
        tool=tool,
        kind=kind,
        targets=_targets(arguments) if kind in (ToolKind.EDIT, ToolKind.READ, ToolKind.FIND) else (),
        command=_command(arguments.get("command") or arguments.get("chars")) if kind is ToolKind.SHELL else "",
        pattern=_text(arguments.get("pattern")),
        shown="\n".join(texts_of(next((payload[key] for key in _RESPONSES if key in payload), ""))),
        again=bool(payload.get("stop_hook_active") or payload.get("loop_count")),
        forgot=moment == "compact" or (moment == "start" and payload.get("source") in _FORGETTING),
    )


def _kind(tool: str, payload: Mapping[str, Any]) -> ToolKind:
    if tool in _EDITORS:
        return ToolKind.EDIT
    if tool in _READERS or tool in _FINDERS:
        return ToolKind.READ if tool in _READERS else ToolKind.FIND
    if tool.endswith("start_session") and re.search(_START, tool):
        return ToolKind.START
    return ToolKind.SHELL if tool in _SHELLS or (not tool and "command" in payload) else ToolKind.OTHER


def _targets(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    named = [_text(arguments[key]) for key in _PATHS if isinstance(arguments.get(key), str)]
    patches = [_text(arguments[key]) for key in _PATCHES if isinstance(arguments.get(key), str)]
    patched = [path for patch in patches for path in re.findall(_PATCHED, patch)]
    return tuple(dict.fromkeys(path for path in (*named, *patched) if path))


def _command(value: Any) -> str:
    """Return a command line; a list of words becomes its script after ``sh -c``, else the words quoted and joined."""
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return _text(value)
    if len(value) == 3 and value[0].rpartition("/")[2] in ("bash", "sh", "zsh") and value[1] in ("-c", "-lc"):
        return str(value[2])
    import shlex

    return shlex.join(value)


def texts_of(value: Any) -> Iterator[str]:
    """Yield every text in a tool's answer or arguments, whatever form an agent gives them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from texts_of(item)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


class HookAnswer(NamedTuple):
    """What the hook returns: a line on stdout, text on stderr, and the exit code."""

    out: str = ALLOW
    err: str = ""
    code: int = PASSED


def refuse(text: str, moment: str = "", agent: str = "") -> HookAnswer:
    """Return a refusal; agents read the reason from stderr.

    Claude Code would show the model the whole command line of the hook before it, so there it goes into JSON, too; at a
    stop it would then show it twice.
    """
    if agent != "claude-code" or moment not in _EVENTS:
        return HookAnswer(BLOCK, text, BLOCKED)
    denied = {"permissionDecision": "deny", "permissionDecisionReason": text}
    said = denied if moment == "before" else {"additionalContext": text}
    reply = {"hookSpecificOutput": {"hookEventName": _EVENTS[moment], **said}}
    return HookAnswer(f"{BLOCK} {json.dumps(reply)}", text, BLOCKED)


def advise(text: str, moment: str, agent: str) -> HookAnswer:
    """Return permission with a message for the model; at a stop the agents can only show it to the user."""
    if moment == "stop":
        reply: dict[str, object] = {} if agent == "cursor" else {"systemMessage": text}
    elif agent == "cursor":
        reply = {"permission": "allow", "agent_message": text} if moment == "before" else {"additional_context": text}
    else:
        events = _GEMINI if agent == "gemini" else _EVENTS
        reply = {"hookSpecificOutput": {"hookEventName": events[moment], "additionalContext": text}}
    return HookAnswer(f"{ALLOW} {json.dumps(reply)}" if reply else ALLOW)
