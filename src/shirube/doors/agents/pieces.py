"""The pieces to put into an agent's files: the rows of the table, filled in."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from shirube.doors.agents.jsonc import Pointer
from shirube.doors.agents.table import AGENTS, ALIASES, COMMAND, SERVE, SERVER, TEAM_SERVER, Agent, Places
from shirube.errors import BadArgument, UnknownName
from shirube.features.guard.flows import FLOWS, SCOUT, SCOUT_TOOLS, Flow, instructions, scout

MARK = "gate --hook "
"""Text in every hook command of ours, whatever the path of the program; it identifies them."""
SECONDS = 6
"""Less than the ten seconds after which an agent stops waiting and continues without an answer."""

_LINES = (
    # ``timeout`` limits the time where that program exists; the gate also has a limit of its own. No unquoted
    # variable relies on word splitting, because not every shell does that.
    "if command -v timeout >/dev/null 2>&1; then out=$(timeout -k 1 {seconds} {call}); else out=$({call}); fi; rc=$?; ",
    'case "$rc:$out" in 0:ALLOW) exit 0;; '
    # With 2 even an agent that cannot read the JSON refuses; after a tool Claude Code would show our command for it.
    '"0:ALLOW {{"*) printf "%s\\n" "${{out#* }}"; exit 0;; '
    '"2:BLOCK {{"*"}}") printf "%s\\n" "${{out#* }}"; exit {denied};; 2:BLOCK*) exit 2;; esac; ',
    'echo "shirube: the gate failed (code $rc), {said}; try: shirube doctor" >&2; exit {code}',
)
_CALL = "{program} gate --hook {event} --agent {agent} --mode {mode}"


def hook_command(program: str, agent: str, event: str, mode: str) -> str:
    """Return the command line of a hook; only the hook before a tool can still stop it, so only that fails closed."""
    closed = mode == "block" and event == "before"
    return "".join(_LINES).format(
        seconds=SECONDS,
        call=_CALL.format(program=shlex.quote(program), event=event, agent=agent, mode=mode),
        said="so this is refused" if closed else "so nothing was checked",
        code=2 if closed else 1,
        denied=2 if event == "before" else 0,
    )


def hook_script() -> str:
    """Return the same as a script for the plugin: the event is its first argument, the mode comes from settings."""
    call = _CALL.format(program=COMMAND, event='"$1"', agent="claude-code", mode='"$mode"')
    lines = [
        line.format(seconds=SECONDS, call=call, said="$said", code='"$code"', denied='"$denied"').removesuffix("; ")
        for line in _LINES
    ]
    return "\n".join(
        [
            "#!/bin/sh",
            "# Between a hook of Claude Code and the gate: without a clear word from the gate, the mode decides.",
            'mode="${CLAUDE_PLUGIN_OPTION_GATE_MODE:-${SHIRUBE_GATE_MODE:-advise}}"',
            # Even without a gate the server has to learn that a conversation was compacted, which is another start.
            'if [ "$mode" = off ] && [ "$1" != start ]; then exit 0; fi',
            'if [ "$mode" != block ] && ! command -v michishirube >/dev/null 2>&1; then exit 0; fi',
            'said="so nothing was checked"; code=1; denied=0',
            'if [ "$1" = before ]; then denied=2; fi',
            'if [ "$mode" = block ] && [ "$1" = before ]; then said="so this is refused"; code=2; fi',
            *lines,
            "",
        ]
    )


GIVEN = {"gemini": "{{args}}", "claude": "$ARGUMENTS", "opencode": "$ARGUMENTS"}
"""The placeholder for a slash command's arguments, in formats that have one."""


class Piece(Struct, frozen=True):
    """One thing to put into one file."""

    agent: str
    kind: str
    """mcp, instructions, commands, hooks or scout"""
    path: Path
    form: str
    """json and toml (a member), item (of a list in JSON), block (between marks) or file (all of it)"""
    value: Any
    pointer: Pointer = ()
    filler: bool = False
    """Whether it is only needed together with other pieces of the file, and goes when they go."""

    @property
    def key(self) -> str:
        """The identity of a piece among those of one file."""
        return f"{self.kind}:{'.'.join(self.pointer)}"


class Setting(Struct, frozen=True):
    """What the pieces depend on: the scope, the directories, and the path of our program."""

    scope: str
    directories: Mapping[str, Path]
    program: str
    gate: str = "advise"
    toolsets: Mapping[str, tuple[str, ...]] = {}
    """What each agent's server lists besides the tools of every day."""
    team: str = ""
    """The address of a team's server, when its entry is meant instead of that of our own."""

    def serve(self, agent: str) -> tuple[str, ...]:
        """Return the arguments that start an agent's server."""
        more = self.toolsets.get(agent, ())
        return (SERVE, "--toolsets", ",".join(("core", *more))) if more else (SERVE,)


def pieces_of(agent: Agent, kinds: tuple[str, ...], setting: Setting) -> Iterator[Piece]:
    """Yield the pieces of some kinds for an agent."""
    makers = {"mcp": _mcp, "instructions": _instructions, "commands": _commands, "hooks": _hooks, "scout": _scout}
    for kind in kinds:
        yield from makers[kind](agent, setting)


def lacking(agent: Agent, kind: str, scope: str, is_team: bool = False) -> bool:
    """Tell whether an agent has no file for a kind of piece in a scope, or no entry of a team's server."""
    places: Places = {
        "mcp": agent.mcp.places if agent.mcp.remote or not is_team else {},
        "instructions": agent.instructions,
        "commands": agent.commands.places if agent.commands else {},
        "hooks": agent.hooks.places if agent.hooks else {},
        "scout": agent.scout.places if agent.scout else {},
    }[kind]
    return scope not in places


def locate(template: str, directories: Mapping[str, Path]) -> Path:
    """Return the path for a template of the table, such as ``{home}/.codex``."""
    base, _, rest = template.partition("/")
    return directories[base.strip("{}")] / rest


def _place(places: Places, setting: Setting, name: str = "") -> Path | None:
    """Return the first alternative that exists, else the first; ``name`` is the flow's, for a command."""
    templates = [template.replace("{name}", name) for template in places.get(setting.scope, ())]
    paths = [locate(template, setting.directories) for template in templates]
    return next((path for path in paths if path.exists()), paths[0] if paths else None)


def _mcp(agent: Agent, setting: Setting) -> Iterator[Piece]:
    row = agent.mcp
    path = _place(row.places, setting)
    if path and setting.team:
        if row.remote:
            entry = _filled(row.remote, {"url": setting.team})
            yield Piece(agent.name, "mcp", path, row.form, entry, (*row.pointer[:-1], TEAM_SERVER))
    elif path:
        words = {"program": setting.program, "args": setting.serve(agent.name)}
        yield Piece(agent.name, "mcp", path, row.form, _filled(row.entry, words), row.pointer)


def _instructions(agent: Agent, setting: Setting) -> Iterator[Piece]:
    if path := _place(agent.instructions, setting):
        yield Piece(agent.name, "instructions", path, "block", instructions())


def _commands(agent: Agent, setting: Setting) -> Iterator[Piece]:
    for flow in FLOWS if agent.commands else ():
        if agent.commands and (path := _place(agent.commands.places, setting, flow.name)):
            yield Piece(agent.name, "commands", path, "file", command_file(flow, agent.commands.form))


def _hooks(agent: Agent, setting: Setting) -> Iterator[Piece]:
    row = agent.hooks
    path = _place(row.places, setting) if row else None
    if row is None or path is None:
        return
    for name, value in row.always.items():
        yield Piece(agent.name, "hooks", path, "json", value, (name,), filler=True)
    for event, (theirs, matcher) in row.events.items():
        command = hook_command(setting.program, agent.name, event, setting.gate)
        value = _filled(row.shape, {"matcher": matcher, "command": command})
        yield Piece(agent.name, "hooks", path, "item", value, ("hooks", theirs))


def _scout(agent: Agent, setting: Setting) -> Iterator[Piece]:
    if agent.scout and (path := _place(agent.scout.places, setting)):
        yield Piece(agent.name, "scout", path, "file", scout_file(agent.scout.form, (agent.scout.tool,)))


def _filled(shape: Any, words: Mapping[str, Any]) -> Any:
    """Return a shape with placeholders replaced; a tuple expands inside a list, and empty members are dropped."""
    if isinstance(shape, Mapping):
        return {name: value for name, inner in shape.items() if (value := _filled(inner, words)) != ""}
    if isinstance(shape, list):
        items = [_filled(inner, words) for inner in shape]
        return [part for item in items for part in (item if isinstance(item, tuple) else (item,))]
    if isinstance(shape, str) and shape.startswith("{") and shape.strip("{}") in words:
        return words[shape.strip("{}")]
    return shape


def command_file(flow: Flow, form: str) -> str:
    """Return a flow as a file that an agent offers as a slash command or a skill."""
    body = flow.text(GIVEN.get(form, ""))
    if form == "gemini":
        return f'description = "{flow.description}"\nprompt = """\n{body}"""\n'
    names = {"skill": ("name", "description"), "claude": ("description", "argument-hint"), "bare": ()}
    words = {"name": f"shirube-{flow.name}", "description": flow.description, "argument-hint": f"[{flow.argument}]"}
    lines = [f'{name}: "{words[name]}"' for name in names.get(form, ("description",))]
    return "\n".join(["---", *lines, "---", "", body]) if lines else body


def scout_file(form: str, tools: tuple[str, ...], name: str = f"{SERVER}-scout") -> str:
    """Return the scout as a file that defines a sub-agent; ``tools`` are the client's spellings of a tool's name."""
    names = [tool.format(name=one) for tool in tools for one in SCOUT_TOOLS]
    if form == "codex":
        head = f'name = "{name}"\ndescription = "{SCOUT}"\nsandbox_mode = "read-only"\n'
        return f'{head}developer_instructions = """\n{scout()}\n"""\n'
    lines = [f'description: "{SCOUT}"'] if form == "opencode" else [f"name: {name}", f'description: "{SCOUT}"']
    lines += {
        "claude": [f"tools: {', '.join(names)}"],
        "gemini": ["tools:", *(f"  - {one}" for one in names)],
        "opencode": ["mode: subagent", "permission:", '  "*": deny', *(f"  {one}: allow" for one in names)],
        "cursor": ["model: inherit", "readonly: true"],
    }[form]
    return "\n".join(["---", *lines, "---", "", scout(), ""])


def named_agents(names: list[str]) -> list[Agent]:
    """Return the agents with these names or aliases; ``all`` is every one."""
    if "all" in names:
        return list(AGENTS)
    known = {agent.name: agent for agent in AGENTS}
    chosen: dict[str, Agent] = {}
    for name in names:
        agent = known.get(ALIASES.get(name.lower(), name.lower()))
        if agent is None:
            raise UnknownName("agent", name, [*known, *ALIASES, "all"])
        chosen[agent.name] = agent
    return list(chosen.values())


def detected_agents(directories: Mapping[str, Path], which: Callable[[str], str | None]) -> list[Agent]:
    """Return the agents that seem installed: their program is on the path, or their settings directory exists."""
    found = [agent for agent in AGENTS if any(_is_there(sign, directories, which) for sign in agent.signs)]
    if not found:
        raise BadArgument("install.no_agent", names=[agent.name for agent in AGENTS])
    return found


def _is_there(sign: str, directories: Mapping[str, Path], which: Callable[[str], str | None]) -> bool:
    return locate(sign, directories).exists() if sign.startswith("{") else which(sign) is not None
