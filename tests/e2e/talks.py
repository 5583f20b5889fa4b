"""Models that do what a test wrote down, turn by turn: the APIs of four agents, as far as these need them.

Claude Code asks for messages, Codex for responses, opencode for chat completions, Gemini CLI for contents.
"""

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
    """Return the answers of tools in a request of any of the APIs."""
    parts = [part for content in request.get("contents", []) for part in content.get("parts", [])]
    if answered := [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]:
        return [_plain(answer.get("output", answer)) for answer in answered]
    messages = request.get("messages", [])
    if tools := [message["content"] for message in messages if message["role"] == "tool"]:
        return [_plain(content) for content in tools]
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    items = [item for item in request.get("input", []) if isinstance(item, dict)]
    return [
        *(_plain(block["content"]) for block in blocks if block["type"] == "tool_result"),
        *(_plain(item["output"]) for item in items if str(item.get("type")).endswith("_call_output")),
    ]


def _plain(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


@contextmanager
def talking(talk: Talk) -> Iterator[str]:
    """Serve the APIs on a local port and yield the address."""
    numbers = count()

    def reply(path: str, request: Json) -> Iterator[str]:
        use = talk.next(request, shown_to(request)) if request.get("tools") else None
        number = next(numbers)
        if "enerateContent" in path:
            streamed = "data: {}\r\n\r\n" if "stream" in path else "{}"
            yield streamed.format(json.dumps(_contents(use)))
        elif "/chat/" in path:
            for chunk in _chat(use, number):
                yield f"data: {json.dumps(chunk)}\n\n"
            yield "data: [DONE]\n\n"
        else:
            for event in (_responses if "/responses" in path else _messages)(use, number):
                yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"

    with serving(reply, json.dumps({"data": [], "models": []})) as address:
        yield address


def _contents(use: Use | None) -> Json:
    part = {"functionCall": {"name": use.name, "args": use.arguments}} if use else {"text": "done"}
    counts = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}
    return {"candidates": [candidate], "usageMetadata": counts}


def _chat(use: Use | None, number: int) -> Iterator[Json]:
    delta: Json = {"role": "assistant", "content": "done"}
    if use:
        function = {"name": use.name, "arguments": json.dumps(use.arguments)}
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        delta = {"role": "assistant", "content": None, "tool_calls": [call]}
    whole = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    yield {**whole, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**whole, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if use else "stop"}]}


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
