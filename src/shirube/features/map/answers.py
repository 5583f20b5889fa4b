"""Queries the map: what was agreed about a question, whether it still holds, and whether it is answer enough."""

from collections import Counter
from collections.abc import Iterable, Sequence
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
from shirube.features.map.same_term import clauses
from shirube.features.map.states import Standing, Tier
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call
from shirube.types import Answer, MapHit, Reason

if TYPE_CHECKING:
    from shirube.features.lookup.operations import MapRequest
    from shirube.workspace import Workspace

USES = "map-use"
"""The kind of document that records when an agreement was last used on this machine."""
LEAST_CONFIDENCE = 0.5
"""The least confidence of a fact; an agreement that failed often is only a hypothesis."""
FACT, HYPOTHESIS = "fact", "hypothesis"
MOST_TOLD = 3
"""How many agreements a session is told about when it starts."""


class CheckedAgreement(Struct, frozen=True):
    """An agreement similar to a question, checked against the code."""

    near: Near
    finding: Finding
    """What happened to its code."""
    certain: bool
    """Whether it is a fact; else it is a hypothesis."""
    used: str
    """When it last answered on this machine; empty when it never did."""

    @property
    def agreement(self) -> Agreement:
        """What was agreed."""
        return self.near.agreement


class MapReader:
    """The map as loaded for one call."""

    def __init__(self, workspace: "Workspace") -> None:
        self.workspace = workspace
        self.loaded: Loaded = workspace.map.load()
        self.code = IndexedCode(workspace)
        days = workspace.config.map.expiry_days
        self._cutoff = workspace.moment(days) if days else ""

    def spots(self, question: str, limit: int, parts: Sequence[str] = ()) -> tuple[CheckedAgreement, ...]:
        """Return the agreements about a question: its very term first, then the similar; facts before hypotheses."""
        found = map(self.spot, look_up(question, self.loaded.index, similarity_of(self.workspace), limit, parts))
        return tuple(
            sorted(found, key=lambda one: (not one.near.alone, -round(one.near.similarity, 1), not one.certain))
        )

    def spot(self, near: Near) -> CheckedAgreement:
        """Check one agreement against the code, and tell whether it is a fact."""
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

    def view(self, checked: CheckedAgreement, lines: int = 0) -> AgreementView:
        """Return an agreement as results show it, with the first ``lines`` lines of its code."""
        agreement, finding = checked.agreement, checked.finding
        standing = Standing.EXPIRED if is_expired(agreement, checked.used, self._cutoff) else agreement.standing
        return record_from(
            AgreementView,
            agreement,
            certainty=FACT if checked.certain else HYPOTHESIS,
            fresh=checked.certain,
            alone=answers(self.workspace, (checked,)),
            state=finding.state,
            why=finding.why,
            path=finding.path or agreement.path or page_path(agreement),
            start_line=finding.start_line or agreement.line or 1,
            end_line=finding.end_line or agreement.line or 1,
            now_symbol=finding.symbol,
            standing=standing,
            similarity=checked.near.similarity if checked.near.how else agreement.similarity,
            how=checked.near.how,
            evidence=evidence_of(agreement),
            files=self._files(checked),
            last_used=max(agreement.last_used, checked.used),
            agreement_file=agreement.file,
            preview="\n".join(self._lines(finding)[:lines]) if lines and finding.path else "",
        )

    def _lines(self, finding: Finding) -> list[str]:
        return self.code.text(finding.path).split("\n")[finding.start_line - 1 : finding.end_line]

    def _files(self, checked: CheckedAgreement) -> tuple[str, ...]:
        """Return the files of an agreement that exist, the one that has its code now first."""
        listed = dict.fromkeys((checked.finding.path, *files_of(checked.agreement)))
        return tuple(path for path in listed if path and self.workspace.map.has(path))

    def hit(self, checked: CheckedAgreement, lines: int) -> MapHit:
        """Return an agreement as a search shows it: the code it leads to, and why."""
        agreement, finding, similarity = checked.agreement, checked.finding, checked.near.similarity
        fared = say("map.fared", successes=agreement.successes, failures=agreement.failures)
        matched = say("map.near", agreement=agreement.label, how=checked.near.how)
        path = finding.path or page_path(agreement)
        shown = self._lines(finding) if finding.path else evidence_of(agreement).split("\n")
        record = self.workspace.store.files((path,)).get(path)
        points = similarity * agreement.confidence
        return MapHit(
            path=path,
            start_line=finding.start_line or 1,
            end_line=finding.end_line or 1,
            symbol=finding.symbol or agreement.symbol,
            kind=finding.kind or "section",
            language=record.language if record else "markdown",
            score=round(points, 4),
            similarity=similarity,
            why=(
                Reason("map:likeness", round(similarity, 4), matched),
                Reason("map:confidence", round(points - similarity, 4), fared),
                Reason(f"map:{finding.state.value}", 0.0, finding.why),
                Reason(f"map:{FACT if checked.certain else HYPOTHESIS}", 0.0, _doubt(checked)),
            ),
            preview="\n".join(shown[:lines]),
            nl_term=agreement.nl_term,
            state=finding.state.value,
            fresh=checked.certain,
            alone=answers(self.workspace, (checked,)),
            files=self._files(checked),
            agreement_file=page_path(agreement),
        )


def map_notes(workspace: "Workspace") -> tuple[Message, ...]:
    """Return a note when parts of the map are unreadable, because the answer may be there."""
    problems = workspace.map.load().problems
    code = "map.not_whole_more" if len(problems) > 1 else "map.not_whole"
    return (say(code, problem=problems[0], count=len(problems) - 1),) if problems else ()


def similarity_of(workspace: "Workspace") -> Similarity:
    """Return the calibrated similarity; without a trained model it is always 0.0, so that only words decide."""
    return workspace.similarity if workspace.embedder.trained else lambda _, texts: (0.0,) * len(texts)


def page_path(agreement: Agreement) -> str:
    """Return the path of the page that holds an agreement, relative to the root."""
    return f"{agreement.origin or AGREEMENTS}/{agreement.file}"


def last_use(workspace: "Workspace", agreement: Agreement) -> str:
    """Return when an agreement last answered on this machine; empty when it never did."""
    found = workspace.journal.get(USES, "\0".join(agreement.key))
    return str(found.body.get("at", "")) if found else ""


def note_use(workspace: "Workspace", checked: CheckedAgreement) -> None:
    """Record that an agreement answered; once a day is enough."""
    today = workspace.moment()
    if checked.used[:10] != today[:10]:
        workspace.journal.put(USES, "\0".join(checked.agreement.key), {"at": today})


def current(workspace: "Workspace", call: Call) -> tuple[str, ...]:
    """Update the index if a file that agreements name has changed; return notes on why it may be incomplete."""
    if workspace.keeper.building:
        return workspace.keeper.refresh(call.progress, patient=call.patient)
    paths = {item.path for item in workspace.map.load().own if item.path}
    return refresh_stale(workspace, paths, call)


def refresh_stale(workspace: "Workspace", paths: Iterable[str], call: Call) -> tuple[str, ...]:
    """Update the index if one of these files differs from the indexed version."""
    stale = workspace.freshness(tuple(paths)).stale_files
    known = workspace.store.files(stale) if stale else {}
    if any(path in known or (workspace.root / path).exists() for path in stale):
        return workspace.keeper.refresh(call.progress, patient=call.patient, now=True)
    return ()


def looked_up(
    workspace: "Workspace", question: str, limit: int, call: Call, parts: Sequence[str] = ()
) -> tuple[MapReader, tuple[CheckedAgreement, ...]]:
    """Return the map and its agreements about a question, checked against the current files.

    Without agreements no file is checked. If the index had to be updated, the map is queried once more.
    """
    reader = MapReader(workspace)
    if not reader.loaded.agreements:
        return reader, ()
    if workspace.keeper.building:
        workspace.keeper.refresh(call.progress, patient=call.patient)
    agreements = reader.spots(question, limit, parts)
    paths = {path for checked in agreements for path in (checked.agreement.path, checked.finding.path) if path}
    index_before = workspace.store.epoch
    refresh_stale(workspace, paths, call)
    if workspace.store.epoch != index_before:
        reader = MapReader(workspace)
        agreements = reader.spots(question, limit, parts)
    return reader, agreements


def told(workspace: "Workspace", request: str, call: Call) -> tuple[MapHit, ...]:
    """Return what the map has about a request or a feature that it names, best first; a session is told at its start.

    Only an agreement about the very term, or about a whole clause of the request, is ``alone``.
    """
    reader, agreements = looked_up(workspace, request, MOST_TOLD, call, clauses(request))
    return tuple(reader.hit(checked, 0) for checked in agreements)


def states_of(workspace: "Workspace") -> dict[str, int]:
    """Count the project's own agreements by the state of their code."""
    code = IndexedCode(workspace)
    return dict(Counter(check(item, code).state.value for item in workspace.map.load().own))


def tier(workspace: "Workspace", checked: CheckedAgreement) -> Tier:
    """Return how much exploration an agreement saves a session."""
    config = workspace.config.map
    earned = checked.certain and checked.near.alone
    return tier_of(checked.near.similarity, earned, config.short_circuit, config.ready)


def answers(workspace: "Workspace", agreements: tuple[CheckedAgreement, ...]) -> bool:
    """Tell whether the best agreement is a fact about the very term, and so answers by itself."""
    return bool(agreements) and tier(workspace, agreements[0]) != Tier.EXPLORATION


def _doubt(checked: CheckedAgreement) -> Message:
    """Return why an agreement is only a hypothesis; empty for a fact."""
    if checked.certain:
        return NOTHING
    if checked.agreement.origin:
        return say("map.from_origin", origin=checked.agreement.origin)
    if checked.agreement.standing != Standing.AGREED:
        return say(f"map.{checked.agreement.standing.value}")
    return checked.finding.why if not checked.finding.holds else say("map.long_unused")


# --- operations --------------------------------------------------------------------------------------------


def search_map(workspace: "Workspace", request: "MapRequest", call: Call) -> MapResult:
    """Answer the operation of this name."""
    if not request.query.strip():
        raise BadArgument("map.query_empty")
    reader, agreements = looked_up(workspace, request.query, request.limit, call)
    problems = reader.loaded.problems
    alone, best = answers(workspace, agreements), agreements[0] if agreements else None
    if best is None:
        answer = Answer.UNKNOWN if problems else Answer.NONE
        advice = say("map.not_agreed" if reader.loaded.agreements else "map.not_agreed_empty")
    elif alone:
        note_use(workspace, best)
        answer, advice = Answer.FOUND, say("map.read_file", path=best.finding.path or page_path(best.agreement))
    else:
        answer = Answer.PARTIAL
        advice = say("map.similar") if best.certain else say("map.hypothesis", why=_doubt(best))
    return MapResult(
        query=request.query,
        map_hits=tuple(reader.view(checked) for checked in agreements),
        short_circuit=alone,
        tier=tier(workspace, best) if best else Tier.EXPLORATION,
        answer=answer,
        total_agreements=len(reader.loaded.agreements),
        problems=problems,
        next=advice,
    )
