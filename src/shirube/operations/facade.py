"""The library: a project whose methods are the operations, with the same checks as every other door."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from shirube.operations.agreements import ListResult, Written
from shirube.operations.bundle import BundleResult
from shirube.operations.commands import CommandDescribeResult, CommandReloadResult, CommandSearchResult
from shirube.operations.conflicts import ConflictsResult, ResolveResult
from shirube.operations.deps import DepsResult
from shirube.operations.effect import EffectResult
from shirube.operations.execute import CommandExecuteResult
from shirube.operations.files import FilesResult
from shirube.operations.impact import ImpactResult
from shirube.operations.index import IndexStatus, SyncResult
from shirube.operations.insights import AnalysisResult, ForgetResult, InsightsResult, StatsResult
from shirube.operations.maps import MapResult
from shirube.operations.model import Call
from shirube.operations.outcomes import OutcomeResult
from shirube.operations.past import HistoryResult
from shirube.operations.plans import PlanReport
from shirube.operations.presets import PresetList
from shirube.operations.query import QueryResult
from shirube.operations.references import ReferencesResult
from shirube.operations.registry import CommandBuildResult, CommandValidateResult
from shirube.operations.relevance import ConfirmResult, ValidateResult
from shirube.operations.rerank import RerankResult
from shirube.operations.run import run
from shirube.operations.sessions import SessionsResult, StartResult, StatusResult, StepResult
from shirube.operations.sharing import ExportResult, MergeResult, Report
from shirube.operations.shelf import PlanExport, PlanImport, PlanList
from shirube.operations.snippets import SnippetResult
from shirube.operations.structure import LineResult, StructureResult
from shirube.operations.symbols import DefinitionsResult, SymbolsResult
from shirube.operations.text import TextResult
from shirube.operations.writing import WriteResult
from shirube.types import SearchResult
from shirube.workspace import Workspace, build_workspace


class Project:
    """An open project; use it as a context manager, or call ``close``."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def search(self, query: str, **options: Any) -> SearchResult:
        """Return ranked chunks for a question; options are the arguments of the ``search`` operation."""
        result: SearchResult = self.call("search", query=query, **options)
        return result

    def search_forest(self, query: str, **options: Any) -> SearchResult:
        """Return what the code itself says, without the map; options as for ``search``."""
        result: SearchResult = self.call("search_forest", query=query, **options)
        return result

    def files_search(self, query: str, **options: Any) -> FilesResult:
        """Return ranked files for a question; options are the arguments of the ``files_search`` operation."""
        result: FilesResult = self.call("files_search", query=query, **options)
        return result

    def semantic_rerank(self, text: str, candidates: Sequence[Mapping[str, Any]], **options: Any) -> RerankResult:
        """Return files in the order of a text's meaning; each candidate has a ``path`` and perhaps a ``score``."""
        result: RerankResult = self.call("semantic_rerank", text=text, candidates=list(candidates), **options)
        return result

    def search_text(self, patterns: str | Sequence[str], **options: Any) -> TextResult:
        """Return the lines that hold a text or match an expression; options as for the ``search_text`` operation."""
        wanted = [patterns] if isinstance(patterns, str) else list(patterns)
        result: TextResult = self.call("search_text", patterns=wanted, **options)
        return result

    def query(self, question: str, **options: Any) -> QueryResult:
        """Plan the steps for a question, run them and return what they found; options as for ``query``."""
        result: QueryResult = self.call("query", question=question, **options)
        return result

    def query_plan(self, goal: str, **options: Any) -> PlanReport:
        """Work towards a goal and return the plan with its results; options as for ``query_plan``."""
        result: PlanReport = self.call("query_plan", goal=goal, **options)
        return result

    def list_plans(self, **options: Any) -> PlanList:
        """Return the plans that were made here, the last one first."""
        result: PlanList = self.call("list_plans", **options)
        return result

    def show_plan(self, plan_id: str) -> PlanReport:
        """Return one plan with every turn."""
        result: PlanReport = self.call("show_plan", planId=plan_id)
        return result

    def list_presets(self) -> PresetList:
        """Return ready plans with their measure of a good answer."""
        result: PresetList = self.call("list_presets")
        return result

    def export_plans(self, **options: Any) -> PlanExport:
        """Return plans and templates as one document, or write it to a file of the project."""
        result: PlanExport = self.call("export_plans", **options)
        return result

    def import_plans(self, **options: Any) -> PlanImport:
        """Take in an export of plans, or what a .gistdex directory holds."""
        result: PlanImport = self.call("import_plans", **options)
        return result

    def command_search(self, query: str = "", **options: Any) -> CommandSearchResult:
        """Return the commands of a registry that answer a request, or several ``queries`` fused by rank."""
        result: CommandSearchResult = self.call("command_search", **({"query": query} if query else {}), **options)
        return result

    def command_describe(self, c1: str, c2: str, c3: str, **options: Any) -> CommandDescribeResult:
        """Return every command with exactly these three words."""
        result: CommandDescribeResult = self.call("command_describe", c1=c1, c2=c2, c3=c3, **options)
        return result

    def command_execute(self, c1: str, c2: str, c3: str, **options: Any) -> CommandExecuteResult:
        """Return the prompt of a command with the given options and ``stdin`` in it."""
        result: CommandExecuteResult = self.call("command_execute", c1=c1, c2=c2, c3=c3, **options)
        return result

    def command_validate(self, **options: Any) -> CommandValidateResult:
        """Return what is wrong with a registry."""
        result: CommandValidateResult = self.call("command_validate", **options)
        return result

    def command_build(self, **options: Any) -> CommandBuildResult:
        """Make a registry from the front matter of its prompts."""
        result: CommandBuildResult = self.call("command_build", **options)
        return result

    def command_reload(self, **options: Any) -> CommandReloadResult:
        """Read the registries anew and return what there is."""
        result: CommandReloadResult = self.call("command_reload", **options)
        return result

    def start_session(self, intent: str, query: str) -> StartResult:
        """Begin work on a request; the handle goes into every other call as ``session_id``."""
        result: StartResult = self.call("start_session", intent=intent, query=query)
        return result

    def set_query_frame(self, session_id: str, **slots: Mapping[str, str]) -> StepResult:
        """Say what the request is about; each slot is ``{"value": …, "quote": …}``."""
        return self._step("set_query_frame", session_id, **slots)

    def submit_understanding(self, session_id: str, **claims: Any) -> StepResult:
        """End exploration; what is left out is taken from the record."""
        return self._step("submit_understanding", session_id, **claims)

    def submit_semantic(self, session_id: str, **claims: Any) -> StepResult:
        """End the semantic phase with ``hypotheses`` and a ``semantic_reason``."""
        return self._step("submit_semantic", session_id, **claims)

    def submit_verification(self, session_id: str, verified: Sequence[Mapping[str, Any]]) -> StepResult:
        """End verification with every hypothesis decided."""
        return self._step("submit_verification", session_id, verified=list(verified))

    def revert_to_exploration(self, session_id: str, keep_results: bool = True) -> StepResult:
        """Go back to exploration, with or without what is known."""
        return self._step("revert_to_exploration", session_id, keep_results=keep_results)

    def add_explored_files(self, session_id: str, files: Sequence[str]) -> StepResult:
        """Take files as explored that a call of this session returned."""
        return self._step("add_explored_files", session_id, files=list(files))

    def check_write_target(self, session_id: str, file_path: str, **options: Any) -> WriteResult:
        """Tell whether a file may be written now."""
        result: WriteResult = self.call("check_write_target", session_id=session_id, file_path=file_path, **options)
        return result

    def get_session_status(self, session_id: str = "", **options: Any) -> StatusResult:
        """Return what a session knows and needs; without a handle, the latest one."""
        result: StatusResult = self.call("get_session_status", session_id=session_id, **options)
        return result

    def list_sessions(self, **options: Any) -> SessionsResult:
        """Return the sessions of this work tree, the latest first."""
        result: SessionsResult = self.call("list_sessions", **options)
        return result

    def _step(self, name: str, session_id: str, **arguments: Any) -> StepResult:
        result: StepResult = self.call(name, session_id=session_id, **arguments)
        return result

    def search_map(self, query: str, **options: Any) -> MapResult:
        """Return what was agreed about a question; options as for the operation."""
        result: MapResult = self.call("search_map", query=query, **options)
        return result

    def semantic_search(self, query: str, **options: Any) -> SearchResult:
        """Return what means the same, in the map or in the forest; options as for the operation."""
        result: SearchResult = self.call("semantic_search", query=query, **options)
        return result

    def validate_symbol_relevance(self, symbols: Sequence[str], **options: Any) -> ValidateResult:
        """Return for each symbol whether it is what a term means; options as for the operation."""
        result: ValidateResult = self.call("validate_symbol_relevance", symbols=list(symbols), **options)
        return result

    def confirm_symbol_relevance(
        self, session_id: str, relevant_symbols: Sequence[str], code_evidence: str, **options: Any
    ) -> ConfirmResult:
        """Keep symbols that are meant for sure with their session; options as for the operation."""
        result: ConfirmResult = self.call(
            "confirm_symbol_relevance",
            session_id=session_id,
            relevant_symbols=list(relevant_symbols),
            code_evidence=code_evidence,
            **options,
        )
        return result

    def record_outcome(self, session_id: str, **options: Any) -> OutcomeResult:
        """Record how a session turned out; options as for the operation."""
        result: OutcomeResult = self.call("record_outcome", session_id=session_id, **options)
        return result

    def add_agreement(self, nl_term: str, **options: Any) -> Written:
        """Write what a term means, or a convention, into the map; options as for the operation."""
        result: Written = self.call("add_agreement", nl_term=nl_term, **options)
        return result

    def edit_agreement(self, agreement: str, **options: Any) -> Written:
        """Put an agreement right, or confirm it anew; options as for the operation."""
        result: Written = self.call("edit_agreement", agreement=agreement, **options)
        return result

    def expire_agreement(self, agreement: str, **options: Any) -> Written:
        """End an agreement; options as for the operation."""
        result: Written = self.call("expire_agreement", agreement=agreement, **options)
        return result

    def list_agreements(self, **options: Any) -> ListResult:
        """Return what was agreed; options as for the operation."""
        result: ListResult = self.call("list_agreements", **options)
        return result

    def check_agreements(self, **options: Any) -> ListResult:
        """Return which agreements went stale; options as for the operation."""
        result: ListResult = self.call("check_agreements", **options)
        return result

    def sync_map(self, **options: Any) -> Report:
        """Bring the pages of the map and ``learned_pairs.json`` in step; options as for the operation."""
        result: Report = self.call("sync_map", **options)
        return result

    def merge_agreements(self, ours: str, theirs: str, **options: Any) -> MergeResult:
        """Merge two versions of a file of the map; options as for the operation."""
        result: MergeResult = self.call("merge_agreements", ours=ours, theirs=theirs, **options)
        return result

    def export_map(self, **options: Any) -> ExportResult:
        """Return the map as one file; options as for the operation."""
        result: ExportResult = self.call("export_map", **options)
        return result

    def import_map(self, **options: Any) -> Report:
        """Take another map in; options as for the operation."""
        result: Report = self.call("import_map", **options)
        return result

    def list_conflicts(self, **options: Any) -> ConflictsResult:
        """Return what is agreed in two ways; options as for the operation."""
        result: ConflictsResult = self.call("list_conflicts", **options)
        return result

    def resolve_conflict(self, conflict: str, keep: str, **options: Any) -> ResolveResult:
        """Decide which version counts; options as for the operation."""
        result: ResolveResult = self.call("resolve_conflict", conflict=conflict, keep=keep, **options)
        return result

    def get_agreement_history(self, agreement: str, **options: Any) -> HistoryResult:
        """Return what an agreement has been through; options as for the operation."""
        result: HistoryResult = self.call("get_agreement_history", agreement=agreement, **options)
        return result

    def get_session_analysis(self, session_id: str, **options: Any) -> AnalysisResult:
        """Return what was decided in a session and how it turned out; options as for the operation."""
        result: AnalysisResult = self.call("get_session_analysis", session_id=session_id, **options)
        return result

    def get_improvement_insights(self, **options: Any) -> InsightsResult:
        """Return what failures have in common; options as for the operation."""
        result: InsightsResult = self.call("get_improvement_insights", **options)
        return result

    def get_outcome_stats(self, **options: Any) -> StatsResult:
        """Return outcomes, counted; options as for the operation."""
        result: StatsResult = self.call("get_outcome_stats", **options)
        return result

    def get_learning_effect(self, **options: Any) -> EffectResult:
        """Return what learning from outcomes does to the ranking; options as for the operation."""
        result: EffectResult = self.call("get_learning_effect", **options)
        return result

    def forget_outcomes(self, **options: Any) -> ForgetResult:
        """Take back what the ranking learnt from outcomes; options as for the operation."""
        result: ForgetResult = self.call("forget_outcomes", **options)
        return result

    def find_definitions(self, symbol: str, **options: Any) -> DefinitionsResult:
        """Return where a name is defined; options as for the ``find_definitions`` operation."""
        result: DefinitionsResult = self.call("find_definitions", symbol=symbol, **options)
        return result

    def find_references(self, symbol: str, **options: Any) -> ReferencesResult:
        """Return who uses a name, how that was found and how sure it is."""
        result: ReferencesResult = self.call("find_references", symbol=symbol, **options)
        return result

    def get_symbols(self, path: str, **options: Any) -> SymbolsResult:
        """Return what a file or directory defines."""
        result: SymbolsResult = self.call("get_symbols", path=path, **options)
        return result

    def analyze_structure(self, path: str, **options: Any) -> StructureResult:
        """Return the symbols of a file or directory, nested."""
        result: StructureResult = self.call("analyze_structure", path=path, **options)
        return result

    def get_function_at_line(self, file_path: str, line: int) -> LineResult:
        """Return the function around a line with its text."""
        result: LineResult = self.call("get_function_at_line", file_path=file_path, line=line)
        return result

    def analyze_impact(self, **options: Any) -> ImpactResult:
        """Return what a change of ``files`` or ``symbols`` would touch."""
        result: ImpactResult = self.call("analyze_impact", **options)
        return result

    def context_bundle(self, goal: str, **options: Any) -> BundleResult:
        """Return the snippets to read for a goal, under a budget; options as for the ``context_bundle`` operation."""
        result: BundleResult = self.call("context_bundle", goal=goal, **options)
        return result

    def snippets_get(self, path: str, **options: Any) -> SnippetResult:
        """Return some lines of a file, the symbol around one, or its outline."""
        result: SnippetResult = self.call("snippets_get", path=path, **options)
        return result

    def deps_closure(self, path: str, **options: Any) -> DepsResult:
        """Return what a file uses, or who uses it, as a graph; options as for the ``deps_closure`` operation."""
        result: DepsResult = self.call("deps_closure", path=path, **options)
        return result

    def sync_index(self, **options: Any) -> SyncResult:
        """Bring the index up to date and return what changed."""
        result: SyncResult = self.call("sync_index", **options)
        return result

    def index_status(self, **options: Any) -> IndexStatus:
        """Return what the index holds and how fresh it is."""
        result: IndexStatus = self.call("index_status", **options)
        return result

    def call(self, operation: str, **arguments: Any) -> Any:
        """Run any operation by its name."""
        return run(self.workspace, operation, arguments, Call(patient=True))

    def close(self) -> None:
        """Let go of files and worker processes."""
        self.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_workspace(path: str | Path = ".", **settings: Any) -> Project:
    """Open the project at ``path``; settings are dotted names with ``__``: ``index__workers=1``."""
    flags = {name.replace("__", "."): value for name, value in settings.items()}
    return Project(build_workspace(Path(path), flags))
