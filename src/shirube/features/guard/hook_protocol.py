"""What an agent's hook tells, in one shape whoever the agent is, and what is said back, in the words of each agent.

On stdout the first word decides: ``ALLOW``, with JSON for the agent after it if there is something to say, or ``BLOCK``
with exit code 2 and the reason on stderr. The lines of shell between the agent and us let pass only what they
understand, so that silence, a crash or rubbish never counts as leave.
"""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from shirube.errors import BadArgument
from shirube.features.guard.programs import words_of

MOMENTS = ("start", "before", "after", "stop")
MODES = ("off", "advise", "block")
AGENTS = ("claude-code", "codex", "gemini", "cursor")
NAMING = ("claude-code", "codex", "gemini")
"""Agents that name the tool in every question."""
_EDITORS = words_of("Write Edit MultiEdit NotebookEdit apply_patch write_file replace edit StrReplace Delete TabWrite")
_SHELLS = words_of("Bash PowerShell Shell run_shell_command shell exec_command local_shell unified_exec")
_PATHS = ("file_path", "notebook_path", "path", "absolute_path", "target_file")
_PATCHES = ("command", "patch", "input")
_PATCHED = r"(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$"
_CLIENTS = ("session_id", "conversation_id", "thread_id")
ALLOW, BLOCK = "ALLOW", "BLOCK"
PASSED, FAILED, BLOCKED = 0, 1, 2
_EVENTS = {"before": "PreToolUse", "after": "PostToolUse", "start": "SessionStart"}
_GEMINI = {"before": "BeforeTool", "after": "AfterTool", "start": "SessionStart"}


class ToolKind(StrEnum):
    """What a tool does, as far as its name tells."""

    EDIT = "edit"
    SHELL = "shell"
    OTHER = "other"


class HookEvent(NamedTuple):
    """One question of a hook."""

    moment: str
    agent: str = "claude-code"
    client: str = ""
    """The agent's own name for its session."""
    cwd: str = ""
    tool: str = ""
    kind: ToolKind = ToolKind.OTHER
    targets: tuple[str, ...] = ()
    """The files an editor tool is about to write, as the agent spells them."""
    command: str = ""
    again: bool = False
    """Whether the agent goes on only because a stop was refused."""


def read_event(text: str, moment: str, agent: str) -> HookEvent:
    """Read what a hook was handed on its standard input."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument("guard.no_json", error=str(error)) from error
    if not isinstance(told, Mapping):
        raise BadArgument("guard.no_object")
    tool = _text(told.get("tool_name"))
    given = told.get("tool_input")
    if isinstance(given, str):
        given = {"command": given}
    arguments = given if isinstance(given, Mapping) else told
    kind = _kind(tool, told)
    return HookEvent(
        moment=moment,
        agent=agent,
        client=next((_text(told[key]) for key in _CLIENTS if told.get(key)), ""),
        cwd=_text(told.get("cwd")) or _first(told.get("workspace_roots")),
        tool=tool,
        kind=kind,
        targets=_targets(arguments) if kind is ToolKind.EDIT else (),
        command=_command(arguments.get("command")) if kind is ToolKind.SHELL else "",
        again=bool(told.get("stop_hook_active") or told.get("loop_count")),
    )


def _kind(tool: str, told: Mapping[str, Any]) -> ToolKind:
    if tool in _EDITORS:
        return ToolKind.EDIT
    return ToolKind.SHELL if tool in _SHELLS or (not tool and "command" in told) else ToolKind.OTHER


def _targets(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    named = [_text(arguments[key]) for key in _PATHS if isinstance(arguments.get(key), str)]
    patches = [_text(arguments[key]) for key in _PATCHES if isinstance(arguments.get(key), str)]
    patched = [path for patch in patches for path in re.findall(_PATCHED, patch)]
    return tuple(dict.fromkeys(path for path in (*named, *patched) if path))


def _command(value: Any) -> str:
    """Return a command line; one that came as a list of words is put together only when nothing can go wrong."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        import shlex

        return str(value[-1]) if _is_script(value) else shlex.join(value)
    return _text(value)


def _is_script(words: list[str]) -> bool:
    return len(words) == 3 and words[0].rpartition("/")[2] in ("bash", "sh", "zsh") and words[1] in ("-c", "-lc")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _first(value: Any) -> str:
    return _text(value[0]) if isinstance(value, list) and value else ""


class HookAnswer(NamedTuple):
    """What goes out: a line on stdout, words on stderr, the exit code."""

    out: str = ALLOW
    err: str = ""
    code: int = PASSED


def refuse(text: str) -> HookAnswer:
    """Return a refusal; every agent with hooks reads the reason from stderr."""
    return HookAnswer(BLOCK, text, BLOCKED)


def advise(text: str, moment: str, agent: str) -> HookAnswer:
    """Return leave with words for the model; where an agent has no place for them, for the user."""
    if moment == "stop":
        told: dict[str, object] = {} if agent == "cursor" else {"systemMessage": text}
    elif agent == "cursor":
        told = {"permission": "allow", "agent_message": text} if moment == "before" else {"additional_context": text}
    else:
        events = _GEMINI if agent == "gemini" else _EVENTS
        told = {"hookSpecificOutput": {"hookEventName": events[moment], "additionalContext": text}}
    return HookAnswer(f"{ALLOW} {json.dumps(told)}" if told else ALLOW)
