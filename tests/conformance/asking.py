"""The tools of the conformance suite that ask the client back: by requests before 2026-07-28, by results since."""

import json
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPDeprecationWarning


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


TEXT = {"type": "string"}
ENUM = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{number}", "title": f"Option {number}"} for number in (1, 2, 3)]
FORMS: dict[str, dict[str, Any]] = {
    "test_elicitation": _object(
        username={**TEXT, "description": "User's response"}, email={**TEXT, "description": "User's email address"}
    ),
    "test_elicitation_sep1034_defaults": {
        "type": "object",
        "properties": {
            "name": {**TEXT, "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {**TEXT, "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": True},
        },
    },
    "test_elicitation_sep1330_enums": {
        "type": "object",
        "properties": {
            "untitledSingle": {**TEXT, "enum": ENUM},
            "titledSingle": {**TEXT, "oneOf": TITLED},
            "legacyEnum": {**TEXT, "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
            "untitledMulti": {"type": "array", "items": {**TEXT, "enum": ENUM}},
            "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
        },
    },
}


def _said(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)])


def _form(message: str, **properties: dict[str, Any]) -> types.ElicitRequest:
    params = types.ElicitRequestFormParams(message=message, requested_schema=_object(**properties))
    return types.ElicitRequest(params=params)


def _sampling(words: str, tokens: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=tokens))


NAME_FORM = _form("What is your name?", name=TEXT)
ROOTS = types.ListRootsRequest()
ROUNDS: dict[str, list[dict[str, Any]]] = {
    "test_input_required_result_elicitation": [{"user_name": NAME_FORM}],
    "test_input_required_result_sampling": [{"capital_question": _sampling("What is the capital of France?", 100)}],
    "test_input_required_result_list_roots": [{"client_roots": ROOTS}],
    "test_input_required_result_request_state": [{"confirm": _form("Please confirm", ok={"type": "boolean"})}],
    "test_input_required_result_tampered_state": [{"confirm": _form("Please confirm", ok={"type": "boolean"})}],
    "test_input_required_result_multiple_inputs": [
        {"user_name": NAME_FORM, "greeting": _sampling("Generate a greeting", 50), "client_roots": ROOTS}
    ],
    "test_input_required_result_multi_round": [
        {"step1": _form("Step 1: What is your name?", name=TEXT)},
        {"step2": _form("Step 2: What is your favorite color?", color=TEXT)},
    ],
}
STATELESS = ("_elicitation", "_sampling", "_list_roots")
"""Tools that keep nothing between two calls."""


async def _elicit(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    message = (params.arguments or {}).get("message", "Please fill in")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        answer = await context.session.elicit_form(message, FORMS[params.name], related_request_id=context.request_id)
    return _said(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


async def _sample(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    message = types.SamplingMessage(
        role="user", content=types.TextContent(type="text", text=(params.arguments or {}).get("prompt", ""))
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        answer = await context.session.create_message(
            messages=[message], max_tokens=100, related_request_id=context.request_id
        )
    return _said(f"LLM response: {getattr(answer.content, 'text', '')}")


async def _rounds(context: Any, params: types.CallToolRequestParams) -> Any:
    """Ask until every round has its answers; the state counts the rounds that have them."""
    rounds = ROUNDS[params.name]
    done = int(params.request_state or 0)
    answers = params.input_responses or {}
    if all(_fits(wanted, answers.get(key)) for key, wanted in rounds[done].items()):
        done += 1
    if done < len(rounds):
        state = None if params.name.endswith(STATELESS) else str(done)
        return types.InputRequiredResult(input_requests=rounds[done], request_state=state)
    told = {key: answer.model_dump(mode="json", exclude_none=True) for key, answer in answers.items()}
    return _said(f"state-ok {json.dumps(told)}")


def _fits(wanted: Any, answer: Any) -> bool:
    """Tell whether an answer is one to what was asked; of a form also whether it is filled in."""
    if not isinstance(wanted, types.ElicitRequest):
        return answer is not None
    if not isinstance(answer, types.ElicitResult):
        return False
    return answer.action != "accept" or set(wanted.params.requested_schema["required"]) <= set(answer.content or {})


async def _able(context: Any, params: types.CallToolRequestParams) -> Any:
    """Ask only in ways the client said it has."""
    able = context.session.client_capabilities
    asked: dict[str, Any] = {}
    if able and able.sampling is not None:
        asked["greeting"] = _sampling("Generate a greeting", 50)
    if able and able.elicitation is not None:
        asked["user_name"] = NAME_FORM
    return types.InputRequiredResult(input_requests=asked) if asked else _said("nothing can be asked")


async def _streaming(context: Any, params: types.CallToolRequestParams) -> Any:
    await context.session.report_progress(1, 2, "about to ask")
    return types.InputRequiredResult(input_requests={"user_name": NAME_FORM})


def ask_for_context(params: types.GetPromptRequestParams) -> Any:
    """Return the prompt, after asking for its context."""
    answer = (params.input_responses or {}).get("user_context")
    if not isinstance(answer, types.ElicitResult):
        form = _form("What context should the prompt use?", context=TEXT)
        return types.InputRequiredResult(input_requests={"user_context": form})
    words = f"Use this context: {json.dumps(answer.content)}"
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.GetPromptResult(messages=[message])


ASKING: dict[str, Callable[[Any, Any], Awaitable[Any]]] = {
    **dict.fromkeys(FORMS, _elicit),
    **dict.fromkeys(ROUNDS, _rounds),
    "test_sampling": _sample,
    "test_input_required_result_capabilities": _able,
    "test_streaming_elicitation": _streaming,
}
