"""The commands of the registries, and the flows ``code`` and ``outcome``, as MCP prompts: slash commands for people."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import mcp_types as types

from shirube.doors.mcp.bound import page_of
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.features.guard.flows import FLOWS
from shirube.messages import say

if TYPE_CHECKING:
    from shirube.features.commands.model import Command
    from shirube.features.commands.registry import Catalog

_log = logging.getLogger("shirube.doors.mcp")
INPUTS = {
    "stdin": "The text the command works on.",
    "file": "A file it works on, relative to the project.",
    "destination": "Where its result goes, relative to the project.",
}


def list_prompts(catalog: "Catalog", cursor: str | None) -> types.ListPromptsResult:
    """Return one page of the commands, in the order of their registries; an unreadable registry is left out."""
    prompts = [
        types.Prompt(
            name=name,
            title=command.id,
            description=command.description,
            arguments=[
                types.PromptArgument(name=argument, description=meaning, required=required)
                for argument, meaning, required in _arguments(command)
            ],
        )
        for name, (_, command) in named_commands(catalog).items()
    ]
    page, more = page_of(prompts, cursor)
    return types.ListPromptsResult(prompts=page, next_cursor=more)


def named_commands(catalog: "Catalog") -> "dict[str, tuple[str, Command]]":
    """Return agent and command by prompt name: ``git_group-commit_changes``, for agents but climpt ``AGENT_git_…``.

    Errors are logged, because a list of prompts cannot report them.
    """
    named: dict[str, tuple[str, Command]] = {}
    try:
        agents = list(catalog.agents())
    except ShirubeError as error:
        _log.warning("no prompts: %s", error)
        return named
    for agent in agents:
        try:
            commands = catalog.registry(agent).commands
        except ShirubeError as error:
            _log.warning("no prompts of agent %s: %s", agent, error)
            continue
        for command in commands:
            words = [command.c1, command.c2, command.c3]
            named.setdefault("_".join(words if agent == "climpt" else [agent, *words]), (agent, command))
    return named


def _arguments(command: "Command") -> Iterator[tuple[str, str, bool]]:
    """Yield name, meaning and whether it is required for each argument of a command; the required variables first."""
    options = command.options
    yield from ((f"uv-{name}", meaning, True) for name, meaning in options.uv.items())
    yield from ((name, meaning, False) for name, meaning in INPUTS.items() if getattr(options, name))
    for name in ("edition", "adaptation"):
        if len(values := getattr(options, name)) > 1:
            yield name, f"One of: {', '.join(values)}.", False


def execution_of(catalog: "Catalog", name: str, given: Mapping[str, str], others: Iterable[str] = ()) -> dict[str, Any]:
    """Return the arguments of ``command_execute`` for a prompt and the client's; ``others`` are further prompts."""
    known = named_commands(catalog)
    if name not in known:
        raise UnknownName("prompt", name, [*known, *others])
    agent, command = known[name]
    takes = [argument for argument, _, _ in _arguments(command)]
    for argument in given:
        if argument not in takes:
            raise UnknownName(say("terms.argument_of", prompt=name), argument, takes)
    missing = [argument for argument, _, required in _arguments(command) if required and not given.get(argument)]
    if missing:
        raise BadArgument("protocol.prompt_needs", name=name, missing=missing, first=missing[0])
    options = {argument: value for argument, value in given.items() if argument != "stdin" and value}
    words = {"c1": command.c1, "c2": command.c2, "c3": command.c3}
    return {**words, "agent": agent, "options": options, "stdin": given.get("stdin", "")}


def flow_prompts() -> list[types.Prompt]:
    """Return the flows as prompts for the list."""
    return [
        types.Prompt(
            name=flow.name,
            title=f"/{flow.name}",
            description=flow.description,
            arguments=[types.PromptArgument(name=flow.argument, description=flow.argument_description, required=False)],
        )
        for flow in FLOWS
    ]


def flow_prompt(name: str, given: Mapping[str, str]) -> types.GetPromptResult | None:
    """Return the text of a flow, or None when no flow has that name."""
    flow = next((flow for flow in FLOWS if flow.name == name), None)
    if flow is None:
        return None
    for argument in given:
        if argument != flow.argument:
            raise UnknownName(say("terms.argument_of", prompt=name), argument, [flow.argument])
    text = flow.text(given.get(flow.argument, ""))
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=flow.description, messages=[message])
