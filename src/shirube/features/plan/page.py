"""What a plan found, as a page a person or a model can read later."""

from shirube.features.plan.record import Iteration, Outcome, PlanResult

MOST_PLACES = 10


def knowledge_page(outcome: Outcome, plan_id: str, made_at: str) -> str:
    """Return the Markdown of a plan: the goal, what was found, how sure that is, and how it was found."""
    head = [
        "---",
        f"plan_id: {plan_id}",
        f"made_at: {made_at}",
        f"status: {outcome.status.value}",
        f"confidence: {outcome.confidence}",
        "---",
        "",
        f"# {_line(outcome.goal)}",
        "",
        f"{outcome.status.value}, {outcome.confidence:.0%} sure of the first place. {outcome.evaluation.feedback}",
    ]
    expected = [
        f"- found: {', '.join(map(_line, outcome.evaluation.matched)) or 'nothing'}",
        f"- not found: {', '.join(map(_line, outcome.evaluation.unmatched)) or 'nothing'}",
    ]
    places = [part for result in outcome.results[:MOST_PLACES] for part in _place(result)]
    turns = [_turn(turn) for turn in outcome.iterations]
    return "\n".join(
        [*head, "", "## Expected", "", *expected, "", "## Places", "", *places, "## Turns", "", *turns, ""]
    )


def _place(result: PlanResult) -> list[str]:
    name = f" `{_line(result.symbol)}`" if result.symbol else ""
    fence = "`" * max(3, _longest_fence(result.preview) + 1)
    return [
        f"### {_line(result.path)}:{result.start_line}-{result.end_line}{name}",
        "",
        f"{fence}{result.language}",
        result.preview,
        fence,
        "",
    ]


def _longest_fence(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest


def _turn(turn: Iteration) -> str:
    told = turn.error or turn.evaluation.feedback
    return f"{turn.number}. {_line(turn.step.text)} ({turn.step.why}): {turn.evaluation.score:.2f}. {_line(told)}"


def _line(text: str) -> str:
    return " ".join(text.split())
