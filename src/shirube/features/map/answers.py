"""Asking the map: what was agreed about a question, whether it still holds, and when it answers by itself."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.codec import record_from
from shirube.errors import BadArgument
from shirube.features.map.agreement import Agreement, is_expired
from shirube.features.map.check import Finding, check
from shirube.features.map.code_state import IndexedCode
from shirube.features.map.files import AGREEMENTS, Loaded
from shirube.features.map.lookup import Near, Similarity, look_up, tier_of
from shirube.features.map.page import evidence_of, files_of
from shirube.features.map.results import AgreementView, MapResult
from shirube.features.map.states import Standing, Tier
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call
from shirube.types import Answer, MapHit, Reason

if TYPE_CHECKING:
    from shirube.features.lookup.operations import MapRequest
    from shirube.workspace import Workspace

USES = "map-use"
"""The kind of document that tells when an agreement was last used on this machine."""
LEAST_CONFIDENCE = 0.5
"""An agreement that failed as often as it helped is no fact."""
FACT, HYPOTHESIS = "fact", "hypothesis"


class CheckedAgreement(Struct, frozen=True):
    """An agreement that may answer, looked at."""

    near: Near
    finding: Finding
    certain: bool
    used: str

    @property
    def agreement(self) -> Agreement:
        """What was agreed."""
        return self.near.agreement


class MapReader:
    """The map of one call: loaded once, every agreement looked at once."""

    def __init__(self, workspace: "Workspace") -> None:
        self.workspace = workspace
        self.loaded: Loaded = workspace.map.load()
        self.code = IndexedCode(workspace)
        days = workspace.config.map.expiry_days
        self._cutoff = workspace.moment(days) if days else ""

    def spots(self, question: str, limit: int) -> tuple[CheckedAgreement, ...]:
        """Return what was agreed about a question, facts before ideas that are as near."""
        found = look_up(question, self.loaded.index, similarity_of(self.workspace), limit)
        spots = (self.spot(one) for one in found)
        return tuple(sorted(spots, key=lambda spot: (-round(spot.near.similarity, 1), not spot.certain)))

    def spot(self, near: Near) -> CheckedAgreement:
        """Look at one agreement."""
        agreement = near.agreement
        finding, used = check(agreement, self.code), last_use(self.workspace, agreement)
        certain = (
            finding.holds
            and agreement.standing == Standing.AGREED
            and not agreement.origin
            and agreement.confidence >= LEAST_CONFIDENCE
            and not is_expired(agreement, used, self._cutoff)
        )
        return CheckedAgreement(near, finding, certain, used)

    def view(self, spot: CheckedAgreement, lines: int = 0) -> AgreementView:
        """Return an agreement as it is shown, with the first ``lines`` lines of its code."""
        agreement, finding = spot.agreement, spot.finding
        standing = Standing.EXPIRED if is_expired(agreement, spot.used, self._cutoff) else agreement.standing
        return record_from(
            AgreementView,
            agreement,
            certainty=FACT if spot.certain else HYPOTHESIS,
            fresh=spot.certain,
            state=finding.state,
            why=finding.why,
            path=finding.path or agreement.path or page_path(agreement),
            start_line=finding.start_line or agreement.line or 1,
            end_line=finding.end_line or agreement.line or 1,
            now_symbol=finding.symbol,
            standing=standing,
            similarity=spot.near.similarity if spot.near.how else agreement.similarity,
            how=spot.near.how,
            evidence=evidence_of(agreement),
            files=files_of(agreement),
            last_used=max(agreement.last_used, spot.used),
            agreement_file=agreement.file,
            preview="\n".join(self._lines(finding)[:lines]) if lines and finding.path else "",
        )

    def _lines(self, finding: Finding) -> list[str]:
        return self.code.text(finding.path).split("\n")[finding.start_line - 1 : finding.end_line]

    def hit(self, spot: CheckedAgreement, lines: int) -> MapHit:
        """Return an agreement as a search shows it: the code it leads to, and why."""
        agreement, finding, near = spot.agreement, spot.finding, spot.near.similarity
        trust = say("map.fared", successes=agreement.successes, failures=agreement.failures)
        named = say("map.near", agreement=agreement.label, how=spot.near.how)
        place = finding.path or page_path(agreement)
        text = self._lines(finding) if finding.path else evidence_of(agreement).split("\n")
        record = self.workspace.store.files((place,)).get(place)
        points = near * agreement.confidence
        return MapHit(
            path=place,
            start_line=finding.start_line or 1,
            end_line=finding.end_line or 1,
            symbol=finding.symbol or agreement.symbol,
            kind=finding.kind or "section",
            language=record.language if record else "markdown",
            score=round(points, 4),
            similarity=near,
            why=(
                Reason("map:likeness", round(near, 4), named),
                Reason("map:confidence", round(points - near, 4), trust),
                Reason(f"map:{finding.state.value}", 0.0, finding.why),
                Reason(f"map:{FACT if spot.certain else HYPOTHESIS}", 0.0, _doubt(spot)),
            ),
            preview="\n".join(text[:lines]),
            nl_term=agreement.nl_term,
            state=finding.state.value,
            fresh=spot.certain,
            files=files_of(agreement),
            agreement_file=page_path(agreement),
        )


def map_notes(workspace: "Workspace") -> tuple[Message, ...]:
    """Return, on one line, what of the map could not be read: it may have known better than the code."""
    problems = workspace.map.load().problems
    code = "map.not_whole_more" if len(problems) > 1 else "map.not_whole"
    return (say(code, problem=problems[0], count=len(problems) - 1),) if problems else ()


def similarity_of(workspace: "Workspace") -> Similarity:
    """Return the calibrated similarity; where no model knows what words mean, the words alone decide."""
    return workspace.similarity if workspace.embedder.trained else lambda _, texts: (0.0,) * len(texts)


def page_path(agreement: Agreement) -> str:
    """Return where its own page is, below the project."""
    return f"{agreement.origin or AGREEMENTS}/{agreement.file}"


def last_use(workspace: "Workspace", agreement: Agreement) -> str:
    """Return when an agreement last answered on this machine, or nothing."""
    found = workspace.journal.get(USES, "\0".join(agreement.key))
    return str(found.body.get("at", "")) if found else ""


def note_use(workspace: "Workspace", spot: CheckedAgreement) -> None:
    """Remember that an agreement answered; once a day is enough."""
    today = workspace.moment()
    if spot.used[:10] != today[:10]:
        workspace.journal.put(USES, "\0".join(spot.agreement.key), {"at": today})


def current(workspace: "Workspace", call: Call) -> tuple[str, ...]:
    """Bring the index up to date for the files that agreements are bound to; return notes on what prevents that."""
    if workspace.keeper.building:
        return workspace.keeper.refresh(call.progress, patient=call.patient)
    paths = {one.path for one in workspace.map.load().own if one.path}
    return refresh_stale(workspace, paths, call)


def refresh_stale(workspace: "Workspace", paths: Iterable[str], call: Call) -> tuple[str, ...]:
    """Look for changes when one of these files is not what the index knows."""
    stale = workspace.freshness(tuple(paths)).stale_files
    known = workspace.store.files(stale) if stale else {}
    if any(path in known or (workspace.root / path).exists() for path in stale):
        return workspace.keeper.refresh(call.progress, patient=call.patient, now=True)
    return ()


def looked_up(
    workspace: "Workspace", question: str, limit: int, call: Call
) -> tuple[MapReader, tuple[CheckedAgreement, ...]]:
    """Return what the map knows, against files as they are now; where there is no map, nothing is looked at."""
    reader = MapReader(workspace)
    if not reader.loaded.agreements:
        return reader, ()
    if workspace.keeper.building:
        workspace.keeper.refresh(call.progress, patient=call.patient)
    spots = reader.spots(question, limit)
    paths = {path for spot in spots for path in (spot.agreement.path, spot.finding.path) if path}
    before = workspace.keeper.made
    refresh_stale(workspace, paths, call)
    if workspace.keeper.made != before:
        reader = MapReader(workspace)
        spots = reader.spots(question, limit)
    return reader, spots


def states_of(workspace: "Workspace") -> dict[str, int]:
    """Count what became of the code that the project's own agreements rest on."""
    code, states = IndexedCode(workspace), dict[str, int]()
    for one in workspace.map.load().own:
        state = check(one, code).state.value
        states[state] = states.get(state, 0) + 1
    return states


def tier(workspace: "Workspace", spot: CheckedAgreement) -> Tier:
    """Return how far an agreement carries a session."""
    config = workspace.config.map
    return tier_of(spot.near.similarity, spot.certain, config.short_circuit, config.ready)


def answers(workspace: "Workspace", spots: tuple[CheckedAgreement, ...]) -> bool:
    """Tell whether the best agreement is a fact near enough to answer by itself."""
    return bool(spots) and tier(workspace, spots[0]) != Tier.EXPLORATION


def _doubt(spot: CheckedAgreement) -> Message:
    """Say why an agreement is no fact."""
    if spot.certain:
        return NOTHING
    if spot.agreement.origin:
        return say("map.from_origin", origin=spot.agreement.origin)
    if spot.agreement.standing != Standing.AGREED:
        return say(f"map.{spot.agreement.standing.value}")
    return spot.finding.why if not spot.finding.holds else say("map.long_unused")


# --- operations --------------------------------------------------------------------------------------------


def search_map(workspace: "Workspace", request: "MapRequest", call: Call) -> MapResult:
    """Answer the operation of this name."""
    if not request.query.strip():
        raise BadArgument("map.query_empty")
    reader, spots = looked_up(workspace, request.query, request.limit, call)
    problems = reader.loaded.problems
    if answers(workspace, spots):
        note_use(workspace, spots[0])
    return MapResult(
        query=request.query,
        map_hits=tuple(reader.view(spot) for spot in spots),
        short_circuit=answers(workspace, spots),
        tier=tier(workspace, spots[0]) if spots else Tier.EXPLORATION,
        answer=_answer(spots, problems),
        total_agreements=len(reader.loaded.agreements),
        problems=problems,
        next=_advice(reader, spots),
    )


def _answer(spots: tuple[CheckedAgreement, ...], problems: tuple[Message, ...]) -> Answer:
    if not spots:
        return Answer.UNKNOWN if problems else Answer.NONE
    return Answer.FOUND if spots[0].certain else Answer.PARTIAL


def _advice(reader: MapReader, spots: tuple[CheckedAgreement, ...]) -> Message:
    if not spots:
        return say("map.not_agreed" if reader.loaded.agreements else "map.not_agreed_empty")
    best = spots[0]
    if best.certain:
        return say("map.read_file", path=best.finding.path or page_path(best.agreement))
    return say("map.hypothesis", why=_doubt(best))
