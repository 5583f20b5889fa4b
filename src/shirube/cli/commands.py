"""The commands in the order in which they are listed; each is loaded when it is called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from shirube.cli.command import Command


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is made: a name in a module, or an operation."""

    help: str
    module: str = ""
    """The module of this package that has it, with the name there: ``doctor.DOCTOR``."""
    operation: str = ""
    members: "Mapping[str, Entry]" = field(default_factory=dict)
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
    "context": Entry("what to read for a goal, within a token budget", "reading.CONTEXT"),
    "plan": Entry("work towards a goal: ask, judge, ask better, remember", operation="query_plan"),
    "plans": Entry("the plans that were made: list, show, share", operation="list_plans"),
    "session": Entry(
        "sessions: what a request has understood, and whether it may write yet",
        members={
            "start": Entry("begin work on a request", "session.START"),
            "status": Entry("what is known, what is missing, what to do next", "session.STATUS"),
            "list": Entry("the sessions of this work tree, the latest first", "session.LIST"),
            "show": Entry("a session with everything that happened in it", "session.SHOW"),
        },
    ),
    "map": Entry(
        "what was agreed about the code: terms, symbols, conventions",
        members={
            "list": Entry("every agreement with its state", "map.LIST"),
            "add": Entry("write an agreement or a convention", "map.ADD"),
            "edit": Entry("put an agreement right, or confirm it anew", "map.EDIT"),
            "search": Entry("what was agreed about some words", "map.SEARCH"),
            "check": Entry("which agreements went stale (exit 1 if any)", "map.CHECK"),
            "expire": Entry("end an agreement", "map.EXPIRE"),
            "sync": Entry("take in learned_pairs.json and hand edits, bind what is new", "map.SYNC"),
            "merge": Entry("merge two versions of a file of the map; a git merge driver", "map.MERGE"),
            "export": Entry("the map as one file", "map.EXPORT"),
            "import": Entry("take in a map from elsewhere", "map.IMPORT"),
        },
    ),
    "outcome": Entry(
        "how a session turned out, and what failures have in common",
        members={
            "success": Entry("the session was a success", "outcomes.SUCCESS"),
            "failure": Entry("the session was a failure", "outcomes.FAILURE"),
            "partial": Entry("the session was partly right", "outcomes.PARTIAL"),
            "insights": Entry("what failures have in common", "outcomes.INSIGHTS"),
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
            "code-intel": Entry("take over the map and the logs of an earlier program", "map.CODE_INTEL"),
            "gistdex": Entry("plans, queries and notes of a .gistdex directory", operation="import_plans"),
        },
    ),
}


def load(entry: Entry) -> Command:
    """Return a command with its arguments and what it does."""
    if entry.operation:
        from shirube.cli.derived import derived
        from shirube.operations.table import operation_named

        return derived(operation_named(entry.operation))
    module, _, attribute = entry.module.partition(".")
    found: Command = getattr(import_module(f"shirube.cli.{module}"), attribute)
    return found
