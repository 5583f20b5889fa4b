"""The operations of group ``insights``: what each takes, and what it answers."""

from typing import Annotated

from shirube.codec import Arg, Record
from shirube.features.guard import results
from shirube.operation import Context, NoArguments, operation


class SessionAnalysisRequest(Record):
    """What ``get_session_analysis`` takes."""

    session_id: Annotated[str, Arg("The session.")]


@operation(SessionAnalysisRequest, "insights")
def get_session_analysis(project: Context, asked: SessionAnalysisRequest) -> results.AnalysisResult:
    """What was decided in a session, how did it turn out, and did what it wrote survive?"""
    from shirube.features.guard.insight_report import get_session_analysis as answer

    return answer(project.workspace, asked, project.call)


class InsightsRequest(Record):
    """What ``get_improvement_insights`` takes."""

    limit: Annotated[int, Arg("How many of the last sessions.", low=1, high=10000, usage="-k --limit N")] = 100


@operation(InsightsRequest, "insights", command="outcome insights")
def get_improvement_insights(project: Context, asked: InsightsRequest) -> results.InsightsResult:
    """What do failed sessions have in common? Operations, risks and points of failure, and what survived."""
    from shirube.features.guard.insight_report import get_improvement_insights as answer

    return answer(project.workspace, asked, project.call)


class StatsRequest(Record):
    """What ``get_outcome_stats`` takes."""

    latest: Annotated[int, Arg("How many of the last outcomes to list.", low=0, high=1000)] = 0


@operation(StatsRequest, "insights", command="outcome insights --stats")
def get_outcome_stats(project: Context, asked: StatsRequest) -> results.StatsResult:
    """How many sessions succeeded and failed, by intent, phase and use of the search by sense?"""
    from shirube.features.guard.insight_report import get_outcome_stats as answer

    return answer(project.workspace, asked, project.call)


class EffectRequest(Record):
    """What ``get_learning_effect`` takes."""

    limit: Annotated[int, Arg("How many of the last requests to ask again.", low=1, high=200)] = 20
    prior: Annotated[float, Arg("The bound to try, up to 0.5; 0: outcomes.prior, or 0.15 where that is off.")] = 0.0


@operation(EffectRequest, "insights")
def get_learning_effect(project: Context, asked: EffectRequest) -> results.EffectResult:
    """Does learning from outcomes help here? Past requests asked again, without and with what was learnt before
    each of them.
    """
    from shirube.features.guard.insight_report import get_learning_effect as answer

    return answer(project.workspace, asked, project.call)


@operation(NoArguments, "insights", read_only=False, command="outcome insights --forget")
def forget_outcomes(project: Context, asked: NoArguments) -> results.ForgetResult:
    """Should the ranking stop going by what was recorded so far? Takes back what it learnt; the records stay."""
    from shirube.features.guard.insight_report import forget_outcomes as answer

    return answer(project.workspace, asked, project.call)


class InsightsMethods:
    """These operations as methods of a project."""

    get_session_analysis = get_session_analysis
    get_improvement_insights = get_improvement_insights
    get_outcome_stats = get_outcome_stats
    get_learning_effect = get_learning_effect
    forget_outcomes = forget_outcomes
