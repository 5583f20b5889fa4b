"""In which order does an agent work?

Holds the flows ``/code`` and ``/outcome`` as bilingual text (English and Japanese), and the short instructions that an
agent always sees, and what a scout is told. This is the only copy; prompts, slash commands, skills, sub-agents and the
plugin are generated from it.
"""

from functools import cache
from importlib import resources

from msgspec import Struct

REQUEST = "{{request}}"
UNSAID = "what the user asked for in this conversation / この会話でユーザーが求めたこと"


class Flow(Struct, frozen=True):
    """One flow: its name, its purpose, and its argument."""

    name: str
    description: str
    argument: str
    argument_description: str

    def text(self, request: str = "") -> str:
        """Return the steps for a request, or for a placeholder of the client's own."""
        return _read(f"{self.name}.md").replace(REQUEST, request.strip() or UNSAID)


FLOWS = (
    Flow(
        "code",
        "Change or explain code step by step: understand first, write when ready. 理解してから書く手順。",
        "request",
        "What is to be done, in your own words. 依頼の内容。",
    ),
    Flow(
        "outcome",
        "Record how the last piece of work ended: success, partial or failure. 作業の結果を記録する。",
        "message",
        "What you think of the result, in your own words. 結果についての感想。",
    ),
)
"""Every flow there is."""


SCOUT_TOOLS = ("search", "symbol", "context", "outline", "read", "grep", "impact")
"""The tools that a scout may use: those of every day, which change nothing."""
SCOUT = (
    "Finds out one thing about this repository (where something is done, how it works, what a change would touch) "
    "and reports the places. Use it for questions that need several searches. コードの調査を任せる。"
)
"""When to send a scout, for the agent that decides it."""


def scout() -> str:
    """Return what a scout is told: a sub-agent that explores for one question, so that a conversation stays short."""
    return _read("scout.md").strip()


def instructions() -> str:
    """Return the instructions that an agent always sees."""
    return _read("instructions.md").strip()


@cache
def _read(name: str) -> str:
    return resources.files("shirube.features.guard.flows").joinpath(name).read_text("utf-8")
