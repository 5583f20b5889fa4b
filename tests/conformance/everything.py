"""A server with everything the official conformance suite asks for, to be put on our own HTTP stack.

None of it is part of the product: the suite names tools, resources and prompts that a server under test has to have.
"""

import json
import struct
import warnings
import zlib
from base64 import b64encode
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged

from shirube.doors.mcp.server import CACHE
from tests.conformance.asking import ASKING, ask_for_context

NAME = "everything"


def _png() -> str:
    """Return one red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")
    return b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()


def _wav() -> str:
    """Return a few samples of silence."""
    silence = bytes(16)
    form = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(silence)) + silence
    return b64encode(b"RIFF" + struct.pack("<I", len(body)) + body).decode()


IMAGE = types.ImageContent(type="image", data=_png(), mime_type="image/png")
SOUND = types.AudioContent(type="audio", data=_wav(), mime_type="audio/wav")


def text(words: str) -> types.TextContent:
    """Return words as content."""
    return types.TextContent(type="text", text=words)


def embedded(uri: str, words: str, mime: str = "text/plain") -> types.EmbeddedResource:
    """Return a resource inside a result."""
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=mime, text=words)
    )


PLAIN: dict[str, list[Any]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [SOUND],
    "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
}
KEPT_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
EMPTY: dict[str, Any] = {"type": "object", "properties": {}}


def _one(name: str, kind: str = "string") -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}


HEADER = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "test_sampling": _one("prompt"),
    "test_elicitation": _one("message"),
    "json_schema_2020_12_tool": KEPT_SCHEMA,
    "test_custom_headers": HEADER,
}
TOOLS = (
    *PLAIN,
    *ASKING,
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_missing_capability",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "json_schema_2020_12_tool",
    "test_custom_headers",
)
ARGUMENTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}
RESOURCES = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
    ),
    "test://static-binary": types.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=_png()),
    "test://watched-resource": types.TextResourceContents(
        uri="test://watched-resource", mime_type="text/plain", text="watched"
    ),
}


async def _call(context: Any, params: types.CallToolRequestParams) -> Any:
    name = params.name
    if name in PLAIN:
        return types.CallToolResult(content=PLAIN[name])
    if name in ASKING:
        return await ASKING[name](context, params)
    if name in ("test_tool_with_logging", "test_logging_tool"):
        for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                await context.session.send_log_message("info", words, related_request_id=context.request_id)
    if name == "test_tool_with_progress":
        for done in (0, 50, 100):
            await context.session.report_progress(done, 100, f"{done} of 100")
    if name == "test_missing_capability":
        _need_sampling(context)
    if name == "test_trigger_tool_change":
        await BUS.publish(ToolsListChanged())
    if name == "test_trigger_prompt_change":
        await BUS.publish(PromptsListChanged())
    wrong = name not in TOOLS or name == "test_error_handling"
    words = "This tool intentionally returns an error for testing" if wrong else f"{name} is done"
    return types.CallToolResult(content=[text(words)], is_error=wrong)


def _need_sampling(context: Any) -> None:
    able = context.session.client_capabilities
    if able is None or able.sampling is None:
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling", {"requiredCapabilities": {"sampling": {}}})


async def _list_tools(context: Any, params: Any) -> types.ListToolsResult:
    tools = [types.Tool(name=name, description=name, input_schema=SCHEMAS.get(name, EMPTY)) for name in TOOLS]
    return types.ListToolsResult(tools=tools)


async def _list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    prompts = [
        types.Prompt(
            name=name, description=name, arguments=[types.PromptArgument(name=one, required=True) for one in takes]
        )
        for name, takes in ARGUMENTS.items()
    ]
    return types.ListPromptsResult(prompts=prompts)


async def _prompt(context: Any, params: types.GetPromptRequestParams) -> Any:
    given = params.arguments or {}
    if params.name == "test_input_required_result_prompt":
        return ask_for_context(params)
    messages: dict[str, list[Any]] = {
        "test_simple_prompt": [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            embedded(given.get("resourceUri", ""), "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [IMAGE, text("Please analyze the image above.")],
    }
    if params.name not in messages:
        raise MCPError(types.INVALID_PARAMS, "there is no such prompt")
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=content) for content in messages[params.name]]
    )


async def _list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[types.Resource(uri=uri, name=uri) for uri in RESOURCES])


async def _list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(name="data", uri_template="test://template/{id}/data")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def _read(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = params.uri
    if uri in RESOURCES:
        return types.ReadResourceResult(contents=[RESOURCES[uri]])
    number = uri.removeprefix("test://template/").removesuffix("/data")
    if not number.isdecimal():
        raise MCPError(types.INVALID_PARAMS, "there is no such resource", {"uri": uri})
    told = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
    content = types.TextResourceContents(uri=uri, mime_type="application/json", text=told)
    return types.ReadResourceResult(contents=[content])


async def _complete(context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    values = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values, total=len(values), has_more=False))


async def _nothing(context: Any, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


BUS = InMemorySubscriptionBus()


def everything() -> Server[Any]:
    """Return the server, built with the same class and the same cache hints as ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        server: Server[Any] = Server(
            NAME,
            version="1",
            on_list_tools=_list_tools,
            on_call_tool=_call,
            on_list_prompts=_list_prompts,
            on_get_prompt=_prompt,
            on_list_resources=_list_resources,
            on_list_resource_templates=_list_templates,
            on_read_resource=_read,
            on_subscribe_resource=_nothing,
            on_unsubscribe_resource=_nothing,
            on_subscriptions_listen=ListenHandler(BUS),
            on_completion=_complete,
            on_set_logging_level=_nothing,
            cache_hints=CACHE,
            get_tool_input_schema=SCHEMAS.get,
        )
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME))
    return server
