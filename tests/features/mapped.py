"""A small project with a map, for the tests of operations that work on it."""

import subprocess
from pathlib import Path
from typing import Any

from shirube import Project
from shirube.features.guard.state import pack_session
from shirube.features.guard.steps import begin
from shirube.features.plan.frame import Intent

PAYMENT = "src/shop/payment.py"


def git(root: Path, *arguments: str) -> None:
    """Run git with an identity of its own."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def edit(project: Project, path: str, old: str, new: str) -> None:
    """Change a file, and bring the index up to date."""
    file = project.workspace.root / path
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    project.sync_index()


def session(project: Project, handle: str = "s1", **body: Any) -> str:
    """Put a session into the journal as the session room would."""
    asked = {"intent": "MODIFY", "request": "会計の再試行を直す", **body}
    begun = begin(handle, Intent(asked["intent"]), asked["request"], "2026-01-31T00:00:00Z")
    whole = {**pack_session(begun), "phase": "READY", "risk": "LOW", **asked}
    if frame := body.get("frame"):
        whole["frame"] = {"raw_query": asked["request"], **frame}
    project.workspace.journal.put("session", handle, whole)
    return handle


def confirmed(term: str = "会計", symbol: str = "checkout", **more: Any) -> dict[str, Any]:
    """Return a confirmed symbol as a session keeps it."""
    return {"nl_term": term, "symbol": symbol, "path": PAYMENT, "tier": "fact", "evidence": "it charges", **more}
