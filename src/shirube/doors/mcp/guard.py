"""What comes in on stdin is checked before the SDK sees it.

The SDK answers nothing at all to a line it cannot read (a lone surrogate, deep nesting, a batch, an endless
line), and the client waits until its time-out. Every such line gets an error reply here, under its own id where
that can be made out.
"""

import json
import re
from typing import Any

from shirube.messages import NOTHING, Message, say

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
MAX_DEPTH = 64
"""Nesting of a request; ours have three levels, and pydantic gives up at about two hundred."""
HEAD = 65_536
"""How far into a broken line to look for its id."""
_ID = re.compile(r'"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,18})')
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


def inspect(line: bytes) -> tuple[str | None, list[dict[str, Any]]]:
    """Return the line to hand on (or None), and the replies to send at once."""
    text = line.decode("utf-8", "replace")
    if not text.strip():
        return None, []
    try:
        message = _parse(text)
    except (ValueError, RecursionError) as error:
        return None, [
            refusal(
                recover_id(text),
                PARSE_ERROR,
                say("protocol.not_json", error=str(error)),
            )
        ]
    if isinstance(message, list):
        return None, [refusal(number, INVALID_REQUEST, say("protocol.batch")) for number in _ids(message)]
    if trouble := _trouble(message, text):
        return None, [refusal(_id_of(message), INVALID_REQUEST, trouble)]
    return text, []


def _parse(text: str) -> Any:
    if _depth(text) > MAX_DEPTH:
        raise ValueError(say("protocol.too_deep", most=MAX_DEPTH))
    return json.loads(text, parse_constant=_no_constant)


def refusal(number: int | str | None, code: int, message: str) -> dict[str, Any]:
    """Return a JSON-RPC error reply."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message[:300]}}


def recover_id(text: str) -> int | str | None:
    """Return the id of a line that cannot be read as a whole."""
    found = _ID.search(text[:HEAD]) or _ID.search(text[-HEAD:])
    if not found:
        return None
    try:
        value: int | str = json.loads(found[1])
    except ValueError:
        return None
    return value


def _depth(text: str) -> int:
    """Return how deeply brackets nest; strings do not count. Cheap lines are not looked at twice."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for char in re.findall(r"[\[\]{}]", _STRINGS.sub("", text)):
        depth += 1 if char in "[{" else -1
        deepest = max(deepest, depth)
        if deepest > MAX_DEPTH:
            break
    return deepest


def _no_constant(name: str) -> None:
    raise ValueError(say("protocol.constant", name=name))


def _ids(batch: list[Any]) -> list[int | str | None]:
    return [_id_of(item) for item in batch if isinstance(item, dict) and "id" in item] or [None]


def _id_of(message: Any) -> int | str | None:
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def _trouble(message: Any, text: str) -> Message:
    """Say why a value is no JSON-RPC message, or nothing."""
    if _has_surrogate(text):
        return say("protocol.surrogate")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return say("protocol.not_rpc")
    if "id" in message and _id_of(message) is None:
        return say("protocol.bad_id")
    if "method" not in message:
        return NOTHING if "result" in message or "error" in message else say("protocol.no_method")
    if not isinstance(message["method"], str) or not isinstance(message.get("params", {}), dict):
        return say("protocol.bad_method")
    return NOTHING


def _has_surrogate(text: str) -> bool:
    r"""Tell whether an escape leaves half a surrogate pair; only ``\ud…`` can."""
    if "\\ud" not in text.lower():
        return False
    parsed = json.dumps(json.loads(text), ensure_ascii=False)
    return any("\ud800" <= char <= "\udfff" for char in parsed)
