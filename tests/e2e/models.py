"""A model that says what a test wrote down: the Messages API, as far as Claude Code needs it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from tests.e2e.serving import serving

Block = dict[str, Any]
USAGE = {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def use(name: str, **arguments: Any) -> Block:
    """Return the block of a model that calls a tool."""
    return {"type": "tool_use", "name": name, "input": arguments}


class Script:
    """What the model does in each turn, and what it was shown."""

    def __init__(self, turns: list[Block]) -> None:
        self.turns = turns
        self._numbers = count()
        self.seen: list[dict[str, Any]] = []
        """The requests of the conversation; others, for titles and the like, have no tools."""

    def next_id(self) -> str:
        """Return an id of its own for each message: a client takes messages with one id for one."""
        return f"msg_{next(self._numbers)}"

    def reply(self, request: dict[str, Any]) -> Block:
        """Return the next block for a request."""
        if not request.get("tools"):
            return {"type": "text", "text": "ok"}
        self.seen.append(request)
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        block = self.turns[turn] if turn < len(self.turns) else {"type": "text", "text": "done"}
        return {**block, "id": f"toolu_{turn}"} if block["type"] == "tool_use" else block

    def results(self) -> list[str]:
        """Return what the tools answered, as the model was shown it at last."""
        blocks = [block for message in self.seen[-1]["messages"] for block in _blocks(message)]
        return [json.dumps(block["content"], ensure_ascii=False) for block in blocks if block["type"] == "tool_result"]


def _blocks(message: dict[str, Any]) -> list[Block]:
    return message["content"] if isinstance(message["content"], list) else []


@contextmanager
def model(script: Script) -> Iterator[str]:
    """Serve a script on a local port and yield its address."""
    with serving(lambda path, request: _events(script.reply(request), script.next_id())) as address:
        yield address


def _events(block: Block, number: str) -> Iterator[str]:
    """Yield an answer of one block as it is streamed."""
    calls = block["type"] == "tool_use"
    message = {"id": number, "type": "message", "role": "assistant", "model": "m", "content": [], "usage": USAGE}
    empty = {**block, "input": {}} if calls else {"type": "text", "text": ""}
    said = (
        {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        if calls
        else {"type": "text_delta", "text": block["text"]}
    )
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    for kind, more in (
        ("message_start", {"message": {**message, "stop_reason": None, "stop_sequence": None}}),
        ("content_block_start", {"index": 0, "content_block": empty}),
        ("content_block_delta", {"index": 0, "delta": said}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": stop, "usage": {"output_tokens": 1}}),
        ("message_stop", {}),
    ):
        yield f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"
