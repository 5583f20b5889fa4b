"""The reply to a call: text made for reading, within the tokens that the call allows; or JSON, where that is wanted."""

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import mcp_types as types

from shirube.codec import plain, replace, shown_json
from shirube.doors.mcp.bound import ROOM, UNDIVIDED, asks_for_size, fit, given_of, is_broken, marked, smaller
from shirube.doors.mcp.sent import Reply
from shirube.engine.store.disk import SESSION
from shirube.engine.text.budget import tokens_of
from shirube.errors import BadArgument, ShirubeError
from shirube.messages import AGENT, Speech, render, shortened
from shirube.operation import Call, Operation, Shared
from shirube.operations import operation_named, run, shared_of

if TYPE_CHECKING:
    from shirube.doors.mcp.sent import Lines, Sent
    from shirube.settings import Config
    from shirube.workspace import Workspace

ERROR_TOKENS = 120
SHORTER = ((0, 0), (200, 8), (80, 5), (40, 5), (20, 3), (12, 2))
"""How many characters of a value and how many items of a list an error repeats: the first that is short enough."""
LONGEST_NUMBER = 10
"""How many digits a number of tokens has at most; what is longer is refused when the operation runs."""
TRIES = 3
"""How often an operation is called again for a smaller result before the result is cut."""
QUIET = ("history.behind", "history.begun")
"""Notes that past commits are still being read: a model cannot act upon them, and they end by themselves."""
TOLD = ("", 0)
"""The mark of a reader whose last answer said that changes may be missing; the next need not repeat it."""
_log = logging.getLogger("shirube.doors.mcp")


class Answering(Protocol):
    """What a reply needs of the server that gives it."""

    config: "Config"
    sent: "Sent"

    def operation(self, name: str) -> Operation[..., Any]:
        """Return the operation that a tool stands for."""

    def speech(self, asked: str) -> Speech:
        """Return the speech for a reply to this."""

    def workspace(self) -> "Workspace":
        """Return the project that is asked."""


class Fault(ShirubeError, code="internal"):
    """A fault of the program itself, told without its insides."""


def answer_call(door: Answering, name: str, arguments: Mapping[str, Any], call: Call) -> types.CallToolResult:
    """Run an operation; report every error to the model with the next step, in the language of the request."""
    speech = door.speech(words_of(arguments))
    structured = door.config.serve.structured
    operation = None
    try:
        if speech.language == "en":
            speech = door.speech(_request(door, arguments))
        operation = door.operation(name)
        if operation.stands_for:
            # The reply that another server's tool gave: a text alone, or JSON; whole, and with nothing beside it.
            value = plain(run(door.workspace(), operation, arguments, call))
            text, most = value.get("text") or _compact(value), door.config.serve.max_result_tokens
            if tokens_of(text) > most:
                raise BadArgument("protocol.too_large", most=most)
            return _text(text, False, value if structured else None)
        if structured:
            return _json(_fitted(door, operation, arguments, call, speech), False)
        return _text(_read(door, operation, arguments, call, speech), False)
    except ShirubeError as caught:
        error = caught
    except Exception:  # noqa: BLE001 - the one broad handler of this door
        _log.exception("operation %s failed", name)
        error = Fault("protocol.failed", name=name)
    if operation and operation.stands_for:
        told = told_briefly(error, speech, door.config.serve.max_result_tokens)
        is_text = "text" in operation.result.__struct_fields__
        text = told if is_text else _compact({"error": told})
        return _text(text, True, error.as_dict(speech) if structured else None)
    return _json(error.as_dict(speech), True) if structured else _text(told_briefly(error, speech), True)


def called(listed: Mapping[str, str], operation: str, arguments: Mapping[str, Any]) -> str:
    """Return a call to propose: by the name under which its reader has the tool, else as a command."""
    if operation in listed:
        return AGENT.operation(listed[operation], arguments)
    if not arguments and (command := operation_named(operation).command):
        return f"`shirube {command.partition(' {')[0]}`"
    sent = f" --json '{json.dumps(shown_json(dict(arguments)), ensure_ascii=False)}'" if arguments else ""
    return f"`shirube call {operation}{sent}`"


def words_of(arguments: Mapping[str, Any]) -> str:
    """Return all that a caller wrote, to tell the language."""
    return json.dumps(arguments, ensure_ascii=False)


def _request(door: Answering, arguments: Mapping[str, Any]) -> str:
    """Return the user's request that started the call's session; it shows the language when the arguments do not."""
    handle = arguments.get("session_id")
    document = door.workspace().journal.get(SESSION, handle) if handle and isinstance(handle, str) else None
    return str(document.body.get("request", "")) if document else ""


def told_briefly(error: ShirubeError, speech: Speech, most_tokens: int = ERROR_TOKENS) -> str:
    """Return what went wrong and what to do next, in so many tokens at most: values are cut as far as needed."""
    for longest, listed in SHORTER:
        brief = speech._replace(longest=longest, listed=listed)
        message, hint = render(error.message, brief), render(error.hint, brief)
        text = f"{message}\n{hint}" if hint else message
        if tokens_of(text) <= most_tokens:
            return text
    most = most_tokens  # foreign text has no values to cut
    while tokens_of(text) > most_tokens:
        most //= 2
        text = "\n".join(shortened(part, most) for part in (message, hint) if part)
    return text


def _read(
    door: Answering, operation: Operation[..., Any], arguments: Mapping[str, Any], call: Call, speech: Speech
) -> str:
    """Run an operation and return its result as text within the budget of the call."""
    from shirube.doors.views import view_of
    from shirube.doors.views.compose import compose
    from shirube.doors.views.screen import Paint, Screen, never_sent

    given = given_of(operation, arguments)
    shared = shared_of(operation, arguments)
    undivided = any(name in operation.result.__struct_fields__ for name in UNDIVIDED)
    size, wanted = budget_of(door, operation, shared, given)
    most = door.config.serve.max_result_tokens
    tokens = most if undivided else min(most, wanted)
    result = run(door.workspace(), operation, arguments, replace(call, tokens=tokens, text_tokens=tokens))
    reader = door.sent.reader(call.client, shared.session_id, shared.agent_id or call.reader)
    result = result if operation.group == "index" else _without_noise(result, reader)
    reply = Reply(reader, shared.again) if shared.session_id else None
    sent = reply.was_sent if reply else never_sent
    room = 0 if undivided else tokens
    screen = Screen(Paint(False), speech, model=True, tokens=room, size=size, given=given, sent=sent)
    composed = compose(view_of(operation)(result, screen), screen)
    if composed.left and getattr(result, "next_cursor", None):
        # The cursor goes on behind the last record of the result, so it would skip those that are left out.
        composed = compose(view_of(operation)(replace(result, next_cursor=""), screen), screen)
    if undivided and tokens_of(composed.text) > most:
        raise BadArgument("protocol.too_large", most=most)
    if reply:
        reply.finish(composed.text)
    return composed.text


def _without_noise(result: Any, reader: "Lines") -> Any:
    """Return a result without the notes that are of no use to a model, or that its reader was told just before."""
    from shirube.engine.index.keeper import UNSEEN

    for field in ("degraded", "warnings"):
        if (notes := getattr(result, field, None)) is not None:
            quiet = (*QUIET, UNSEEN) if reader.pop(TOLD, None) else QUIET
            reader |= {TOLD: 1} if any(note.code == UNSEEN for note in notes) else {}
            result = replace(result, **{field: tuple(note for note in notes if note.code not in quiet)})
    return result


def budget_of(
    door: Answering, operation: Operation[..., Any], shared: Shared, given: Mapping[str, Any]
) -> tuple[str, int]:
    """Return the argument that sizes a reply, and how many tokens that is: as the call says, else as is usual."""
    if "budget" in operation.request.__struct_fields__:
        budget = str(given.get("budget") or "")  # not checked yet: what is no number is refused when the operation runs
        is_number = budget.isdecimal() and len(budget) < LONGEST_NUMBER
        return "budget", int(budget) if is_number else door.config.context.budget
    return "max_tokens", shared.max_tokens or operation.tokens or door.config.serve.result_tokens


def _fitted(
    door: Answering, operation: Operation[..., Any], arguments: Mapping[str, Any], call: Call, speech: Speech
) -> dict[str, Any]:
    """Run an operation and return a result that fits: call it again for less (outside the session), or cut it."""
    serve = door.config.serve
    most = serve.max_result_tokens if asks_for_size(operation, arguments) else serve.result_tokens
    most = min(shared_of(operation, arguments).max_tokens or most, serve.max_result_tokens)
    call = replace(call, text_tokens=max(1, most * 2 // 3 - ROOM))  # as JSON a text takes more
    value: dict[str, Any] = shown_json(run(door.workspace(), operation, arguments, call), speech)
    fitted, cuts = fit(value, most, speech)
    if is_broken(cuts):
        fitted, cuts = fit(value, serve.max_result_tokens, speech)
    if is_broken(cuts):
        raise BadArgument("protocol.too_large", most=serve.max_result_tokens)
    if not cuts:
        return value
    for _ in range(TRIES):
        arguments = smaller(operation, arguments, value, cuts, most - ROOM) or {}
        if not arguments:
            break
        value = shown_json(run(door.workspace(), operation, arguments, call), speech)
        fitted, again = fit(value, most - ROOM, speech)
        if not again:
            break
        cuts = again
    return marked(fitted, cuts, speech)


def _compact(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _text(text: str, failed: bool, structured: dict[str, Any] | None = None) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=structured, is_error=failed
    )


def _json(value: dict[str, Any], failed: bool) -> types.CallToolResult:
    """Return the same value as text and as structured content: clients show the model only one of the two."""
    return _text(json.dumps(value, ensure_ascii=False), failed, value)
