"""Replies of a server in this process, in either language: for what a reply says, not for how it is sent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shirube.doors.mcp.reply import answer_call
from shirube.doors.mcp.server import Door
from shirube.messages import Speech
from shirube.operation import Call


class _Japanese(Door):
    def speech(self, asked: str) -> Speech:
        return super().speech("日本語")


class Replies:
    """A project served to a reader of each language, who waits for the index however busy the machine is."""

    def __init__(self, root: Path, flags: Mapping[str, Any] | None = None) -> None:
        self.root = root
        self._doors = {"en": Door(root, flags or {}), "ja": _Japanese(root, flags or {})}

    def __call__(self, language: str, tool: str, **arguments: Any) -> str:
        """Return the text of a reply."""
        door = self._doors[language]
        (content,) = answer_call(door, tool, arguments, Call(operations=door.names, patient=True)).content
        return str(content.text)  # type: ignore[union-attr]

    def close(self) -> None:
        """Close both servers."""
        for door in self._doors.values():
            door.close()
