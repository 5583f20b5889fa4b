"""MCP resources, read by their address: files of the index, agreements, plans, symbols, commands.

There are thousands of files and symbols, so they are not listed: clients use a template and completions. A resource
shows nothing that an operation would not show. One that is too large is refused, with the way to read it in parts.
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
    """One kind of resource: the form of its address, and how it is read."""

    name: str
    rest: str
    """The part of the address after the name, as a URI template."""
    title: str
    description: str
    mime: str
    read: "Callable[[Workspace, Address, Call], str]"

    @property
    def template(self) -> str:
        """The URI template of the whole address."""
        return f"{SCHEME}://{self.name}/{self.rest}"


class Address(Struct, frozen=True):
    """A parsed address."""

    uri: str
    kind: str
    parts: tuple[str, ...]
    """The decoded parts between the slashes."""
    query: dict[str, list[str]]

    @property
    def path(self) -> str:
        """The parts joined as a path."""
        return "/".join(self.parts)


def address_of(uri: str, kinds: Iterable[str] = ()) -> Address:
    """Parse an address; refuse one that is of none of these kinds (none: of all kinds) or that contains ``..``."""
    forms = {name: KINDS[name].template for name in kinds or KINDS}
    try:
        split = urlsplit(uri)
        path = unquote(split.path, errors="strict")
    except ValueError:
        raise BadArgument("protocol.no_address", form=next(iter(forms.values()))) from None
    if split.scheme != SCHEME or split.netloc not in forms or split.fragment:
        raise UnknownName("resource", uri, forms.values())
    parts = tuple(path.removeprefix("/").split("/"))
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise OutsideRoot("protocol.nowhere", form=forms[split.netloc])
    return Address(uri, split.netloc, parts, parse_qs(split.query))


def address(kind: str, *parts: str) -> str:
    """Return an address: ``address("file", "src/a b.py")`` → ``"shirube://file/src/a%20b.py"``."""
    return f"{SCHEME}://{kind}/" + "/".join(quote(part, safe="/" if kind == "file" else "") for part in parts)


def templates(kinds: Iterable[str]) -> types.ListResourceTemplatesResult:
    """Return the templates of some kinds for the list."""
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
    """Return one page of the listed resources: agreements in their order, then plans, the latest first."""
    agreements = [
        types.Resource(
            uri=address("agreement", name),
            name=name,
            title=agreement.nl_term,
            description=say("protocol.agreed", term=repr(agreement.nl_term), symbol=repr(agreement.symbol))
            if agreement.symbol
            else say("protocol.convention"),
            mime_type=MARKDOWN,
        )
        for agreement in workspace.map.load().agreements
        if not agreement.origin and (name := agreement.file.removesuffix(".md"))
    ]
    plans = [
        types.Resource(
            uri=address("plan", plan.planId),
            name=plan.planId,
            title=plan.goal[:100],
            description=say("protocol.plan", status=plan.status, confidence=f"{plan.confidence:.2f}"),
            mime_type=JSON,
        )
        for plan in run(workspace, "list_plans", {"limit": 500}).plans
    ]
    page, more = page_of([*agreements, *plans], cursor)
    return types.ListResourcesResult(resources=page, next_cursor=more)


def read_resource(workspace: "Workspace", uri: str, kinds: Iterable[str], call: Call) -> types.ReadResourceResult:
    """Return the content of the resource at an address."""
    parsed = address_of(uri, kinds)
    kind = KINDS[parsed.kind]
    text = kind.read(workspace, parsed, call)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind.mime, text=text)])


def _read_file(workspace: "Workspace", parsed: Address, call: Call) -> str:
    """Return the text of an indexed file, or the requested lines of it; refuse it when it is too large."""
    from shirube.features.lookup.coverage import current_file

    path = current_file(workspace, parsed.path, call)
    lines = workspace.store.text(path).splitlines(keepends=True)
    start, end = _span(parsed, len(lines))
    text = "".join(lines[start - 1 : end])
    most = workspace.config.serve.max_result_tokens
    if (size := cost(text)) > most:
        fits = max(1, (end - start + 1) * most * 9 // (10 * size))
        part = f"{address('file', path)}?start={start}&end={start + fits - 1}"
        raise BadArgument("protocol.file_too_large", start=start, end=end, size=size, most=most, part=part)
    return text


def _span(parsed: Address, total: int) -> tuple[int, int]:
    """Return the first and last line of the request: all lines, or from ``start`` to ``end``."""
    asked = {name: values[-1] for name, values in parsed.query.items()}
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


def _read_agreement(workspace: "Workspace", parsed: Address, call: Call) -> str:
    from shirube.features.map.page import to_page

    return to_page(find_agreement(workspace, parsed.path))


def _read_plan(workspace: "Workspace", parsed: Address, call: Call) -> str:
    return _shown(workspace, "show_plan", {"planId": parsed.path, "limit": 500}, call)


def _read_symbol(workspace: "Workspace", parsed: Address, call: Call) -> str:
    return _shown(workspace, "find_definitions", {"symbol": parsed.path}, call)


def _read_command(workspace: "Workspace", parsed: Address, call: Call) -> str:
    if len(parsed.parts) != 4:
        raise BadArgument("protocol.command_address", template=KINDS["command"].template)
    arguments = dict(zip(("agent", "c1", "c2", "c3"), parsed.parts, strict=True))
    return _shown(workspace, "command_describe", arguments, call)


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
