"""The flows ``code`` and ``outcome`` as MCP prompts, for clients that offer prompts as slash commands."""

from collections.abc import Mapping

import mcp_types as types

from shirube.errors import UnknownName
from shirube.features.guard.flows import FLOWS
from shirube.messages import say


def flow_prompts() -> list[types.Prompt]:
    """Return the flows as they are listed."""
    return [
        types.Prompt(
            name=flow.name,
            title=f"/{flow.name}",
            description=flow.description,
            arguments=[types.PromptArgument(name=flow.argument, description=flow.argument_description, required=False)],
        )
        for flow in FLOWS
    ]


def flow_prompt(name: str, given: Mapping[str, str]) -> types.GetPromptResult | None:
    """Return a flow for what was asked, or None when the prompt is none of ours."""
    flow = next((flow for flow in FLOWS if flow.name == name), None)
    if flow is None:
        return None
    for argument in given:
        if argument != flow.argument:
            raise UnknownName(say("terms.argument_of", prompt=name), argument, [flow.argument])
    text = flow.text(given.get(flow.argument, ""))
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=flow.description, messages=[message])
