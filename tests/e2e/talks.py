"""Models that do what a test wrote down, turn by turn: Claude Code's API and Codex's, as far as the two need them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.e2e.serving import serving

Json = dict[str, Any]
COUNTS = {"input_tokens": 1, "output_tokens": 1}


@dataclass(frozen=True)
class Use:
    """A call of a tool; ``space`` is the server it belongs to, where the API tells that apart."""

    name: str
    arguments: Json
    space: str = ""
    freeform: str = ""
    """Text instead of arguments, for tools that take it."""


Turn = Callable[[list[str]], Use]
"""Given what the tools have answered so far, the next call."""


@dataclass
class Talk:
    """What the model does, and what it was shown."""

    turns: list[Turn]
    asked: list[Json] = field(default_factory=list)

    def next(self, request: Json, shown: list[str]) -> Use | None:
        """Return the next call; None when everything is done."""
        self.asked.append(request)
        return self.turns[len(shown)](shown) if len(shown) < len(self.turns) else None

    @property
    def results(self) -> list[str]:
        """What the tools answered, as the model was shown it at last."""
        return max((shown_to(request) for request in self.asked), key=len)

    @property
    def text(self) -> str:
        """Everything the model was shown in its last request."""
        return json.dumps(self.asked[-1], ensure_ascii=False)


def shown_to(request: Json) -> list[str]:
    """Return the answers of tools in a request of either API."""
    if "messages" in request:
        blocks = [
            block
            for message in request["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
        ]
        return [_plain(block["content"]) for block in blocks if block["type"] == "tool_result"]
    items = [item for item in request.get("input", []) if isinstance(item, dict)]
    return [_plain(item["output"]) for item in items if str(item.get("type")).endswith("_call_output")]


def _plain(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


@contextmanager
def talking(talk: Talk) -> Iterator[str]:
    """Serve both APIs on a local port and yield the address."""
    numbers = count()

    def reply(path: str, request: Json) -> Iterator[str]:
        use = talk.next(request, shown_to(request)) if request.get("tools") else None
        events = _responses if "/responses" in path else _messages
        for event in events(use, next(numbers)):
            yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"

    with serving(reply, json.dumps({"data": [], "models": []})) as address:
        yield address


def _messages(use: Use | None, number: int) -> Iterator[Json]:
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": COUNTS}}
    if use:
        block: Json = {"type": "tool_use", "id": f"toolu_{number}", "name": use.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(use.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = {"stop_reason": "tool_use" if use else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": reason, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _responses(use: Use | None, number: int) -> Iterator[Json]:
    item: Json = {"id": f"item_{number}", "status": "completed"}
    if use is None:
        said = {"type": "output_text", "text": "done", "annotations": []}
        item |= {"type": "message", "role": "assistant", "content": [said]}
    elif use.freeform:
        item |= {"type": "custom_tool_call", "call_id": f"call_{number}", "name": use.name, "input": use.freeform}
    else:
        item |= {"type": "function_call", "call_id": f"call_{number}", "name": use.name}
        item |= {"arguments": json.dumps(use.arguments)} | ({"namespace": use.space} if use.space else {})
    usage = {**COUNTS, "total_tokens": 2}
    answer = {"id": f"resp_{number}", "object": "response", "model": "m"}
    yield {"type": "response.created", "response": {**answer, "status": "in_progress"}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    done = {**answer, "status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.completed", "response": done}
