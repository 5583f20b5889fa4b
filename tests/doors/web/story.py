"""Something to look at: sessions, agreements, plans and outcomes, made through the operations as agents do."""

from dataclasses import dataclass, field

from shirube import Project


@dataclass(frozen=True)
class Story:
    """What is asked, and what in the code it is about."""

    request: str
    quote: str
    term: str
    symbol: str
    path: str
    goals: tuple[str, ...]
    beside: tuple[str, ...] = ()
    """Other files that are read on the way."""
    keywords: tuple[str, ...] = ()
    convention: str = "Money is counted in whole yen."
    more: tuple[tuple[str, str], ...] = field(default=())
    """Further terms and the symbols they mean."""
    outcomes: tuple[str, ...] = ()
    """How further sessions ended."""


SHOP = Story(
    request="Try again when the bank is slow to charge the card",
    quote="the bank is slow",
    term="charge the card",
    symbol="PaymentGateway.charge_card",
    path="src/shop/payment.py",
    goals=("how are failed payments retried?", "支払いの再試行はどこ？"),
    beside=("src/shop/retry.py",),
    keywords=("with_retries", "ATTEMPTS"),
    more=(("返金", "PaymentGateway.refund"),),
)


def tell(project: Project, story: Story) -> None:
    """Let it happen: one session that comes to write, one that is refused, one that only asks."""
    done = _session(project, story, "MODIFY", story.request)
    _look(project, story, done)
    project.call(
        "submit_understanding",
        session_id=done,
        symbols=[story.symbol],
        why="it is what charges",
        existing_patterns=[f"{story.symbol} is called from one place"],
    )
    project.call("check_write_target", session_id=done, file_path=story.path)
    project.call("record_outcome", session_id=done, outcome="success", trigger_message="thanks, that works")
    failed = _session(project, story, "IMPLEMENT", f"{story.request}, in a new module")
    project.call("search", query=story.term, session_id=failed)
    project.call("check_write_target", session_id=failed, file_path=story.path)
    project.call("submit_understanding", session_id=failed, symbols=["no_such_symbol"])
    failure = {"failure_point": "wrong_file", "root_cause": "the caller was not read"}
    project.call("record_outcome", session_id=failed, outcome="failure", analysis=failure)
    asked = _session(project, story, "QUESTION", f"What does {story.term} do?")
    project.call("search", query=story.term, session_id=asked)
    for term, symbol in ((story.term, story.symbol), *story.more):
        project.call("add_agreement", nl_term=term, symbol=[symbol], code_evidence=f"{symbol} does it")
    project.call("add_agreement", nl_term="money", doc_type="convention", code_evidence=story.convention)
    for goal in story.goals:
        expected = {"keywords": list(story.keywords), "minMatches": 2}
        project.call("query_plan", goal=goal, maxIterations=4, expectedResults=expected, save="none")
    for number, outcome in enumerate(story.outcomes):
        handle = _session(project, story, "MODIFY", f"{story.request} ({number + 2})")
        project.call("search", query=story.term, session_id=handle)
        why = {"failure_point": "missed_caller" if number % 2 else "wrong_file"} if outcome == "failure" else {}
        project.call("record_outcome", session_id=handle, outcome=outcome, analysis=why)


def _session(project: Project, story: Story, intent: str, request: str) -> str:
    handle: str = project.call("start_session", intent=intent, query=request).session_id
    slots = {"target_feature": {"value": story.term, "quote": story.term if story.term in request else ""}}
    if story.quote in request:
        slots["observed_issue"] = {"value": story.quote, "quote": story.quote}
    project.call("set_query_frame", session_id=handle, **slots)
    return handle


def _look(project: Project, story: Story, handle: str) -> None:
    name = story.symbol.rpartition(".")[2]
    project.call("search", query=story.term, session_id=handle)
    project.call("find_definitions", symbol=name, session_id=handle)
    project.call("find_references", symbol=name, session_id=handle)
    project.call("search_text", patterns=[name], session_id=handle)
    project.call("get_symbols", path=story.path, session_id=handle)
    for path in (story.path, *story.beside):
        project.call("snippets_get", path=path, start_line=1, session_id=handle)
    project.call("analyze_impact", files=[story.path], session_id=handle)
    project.call("deps_closure", path=story.path, direction="both", session_id=handle)
