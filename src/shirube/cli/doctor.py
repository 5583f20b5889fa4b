"""What is missing, what is degraded, and how to mend it."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from shirube.cli.screen import Paint, printable
from shirube.config import child_environment, load_config
from shirube.embed import Embedder
from shirube.embed.open import LIGHT
from shirube.embed.weights import fetch
from shirube.errors import BrokenIndex, ModelFault, ShirubeError, StateFault
from shirube.operations.declare import Call
from shirube.parse.grammars import load_grammar
from shirube.parse.languages import known_languages, language_row
from shirube.repo.process import find_program
from shirube.settings import Config
from shirube.store.naming import JOURNAL
from shirube.workspace import Workspace, build_workspace, weights_of

MARKS = {"good": "✓", "note": "·", "bad": "✗"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    what: str
    state: str
    """good, note (works, less well), bad"""
    detail: str
    mend: str = ""


def examine(root: Path) -> tuple[Finding, ...]:
    """Look at everything the program depends on."""
    parts = (_python, _programs, _libraries, _grammars)
    return (*(finding for part in parts for finding in part()), *_project(root))


def repair(workspace: Workspace, call: Call) -> tuple[Finding, ...]:
    """Build the index anew when anything is wrong with it, and fetch the model that was asked for and is missing.

    Return what was mended: a file that was none of ours was put aside when the project was opened.
    """
    if problems := _problems(workspace):
        workspace.rebuild(BrokenIndex("; ".join(problems)), call.progress)
    elif workspace.keeper.state == "empty":
        workspace.keeper.sync(full=True, progress=call.progress, deadline=call.deadline)
    with suppress(StateFault):  # what cannot be mended here is among the findings
        _open_journal(workspace)
    mended = tuple(Finding("repaired", "good", note) for note in workspace.notes)
    config = load_config(workspace.root)  # a workspace has the model it could get, not the one that was asked for
    if config.embed.model not in LIGHT:
        call.progress(f"fetching {config.embed.source}", 0, 0)
        fetch(weights_of(config))
    return mended


def _problems(workspace: Workspace) -> tuple[str, ...]:
    try:
        return workspace.store.check()
    except BrokenIndex as error:
        return (error.message,)


def _open_journal(workspace: Workspace) -> None:
    """Look at what was recorded, where anything was: a damaged file is put aside and noted."""
    if (workspace.state_directory / JOURNAL).exists():
        _ = workspace.journal


def report_text(findings: tuple[Finding, ...], paint: Paint) -> str:
    """Return the findings as aligned lines with what to do."""
    styles = {"good": "good", "note": "dim", "bad": "bad"}
    lines = []
    for found in findings:
        lines.append(f"{paint(styles[found.state], MARKS[found.state])} {found.what:<14} {printable(found.detail)}")
        if found.mend:
            lines.append(f"  {'':<14} → {printable(found.mend)}")
    return "\n".join(lines)


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    tested = sys.version_info[:2] == (3, 11)
    yield Finding("python", "good" if tested else "note", version, "" if tested else "tested on 3.11 only so far")
    yield Finding("sqlite", "good", sqlite3.sqlite_version)


def _programs() -> Iterator[Finding]:
    for name, loss in (
        ("git", "ignored files that are tracked are left out, and the commit is not known"),
        ("rg", "text search reads every file by itself, which takes longer in large projects"),
    ):
        found = find_program(name, child_environment())
        if found:
            yield Finding(name, "good", found)
        else:
            yield Finding(name, "note", f"not found: {loss}", f"install {'ripgrep' if name == 'rg' else name}")


def _libraries() -> Iterator[Finding]:
    for name, loss in (
        ("re2", "'shirube grep' does not work"),
        ("tantivy", "SQLite's FTS5 answers instead, slower"),
        ("simsimd", "numpy compares vectors instead, slower"),
        ("mcp", "'shirube serve' does not work"),
    ):
        if find_spec(name):
            yield Finding(name, "good", "installed")
        else:
            package = {"re2": "google-re2"}.get(name, name)
            yield Finding(name, "bad", f"missing: {loss}", f"pip install {package}")


def _grammars() -> Iterator[Finding]:
    with_grammar = [name for name in known_languages() if language_row(name).grammar]
    broken = [name for name in with_grammar if load_grammar(name) is None]
    if broken:
        yield Finding(
            "grammars",
            "bad",
            f"cannot be loaded: {', '.join(broken)}",
            "pip install --force-reinstall shirube",
        )
    else:
        yield Finding("grammars", "good", f"{len(with_grammar)} languages load")


def _project(root: Path) -> Iterator[Finding]:
    """Look at the project; with a configuration that cannot be used, as it would be without the project's own."""
    config: Config | None = None
    try:
        config = load_config(root)
        yield Finding("config", "good", ", ".join(config.sources))
    except ShirubeError as error:
        yield Finding("config", "bad", error.message, error.hint)
    try:
        workspace = build_workspace(root, config=config or load_config())
    except ShirubeError as error:
        yield Finding("index", "bad", error.message, error.hint)
        return
    try:
        yield from _index(workspace)
        yield _model(workspace.embedder)
        try:
            _open_journal(workspace)
        except StateFault as error:
            yield Finding("journal", "bad", error.message, error.hint)
        for warning in workspace.warnings():
            yield Finding("project", "note", warning)
        for problem in workspace.map.load().problems:
            yield Finding("map", "bad", problem, "mend the file, then run 'shirube map sync'")
    finally:
        workspace.close()


def _model(embedder: Embedder) -> Finding:
    """Try the model: that its files are there does not mean that they are whole."""
    try:
        embedder.query("test")
    except ModelFault as error:
        return Finding("model", "bad", error.message, error.hint)
    return Finding("model", "good", embedder.name)


def _index(workspace: Workspace) -> Iterator[Finding]:
    problems = _problems(workspace)
    for problem in problems:
        yield Finding("index", "bad", problem, "run 'shirube doctor --repair'")
    if problems:
        return
    state = workspace.keeper.state
    if state == "empty":
        yield Finding("index", "note", "nothing is indexed yet", "run 'shirube index', or just search")
    elif workspace.keeper.needs_sync():
        yield Finding("index", "note", f"{state}, out of date", "run 'shirube index'")
    else:
        yield Finding("index", "good", f"{state}, up to date, sound")
