"""Answers calls for those who hold a token: what is offered, of which repositories, and what is noted of it."""

from collections.abc import Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Any

import mcp_types as types
from msgspec import Struct

from shirube.codec import fold
from shirube.deadline import Deadline
from shirube.doors.mcp.bound import given_of
from shirube.doors.mcp.reply import answer_call, budget_of, called, told_briefly, words_of
from shirube.doors.mcp.sent import Sent
from shirube.engine.store.access import Holder, seeing
from shirube.engine.text.budget import tokens_of
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.features.team.access import Gatekeeper
from shirube.features.team.audit import AuditLog, AuditRow
from shirube.features.team.limits import RateLimits
from shirube.features.team.metrics import CallMetrics
from shirube.messages import AGENT, Speech, language_of, say
from shirube.operation import OF_SESSIONS, Call, Operation, listed_schema, operation_schema
from shirube.operations import OPERATIONS, AnyOperation, run, shared_of
from shirube.shared import NOWHERE, SharedIndex, SharedProject
from shirube.workspace import now_text

GROUPS = ("search", "symbols")
NOT_HERE = ("search_map", "semantic_search")
"""Operations that ask the map, which is in the tree."""
PLAN = "query_plan"
OFFERED: dict[str, AnyOperation] = {
    operation.name: operation
    for operation in OPERATIONS
    if (operation.group in GROUPS and operation.read_only and operation.name not in NOT_HERE) or operation.name == PLAN
}
"""What changes nothing, and needs nothing of a developer's machine; a plan is not saved."""
LISTED = (*(operation for operation in OFFERED.values() if operation.tool), OFFERED["past_changes"])
_BY_NAME = OFFERED | {operation.tool: operation for operation in OFFERED.values() if operation.tool}
REPOS = "repos"
REPOS_SCHEMA = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Repositories to ask: names, ends of names, or globs. Default: the one of this connection.",
}
LEAST_TOKENS = 200
"""How many tokens each of several repositories has at least."""
REQUESTS, WORDS = "requests", "words"
Arguments = Mapping[str, Any]


def tool_name(operation: AnyOperation) -> str:
    """Return the name under which an operation is listed."""
    return operation.tool or operation.name


TOOL_NAMES = {name: tool_name(operation) for name, operation in OFFERED.items()}


def listed(structured: bool) -> list[types.Tool]:
    """Return the tools; the list is the same for everybody."""
    hints = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)
    tools = []
    for operation in LISTED:
        schema = operation_schema(operation) if structured else listed_schema(operation, in_session=False)
        kept = {name: value for name, value in schema["properties"].items() if name not in OF_SESSIONS}
        schema["properties"] = {**kept, REPOS: REPOS_SCHEMA}
        tools.append(
            types.Tool(name=tool_name(operation), description=operation.summary, input_schema=schema, annotations=hints)
        )
    return tools


def offered(name: str) -> AnyOperation:
    """Return an operation that is offered; refuse what is done on one's own machine like what nobody knows."""
    if name not in _BY_NAME:
        raise UnknownName("operation", name, map(tool_name, LISTED), say("team_access.local"))
    return _BY_NAME[name]


class TeamQuestion(Struct, frozen=True):
    """One call: by whom, of what, and the repository that its address names, if it names one."""

    holder: Holder
    name: str
    arguments: Arguments
    repositories: Mapping[str, int] = {}


class _Reply:
    """What a reply needs of its server, for one repository."""

    def __init__(self, desk: "Desk", repository: tuple[str, int]) -> None:
        self.config, self.sent = desk.index.config, desk.sent
        self._index, self._repository = desk.index, repository

    def operation(self, name: str) -> AnyOperation:
        return offered(name)

    def speech(self, asked: str) -> Speech:
        return Speech(language_of(asked), partial(called, TOOL_NAMES))

    def workspace(self) -> SharedProject:
        return self._index.project(*self._repository)


class Desk:
    """Answers what is asked; safe to share between threads."""

    def __init__(self, index: SharedIndex, gate: Gatekeeper, audit: AuditLog | None) -> None:
        self.index, self.gate, self._audit = index, gate, audit
        self.limits, self.metrics = RateLimits(), CallMetrics()
        self.sent = Sent(NOWHERE)

    def answer(self, question: TeamQuestion, deadline: Deadline) -> types.CallToolResult:
        """Answer a call of a tool with text; of several repositories, one after the other."""
        began = monotonic()
        with deadline.governing():
            try:
                operation = offered(question.name)
                wanted, arguments = _read(operation, question.arguments)
                chosen = question.repositories if not wanted else {}
                chosen = chosen or self.gate.chosen(question.holder, wanted)
                if len(chosen) > 1:
                    arguments = self._shared_out(operation, arguments, len(chosen))
            except ShirubeError as error:
                known = tool_name(_BY_NAME[question.name]) if question.name in _BY_NAME else "-"
                self.note(question.holder, (known, ""), error.code, began)
                return failure(error, Speech(language_of(words_of(question.arguments)), partial(called, TOOL_NAMES)))
            asked = TeamQuestion(question.holder, operation.name, arguments)
            replies = {name: self._reply(asked, (name, repo), deadline) for name, repo in chosen.items()}
        if len(replies) == 1:
            return next(iter(replies.values()))
        text = "\n\n".join(f"# repository {name}\n{_text(reply)}" for name, reply in replies.items())
        return _result(text, all(reply.is_error for reply in replies.values()))

    def _reply(self, asked: TeamQuestion, repository: tuple[str, int], deadline: Deadline) -> types.CallToolResult:
        began, holder = monotonic(), asked.holder
        call = Call(deadline=deadline, operations=tuple(OFFERED))
        with seeing(repository[1:]):
            reply = answer_call(_Reply(self, repository), asked.name, asked.arguments, call)
        words = tokens_of(_text(reply))
        self.limits.spend(holder.token, WORDS, holder.words, words)
        where = tool_name(OFFERED[asked.name]), repository[0]
        self.note(holder, where, "error" if reply.is_error else "ok", began, words)
        return reply

    def run(self, question: TeamQuestion, deadline: Deadline) -> Any:
        """Return the typed result of an operation on the repository of a question, for a page."""
        began, operation, outcome = monotonic(), offered(question.name), "ok"
        ((name, repo),) = question.repositories.items()
        try:
            with seeing((repo,)):
                return run(self.index.project(name, repo), operation, question.arguments, Call(deadline=deadline))
        except ShirubeError as error:
            outcome = error.code
            raise
        finally:
            self.note(question.holder, (tool_name(operation), name), outcome, began)

    def wait(self, holder: Holder) -> float:
        """Count a request; return 0, or how many seconds later one will be allowed."""
        overdrawn = self.limits.wait(holder.token, WORDS, holder.words, 0)
        return overdrawn or self.limits.wait(holder.token, REQUESTS, holder.requests, 1)

    def note(self, holder: Holder, where: tuple[str, str], outcome: str, began: float, words: int = 0) -> None:
        """Note a call for the audit and the metrics; ``where`` is its operation and its repository."""
        seconds = monotonic() - began
        self.metrics.answered(where[0], outcome, seconds, words)
        row = AuditRow(now_text(), holder.token, *where, round(seconds * 1000), outcome)
        if self._audit is not None and not self._audit.write(row):
            self.metrics.lost()

    def _shared_out(self, operation: AnyOperation, arguments: Arguments, repositories: int) -> Arguments:
        """Return the arguments with an equal share of the tokens for each of several repositories."""
        given = given_of(operation, arguments)
        if given.get("cursor"):
            raise BadArgument("team_access.one_at_a_time")
        name, tokens = budget_of(_Reply(self, ("", 0)), operation, shared_of(operation, arguments), given)
        kept = {key: value for key, value in arguments.items() if fold(key) != fold(name)}
        return {**kept, name: max(LEAST_TOKENS, tokens // repositories)}


def _read(operation: Operation[..., Any], sent: Arguments) -> tuple[Sequence[str], Arguments]:
    """Return the repositories that a call names and its other arguments; refuse what would be kept of it."""
    for name in sent:
        if fold(name) in map(fold, OF_SESSIONS):
            raise BadArgument("team_access.no_session")
    named = sent.get(REPOS) or []
    wanted = [part.strip() for part in named.split(",")] if isinstance(named, str) else named
    if not isinstance(wanted, list) or not all(isinstance(name, str) and "\0" not in name for name in wanted):
        raise BadArgument("team_access.names")
    arguments = {name: value for name, value in sent.items() if name != REPOS}
    if operation.name == PLAN:
        given = given_of(operation, arguments)
        if given.get("save", "none") != "none" or given.get("topic"):
            raise BadArgument("team_access.no_saving")
        arguments |= {} if "save" in given else {"save": "none"}
    return [name for name in wanted if name], arguments


def failure(error: ShirubeError, speech: Speech = AGENT) -> types.CallToolResult:
    """Return an error as the reply to a call."""
    return _result(told_briefly(error, speech), True)


def _text(reply: types.CallToolResult) -> str:
    return "".join(part.text for part in reply.content if isinstance(part, types.TextContent))


def _result(text: str, failed: bool) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)
