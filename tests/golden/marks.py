"""Stable marks for what differs from run to run: handles, moments, durations, directories, bytes on disk."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from shirube import __version__

HANDLE = re.compile(r"(?<![0-9A-Za-z])s_[0-9a-f]{12}(?![0-9A-Za-z])")
PLAN = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")
MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(?::\d\d)?(?:Z|\+00:00)?)?")
OWN_NAME = re.compile(r"\b([\w.-]+)-[0-9a-f]{16}\b")
MACHINE = ("python", "sqlite", "command", "git", "rg")
"""What ``doctor`` finds on this machine, and differs on the next."""
FOUND = re.compile(rf"^. ({'|'.join(MACHINE)}) +.*(?:\n +→ .*)?$", re.MULTILINE)
LASTED = re.compile(r"\b\d+(?:\.\d+)?[ \u00a0]?(?:ms|s|秒|ミリ秒)(?!\w)")
ON_DISK = re.compile(r"^( *on disk:? +).*$", re.MULTILINE)
SIZE = re.compile(r"\b[\d.,]+ ?[kKMG]i?B\b")
CURSOR = re.compile(r"(?<=[\w-])\.[0-9a-f]{12}\.[0-9a-f]{12}\b")
"""What binds a cursor to its question, project and index; the place in front of it stays."""
FORM_KEY = re.compile(r'(?<=name="form_key" value=")[^"]+')
CHART_DAY = re.compile(r'(?<=class="tick mid">)\d\d-\d\d(?=</text>)')
"""The day below a column of a chart, without its year."""
DIGITS = 6
MEASURED = {
    "seconds": "<seconds>",
    "totalTime": "<seconds>",
    "executionTime": "<seconds>",
    "disk_bytes": "<bytes>",
    "job_id": "<job>",
}


class Marks:
    """What was replaced so far in one run, so that the same handle has the same mark everywhere."""

    def __init__(self, *directories: Path) -> None:
        self._directories = sorted({str(name) for one in directories for name in (one, one.resolve())}, key=len)
        self._begun = datetime.now(UTC) - timedelta(days=1)
        self._known: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return a text with marks."""
        for directory in reversed(self._directories):
            text = text.replace(directory, "<base>")
        text = CURSOR.sub(".<bound>", text)
        text = HANDLE.sub(lambda found: self._mark("session", found[0]), text)
        text = PLAN.sub(lambda found: self._mark("plan", found[0]), text)
        for known, mark in self._known.items():
            if mark.startswith("<plan"):
                text = re.sub(rf"\b{known[:8]}\b", f"{mark[:-1]}, short>", text)
        text = MOMENT.sub(self._moment, text)
        return OWN_NAME.sub(r"\1-<key>", text)

    def terminal(self, text: str) -> str:
        """Return what a command printed with marks."""
        text = LASTED.sub("<seconds>", ON_DISK.sub(r"\1<bytes>", FOUND.sub(r"\1 <machine>", self.text(text))))
        return text.encode("utf-8", "backslashreplace").decode()

    def page(self, text: str) -> str:
        """Return a page of the site with marks."""
        text = self.text(text.replace(f"?{__version__}", "?<version>"))
        text = CHART_DAY.sub("<day>", text)
        return SIZE.sub("<bytes>", LASTED.sub("<seconds>", FORM_KEY.sub("<key>", text)))

    def value(self, value: Any, key: str = "") -> Any:
        """Return a JSON value with marks; floats have six significant digits."""
        if key == "job" and isinstance(value, dict):
            return "<job>"  # how far the index was brought up to date in that moment
        if isinstance(value, dict):
            return {self.text(name): self.value(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [self.value(part) for part in value]
        if key in MEASURED and value and not isinstance(value, bool):
            return MEASURED[key]
        if isinstance(value, str):
            return self._document(value) if value.startswith("{") else self.text(value)
        return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

    def _document(self, text: str) -> Any:
        """Return a document that an answer holds as text, as what it says; other text that begins like one as it is."""
        try:
            return {"<document>": self.value(json.loads(text))}
        except ValueError:
            return self.text(text)

    def _mark(self, kind: str, found: str) -> str:
        number = sum(mark.startswith(f"<{kind} ") for mark in self._known.values()) + 1
        return self._known.setdefault(found, f"<{kind} {number}>")

    def _moment(self, found: re.Match[str]) -> str:
        """Mark a moment of this run; older ones belong to the fixed project."""
        try:
            day = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
        except ValueError:
            return found[0]
        return found[0] if day < self._begun - timedelta(days=1) else "<moment>" if found[2] else "<day>"


def as_json(value: Any) -> str:
    """Return a value as it is kept: readable, one line a value; half characters stay visible."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "backslashreplace").decode() + "\n"
