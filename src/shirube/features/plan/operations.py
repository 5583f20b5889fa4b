"""The operations of group ``plan``: what each takes, and what it answers."""

from typing import Annotated

from shirube.codec import Arg, Record
from shirube.features.plan import results
from shirube.features.plan.record import EvaluationMode, InitialMode, RefinementMethod
from shirube.operation import Context, NoArguments, operation


class SlotSent(Record):
    """A slot of the frame."""

    value: Annotated[str, Arg("What the slot says.")]
    quote: Annotated[str, Arg("The words of the question it rests on.")] = ""


class FrameSent(Record):
    """What is known of the question; empty slots are read from its words."""

    target_feature: Annotated[SlotSent | None, Arg("What it is about.")] = None
    trigger_condition: Annotated[SlotSent | None, Arg("When it happens.")] = None
    observed_issue: Annotated[SlotSent | None, Arg("What goes wrong.")] = None
    desired_action: Annotated[SlotSent | None, Arg("What should happen.")] = None


class QueryRequest(Record):
    """What ``query`` takes."""

    question: Annotated[str, Arg("A question or a task, in English or Japanese.", also="query")]
    intent: Annotated[str, Arg("IMPLEMENT, MODIFY, INVESTIGATE or QUESTION; else read from the words.")] = ""
    frame: Annotated[FrameSent | None, Arg("The question taken apart, when you have done so.", also="query_frame")] = (
        None
    )
    path: Annotated[str, Arg("Only below this directory.")] = ""
    symbol: Annotated[str, Arg("A symbol it is about.")] = ""
    file_path: Annotated[str, Arg("A file it is about.")] = ""
    session_id: Annotated[str, Arg("The session it belongs to.")] = ""
    show_plan: Annotated[bool, Arg("Say what was planned and why.")] = True


@operation(QueryRequest, "plan", read_only=False)
def query(project: Context, asked: QueryRequest) -> results.QueryResult:
    """What does this question need, and what comes of it? Reads the intent, plans the steps, runs them, records
    the decision.
    """
    from shirube.features.plan.routing import query as answer

    return answer(project.workspace, asked, project.call)


class ExpectedResults(Record):
    """What a good answer would hold."""

    keywords: Annotated[tuple[str, ...], Arg("Words that must be there.")] = ()
    min_matches: Annotated[int | None, Arg("Results about the goal (default: the preset's, 3).", low=0, high=100)] = (
        None
    )
    content_patterns: Annotated[tuple[str, ...], Arg("Regular expressions (RE2) that must match.")] = ()
    confidence: Annotated[
        float | None, Arg("How sure to be before stopping (default: the preset's, 0.7).", low=0, high=1)
    ] = None


class PlanStrategy(Record):
    """How to go about it."""

    initial_mode: Annotated[InitialMode | None, Arg("First by the goal alone (default), or with all keywords.")] = None
    refinement_method: Annotated[RefinementMethod | None, Arg("What better questions come from (default hybrid).")] = (
        None
    )
    expansion_rules: Annotated[tuple[str, ...], Arg('Tried too: "file type filters for *.test.ts".')] = ()


class PlanRequest(Record):
    """What ``query_plan`` takes; the names are seed 002's, whose spelling (maxIterations) is as good."""

    goal: Annotated[str, Arg("What is to be understood or found, in English or Japanese.", usage="GOAL…")]
    initial_queries: Annotated[
        tuple[str, ...], Arg("Questions to ask in any case.", also="queries", usage="--query Q")
    ] = ()
    max_iterations: Annotated[int, Arg("At most so many questions.", low=1, high=20, usage="--iterations N")] = 5
    evaluation_mode: Annotated[
        EvaluationMode | None, Arg("strict: as written; fuzzy: any form (default semantic).", usage="--mode")
    ] = None
    save_intermediate_results: Annotated[bool, Arg("Keep the results of every turn.")] = True
    timeout_seconds: Annotated[
        int, Arg("What is found by then is returned.", low=10, high=300, usage="--timeout SECONDS")
    ] = 120
    expected_results: Annotated[
        ExpectedResults, Arg("What a good answer holds; else read from the goal.", also="expect")
    ] = ExpectedResults()
    strategy: Annotated[PlanStrategy, Arg("How to go about it.")] = PlanStrategy()
    provider: Annotated[str, Arg("The model or store in use; others are refused.")] = ""
    db: Annotated[str, Arg("The index in use; others are refused.")] = ""
    preset: Annotated[str, Arg("A ready measure of a good answer: see list_presets.", usage="--preset NAME")] = ""
    save: Annotated[
        results.KnowledgePlace,
        Arg(
            "Where the knowledge page goes: state, project (.shirube), gistdex (.gistdex/cache, as seed 002 has it) or "
            "none; in the project the plan is written beside it as JSON.",
            usage="--save",
        ),
    ] = results.KnowledgePlace.STATE
    topic: Annotated[str, Arg("Name of the knowledge page (default: the goal).")] = ""
    fresh: Annotated[bool, Arg("Ask anew, whatever is remembered.", usage="--fresh")] = False


@operation(PlanRequest, "plan", read_only=False, command="plan {goal}")
def query_plan(project: Context, asked: PlanRequest) -> results.PlanReport:
    """What answers this goal, and how sure is that? Asks, compares with what you expect, asks better until sure,
    remembers. For when one search is not enough.
    """
    from shirube.features.plan.plans import query_plan as answer

    return answer(project.workspace, asked, project.call)


class ListPlansRequest(Record):
    """What ``list_plans`` takes."""

    query: Annotated[str, Arg("Only plans whose goal shares a word with this.", usage="--about WORDS")] = ""
    status: Annotated[str, Arg("Only success, partial or failed ones.")] = ""
    limit: Annotated[int, Arg("How many.", low=1, high=500, usage="-k --limit N")] = 20
    cursor: Annotated[str, Arg("next_cursor of the previous answer.", usage="--cursor TOKEN", rare=True)] = ""


@operation(ListPlansRequest, "plan", command="plans")
def list_plans(project: Context, asked: ListPlansRequest) -> results.PlanList:
    """Which goals were worked on here before, and how did it end? The last plans with status and first result."""
    from shirube.features.plan.plan_files import list_plans as answer

    return answer(project.workspace, asked, project.call)


class ShowPlanRequest(Record):
    """What ``show_plan`` takes."""

    plan_id: Annotated[str, Arg("The plan, or the beginning of its id.", also="id")]
    limit: Annotated[int, Arg("How many turns.", low=1, high=500)] = 5
    cursor: Annotated[str, Arg("next_cursor of the previous answer: further turns.")] = ""


@operation(ShowPlanRequest, "plan", command="plans {plan_id}")
def show_plan(project: Context, asked: ShowPlanRequest) -> results.PlanPage:
    """How did that plan go? One plan with every turn, its six measures, feedback and results."""
    from shirube.features.plan.plan_files import show_plan as answer

    return answer(project.workspace, asked, project.call)


@operation(NoArguments, "plan", command="plans --presets")
def list_presets(project: Context, asked: NoArguments) -> results.PresetList:
    """Which ready plans are there? Presets with their measure of a good answer, and goals that worked out before."""
    from shirube.features.plan.presets import list_presets as answer

    return answer(project.workspace, asked, project.call)


class ExportPlansRequest(Record):
    """What ``export_plans`` takes."""

    path: Annotated[str, Arg("A new or older export below the project to write; empty: only return it.")] = ""
    plans: Annotated[tuple[str, ...], Arg("Only these plans (ids); empty: all.")] = ()


@operation(ExportPlansRequest, "plan", read_only=False, command="plans --export")
def export_plans(project: Context, asked: ExportPlansRequest) -> results.PlanExport:
    """How can others use these plans? Plans and templates as one document, to a file of the project or returned."""
    from shirube.features.plan.plan_files import export_plans as answer

    return answer(project.workspace, asked, project.call)


class ImportPlansRequest(Record):
    """What ``import_plans`` takes."""

    path: Annotated[str, Arg("An export below the project, or a .gistdex directory.")] = ""
    document: Annotated[str, Arg("Or an export itself.", high=67108864)] = ""


@operation(ImportPlansRequest, "plan", read_only=False, command="plans --import")
def import_plans(project: Context, asked: ImportPlansRequest) -> results.PlanImport:
    """What did others find out? Takes in an export of plans, or the plans and notes of a .gistdex directory."""
    from shirube.features.plan.plan_files import import_plans as answer

    return answer(project.workspace, asked, project.call)


class PlanMethods:
    """These operations as methods of a project."""

    query = query
    query_plan = query_plan
    list_plans = list_plans
    show_plan = show_plan
    list_presets = list_presets
    export_plans = export_plans
    import_plans = import_plans
