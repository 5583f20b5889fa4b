"""``shirube doctor``: what is missing, what works less well, and how to fix it."""

import argparse
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from shirube.config import child_environment, load_config
from shirube.doors.agents.table import COMMAND, SERVER
from shirube.doors.cli.command import NO_MATCH, OK, CliCommand, common, opened, show
from shirube.doors.cli.ownership import foreign, on_path, own_path
from shirube.doors.cli.screen import screen_for
from shirube.doors.views.screen import Screen
from shirube.engine.embed.open import LIGHT
from shirube.engine.embed.weights import fetch
from shirube.engine.index.keeper import MOST_DEAD
from shirube.engine.parse.grammars import load_grammar
from shirube.engine.parse.languages import known_languages, language_row
from shirube.engine.repo.process import find_program
from shirube.engine.store.disk import JOURNAL
from shirube.errors import BrokenIndex, IndexFault, ModelFault, ShirubeError, StateFault
from shirube.messages import NOTHING, Message, say, verbatim
from shirube.operation import Call
from shirube.settings import Config
from shirube.workspace import Workspace, build_workspace, weights_of

MARKS = {"good": "✓", "note": "·", "bad": "✗"}


class Diagnosis(Struct, frozen=True):
    """The result of one check."""

    what: str
    state: str
    """good, note (works, but less well) or bad"""
    detail: Message
    mend: Message = NOTHING


def examine(root: Path) -> tuple[Diagnosis, ...]:
    """Check everything the program depends on."""
    return (*_python(), *_programs(), *_project(root))


def repair(workspace: Workspace, call: Call) -> tuple[Diagnosis, ...]:
    """Rebuild a damaged index, and download the configured model if it is missing.

    Return what was repaired; that includes damaged files, which were moved away when the project was opened.
    """
    if problems := _problems(workspace):
        workspace.rebuild(BrokenIndex("index_view.problems", problems=problems), call.progress)
    elif workspace.keeper.state == "empty":
        workspace.keeper.sync(full=True, progress=call.progress, deadline=call.deadline)
    with suppress(StateFault):  # examine() reports what cannot be repaired here
        _open_journal(workspace)
    repaired = tuple(Diagnosis("repaired", "good", note) for note in workspace.notes)
    # Read again: the workspace's configuration names the model that it could open, not the configured one.
    config = load_config(workspace.root)
    if config.embed.model not in LIGHT:
        call.progress(say("steps.fetching", source=config.embed.source), 0, 0)
        fetch(weights_of(config))
    return repaired


def _problems(workspace: Workspace) -> tuple[Message, ...]:
    try:
        return workspace.store.check()
    except BrokenIndex as error:
        return (error.message,)


def _open_journal(workspace: Workspace) -> None:
    """Open the journal if there is one: opening moves a damaged file away and adds a note."""
    if (workspace.state_directory / JOURNAL).exists():
        _ = workspace.journal


def report_text(findings: tuple[Diagnosis, ...], screen: Screen) -> str:
    """Return the findings as aligned lines, each with its fix."""
    styles = {"good": "good", "note": "dim", "bad": "bad"}
    lines = []
    for finding in findings:
        mark = screen.paint(styles[finding.state], MARKS[finding.state])
        lines.append(f"{mark} {finding.what:<14} {screen.say(finding.detail)}")
        if finding.mend:
            lines.append(f"  {'':<14} → {screen.say(finding.mend)}")
    return "\n".join(lines)


def _python() -> Iterator[Diagnosis]:
    version = ".".join(map(str, sys.version_info[:3]))
    tested = sys.version_info[:2] == (3, 11)
    mend = NOTHING if tested else say("index_view.tested")
    yield Diagnosis("python", "good" if tested else "note", verbatim(version), mend)
    yield Diagnosis("sqlite", "good", verbatim(sqlite3.sqlite_version))


def _programs() -> Iterator[Diagnosis]:
    """Check our own commands, then what they call: programs, libraries and grammars."""
    for name in (SERVER, COMMAND):
        path = on_path(name)
        if trouble := foreign(name) if path else say("index_view.no_command", name=name):
            yield Diagnosis("command", "note", trouble, say("index_view.own_first", own=own_path()))
        else:
            yield Diagnosis("command", "good", verbatim(path or ""))
    for name, package in (("git", "git"), ("rg", "ripgrep")):
        if path := find_program(name, child_environment()):
            yield Diagnosis(name, "good", verbatim(path))
        else:
            yield Diagnosis(name, "note", say(f"index_view.no_{name}"), say("index_view.install", name=package))
    for name, package in (("re2", "google-re2"), *((name, name) for name in ("tantivy", "simsimd", "mcp"))):
        if find_spec(name):
            yield Diagnosis(name, "good", say("index_view.installed"))
        else:
            yield Diagnosis(name, "bad", say(f"index_view.no_{name}"), say("index_view.pip_install", name=package))
    with_grammar = [name for name in known_languages() if language_row(name).grammar]
    broken = [name for name in with_grammar if load_grammar(name) is None]
    if broken:
        yield Diagnosis("grammars", "bad", say("index_view.no_load", names=broken), say("index_view.reinstall"))
    else:
        yield Diagnosis("grammars", "good", say("index_view.load", count=len(with_grammar)))


def _project(root: Path) -> Iterator[Diagnosis]:
    """Check the project; if its configuration is unusable, check the rest without the project's file."""
    config: Config | None = None
    try:
        config = load_config(root)
        yield Diagnosis("config", "good", verbatim(", ".join(config.sources)))
    except ShirubeError as error:
        yield Diagnosis("config", "bad", error.message, error.hint)
    try:
        workspace = build_workspace(root, config=config or load_config())
    except ShirubeError as error:
        yield Diagnosis("index", "bad", error.message, error.hint)
        return
    try:
        yield from _index(workspace)
        try:
            workspace.embedder.query("test")  # its files may exist and still be damaged
            yield Diagnosis("model", "good", verbatim(workspace.embedder.name))
        except ModelFault as error:
            yield Diagnosis("model", "bad", error.message, error.hint)
        try:
            _open_journal(workspace)
        except StateFault as error:
            yield Diagnosis("journal", "bad", error.message, error.hint)
        for warning in workspace.warnings():
            yield Diagnosis("project", "note", warning)
        for problem in workspace.map.load().problems:
            yield Diagnosis("map", "bad", verbatim(problem), say("index_view.mend_map"))
    finally:
        workspace.close()


def _index(workspace: Workspace) -> Iterator[Diagnosis]:
    try:
        problems = _problems(workspace)
    except IndexFault as error:
        yield Diagnosis("index", "bad", error.message, error.hint)
        return
    totals = workspace.store.totals()
    if totals.place:
        yield Diagnosis("store", "good", totals.place)
    for problem in problems:
        yield Diagnosis("index", "bad", problem, say("index_view.repair"))
    if problems:
        return
    state = workspace.keeper.state
    if state == "empty":
        yield Diagnosis("index", "note", say("index_view.empty"), say("index_view.index_or_search"))
    elif workspace.keeper.needs_sync():
        yield Diagnosis("index", "note", say("index_view.stale", state=state), say("index_view.run_sync"))
    else:
        yield Diagnosis("index", "good", say("index_view.sound", state=state))
    if totals.dead > MOST_DEAD * totals.chunks:
        dead = say("store.dead", count=totals.dead, total=totals.chunks)
        yield Diagnosis("lexical", "note", dead, say("index_view.run_sync"))


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repair", action="store_true", help="build a broken index anew, fetch a missing model")
    common(parser)


def _run(options: argparse.Namespace) -> int:
    repaired: tuple[Diagnosis, ...] = ()
    if options.repair:
        with opened(options) as (workspace, call):
            repaired = repair(workspace, call)
    findings = (*repaired, *examine(options.root))
    show(options, {"findings": findings}, lambda: report_text(findings, screen_for(options)))
    return NO_MATCH if any(finding.state == "bad" for finding in findings) else OK


DOCTOR = CliCommand(_declare, _run, unsettled=True)
