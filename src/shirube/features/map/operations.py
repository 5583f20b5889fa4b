"""The operations of group ``map``: what each takes, and what it answers."""

from typing import Annotated

from shirube.codec import Arg, Record
from shirube.features.map import results
from shirube.features.map.states import State
from shirube.operation import Context, NoArguments, operation


class AddAgreementRequest(Record):
    """What ``add_agreement`` takes."""

    nl_term: Annotated[str, Arg("The words people use; for a convention, what it is about.", also="term", usage="TERM")]
    symbol: Annotated[
        tuple[str, ...], Arg("What they mean in the code, qualified where needed; several are allowed.", also="symbols")
    ] = ()
    code_evidence: Annotated[
        str,
        Arg("What in the code shows it; for a convention, the rule itself.", also="evidence", usage="--evidence TEXT"),
    ] = ""
    doc_type: Annotated[str, Arg("agreement, or convention: a rule of the project without a symbol.")] = "agreement"
    path: Annotated[
        str, Arg("The file or directory that defines it, when several define that name.", usage="--path FILE")
    ] = ""
    session_id: Annotated[str, Arg("The session in which it was learned, maybe elsewhere.")] = ""


@operation(AddAgreementRequest, "map", read_only=False, joins=False, command="map add {nl_term} {symbol}")
def add_agreement(project: Context, asked: AddAgreementRequest) -> results.WrittenAgreement:
    """What do these words mean in this code? Write it into the map (a term and its symbol, or a convention), bound
    to the code as it is now.
    """
    from shirube.features.map.agreements import add_agreement as answer

    return answer(project.workspace, asked, project.call)


class EditAgreementRequest(Record):
    """What ``edit_agreement`` takes."""

    agreement: Annotated[str, Arg("Its term, 'term → symbol', or the name of its file.", also="nl_term")]
    symbol: Annotated[str, Arg("Another symbol that is meant.", usage="--symbol NAME")] = ""
    path: Annotated[str, Arg("Another file that defines it.", usage="--path FILE")] = ""
    code_evidence: Annotated[str, Arg("Evidence to add.", also="evidence", usage="--evidence TEXT")] = ""
    confirm: Annotated[
        bool, Arg("It was checked: bind it to the code as it is now, and trust it again.", usage="--confirm")
    ] = False


@operation(EditAgreementRequest, "map", read_only=False, command="map edit {agreement}")
def edit_agreement(project: Context, asked: EditAgreementRequest) -> results.WrittenAgreement:
    """What has to be put right in an agreement? Another symbol or file, more evidence, or a confirmation after the
    code changed.
    """
    from shirube.features.map.agreements import edit_agreement as answer

    return answer(project.workspace, asked, project.call)


class ExpireAgreementRequest(Record):
    """What ``expire_agreement`` takes."""

    agreement: Annotated[str, Arg("Its term, 'term → symbol', or the name of its file.", also="nl_term")]
    delete: Annotated[bool, Arg("Delete the page instead of marking it.", usage="--delete")] = False


@operation(ExpireAgreementRequest, "map", destructive=True, read_only=False, command="map expire {agreement}")
def expire_agreement(project: Context, asked: ExpireAgreementRequest) -> results.WrittenAgreement:
    """Which agreement no longer counts? Mark it as expired, or delete its page."""
    from shirube.features.map.agreements import expire_agreement as answer

    return answer(project.workspace, asked, project.call)


class AgreementsRequest(Record):
    """What ``list_agreements`` and ``check_agreements`` take."""

    query: Annotated[str, Arg("Only those with these characters in term, symbol or path.", usage="WORDS…")] = ""
    doc_type: Annotated[str, Arg("Only agreements, or only conventions.")] = ""
    state: Annotated[State | None, Arg("Only those whose code is in this state.", usage="--state")] = None
    limit: Annotated[int, Arg("How many.", low=1, high=10000, usage="-k --limit N")] = 100
    preview_lines: Annotated[int, Arg("How many lines of the code to show with each.", low=0, high=200)] = 0


@operation(AgreementsRequest, "map", command="map list {query}")
def list_agreements(project: Context, asked: AgreementsRequest) -> results.AgreementsResult:
    """What was agreed about this code? Every term and convention with its state and how far to trust it."""
    from shirube.features.map.agreements import list_agreements as answer

    return answer(project.workspace, asked, project.call, by_state=False)


@operation(AgreementsRequest, "map", command="map check {query}")
def check_agreements(project: Context, asked: AgreementsRequest) -> results.AgreementsResult:
    """Which agreements went stale? Each one compared with the code as it is now: gone, moved, changed, fresh."""
    from shirube.features.map.agreements import list_agreements as answer

    return answer(project.workspace, asked, project.call, by_state=True)


class ProposalsRequest(Record):
    """What ``list_proposals`` takes."""

    query: Annotated[str, Arg("Only those with these characters in term, symbol or path.", usage="WORDS…")] = ""
    limit: Annotated[int, Arg("How many.", low=1, high=1000, usage="-k --limit N")] = 20


@operation(ProposalsRequest, "map", command="map proposals {query}")
def list_proposals(project: Context, asked: ProposalsRequest) -> results.ProposalsResult:
    """Which words of this project's commits may belong in the map? Terms that go with a symbol again and again:
    hypotheses with their commits, until somebody checks and adds them.
    """
    from shirube.features.map.proposals import list_proposals as answer

    return answer(project.workspace, asked, project.call)


@operation(NoArguments, "map", read_only=False, command="map sync")
def sync_map(project: Context, asked: NoArguments) -> results.MapReport:
    """Are the map and learned_pairs.json in step? Take in what was edited by hand, bind what is new, and say what
    went stale.
    """
    from shirube.features.map.sharing import sync_map as answer

    return answer(project.workspace, asked, project.call)


class MergeAgreementsRequest(Record):
    """What ``merge_agreements`` takes."""

    ours: Annotated[str, Arg("Our version, below the project; the merged file is written here.")]
    theirs: Annotated[str, Arg("The other version, below the project.")]
    base: Annotated[str, Arg("The version both come from, when there is one.")] = ""


@operation(MergeAgreementsRequest, "map", read_only=False, command="map merge")
def merge_agreements(project: Context, asked: MergeAgreementsRequest) -> results.MergeResult:
    """How do two branches' versions of learned_pairs.json, or of one page, become one? Nothing is lost."""
    from shirube.features.map.sharing import merge_agreements as answer

    return answer(project.workspace, asked, project.call)


@operation(NoArguments, "map")
def list_conflicts(project: Context, asked: NoArguments) -> results.ConflictsResult:
    """What is agreed in two ways? Pages a merge left undecided and terms with different symbols, side by side."""
    from shirube.features.map.sharing import list_conflicts as answer

    return answer(project.workspace, asked, project.call)


class ResolveRequest(Record):
    """What ``resolve_conflict`` takes."""

    conflict: Annotated[str, Arg("The file of the page, or the term, as list_conflicts names it.")]
    keep: Annotated[str, Arg("ours, theirs or both (joined, nothing lost); for a term, the symbol that is meant.")]


@operation(ResolveRequest, "map", read_only=False)
def resolve_conflict(project: Context, asked: ResolveRequest) -> results.ResolveResult:
    """Which of the two is right? Keep one version of a page or join both; keep one symbol of a term and expire the
    others.
    """
    from shirube.features.map.sharing import resolve_conflict as answer

    return answer(project.workspace, asked, project.call)


class AgreementHistoryRequest(Record):
    """What ``get_agreement_history`` takes."""

    agreement: Annotated[str, Arg("Its term, 'term → symbol', or the name of its file.", also="nl_term")]
    limit: Annotated[int, Arg("How many of its last commits.", low=0, high=100)] = 10


@operation(AgreementHistoryRequest, "map")
def get_agreement_history(project: Context, asked: AgreementHistoryRequest) -> results.AgreementHistory:
    """What has an agreement been through? When it was learned and used, who changed what, how sessions that went
    by it ended.
    """
    from shirube.features.map.agreements import get_agreement_history as answer

    return answer(project.workspace, asked, project.call)


class ExportMapRequest(Record):
    """What ``export_map`` takes."""

    path: Annotated[str, Arg("Write the map to this file below the project; empty: return it.")] = ""


@operation(ExportMapRequest, "map", read_only=False, command="map export")
def export_map(project: Context, asked: ExportMapRequest) -> results.ExportMapResult:
    """How can this map be carried elsewhere? As one file, with every page."""
    from shirube.features.map.sharing import export_map as answer

    return answer(project.workspace, asked, project.call)


class ImportMapRequest(Record):
    """What ``import_map`` takes."""

    path: Annotated[
        str,
        Arg(
            "A file below the project: an exported map or learned_pairs.json; or a .code-intel directory.",
            also="source",
        ),
    ] = ""
    text: Annotated[str, Arg("An exported map itself, instead of a file.", high=32000000)] = ""
    form: Annotated[results.MapForm, Arg("What it is; auto tells by itself.", also="format")] = results.MapForm.AUTO


@operation(ImportMapRequest, "map", read_only=False, command="map import")
def import_map(project: Context, asked: ImportMapRequest) -> results.MapReport:
    """What does another map add to this one? Takes an exported map, learned_pairs.json, or a .code-intel
    directory, with a report.
    """
    from shirube.features.map.sharing import import_map as answer

    return answer(project.workspace, asked, project.call)


class MapMethods:
    """These operations as methods of a project."""

    add_agreement = add_agreement
    edit_agreement = edit_agreement
    expire_agreement = expire_agreement
    list_agreements = list_agreements
    check_agreements = check_agreements
    list_proposals = list_proposals
    sync_map = sync_map
    merge_agreements = merge_agreements
    list_conflicts = list_conflicts
    resolve_conflict = resolve_conflict
    get_agreement_history = get_agreement_history
    export_map = export_map
    import_map = import_map
