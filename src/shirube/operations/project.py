"""The library: a project whose methods are the operations, with the same checks as every other door."""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

from shirube.operations import declared
from shirube.operations.declare import Call, Operation, Result
from shirube.operations.run import run
from shirube.workspace import Workspace, build_workspace


class Project:
    """An open project; use it as a context manager, or call ``close``.

    A method takes what the request of its operation declares, and returns its result.
    """

    def __init__(self, workspace: Workspace, session_id: str = "") -> None:
        self.workspace = workspace
        self._shared = {"session_id": session_id} if session_id else {}

    search = declared.search.search
    files_search = declared.search.files_search
    search_text = declared.search.search_text
    context_bundle = declared.search.context_bundle
    snippets_get = declared.search.snippets_get
    search_forest = declared.search.search_forest
    semantic_rerank = declared.search.semantic_rerank
    search_map = declared.search.search_map
    semantic_search = declared.search.semantic_search

    deps_closure = declared.symbols.deps_closure
    find_definitions = declared.symbols.find_definitions
    find_references = declared.symbols.find_references
    get_symbols = declared.symbols.get_symbols
    analyze_structure = declared.symbols.analyze_structure
    get_function_at_line = declared.symbols.get_function_at_line
    analyze_impact = declared.symbols.analyze_impact

    query = declared.plan.query
    query_plan = declared.plan.query_plan
    list_plans = declared.plan.list_plans
    show_plan = declared.plan.show_plan
    list_presets = declared.plan.list_presets
    export_plans = declared.plan.export_plans
    import_plans = declared.plan.import_plans

    validate_symbol_relevance = declared.session.validate_symbol_relevance
    confirm_symbol_relevance = declared.session.confirm_symbol_relevance
    record_outcome = declared.session.record_outcome
    start_session = declared.session.start_session
    set_query_frame = declared.session.set_query_frame
    submit_understanding = declared.session.submit_understanding
    submit_semantic = declared.session.submit_semantic
    submit_verification = declared.session.submit_verification
    check_write_target = declared.session.check_write_target
    get_session_status = declared.session.get_session_status
    list_sessions = declared.session.list_sessions
    revert_to_exploration = declared.session.revert_to_exploration
    add_explored_files = declared.session.add_explored_files

    add_agreement = declared.map.add_agreement
    edit_agreement = declared.map.edit_agreement
    expire_agreement = declared.map.expire_agreement
    list_agreements = declared.map.list_agreements
    check_agreements = declared.map.check_agreements
    sync_map = declared.map.sync_map
    merge_agreements = declared.map.merge_agreements
    list_conflicts = declared.map.list_conflicts
    resolve_conflict = declared.map.resolve_conflict
    get_agreement_history = declared.map.get_agreement_history
    export_map = declared.map.export_map
    import_map = declared.map.import_map

    get_session_analysis = declared.insights.get_session_analysis
    get_improvement_insights = declared.insights.get_improvement_insights
    get_outcome_stats = declared.insights.get_outcome_stats
    get_learning_effect = declared.insights.get_learning_effect
    forget_outcomes = declared.insights.forget_outcomes

    command_search = declared.commands.command_search
    command_describe = declared.commands.command_describe
    command_execute = declared.commands.command_execute
    command_validate = declared.commands.command_validate
    command_build = declared.commands.command_build
    command_reload = declared.commands.command_reload

    sync_index = declared.index.sync_index
    index_status = declared.index.index_status

    def run(self, operation: Operation[..., Result], *given: Any, **named: Any) -> Result:
        """Run an operation with the arguments of its request, in their order or by name."""
        arguments = {**dict(zip(operation.request.__struct_fields__, given, strict=False)), **named}
        shared = self._shared if operation.joins else {}
        result: Result = run(self.workspace, operation, {**shared, **arguments}, Call(patient=True))
        return result

    def call(self, operation: str, **arguments: Any) -> Any:
        """Run any operation by its name; other spellings of its arguments are understood here."""
        return run(self.workspace, operation, arguments, Call(patient=True))

    def in_session(self, session_id: str) -> "Project":
        """Return the same project for calls that are part of a session: checked against its phase, and recorded."""
        return Project(self.workspace, session_id)

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
