"""The commands in the order in which they are listed; each is loaded when it is called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from msgspec import Struct

from shirube.doors.cli.command import Command


class Entry(Struct, frozen=True):
    """Where a command is made: a name in a module, or an operation."""

    help: str
    module: str = ""
    """The module of this package that has it, with the name there: ``doctor.DOCTOR``."""
    operation: str = ""
    given: Mapping[str, Any] = {}
    """Arguments of the operation that the command stands for: ``outcome success``."""
    members: "Mapping[str, Entry]" = {}
    """The commands of a family: ``map list``, ``map add``."""


COMMANDS: Mapping[str, Entry] = {
    "search": Entry("find code by words, symbols or a question", operation="search"),
    "grep": Entry("find lines by exact text or regular expression", operation="search_text"),
    "defs": Entry("where a symbol is defined", operation="find_definitions"),
    "refs": Entry("who uses a symbol, and how sure that is", operation="find_references"),
    "outline": Entry("what a file or directory defines, nested", operation="analyze_structure"),
    "at": Entry("the function around a line, or the class: FILE:LINE", operation="get_function_at_line"),
    "impact": Entry("what a change of files or symbols would touch", operation="analyze_impact"),
    "deps": Entry("what a file uses, and who uses it", operation="deps_closure"),
    "context": Entry("what to read for a goal, within a token budget", operation="context_bundle"),
    "plan": Entry("work towards a goal: ask, judge, ask better, remember", operation="query_plan"),
    "plans": Entry("the plans that were made: list, show, share", operation="list_plans"),
    "session": Entry(
        "sessions: what a request has understood, and whether it may write yet",
        members={
            "start": Entry("begin work on a request", operation="start_session"),
            "status": Entry("what is known, what is missing, what to do next", operation="get_session_status"),
            "list": Entry("the sessions of this work tree, the latest first", operation="list_sessions"),
            "show": Entry(
                "a session with everything that happened in it",
                operation="get_session_status",
                given={"detailed": True},
            ),
        },
    ),
    "map": Entry(
        "what was agreed about the code: terms, symbols, conventions",
        members={
            "list": Entry("every agreement with its state", operation="list_agreements"),
            "add": Entry("write an agreement or a convention", operation="add_agreement"),
            "edit": Entry("put an agreement right, or confirm it anew", operation="edit_agreement"),
            "search": Entry("what was agreed about some words", operation="search_map"),
            "check": Entry("which agreements went stale (exit 1 if any)", operation="check_agreements"),
            "expire": Entry("end an agreement", operation="expire_agreement"),
            "sync": Entry("take in learned_pairs.json and hand edits, bind what is new", operation="sync_map"),
            "merge": Entry("merge two versions of a file of the map; a git merge driver", operation="merge_agreements"),
            "export": Entry("the map as one file", operation="export_map"),
            "import": Entry("take in a map from elsewhere", operation="import_map"),
        },
    ),
    "outcome": Entry(
        "how a session turned out, and what failures have in common",
        members={
            "success": Entry("the session was a success", operation="record_outcome", given={"outcome": "success"}),
            "failure": Entry("the session was a failure", operation="record_outcome", given={"outcome": "failure"}),
            "partial": Entry("the session was partly right", operation="record_outcome", given={"outcome": "partial"}),
            "insights": Entry("what failures have in common", operation="get_improvement_insights"),
        },
    ),
    "gate": Entry("what the gate before writes does; hooks of agents call it", "gate.GATE"),
    "commands": Entry(
        "find, describe and execute the commands of a registry of prompts",
        members={
            "search": Entry("which command does this", operation="command_search"),
            "describe": Entry("what a command takes", operation="command_describe"),
            "execute": Entry("print the prompt of a command with your input in it", operation="command_execute"),
            "validate": Entry("what is listed and cannot be rendered", operation="command_validate"),
            "build": Entry("make registry.json from the front matter of the prompts", operation="command_build"),
        },
    ),
    "index": Entry("bring the index up to date", operation="sync_index"),
    "status": Entry("what the index holds, how fresh it is, what it leaves out", operation="index_status"),
    "doctor": Entry("what is missing or degraded here, and how to mend it", "doctor.DOCTOR"),
    "serve": Entry("serve the operations to an agent over MCP", "serve.SERVE"),
    "ui": Entry("look at the project in a browser: search, map, plans, index", "ui.UI"),
    "install": Entry("tell agents of this program: server, instructions, commands, hooks", "install.INSTALL"),
    "uninstall": Entry("take out of agents' files exactly what install put in", "install.UNINSTALL"),
    "call": Entry("run any operation with JSON arguments; prints its result as JSON", "serve.CALL"),
    "import": Entry(
        "take over what an earlier program left",
        members={
            "code-intel": Entry("take over the map and the logs of an earlier program", operation="import_map"),
            "gistdex": Entry("plans, queries and notes of a .gistdex directory", operation="import_plans"),
        },
    ),
}


def load(entry: Entry) -> Command:
    """Return a command with its arguments and what it does."""
    if entry.operation:
        from shirube.doors.cli.derived import derived
        from shirube.operations import operation_named

        return derived(operation_named(entry.operation), entry.given)
    module, _, attribute = entry.module.partition(".")
    found: Command = getattr(import_module(f"shirube.doors.cli.{module}"), attribute)
    return found
