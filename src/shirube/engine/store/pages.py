"""Pages of knowledge as files a person can read: one Markdown file for each topic, and an index beside them."""

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from shirube.engine.text import normalise
from shirube.errors import OutsideRoot, StateFault

INDEX = "index.json"
LONGEST_NAME = 60
"""Characters of a topic in a file name; three bytes each at most, and file systems allow 255."""


def page_name(topic: str) -> str:
    """Return a file name for a topic, in any script: ``"認証の流れ"`` → ``"認証の流れ-2c1d9f0e"``.

    Nothing but letters, digits, ``-`` and ``_`` is kept, so no topic leads anywhere; the digest of the whole topic
    keeps two topics apart that would look the same.
    """
    kept = "".join(char if char.isalnum() or char in "-_" else "-" for char in normalise(topic))
    short = "-".join(part for part in kept.split("-") if part)[:LONGEST_NAME] or "topic"
    return f"{short}-{sha256(topic.encode('utf-8', 'replace')).hexdigest()[:8]}"


class Pages:
    """A folder of pages; ``inside`` is what it may not lie outside of, for a folder that came with a project."""

    def __init__(self, folder: Path, inside: Path | None = None) -> None:
        self._folder = folder
        if inside is not None and not folder.resolve().is_relative_to(inside.resolve()):
            raise OutsideRoot("store.pages_outside", path=str(folder))

    def write(self, topic: str, text: str, entry: Mapping[str, Any], ending: str = ".md") -> Path:
        """Write the page of a topic, replacing an older one, enter it into the index, and return its path."""
        path = self._folder / f"{page_name(topic)}{ending}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _replace(path, text)
            entries = self.entries()
            entries[path.name] = {"topic": topic, **entry}
            _replace(self._folder / INDEX, json.dumps(entries, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
        except OSError as error:
            raise StateFault("store.page_not_written", path=str(path), error=str(error)) from None
        return path

    def entries(self) -> dict[str, Any]:
        """Return the index: file name → what is known of the page; an index that cannot be read counts as none."""
        try:
            found = json.loads((self._folder / INDEX).read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all; a link in its place is replaced, never followed."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, "utf-8")
    beside.replace(path)
