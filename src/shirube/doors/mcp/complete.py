"""Completes arguments of prompts and parts of resource addresses while the user types them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import mcp_types as types

from shirube.doors.mcp.prompts import named_commands
from shirube.errors import ShirubeError
from shirube.operations import run
from shirube.settings import choices

if TYPE_CHECKING:
    from shirube.doors.mcp.server import Door
    from shirube.features.commands.registry import Catalog
    from shirube.workspace import Workspace

MOST = 100
"""The most values in one answer that the protocol allows."""
WORDS = ("c1", "c2", "c3")
Ref = types.ResourceTemplateReference | types.PromptReference
PATHS = ("path", "file", "destination")


def complete(door: "Door", params: types.CompleteRequestParams) -> types.CompleteResult:
    """Return the values that contain what was typed, those that begin with it first; none for an unknown argument."""
    given = (params.context.arguments if params.context else None) or {}
    try:
        values = list(_matching(_values(door, params.ref, params.argument, given), params.argument.value))
    except ShirubeError:
        values = []  # a completion cannot report errors, and the user is still typing
    completion = types.Completion(values=values[:MOST], total=len(values), has_more=len(values) > MOST)
    return types.CompleteResult(completion=completion)


def _values(door: "Door", ref: Ref, argument: types.CompletionArgument, given: Mapping[str, str]) -> Iterable[str]:
    name = argument.name
    if name in ("agent", *WORDS):
        return _words(door.catalog(), name, given)
    if isinstance(ref, types.PromptReference) and name in ("edition", "adaptation"):
        entry = named_commands(door.catalog()).get(ref.name)
        return getattr(entry[1].options, name) if entry else ()
    if door.commands_alone:
        return ()  # this toolset has commands only, no project
    if name in PATHS:
        return (path for path, record in door.workspace().store.files().items() if record.language)
    kind = ref.uri.partition("://")[2].partition("/")[0] if isinstance(ref, types.ResourceTemplateReference) else ""
    if kind in BY_KIND:
        return BY_KIND[kind](door.workspace(), argument.value)
    return BY_KIND["symbol"](door.workspace(), argument.value) if name == "symbol" else _choices(door, name)


def _matching(values: Iterable[str], typed: str) -> Iterator[str]:
    """Yield each value once: first those that begin with what was typed, then those that contain it."""
    wanted = typed.casefold()
    known = sorted(dict.fromkeys(values))
    yield from (value for value in known if value.casefold().startswith(wanted))
    yield from (value for value in known if wanted in value.casefold()[1:] and not value.casefold().startswith(wanted))


def _words(catalog: "Catalog", name: str, given: Mapping[str, str]) -> Iterator[str]:
    """Yield agents, or the next word of the commands that match the words given already."""
    if name == "agent":
        yield from catalog.agents()
        return
    before = [word for word in WORDS[: WORDS.index(name)] if given.get(word)]
    for agent in catalog.agents():
        if given.get("agent") not in (None, "", agent):
            continue
        for command in catalog.registry(agent).commands:
            if all(getattr(command, word) == given[word] for word in before):
                yield getattr(command, name)


def _symbols(workspace: "Workspace", typed: str) -> Iterable[str]:
    return workspace.store.names(typed, MOST + 1)


def _agreements(workspace: "Workspace", typed: str) -> Iterable[str]:
    agreements = workspace.map.load().agreements
    return (agreement.file.removesuffix(".md") for agreement in agreements if not agreement.origin)


def _plans(workspace: "Workspace", typed: str) -> Iterable[str]:
    return (plan.planId for plan in run(workspace, "list_plans", {"limit": 500}).plans)


def _choices(door: "Door", name: str) -> Iterable[str]:
    """Return the values of the search setting of that name."""
    search = door.config.search
    tables = {"profile": search.profiles, "boost_profile": (*search.boosts, "none")}
    return tables.get(name) or choices(f"search.{name}")


BY_KIND = {"symbol": _symbols, "agreement": _agreements, "plan": _plans}
