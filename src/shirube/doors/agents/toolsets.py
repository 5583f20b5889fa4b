"""Which tools an agent's server lists: those of every day, and those that what is installed beside it needs."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from shirube.codec import replace
from shirube.doors.agents.pieces import Piece, Setting, lacking, pieces_of
from shirube.doors.agents.receipts import Edit, Receipts, real_path
from shirube.doors.agents.table import PROJECT, SCOPES, SERVE, SESSION_KINDS, Agent
from shirube.errors import ConfigError, ShirubeError
from shirube.features.commands.registry import Catalog


def with_toolsets(
    setting: Setting, agents: Iterable[Agent], kinds: Iterable[str], receipts: Receipts, gone: tuple[str, ...] = ()
) -> Setting:
    """Return a setting that knows each agent's toolsets once ``kinds`` are installed and ``gone`` are not."""
    asked = set(kinds)
    registry = False
    if setting.scope == PROJECT:
        with suppress(ShirubeError):  # one that cannot be read has no commands to list; `doctor` reports it
            registry = Catalog(setting.directories["root"], setting.directories["home"]).is_in_project()
    toolsets = {}
    for agent in agents:
        left = tuple(kind for kind in SESSION_KINDS if kind not in gone)
        session = any(kind in asked and not lacking(agent, kind, setting.scope) for kind in SESSION_KINDS) or any(
            _edits(agent, left, replace(setting, scope=scope), receipts)
            for scope in SCOPES
            if scope == setting.scope or lacking(agent, "mcp", scope)
        )
        toolsets[agent.name] = ("session",) * session + ("commands",) * registry
    return replace(setting, toolsets=toolsets)


def server_entries(agents: Iterable[Agent], setting: Setting, receipts: Receipts) -> Iterator[Piece]:
    """Yield the server's entry of each agent that has one, with its toolsets of now and otherwise as it was written."""
    for agent in agents:
        for piece, edit in _edits(agent, ("mcp",), setting, receipts):
            entry = _called(edit.value, setting.serve(agent.name))
            yield Piece(agent.name, piece.kind, piece.path, piece.form, entry, piece.pointer)


def _edits(agent: Agent, kinds: tuple[str, ...], setting: Setting, receipts: Receipts) -> list[tuple[Piece, Edit]]:
    """Return the pieces of these kinds that were put in for an agent and whose files are still there."""
    found = []
    for piece in pieces_of(agent, kinds, setting):
        try:
            path = real_path(piece.path)
        except ConfigError:
            continue
        receipt = receipts.get(path) if path.exists() else None
        edit = receipt.edits.get(piece.key) if receipt else None
        if edit is not None and agent.name in edit.agents:
            found.append((piece, edit))
    return found


def _called(entry: Any, arguments: tuple[str, ...]) -> Any:
    """Return an entry of a server that calls ``serve`` with other arguments."""
    if isinstance(entry, Mapping):
        return {name: _called(value, arguments) for name, value in entry.items()}
    return [*entry[: entry.index(SERVE)], *arguments] if isinstance(entry, list) and SERVE in entry else entry
