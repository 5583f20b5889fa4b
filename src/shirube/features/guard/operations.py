"""The operations of group ``session``: what each takes, and what it answers."""

from typing import Annotated, ClassVar

from shirube.codec import Arg, Record
from shirube.features.guard import results
from shirube.features.map.records import Result
from shirube.operation import Context, operation


class ValidateRequest(Record):
    """What ``validate_symbol_relevance`` takes."""

    symbols: Annotated[
        tuple[str, ...], Arg("Symbols that may be meant, qualified where needed.", also="symbols_identified")
    ]
    target_feature: Annotated[
        str, Arg("The words of the request for what is to be changed; by default the session's.")
    ] = ""
    session_id: Annotated[str, Arg("The session whose target feature is meant.")] = ""


@operation(ValidateRequest, "session", listed=False)
def validate_symbol_relevance(project: Context, asked: ValidateRequest) -> results.ValidateResult:
    """Are these symbols what the request means by its words? Learned pairs first, then calibrated similarity:
    accepted, accepted with HIGH risk, or refused with guidance.
    """
    from shirube.features.guard.relevance import validate_symbol_relevance as answer

    return answer(project.workspace, asked, project.call)


class ConfirmRequest(Record):
    """What ``confirm_symbol_relevance`` takes."""

    session_id: Annotated[str, Arg("Session handle.")]
    relevant_symbols: Annotated[tuple[str, ...], Arg("The symbols that are meant.", also="symbols")]
    code_evidence: Annotated[str, Arg("What in the code shows it, with a quote or a name from there.", also="evidence")]
    reasoning: Annotated[str, Arg("How that leads to the conclusion.", rare=True)] = ""
    target_feature: Annotated[str, Arg("The request's words for them; default: the frame's.")] = ""


@operation(ConfirmRequest, "session", read_only=False)
def confirm_symbol_relevance(project: Context, asked: ConfirmRequest) -> results.ConfirmResult:
    """Which symbols does the request mean, and what in the code shows it? A success makes agreements of them."""
    from shirube.features.guard.relevance import confirm_symbol_relevance as answer

    return answer(project.workspace, asked, project.call)


class OutcomeAnalysis(Record):
    """Why it turned out so; all of it may be left out."""

    root_cause: Annotated[str, Arg("What caused it.")] = ""
    failure_point: Annotated[str, Arg("A phase, a tool or a file.")] = ""
    related_symbols: Annotated[tuple[str, ...], Arg("Symbols concerned.")] = ()
    related_files: Annotated[tuple[str, ...], Arg("Files concerned.")] = ()
    user_feedback_summary: Annotated[str, Arg("What the user said.", rare=True)] = ""


class OutcomeRequest(Record):
    """What ``record_outcome`` takes."""

    session_id: Annotated[str, Arg("Session handle.")]
    outcome: Annotated[Result | None, Arg("Default: read from trigger_message; without a complaint, success.")] = None
    analysis: Annotated[OutcomeAnalysis, Arg("Why, unless it is a success.")] = OutcomeAnalysis()
    trigger_message: Annotated[str, Arg("The user's words that show it.")] = ""
    phase_at_outcome: Annotated[str, Arg("The phase, if it is not the session's own.", rare=True)] = ""
    intent: Annotated[str, Arg("The intent, if it is not the session's own.", rare=True)] = ""
    semantic_used: Annotated[bool, Arg("Searched by meaning elsewhere.", rare=True, also="devrag_used")] = False


@operation(OutcomeRequest, "session", read_only=False, command="outcome {outcome}")
def record_outcome(project: Context, asked: OutcomeRequest) -> results.OutcomeResult:
    """How did the session turn out? A success makes agreements of confirmed symbols, a failure demotes its own."""
    from shirube.features.guard.outcomes import record_outcome as answer

    return answer(project.workspace, asked, project.call)


class SlotGiven(Record):
    """A slot as a model fills it."""

    PLAIN: ClassVar[str] = "value"
    value: Annotated[str, Arg("In your own words.")]
    quote: Annotated[str, Arg("Its words in the request; without: a guess.")] = ""


class FrameGiven(Record):
    """The slots of a request, as far as it says them."""

    target_feature: Annotated[SlotGiven | None, Arg("What the request is about.")] = None
    trigger_condition: Annotated[SlotGiven | None, Arg("When it happens.")] = None
    observed_issue: Annotated[SlotGiven | None, Arg("What goes wrong.")] = None
    desired_action: Annotated[SlotGiven | None, Arg("What is wanted.")] = None


class StartSessionRequest(Record):
    """What ``start_session`` takes."""

    intent: Annotated[str, Arg("IMPLEMENT or MODIFY, which may write; INVESTIGATE or QUESTION.")]
    query: Annotated[str, Arg("The request, word for word.", usage="REQUEST…")]
    frame: Annotated[FrameGiven, Arg("As set_query_frame takes it.", rare=True)] = FrameGiven()


@operation(StartSessionRequest, "session", read_only=False, joins=False, command="session start {intent} {query}")
def start_session(project: Context, asked: StartSessionRequest) -> results.StartResult:
    """Begin work on a request; returns the session_id for all further calls, which are checked and recorded."""
    from shirube.features.guard.sessions import start_session as answer

    return answer(project.workspace, asked, project.call)


class FrameRequest(Record):
    """What ``set_query_frame`` takes."""

    session_id: Annotated[str, Arg("Session handle.")]
    target_feature: Annotated[SlotGiven | None, Arg("What the request is about.")] = None
    trigger_condition: Annotated[SlotGiven | None, Arg("When it happens.")] = None
    observed_issue: Annotated[SlotGiven | None, Arg("What goes wrong.")] = None
    desired_action: Annotated[SlotGiven | None, Arg("What is wanted.")] = None


@operation(FrameRequest, "session", read_only=False)
def set_query_frame(project: Context, asked: FrameRequest) -> results.StepResult:
    """What is the request about? Slot by slot, each with a quote from it."""
    from shirube.features.guard.sessions import set_query_frame as answer

    return answer(project.workspace, asked, project.call)


class UnderstandingRequest(Record):
    """What ``submit_understanding`` takes."""

    session_id: Annotated[str, Arg("Session handle.")]
    symbols: Annotated[tuple[str, ...], Arg("Symbols that will change.", also="symbols_identified")] = ()
    files: Annotated[
        tuple[str, ...], Arg("Files that will change; default: those of the symbols.", also="files_analyzed")
    ] = ()
    feature: Annotated[str, Arg("The request's own words for them.")] = ""
    why: Annotated[str, Arg("What in the code shows that these are meant.", also="notes")] = ""
    entry_points: Annotated[tuple[str, ...], Arg("Symbols where it begins.", rare=True)] = ()
    existing_patterns: Annotated[
        tuple[str, ...], Arg("How such things are done here, naming code.", also="patterns", rare=True)
    ] = ()
    callers: Annotated[tuple[str, ...], Arg("Files that use what will change.", rare=True)] = ()


@operation(UnderstandingRequest, "session", read_only=False)
def submit_understanding(project: Context, asked: UnderstandingRequest) -> results.StepResult:
    """What will you change, and why? Checked against what you looked at; READY, or the one call that is missing."""
    from shirube.features.guard.sessions import submit_understanding as answer

    return answer(project.workspace, asked, project.call)


class HypothesisGiven(Record):
    """A hypothesis as a model states it."""

    PLAIN: ClassVar[str] = "text"
    """What a bare string stands for."""
    text: Annotated[str, Arg("What you suppose, naming files and symbols.")]
    confidence: Annotated[str, Arg("high, medium or low.")] = "medium"


class SubmitSemanticRequest(Record):
    """What ``submit_semantic`` takes."""

    session_id: Annotated[str, Arg("Session handle.")]
    hypotheses: Annotated[tuple[HypothesisGiven, ...], Arg("1 to 20.")]
    semantic_reason: Annotated[str, Arg("One of those submit_understanding offered.", also="devrag_reason")]
    search_queries: Annotated[tuple[str, ...], Arg("Recorded searches that led there.", rare=True)] = ()


@operation(SubmitSemanticRequest, "session", read_only=False)
def submit_semantic(project: Context, asked: SubmitSemanticRequest) -> results.StepResult:
    """End SEMANTIC: what do you suppose, and why was looking not enough?"""
    from shirube.features.guard.sessions import submit_semantic as answer

    return answer(project.workspace, asked, project.call)


class EvidenceGiven(Record):
    """The call that decides a hypothesis."""

    tool: Annotated[str, Arg("The tool called in this session.")]
    target: Annotated[str, Arg("What it was asked for.")]
    result: Annotated[str, Arg("What it showed: a name or a line of it.")]
    files: Annotated[tuple[str, ...], Arg("Files it returned.", rare=True)] = ()


class VerifiedGiven(Record):
    """A hypothesis and what became of it."""

    hypothesis: Annotated[str, Arg("Its id (h1) or its text.")]
    status: Annotated[str, Arg("confirmed or rejected.")]
    evidence: Annotated[EvidenceGiven, Arg("A recorded call.")]


class VerificationRequest(Record):
    """What ``submit_verification`` takes."""

    session_id: Annotated[str, Arg("Session handle.")]
    verified: Annotated[tuple[VerifiedGiven, ...], Arg("Every hypothesis, decided.")]


@operation(VerificationRequest, "session", read_only=False)
def submit_verification(project: Context, asked: VerificationRequest) -> results.StepResult:
    """End VERIFICATION: each hypothesis confirmed or rejected by a call of this session."""
    from shirube.features.guard.sessions import submit_verification as answer

    return answer(project.workspace, asked, project.call)


class WriteRequest(Record):
    """What ``check_write_target`` takes."""

    session_id: Annotated[str, Arg("Session handle.")]
    file_path: Annotated[tuple[str, ...], Arg("One or several, relative to the project.", also="path paths files")]
    allow_new_files: Annotated[bool, Arg("false refuses a file that does not exist yet.", rare=True)] = True


@operation(WriteRequest, "session", read_only=False)
def check_write_target(project: Context, asked: WriteRequest) -> results.WriteResult:
    """May these files be written now? Those of the claim may; ask for others."""
    from shirube.features.guard.sessions import check_write_target as answer

    return answer(project.workspace, asked, project.call)


class SessionStatusRequest(Record):
    """What ``get_session_status`` takes."""

    session_id: Annotated[str, Arg("Session handle; empty: the latest of this work tree.", usage="ID")] = ""
    detailed: Annotated[bool, Arg("Every recorded call, too.")] = False


@operation(SessionStatusRequest, "session", listed=False, command="session status {session_id}")
def get_session_status(project: Context, asked: SessionStatusRequest) -> results.SessionStatus:
    """What does a session know, what is missing before anything may be written, and what is the next call?"""
    from shirube.features.guard.sessions import get_session_status as answer

    return answer(project.workspace, asked, project.call)


class ListSessionsRequest(Record):
    """What ``list_sessions`` takes."""

    limit: Annotated[int, Arg("How many, the latest first.", low=1, high=1000, usage="-k --limit N")] = 20


@operation(ListSessionsRequest, "session", listed=False, joins=False, command="session list")
def list_sessions(project: Context, asked: ListSessionsRequest) -> results.SessionsResult:
    """Which sessions are there in this work tree?"""
    from shirube.features.guard.sessions import list_sessions as answer

    return answer(project.workspace, asked, project.call)


class RevertRequest(Record):
    """What ``revert_to_exploration`` takes."""

    session_id: Annotated[str, Arg("Session handle.")]
    keep_results: Annotated[bool, Arg("false forgets everything but the request.")] = True


@operation(RevertRequest, "session", listed=False, read_only=False)
def revert_to_exploration(project: Context, asked: RevertRequest) -> results.StepResult:
    """Go back to EXPLORATION, to look further or to begin anew."""
    from shirube.features.guard.sessions import revert_to_exploration as answer

    return answer(project.workspace, asked, project.call)


class AddFilesRequest(Record):
    """What ``add_explored_files`` takes."""

    session_id: Annotated[str, Arg("Session handle.")]
    files: Annotated[tuple[str, ...], Arg("Files that a call of this session returned, or their directories.")]


@operation(AddFilesRequest, "session", read_only=False)
def add_explored_files(project: Context, asked: AddFilesRequest) -> results.StepResult:
    """In READY: count files as explored that a call of this session returned."""
    from shirube.features.guard.sessions import add_explored_files as answer

    return answer(project.workspace, asked, project.call)


class SessionMethods:
    """These operations as methods of a project."""

    validate_symbol_relevance = validate_symbol_relevance
    confirm_symbol_relevance = confirm_symbol_relevance
    record_outcome = record_outcome
    start_session = start_session
    set_query_frame = set_query_frame
    submit_understanding = submit_understanding
    submit_semantic = submit_semantic
    submit_verification = submit_verification
    check_write_target = check_write_target
    get_session_status = get_session_status
    list_sessions = list_sessions
    revert_to_exploration = revert_to_exploration
    add_explored_files = add_explored_files
