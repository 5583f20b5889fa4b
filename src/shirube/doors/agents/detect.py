"""Which agents are there?"""

from collections.abc import Callable, Mapping
from pathlib import Path

from shirube.doors.agents.pieces import locate
from shirube.doors.agents.table import AGENTS, ALIASES, Agent
from shirube.errors import BadArgument, UnknownName


def named_agents(names: list[str]) -> list[Agent]:
    """Return the agents that were asked for by name; ``all`` is every one."""
    if "all" in names:
        return list(AGENTS)
    known = {agent.name: agent for agent in AGENTS}
    found: dict[str, Agent] = {}
    for name in names:
        agent = known.get(ALIASES.get(name.lower(), name.lower()))
        if agent is None:
            raise UnknownName("agent", name, [*known, *ALIASES, "all"])
        found[agent.name] = agent
    return list(found.values())


def detected_agents(directories: Mapping[str, Path], which: Callable[[str], str | None]) -> list[Agent]:
    """Return the agents that leave signs here: a program on the path, a directory of settings."""
    found = [agent for agent in AGENTS if any(_is_there(sign, directories, which) for sign in agent.signs)]
    if not found:
        raise BadArgument("install.no_agent", names=[agent.name for agent in AGENTS])
    return found


def _is_there(sign: str, directories: Mapping[str, Path], which: Callable[[str], str | None]) -> bool:
    return locate(sign, directories).exists() if sign.startswith("{") else which(sign) is not None
