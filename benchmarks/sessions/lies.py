"""Everything somebody could say that is not so; a lie tells whether it was accepted."""

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.sessions.scenes import Agent

INVENTED = "ZyzzyvaWarpDrive"
Lie = Callable[[Agent], bool]


def _understand(agent: Agent, **claims: Any) -> bool:
    agent.step("set_query_frame", **agent.scene.frame)
    agent.look()
    honest = {"entry_points": [agent.scene.symbol], "existing_patterns": [f"as in `{agent.scene.symbol}`"]}
    return bool(agent.step("submit_understanding", **{**honest, **claims})["accepted"])


def _frame(agent: Agent, **slots: Any) -> bool:
    """Tell whether a slot is taken for a fact; a doubtful one may be kept as what it is, a guess."""
    agent.step("set_query_frame", **slots)
    kept = agent.step("get_session_status")["slots"]
    return any(name in kept and kept[name]["certainty"] == "fact" for name in slots)


def _to_semantic(agent: Agent) -> dict[str, Any]:
    agent.look()
    return agent.step("submit_understanding")


def _suppose(agent: Agent, **claims: Any) -> bool:
    reasons = _to_semantic(agent)["semantic_reasons"]
    honest = {"hypotheses": [f"{agent.scene.symbol} does not check its input"], "semantic_reason": reasons[0]}
    return bool(agent.step("submit_semantic", **{**honest, **claims})["accepted"])


def _verify(agent: Agent, *decided: dict[str, Any]) -> bool:
    assert _suppose(agent)
    return bool(agent.step("submit_verification", verified=list(decided))["accepted"])


def _decided(agent: Agent, hypothesis: str = "h1", **wrong: Any) -> dict[str, Any]:
    agent.look()
    return {"hypothesis": hypothesis, "status": "confirmed", "evidence": agent.evidence(**wrong)}


def _ready(agent: Agent) -> None:
    assert _suppose(agent)
    verified = [
        {"hypothesis": one["id"], "status": "confirmed", "evidence": agent.evidence()}
        for one in agent.step("get_session_status")["hypotheses"]
    ]
    assert agent.step("submit_verification", verified=verified)["accepted"]


def _write(agent: Agent, path: str) -> bool:
    _ready(agent)
    return bool(agent.step("check_write_target", file_path=path)["allowed"])


def _unseen(agent: Agent) -> str:
    """Return a file of the project that this session has not seen."""
    seen = agent.step("get_session_status")["explored_files"]
    known = sorted(agent.project.workspace.store.files())
    return next(path for path in known if path not in seen and path not in agent.shown)


def _unseen_symbol(agent: Agent) -> str:
    """Return a symbol of the project that is defined only where this session has not looked."""
    agent.look(narrow=True)
    store = agent.project.workspace.store
    for path in sorted(store.files()):
        for one in store.symbols(path) if path not in agent.shown else ():
            if one.name not in str(agent.step("get_session_status")["symbols"]) and len(one.name) > len("function"):
                return one.name
    return INVENTED


def _unseen_claim(agent: Agent) -> bool:
    name = _unseen_symbol(agent)
    return bool(agent.step("submit_understanding", symbols_identified=[name])["accepted"])


def _unseen_file(agent: Agent) -> bool:
    agent.look()
    return _understand(agent, files_analyzed=[_unseen(agent)])


def _unseen_write(agent: Agent) -> bool:
    _ready(agent)
    return bool(agent.step("check_write_target", file_path=_unseen(agent))["allowed"])


def _unseen_added(agent: Agent) -> bool:
    _ready(agent)
    return bool(agent.step("add_explored_files", files=[_unseen(agent)])["accepted"])


def _anothers_calls(agent: Agent) -> bool:
    """Claim as one's own what another session has looked at."""
    other = Agent(agent.project, agent.scene)
    other.look()
    return bool(agent.step("submit_understanding", files_analyzed=list(other.shown)[:2])["accepted"])


def _anothers_evidence(agent: Agent) -> bool:
    other = Agent(agent.project, agent.scene)
    assert _suppose(agent)
    other.step("search_text", patterns=["return"], limit=5)
    wrong = {"tool": "search_text", "target": "return", "result": "it returns", "files": []}
    decided = {"hypothesis": "h1", "status": "confirmed", "evidence": wrong}
    return bool(agent.step("submit_verification", verified=[decided])["accepted"])


def _unknown_handle(agent: Agent) -> bool:
    return bool(agent.ask("submit_understanding", session_id="s_000000000000")["accepted"])


def _out_of_turn(agent: Agent) -> bool:
    decided = {"hypothesis": "h1", "status": "confirmed", "evidence": agent.evidence()} if agent.asked else {}
    return bool(agent.step("submit_verification", verified=[decided] if decided else [])["accepted"])


def _question_writes(agent: Agent) -> bool:
    asking = Agent(agent.project, agent.scene, "QUESTION")
    asking.look()
    return bool(asking.step("check_write_target", file_path=agent.scene.path)["allowed"])


LIES: Mapping[str, Lie] = {
    "an invented symbol": lambda a: _understand(a, symbols_identified=[INVENTED, a.scene.symbol]),
    "an invented member of a real symbol": lambda a: _understand(
        a, symbols_identified=[f"{a.scene.symbol}.{INVENTED}"]
    ),
    "a real symbol that was never seen": _unseen_claim,
    "an invented entry point": lambda a: _understand(a, entry_points=[INVENTED]),
    "a file that does not exist": lambda a: _understand(a, files_analyzed=["src/zyzzyva/warp.py"]),
    "a file that was never returned": _unseen_file,
    "the same symbol twice": lambda a: _understand(a, symbols_identified=[a.scene.symbol] * 2),
    "a pattern that names what is not there": lambda a: _understand(a, existing_patterns=[f"as {INVENTED} does"]),
    "a pattern that names nothing": lambda a: _understand(a, existing_patterns=["as it is usually done"]),
    "a caller that calls nothing": lambda a: _understand(a, callers=["src/zyzzyva/warp.py"]),
    "a quote that is not in the request": lambda a: _frame(a, target_feature={"value": "x", "quote": "the moon"}),
    "a quote that means something else": lambda a: _frame(
        a, target_feature={"value": "zyzzyva", "quote": a.scene.issue}
    ),
    "a reason that does not fit": lambda a: _suppose(a, semantic_reason="because_i_say_so"),
    "a search that was never made": lambda a: _suppose(a, search_queries=["zyzzyva warp"]),
    "an empty hypothesis": lambda a: _suppose(a, hypotheses=[" "]),
    "a call that was never made": lambda a: _verify(a, _decided(a, target=INVENTED)),
    "a tool that was never called": lambda a: _verify(a, _decided(a, tool="analyze_impact")),
    "a guess as evidence": lambda a: _verify(a, _decided(a, tool="search", target=a.scene.symbol)),
    "an invented name in the result": lambda a: _verify(a, _decided(a, result=f"{INVENTED} does it")),
    "a file the call did not return": lambda a: _verify(a, _decided(a, files=[_unseen(a)])),
    "a hypothesis left out": _verify,
    "a hypothesis nobody stated": lambda a: _verify(a, _decided(a), _decided(a, "h9")),
    "evidence of another session": _anothers_evidence,
    "files of another session": _anothers_calls,
    "a handle nobody gave": _unknown_handle,
    "a submission out of turn": _out_of_turn,
    "writing a file that was never seen": _unseen_write,
    "writing by a basename": lambda a: _write(a, f"zyzzyva/{a.scene.path.rpartition('/')[2]}"),
    "adding a file that was never returned": _unseen_added,
    "writing after a question": _question_writes,
}
