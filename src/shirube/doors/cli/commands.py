"""The commands in the order in which they are listed; each is loaded when it is called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from msgspec import Struct

from shirube.doors.cli.command import CliCommand


class Item(Struct, frozen=True):
    """Where a command is made: a name in a module, or an operation."""

    help: str
    module: str = ""
    """The module of this package that has it, with the name there: ``doctor.DOCTOR``."""
    operation: str = ""
    given: Mapping[str, Any] = {}
    """Arguments of the operation that the command stands for: ``outcome success``."""
    members: "Mapping[str, Item]" = {}
    """The commands of a family: ``map list``, ``map add``."""


COMMANDS: Mapping[str, Item] = {
    "search": Item("find code by words, symbols or a question", operation="search"),
    "grep": Item("find lines by exact text or regular expression", operation="search_text"),
    "defs": Item("where a symbol is defined", operation="find_definitions"),
    "refs": Item("who uses a symbol, and how sure that is", operation="find_references"),
    "outline": Item("what a file or directory defines, nested", operation="analyze_structure"),
    "at": Item("the function around a line, or the class: FILE:LINE", operation="get_function_at_line"),
    "impact": Item("what a change of files or symbols would touch", operation="analyze_impact"),
    "deps": Item("what a file uses, and who uses it", operation="deps_closure"),
    "context": Item("what to read for a goal, within a token budget", operation="context_bundle"),
    "plan": Item("work towards a goal: ask, judge, ask better, remember", operation="query_plan"),
    "plans": Item("the plans that were made: list, show, share", operation="list_plans"),
    "session": Item(
        "sessions: what a request has understood, and whether it may write yet",
        members={
            "start": Item("begin work on a request", operation="start_session"),
            "status": Item("what is known, what is missing, what to do next", operation="get_session_status"),
            "list": Item("the sessions of this work tree, the latest first", operation="list_sessions"),
            "show": Item(
                "a session with everything that happened in it",
                operation="get_session_status",
                given={"detailed": True},
            ),
        },
    ),
    "map": Item(
        "what was agreed about the code: terms, symbols, conventions",
        members={
            "list": Item("every agreement with its state", operation="list_agreements"),
            "add": Item("write an agreement or a convention", operation="add_agreement"),
            "edit": Item("put an agreement right, or confirm it anew", operation="edit_agreement"),
            "search": Item("what was agreed about some words", operation="search_map"),
            "check": Item("which agreements went stale (exit 1 if any)", operation="check_agreements"),
            "expire": Item("end an agreement", operation="expire_agreement"),
            "sync": Item("take in learned_pairs.json and hand edits, bind what is new", operation="sync_map"),
            "merge": Item("merge two versions of a file of the map; a git merge driver", operation="merge_agreements"),
            "export": Item("the map as one file", operation="export_map"),
            "import": Item("take in a map from elsewhere", operation="import_map"),
        },
    ),
    "outcome": Item(
        "how a session turned out, and what failures have in common",
        members={
            "success": Item("the session was a success", operation="record_outcome", given={"outcome": "success"}),
            "failure": Item("the session was a failure", operation="record_outcome", given={"outcome": "failure"}),
            "partial": Item("the session was partly right", operation="record_outcome", given={"outcome": "partial"}),
            "insights": Item("what failures have in common", operation="get_improvement_insights"),
        },
    ),
    "gate": Item("what the gate before writes does; hooks of agents call it", "servers.GATE"),
    "commands": Item(
        "find, describe and execute the commands of a registry of prompts",
        members={
            "search": Item("which command does this", operation="command_search"),
            "describe": Item("what a command takes", operation="command_describe"),
            "execute": Item("print the prompt of a command with your input in it", operation="command_execute"),
            "validate": Item("what is listed and cannot be rendered", operation="command_validate"),
            "build": Item("make registry.json from the front matter of the prompts", operation="command_build"),
        },
    ),
    "index": Item("bring the index up to date", operation="sync_index"),
    "status": Item("what the index holds, how fresh it is, what it leaves out", operation="index_status"),
    "doctor": Item("what is missing or degraded here, and how to mend it", "doctor.DOCTOR"),
    "serve": Item("serve the operations to an agent over MCP", "servers.SERVE"),
    "ui": Item("look at the project in a browser: search, map, plans, index", "servers.UI"),
    "install": Item("tell agents of this program: server, instructions, commands, hooks", "installer.INSTALL"),
    "uninstall": Item("take out of agents' files exactly what install put in", "installer.UNINSTALL"),
    "call": Item("run any operation with JSON arguments; prints its result as JSON", "servers.CALL"),
    "import": Item(
        "take over what an earlier program left",
        members={
            "code-intel": Item("take over the map and the logs of an earlier program", operation="import_map"),
            "gistdex": Item("plans, queries and notes of a .gistdex directory", operation="import_plans"),
        },
    ),
}


def load(entry: Item) -> CliCommand:
    """Return a command with its arguments and what it does."""
    if entry.operation:
        from shirube.doors.cli.derived import derived
        from shirube.operations import operation_named

        return derived(operation_named(entry.operation), entry.given)
    module, _, attribute = entry.module.partition(".")
    found: CliCommand = getattr(import_module(f"shirube.doors.cli.{module}"), attribute)
    return found
