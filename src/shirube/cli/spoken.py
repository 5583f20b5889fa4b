"""What operations advise, in the words of the terminal: their names become commands, their arguments options.

Every door gets the same results. An agent calls operations, a person types commands; this is the one place that knows
both. JSON is for programs and stays as it is.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from shlex import quote
from typing import Any

from shirube.operations import OPERATIONS
from shirube.operations.wire import to_wire

COMMANDS = {
    "search": "search {query}",
    "files_search": "search {query}",
    "search_text": "grep {pattern}",
    "context_bundle": "context {goal}",
    "snippets_get": "at {path}:{start_line}",
    "query_plan": "plan {goal}",
    "list_plans": "plans",
    "show_plan": "plans {planId}",
    "list_presets": "plans --presets",
    "export_plans": "plans --export",
    "import_plans": "plans --import",
    "deps_closure": "deps {path}",
    "find_definitions": "defs {symbol}",
    "find_references": "refs {symbol} --in {defined_in}",
    "analyze_structure": "outline {path}",
    "get_symbols": "outline {path}",
    "get_function_at_line": "at {file_path}:{line}",
    "analyze_impact": "impact {files}",
    "start_session": "session start {intent} {query}",
    "get_session_status": "session status {session_id}",
    "list_sessions": "session list",
    "record_outcome": "outcome {outcome}",
    "get_improvement_insights": "outcome insights",
    "get_outcome_stats": "outcome insights --stats",
    "forget_outcomes": "outcome insights --forget",
    "search_map": "map search {query}",
    "add_agreement": "map add {nl_term} {symbol}",
    "edit_agreement": "map edit {agreement} --confirm",
    "expire_agreement": "map expire {agreement}",
    "list_agreements": "map list",
    "check_agreements": "map check",
    "sync_map": "map sync",
    "merge_agreements": "map merge {ours} {theirs}",
    "export_map": "map export",
    "import_map": "map import",
    "command_search": "commands search {query}",
    "command_describe": "commands describe {c1} {c2} {c3}",
    "command_execute": "commands execute {c1} {c2} {c3}",
    "command_validate": "commands validate",
    "command_build": "commands build",
    "sync_index": "index",
    "index_status": "status",
}
"""The command that does what an operation does, with the arguments it must have; the rest is reached by ``call``."""
IMPLIED = {"confirm"}
"""Arguments that stand in a command as an option."""
OPTIONS = {
    r"\bnext_cursor\b": "--cursor",
    r"\bpath or languages narrow\b": "--path or --lang narrow",
    r"\bpath or prose=false narrows\b": "--path or --code narrows",
    r"\bleave out path, languages, kinds and tags\b": "leave out --path, --lang and --kind",
    r"\bcase_sensitive=false\b": "-i",
    r"\bregex=true\b": "-E",
    r"\bword=true\b": "-w",
    r"\bbudget=(\d+)": r"--budget \1",
    r"\bpath=(\S+)": r"--path \1",
    r"\bpreset=": "--preset ",
    r"\btimeoutSeconds\b": "--timeout",
    r"\bwith 'path'": "with --path",
    r"^'limit'(?=:| must)": "--limit",
    r"\bgive 'symbol', or doc_type 'convention' and the rule as code_evidence": (
        "give a SYMBOL, or --convention and the rule as --evidence"
    ),
    r"\bgive symbol, path, code_evidence or confirm": "give --symbol, --path, --evidence or --confirm",
    r"\bcode_evidence\b": "--evidence",
    r"\bsee not_searched\b": "see 'shirube status'",
    r": see problems\b": "",
    r"\btold in problems\b": "told above",
    r"\brest of must_verify\b": "rest of what must be verified",
    r"\blook through should_verify\b": "look through what should be verified",
}
"""What an answer calls an argument or a field, and the command line otherwise."""
ADVICE = ("next", "note", "degraded", "warnings", "problems", "suggestions")
"""The fields of results in which sentences stand; everything else is data."""
_NAMES = "|".join(sorted((operation.name for operation in OPERATIONS if "_" in operation.name), key=len, reverse=True))
_CALL = re.compile(rf"(?<!shirube call )\b({_NAMES})\b(?:\(([^()]*)\)|((?: \w+=[^\s;,]+)+))?")
_ARGUMENT = re.compile(r"(\w+)=('[^']*'|[^\s,;]+)")
_FIELD = re.compile(r"\{(\w+)\}")


def spoken(result: Any) -> Any:
    """Return a result whose advice is spelled for the terminal."""
    if not is_dataclass(result) or isinstance(result, type):
        return result
    return replace(result, **{name: _told(getattr(result, name)) for name in ADVICE if hasattr(result, name)})


def _told(value: Any) -> Any:
    if isinstance(value, str):
        return said(value)
    if isinstance(value, tuple):
        return tuple(said(one) if isinstance(one, str) else one for one in value)
    return value


def said(text: str) -> str:
    """Return a sentence with commands and options in place of operations and arguments.

    ``"sync_map binds them"`` → ``"'shirube map sync' binds them"``.
    """
    text = _CALL.sub(_command, text)
    for pattern, option in OPTIONS.items():
        text = re.sub(pattern, option, text)
    return text


def _command(found: re.Match[str]) -> str:
    told = found[2] or found[3] or ""
    arguments = {name: value.strip("'") for name, value in _ARGUMENT.findall(told)}
    command = typed(found[1], arguments)
    return command if "'" in command else f"'{command}'"


def typed(operation: str, arguments: Mapping[str, Any]) -> str:
    """Return what to type for a call: without its arguments the command alone, with others than it takes the call."""
    pattern = COMMANDS.get(operation)
    if pattern is None:
        return f"shirube call {operation}" + (f" --json {quote(_json(arguments))}" if arguments else "")
    names = _FIELD.findall(pattern)
    if arguments.keys() - names - IMPLIED:
        return f"shirube call {operation} --json {quote(_json(arguments))}"
    if not all(_is_plain(arguments.get(name)) for name in names):
        return f"shirube {pattern.partition(' {')[0]}"
    return "shirube " + _FIELD.sub(lambda field: quote(_text(arguments[field[1]])), pattern)


def _is_plain(value: Any) -> bool:
    """Tell what can be typed: a word, a number, or a list of one."""
    return isinstance(value, str | int) or (isinstance(value, list | tuple) and len(value) == 1)


def _text(value: Any) -> str:
    return str(value[0] if isinstance(value, list | tuple) else value)


def _json(arguments: Mapping[str, Any]) -> str:
    return json.dumps(to_wire(arguments), ensure_ascii=False)
