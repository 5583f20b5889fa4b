"""What a hook says back, in the words of each agent.

On stdout the first word decides: ``ALLOW``, with JSON for the agent after it if there is something to say, or ``BLOCK``
with exit code 2 and the reason on stderr. The lines of shell between the agent and us let pass only what they
understand, so that silence, a crash or rubbish never counts as leave.
"""

import json
from typing import NamedTuple

ALLOW, BLOCK = "ALLOW", "BLOCK"
PASSED, FAILED, BLOCKED = 0, 1, 2
_EVENTS = {"before": "PreToolUse", "after": "PostToolUse", "start": "SessionStart"}
_GEMINI = {"before": "BeforeTool", "after": "AfterTool", "start": "SessionStart"}


class Answer(NamedTuple):
    """What goes out: a line on stdout, words on stderr, the exit code."""

    out: str = ALLOW
    err: str = ""
    code: int = PASSED


def refuse(text: str) -> Answer:
    """Return a refusal; every agent with hooks reads the reason from stderr."""
    return Answer(BLOCK, text, BLOCKED)


def advise(text: str, moment: str, agent: str) -> Answer:
    """Return leave with words for the model; where an agent has no place for them, for the user."""
    if moment == "stop":
        told: dict[str, object] = {} if agent == "cursor" else {"systemMessage": text}
    elif agent == "cursor":
        told = {"permission": "allow", "agent_message": text} if moment == "before" else {"additional_context": text}
    else:
        events = _GEMINI if agent == "gemini" else _EVENTS
        told = {"hookSpecificOutput": {"hookEventName": events[moment], "additionalContext": text}}
    return Answer(f"{ALLOW} {json.dumps(told)}" if told else ALLOW)
