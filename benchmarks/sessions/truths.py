"""A whole session without a lie: every submission has to be accepted, and what is called missing has to be missing."""

from dataclasses import dataclass, field
from typing import Any

from benchmarks.sessions.scenes import Agent

NEEDED = {"symbols_identified": 3, "files_analyzed": 2}


@dataclass
class Account:
    """How many submissions were made, and those that were refused or called lacking without a true reason."""

    submissions: int = 0
    ready: int = 0
    wrong: list[str] = field(default_factory=list)

    def take(self, what: str, agent: Agent, result: dict[str, Any]) -> dict[str, Any]:
        """Count a submission that was truthful."""
        self.submissions += 1
        if not result["accepted"]:
            self.wrong.append(f"{what} about {agent.scene.symbol}: {result.get('errors') or result}")
        return result


def tell(agent: Agent, account: Account) -> None:
    """Go the whole way truthfully: frame, look, understand, and where that is not enough, suppose and verify."""
    account.take("frame", agent, agent.step("set_query_frame", **agent.scene.frame))
    agent.look()
    claims = {
        "symbols_identified": [agent.scene.symbol],
        "entry_points": [agent.scene.symbol],
        "files_analyzed": list(agent.shown)[:10],
        "existing_patterns": [f"done as in `{agent.scene.symbol}` ({agent.scene.path})"],
    }
    # With claims of its own for one submission in two, else by the record alone.
    if account.submissions % 4 == 1:
        claims = {name: claims[name] for name in ("entry_points", "existing_patterns")}
    result = account.take("understanding", agent, agent.step("submit_understanding", **claims))
    _check_lacks(agent, account, claims, result)
    if result["phase"] == "SEMANTIC":
        supposed = [{"text": f"{agent.scene.symbol} in {agent.scene.path} does not check its input"}]
        reason = result["semantic_reasons"][0]
        done = agent.step("submit_semantic", hypotheses=supposed, semantic_reason=reason)
        result = account.take("hypotheses", agent, done)
    if result["phase"] == "VERIFICATION":
        decided = [
            {"hypothesis": one["id"], "status": "confirmed", "evidence": agent.evidence()}
            for one in result["hypotheses"]
        ]
        result = account.take("verification", agent, agent.step("submit_verification", verified=decided))
    account.ready += result["phase"] == "READY"
    allowed = account.take("write", agent, _allowed(agent))
    assert allowed["coverage"]["explored"] <= allowed["coverage"]["files"]


def _allowed(agent: Agent) -> dict[str, Any]:
    result = agent.step("check_write_target", file_path=next(iter(agent.shown)))
    return {**result, "accepted": result["allowed"]}


def _check_lacks(agent: Agent, account: Account, claims: dict[str, Any], result: dict[str, Any]) -> None:
    """Hold what was called missing against an account of our own."""
    for lack in result.get("missing_requirements", ()):
        claimed = claims.get(lack["key"])
        if claimed is not None and len(claimed) >= NEEDED.get(lack["key"], 1):
            account.wrong.append(f"{lack['key']} called missing with {len(claimed)} given: {agent.scene.symbol}")
