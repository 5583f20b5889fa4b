"""What can be read by its address: files of the index, agreements, plans, symbols, commands.

Files and symbols are thousands, so they are not listed: a template and its completions lead to them. Nothing is
read that an operation would not show, and what is too large is refused with the way to read it in parts.
"""

import json
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import mcp_types as types
from msgspec import Struct

from shirube.codec import shown_json
from shirube.doors.mcp.bound import cost, fit, marked, page_of
from shirube.errors import BadArgument, OutsideRoot, UnknownName
from shirube.features.map.agreements import find_agreement
from shirube.messages import say
from shirube.operation import Call
from shirube.operations import run

if TYPE_CHECKING:
    from shirube.workspace import Workspace

SCHEME = "shirube"
JSON, TEXT, MARKDOWN = "application/json", "text/plain", "text/markdown"
_LINE = re.compile(r"[1-9][0-9]{0,8}")


class ResourceKind(Struct, frozen=True):
    """One kind of address: how it is written, and how it is read."""

    name: str
    rest: str
    """What follows the name in an address, as a template."""
    title: str
    description: str
    mime: str
    read: "Callable[[Workspace, Address, Call], str]"

    @property
    def template(self) -> str:
        """How an address is written."""
        return f"{SCHEME}://{self.name}/{self.rest}"


class Address(Struct, frozen=True):
    """A taken-apart address."""

    uri: str
    kind: str
    parts: tuple[str, ...]
    """What stands between the slashes, decoded."""
    query: dict[str, list[str]]

    @property
    def path(self) -> str:
        """Return the parts as a path."""
        return "/".join(self.parts)


def address_of(uri: str) -> Address:
    """Take an address apart; one that is not ours, or that tries to climb, is refused."""
    try:
        split = urlsplit(uri)
        path = unquote(split.path, errors="strict")
    except ValueError:
        raise BadArgument("protocol.no_address", example=f"{SCHEME}://file/README.md") from None
    if split.scheme != SCHEME or split.netloc not in KINDS or split.fragment:
        raise UnknownName("resource", uri, [kind.template for kind in KINDS.values()])
    parts = tuple(path.removeprefix("/").split("/"))
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise OutsideRoot("protocol.nowhere")
    return Address(uri, split.netloc, parts, parse_qs(split.query))


def address(kind: str, *parts: str) -> str:
    """Return an address: ``address("file", "src/a b.py")`` → ``"shirube://file/src/a%20b.py"``."""
    return f"{SCHEME}://{kind}/" + "/".join(quote(part, safe="/" if kind == "file" else "") for part in parts)


def templates(kinds: Iterable[str]) -> types.ListResourceTemplatesResult:
    """Return how addresses are written."""
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                name=kind.name,
                title=kind.title,
                uri_template=kind.template,
                description=kind.description,
                mime_type=kind.mime,
            )
            for kind in map(KINDS.__getitem__, kinds)
        ]
    )


def list_resources(workspace: "Workspace", cursor: str | None) -> types.ListResourcesResult:
    """Return one page of what people made: agreements in their order, then plans, the last one first."""
    page, more = page_of([*_agreements(workspace), *_plans(workspace)], cursor)
    return types.ListResourcesResult(resources=page, next_cursor=more)


def _agreements(workspace: "Workspace") -> list[types.Resource]:
    return [
        types.Resource(
            uri=address("agreement", name),
            name=name,
            title=one.nl_term,
            description=say("protocol.agreed", term=repr(one.nl_term), symbol=repr(one.symbol))
            if one.symbol
            else say("protocol.convention"),
            mime_type=MARKDOWN,
        )
        for one in workspace.map.load().agreements
        if not one.origin and (name := one.file.removesuffix(".md"))
    ]


def _plans(workspace: "Workspace") -> list[types.Resource]:
    listed = run(workspace, "list_plans", {"limit": 500}).plans
    return [
        types.Resource(
            uri=address("plan", one.planId),
            name=one.planId,
            title=one.goal[:100],
            description=say("protocol.plan", status=one.status, confidence=f"{one.confidence:.2f}"),
            mime_type=JSON,
        )
        for one in listed
    ]


def read_resource(workspace: "Workspace", uri: str, kinds: Iterable[str], call: Call) -> types.ReadResourceResult:
    """Return what is at an address."""
    found = address_of(uri)
    if found.kind not in kinds:
        raise UnknownName("resource", uri, [KINDS[name].template for name in kinds])
    kind = KINDS[found.kind]
    text = kind.read(workspace, found, call)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind.mime, text=text)])


def _read_file(workspace: "Workspace", found: Address, call: Call) -> str:
    """Return a file as the index has it, whole or the lines asked for; a file that does not fit is refused."""
    from shirube.features.lookup.coverage import current_file

    path = current_file(workspace, found.path, call)
    lines = workspace.store.text(path).splitlines(keepends=True)
    start, end = _span(found, len(lines))
    text = "".join(lines[start - 1 : end])
    most = workspace.config.serve.max_result_tokens
    if (size := cost(text)) > most:
        fits = max(1, (end - start + 1) * most * 9 // (10 * size))
        part = f"{address('file', path)}?start={start}&end={start + fits - 1}"
        raise BadArgument("protocol.file_too_large", start=start, end=end, size=size, most=most, part=part)
    return text


def _span(found: Address, total: int) -> tuple[int, int]:
    """Return the lines asked for: all, or from ``start`` to ``end``."""
    asked = {name: values[-1] for name, values in found.query.items()}
    for name, value in asked.items():
        if name not in ("start", "end"):
            raise UnknownName("part_of_address", name, ("start", "end"))
        if not _LINE.fullmatch(value):
            raise BadArgument("protocol.no_line", name=name)
    start = int(asked.get("start", 1))
    end = min(int(asked.get("end", total)), total)
    if asked and not start <= end:
        raise BadArgument("protocol.not_in_file", start=start, end=end, total=total)
    return start, end


def _read_agreement(workspace: "Workspace", found: Address, call: Call) -> str:
    from shirube.features.map.page import to_page

    return to_page(find_agreement(workspace, found.path))


def _read_plan(workspace: "Workspace", found: Address, call: Call) -> str:
    return _shown(workspace, "show_plan", {"planId": found.path}, call)


def _read_symbol(workspace: "Workspace", found: Address, call: Call) -> str:
    return _shown(workspace, "find_definitions", {"symbol": found.path}, call)


def _read_command(workspace: "Workspace", found: Address, call: Call) -> str:
    if len(found.parts) != 4:
        raise BadArgument("protocol.command_address", template=KINDS["command"].template)
    return _shown(workspace, "command_describe", dict(zip(("agent", "c1", "c2", "c3"), found.parts, strict=True)), call)


def _shown(workspace: "Workspace", operation: str, arguments: dict[str, Any], call: Call) -> str:
    value, cuts = fit(shown_json(run(workspace, operation, arguments, call)), workspace.config.serve.max_result_tokens)
    return json.dumps(marked(value, cuts) if cuts else value, ensure_ascii=False, indent=1)


KINDS = {
    kind.name: kind
    for kind in (
        ResourceKind(
            "file",
            "{+path}{?start,end}",
            "A file of the project",
            "The text of an indexed file, or some lines of it; paths as search returns them.",
            TEXT,
            _read_file,
        ),
        ResourceKind(
            "agreement",
            "{name}",
            "An agreement of the map",
            "What words mean in this code, or a convention: the page as it is kept.",
            MARKDOWN,
            _read_agreement,
        ),
        ResourceKind(
            "plan",
            "{id}",
            "A query plan",
            "The goal, the turns and the results of a plan that was made.",
            JSON,
            _read_plan,
        ),
        ResourceKind(
            "symbol", "{name}", "A symbol", "Where a name is defined, as find_definitions tells it.", JSON, _read_symbol
        ),
        ResourceKind(
            "command",
            "{agent}/{c1}/{c2}/{c3}",
            "A command of the team",
            "What a command of a registry does and takes.",
            JSON,
            _read_command,
        ),
    )
}
