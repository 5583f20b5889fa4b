"""One conversation with the server in this process, counted as it is sent, and with the hooks of the agent."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.guard.changes import Target
from benchmarks.guard.replies import Reply, read_reply
from shirube.engine.text.budget import estimate_tokens

TOOLSETS = "core,session"
"""What is listed where the flows are installed."""
LOOKS = ("search", "grep", "context", "read", "symbol", "outline", "impact")
_PLACE = re.compile(r"^(\S+):(\d+)(?:-\d+)?\b", re.M)
_SPAN = re.compile(r"([^\s,、]+):(\d+)-(\d+)\b")
_PATH = re.compile(r"[\w@.+()\[\]-]+(?:/[\w@.+()\[\]-]+)*")
_numbers = count(1)


@dataclass(frozen=True)
class Exchange:
    """A call and its reply."""

    tool: str
    arguments: dict[str, Any]
    reply: Reply
    result: Any
    """What the operation returned or raised; the agent does not see it, the judge does."""

    @property
    def tokens(self) -> int:
        """What was sent: the name, the arguments and the text."""
        sent = f"{self.tool} {json.dumps(self.arguments, ensure_ascii=False)}"
        return estimate_tokens(sent) + estimate_tokens(self.reply.text)


class Server:
    """A project served over MCP."""

    def __init__(self, root: Path) -> None:
        from shirube.doors.mcp.server import Door
        from shirube.operations import run

        self.root, self.door = root, Door(root, {"serve.toolsets": TOOLSETS})
        run(self.door.workspace(), "sync_index", {})

    @property
    def store(self) -> Any:
        """The index."""
        return self.door.workspace().store

    @property
    def files(self) -> dict[str, Any]:
        """The indexed files."""
        found: dict[str, Any] = self.store.files()
        return found

    def symbol_at(self, path: str, line: int) -> str:
        """Return the symbol that begins at a line, as a reader sees it beside the place."""
        found = [one.qualified for one in self.store.symbols(path) if one.start_line == line]
        return found[0] if found else ""

    def lines(self, target: Target) -> list[str]:
        """Return the lines of a symbol, or of its whole file where the symbol is not known."""
        text = (self.root / target.path).read_text("utf-8", "replace").split("\n")
        spans = [
            (one.start_line, one.end_line) for one in self.store.symbols(target.path) if one.qualified == target.symbol
        ]
        first, last = spans[0] if spans else (1, len(text))
        return [line for line in text[first - 1 : last] if line.strip()]

    @cached_property
    def several(self) -> bool:
        """Whether ``check_write_target`` takes several files."""
        from shirube.operation import operation_schema

        return "array" in str(operation_schema(self.door.tools["check_write_target"])["properties"]["file_path"])

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """The names of the symbols of each file."""
        return {path: [one.name for one in self.store.symbols(path)] for path in sorted(self.files)}

    @cached_property
    def defined(self) -> Counter[str]:
        """How often each name is defined."""
        return Counter(name for names in self.names.values() for name in names)

    def answer(self, tool: str, arguments: dict[str, Any], client: str) -> tuple[Reply, Any]:
        """Return what the server replies, and the result from which it made the reply."""
        from shirube.doors.mcp import reply as door
        from shirube.operation import Call
        from shirube.operations import run as really

        kept: list[Any] = []

        def spy(*given: Any) -> Any:
            try:
                kept.append(really(*given))
            except Exception as error:
                kept.append(error)
                raise
            return kept[-1]

        call = Call(operations=self.door.names, client=client, lasting=False)
        with patch.object(door, "run", spy):
            sent = door.answer_call(self.door, tool, arguments, call)
        (content,) = sent.content
        return read_reply(content.text, bool(sent.is_error)), kept[-1] if kept else None  # type: ignore[union-attr]

    def close(self) -> None:
        """Let go of the index."""
        self.door.close()


@dataclass
class Conversation:
    """What an agent has said and was shown; each has an id of its own, as the client gives it."""

    server: Server
    title: str
    client: str = field(default_factory=lambda: f"bench-{next(_numbers)}")
    handle: str = ""
    exchanges: list[Exchange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the gate said, for the transcript."""

    def call(self, tool: str, **arguments: Any) -> Reply:
        """Call a tool; the handle goes with every call after ``start_session``."""
        if self.handle and tool != "start_session" and "session_id" not in arguments:
            arguments["session_id"] = self.handle
        reply, result = self.server.answer(tool, arguments, self.client)
        self.exchanges.append(Exchange(tool, arguments, reply, result))
        if tool == "start_session" and not reply.failed:
            self.handle = result.session_id
            self._hook("after", tool, arguments, reply)
        return reply

    def _hook(self, moment: str, tool: str, arguments: dict[str, Any], reply: Reply) -> None:
        told = {"tool_response": [{"type": "text", "text": reply.text}]}
        self.hook(moment, tool_name=f"mcp__shirube__{tool}", tool_input=arguments, **told)

    def hook(self, moment: str, **event: Any) -> tuple[bool, str]:
        """Ask the gate in block mode, as the hook of the agent does; return whether it allows, and what it says."""
        from shirube.doors.hook import answer_hook, read_options

        root = str(self.server.root)
        options = read_options(["--hook", moment, "--mode", "block", "--root", root])
        told = {"session_id": self.client, "cwd": root, **event}
        answer = answer_hook(options, json.dumps(told).encode())
        return answer.code == 0, answer.err

    def edit(self, path: str) -> tuple[bool, str]:
        """Ask the gate whether the agent's editor may write a file; nothing is written."""
        full = str(self.server.root / path)
        given = {"file_path": full, "old_string": "a", "new_string": "b"}
        allowed, told = self.hook("before", tool_name="Edit", tool_input=given)
        self.notes.append(f"Edit {path}: {'allowed' if allowed else f'REFUSED {told}'}")
        return allowed, told

    def own_read(self, path: str) -> None:
        """Read a file with the agent's own tool, which the hooks see."""
        given = {"file_path": str(self.server.root / path)}
        text = (self.server.root / path).read_text("utf-8", "replace")[:2000]
        self.hook("after", tool_name="Read", tool_input=given, tool_response={"file": {"content": text}})
        self.notes.append(f"Read {path}")

    # --- what it knows ----------------------------------------------------------------------------------------

    @property
    def tokens(self) -> int:
        """Everything that was sent so far."""
        return sum(one.tokens for one in self.exchanges)

    @property
    def looks(self) -> int:
        """How many calls have looked at the project."""
        return sum(one.tool in LOOKS for one in self.exchanges)

    def texts(self, before: int | None = None) -> str:
        """All replies up to the given one."""
        return "\n".join(one.reply.text for one in self.exchanges[:before])

    def places(self) -> Iterator[tuple[str, str]]:
        """Yield each path that a reply gave a line of, with the symbol that begins there, in order."""
        for path, line in _PLACE.findall(self.texts()):
            if path in self.server.files:
                yield path, self.server.symbol_at(path, int(line))

    def named(self, before: int | None = None) -> list[str]:
        """Return the files that the replies named, in order."""
        files = self.server.files
        return list(dict.fromkeys(word for word in _PATH.findall(self.texts(before)) if word in files))

    def span(self, path: str) -> tuple[int, int] | None:
        """Return the first lines of a file that a reply named."""
        spans = (match for match in _SPAN.findall(self.texts()) if match[0] == path)
        return next(((int(first), int(last)) for _, first, last in spans), None)

    def transcript(self) -> str:
        """Return all of it, as the model would see it."""
        parts = [f"# {self.title}"]
        for number, one in enumerate(self.exchanges, 1):
            asked = json.dumps(one.arguments, ensure_ascii=False)
            parts.append(f"### {number}. {one.tool} {asked}   ({one.tokens} tokens)\n{one.reply.text}")
        return "\n\n".join([*parts, *(f"--- {note}" for note in self.notes)]) + "\n"
