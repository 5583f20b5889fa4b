"""Judges whether symbols are what a term means, in the three tiers of seed 003; the term may be Japanese or English."""

import re
from collections.abc import Collection
from math import ceil, floor
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.errors import BadArgument
from shirube.features.guard.advice import claim_call, next_steps
from shirube.features.guard.evidence import QUOTED
from shirube.features.guard.outcomes import facts, keep_confirmed
from shirube.features.guard.results import ConfirmResult, JudgedSymbol, ValidateResult
from shirube.features.guard.session_store import load_session
from shirube.features.guard.state import Phase
from shirube.features.map.agreement import plain_symbol, plain_term
from shirube.features.map.answers import MapReader, refresh_stale
from shirube.features.map.code_state import IndexedCode, definitions_of
from shirube.features.map.facts import FACT, RAISED, ConfirmedSymbol
from shirube.features.map.lookup import Near
from shirube.messages import NOTHING, Message, say, step
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.guard.operations import ConfirmRequest, ValidateRequest
    from shirube.workspace import Workspace

REFUSED, UNKNOWN = "refused", "unknown"
MOST = 50
SUGGESTED = 5
_CODE = re.compile(r"[\w$]+(?:\.[\w$]+)*\(|[A-Za-z_$][\w$]*_[\w$]+|[a-z]+[A-Z][\w$]*|[A-Z][a-z]+[A-Z][\w$]*")


def validate_symbol_relevance(workspace: "Workspace", request: "ValidateRequest", call: Call) -> ValidateResult:
    """Answer the operation of this name."""
    term = request.target_feature.strip() or _feature(workspace, request.session_id)
    names = _names(request.symbols)
    workspace.keeper.refresh(call.progress, patient=call.patient)
    judged = judge_symbols(workspace, term, names, call)
    accepted = tuple(item.symbol for item in judged if item.tier in (FACT, RAISED))
    given = {"relevant_symbols": accepted, "code_evidence": "what in the code shows it"}
    confirm = say("session.call", call=step("confirm_symbol_relevance", **given))
    return ValidateResult(
        target_feature=term,
        results=judged,
        accepted=accepted,
        refused=tuple(item.symbol for item in judged if item.tier == REFUSED),
        not_found=tuple(item.symbol for item in judged if item.tier == UNKNOWN),
        risk_level="HIGH" if any(item.tier == RAISED for item in judged) else "",
        cached_matches=tuple(item.symbol for item in judged if item.source == "agreement"),
        suggestions=_suggestions(workspace, term, names),
        guidance=NOTHING if accepted else _guidance(term, judged),
        model=workspace.embedder.name,
        next=confirm if accepted else say("session.explore_further"),
    )


def _names(symbols: tuple[str, ...]) -> list[str]:
    names = list(dict.fromkeys(filter(None, map(plain_symbol, symbols))))
    if not 1 <= len(names) <= MOST:
        raise BadArgument("session.symbols_given", count=len(names), most=MOST)
    return names


def _feature(workspace: "Workspace", session_id: str) -> str:
    """Return the feature a session is about: the ``target_feature`` slot, or else the request."""
    if not session_id:
        raise BadArgument("session.no_feature")
    known = facts(workspace, session_id)
    return dict(known.frame).get("target_feature", "") or known.request


def judge_symbols(workspace: "Workspace", term: str, names: list[str], call: Call) -> tuple[JudgedSymbol, ...]:
    """Put each symbol into its tier: by learned agreements first, else by the calibrated similarity."""
    atlas = MapReader(workspace)
    refresh_stale(workspace, {item.path for item in atlas.loaded.agreements if item.path and not item.origin}, call)
    code = IndexedCode(workspace)
    learned = {
        item.symbol: item
        for item in atlas.loaded.agreements
        if plain_term(item.nl_term) == plain_term(term) and item.symbol
    }
    judged = []
    for name in names:
        places = definitions_of(code, name)
        located = atlas.spot(Near(learned[name], 1.0)) if name in learned else None
        if located is not None and located.certain:
            finding = located.finding
            why = say("session.agreed_before")
            judged.append(JudgedSymbol(name, FACT, 1.0, finding.path, finding.start_line, "agreement", why))
        elif not places:
            judged.append(JudgedSymbol(name, UNKNOWN, 0.0, "", 0, "none", say("session.no_name")))
        else:
            # The best similarity counts: of its name, or of the words of its scopes and name.
            value = max(workspace.similarity(term, [name.rpartition(".")[2], places[0][1].qualified]))
            tier, why = _tier_of(value, workspace.config.map.relevant, workspace.config.map.doubtful)
            path, symbol = places[0]
            judged.append(JudgedSymbol(name, tier, value, path, symbol.start_line, "similarity", why))
    return tuple(judged)


def _tier_of(value: float, relevant: float, doubtful: float) -> tuple[str, Message]:
    """Return the tier of a similarity, and why."""
    if value > relevant:
        tier, code, limit = FACT, "session.near", relevant
    else:
        tier, code = (RAISED, "session.doubtful") if value >= doubtful else (REFUSED, "session.far")
        limit = doubtful
    rounded = (ceil if tier == FACT else floor)(value * 100) / 100  # 0.599 is not 0.60
    return tier, say(code, value=f"{rounded:.2f}", limit=f"{limit:g}")


def _suggestions(workspace: "Workspace", term: str, names: list[str]) -> tuple[str, ...]:
    from shirube.features.map.answers import similarity_of
    from shirube.features.map.lookup import look_up

    near = look_up(term, workspace.map.load().index, similarity_of(workspace), SUGGESTED)
    others = (item.agreement.symbol for item in near)
    return tuple(dict.fromkeys(symbol for symbol in others if symbol and symbol not in names))


def _guidance(term: str, judged: tuple[JudgedSymbol, ...], evidence: str = "") -> Message:
    """Say what to do when no symbol was accepted; a quote helps only for symbols that exist."""
    far = [item for item in judged if item.tier == REFUSED]
    near = any(item.why.code == "session.unquoted" for item in far)
    code = (
        "quote_it" if near else "none_named" if not far else "none_quoted" if QUOTED.search(evidence) else "none_near"
    )
    return say(f"session.{code}", term=term, search=step("search", query=term))


# --- confirming --------------------------------------------------------------------------------------------


def confirm_symbol_relevance(workspace: "Workspace", request: "ConfirmRequest", call: Call) -> ConfirmResult:
    """Answer the operation of this name."""
    if not request.code_evidence.strip():
        raise BadArgument("session.no_code")
    known = facts(workspace, request.session_id)
    term = request.target_feature.strip() or _feature(workspace, request.session_id)
    workspace.keeper.refresh(call.progress, patient=call.patient)
    judged = judge_symbols(workspace, term, _names(request.relevant_symbols), call)
    code, seen = IndexedCode(workspace), frozenset(known.explored)
    quoted = [_at_quote(code, item, request.code_evidence, seen) for item in judged]
    shown = {place.symbol for place in quoted if place}
    accepted = tuple(_by_quote(item, place) for item, place in zip(judged, quoted, strict=True))
    confirmed = tuple(item for item in accepted if item.tier in (FACT, RAISED))
    symbols = tuple(
        ConfirmedSymbol(term, item.symbol, item.path, item.tier, request.code_evidence, item.similarity)
        for item in confirmed
    )
    if confirmed:
        known = keep_confirmed(workspace, request.session_id, symbols)
    return ConfirmResult(
        session_id=request.session_id,
        target_feature=term,
        confirmed=confirmed,
        refused=tuple(item for item in accepted if item.tier == REFUSED),
        not_found=tuple(item.symbol for item in accepted if item.tier == UNKNOWN),
        evidence_found=bool(shown),
        risk_level=known.risk,
        next=_next_call(workspace, request.session_id, confirmed)
        if confirmed
        else _guidance(term, accepted, request.code_evidence),
    )


def _next_call(workspace: "Workspace", session_id: str, confirmed: tuple[JudgedSymbol, ...]) -> Message:
    """Return what the phase of the session asks for next; a scaled session, the claim of these symbols."""
    session = load_session(workspace, session_id)
    if session.scaled and session.phase is not Phase.READY:
        claim = claim_call(session, [item.symbol for item in confirmed])
        given = {name: value for name, value in claim.arguments.items() if name != "session_id"}
        return say("session.call", call=step(claim.operation, **given))
    asked = [one.operation for one in next_steps(session)]
    exploring = session.phase is Phase.EXPLORATION or not asked
    return say("session.call", call=step("submit_understanding" if exploring else asked[0]))


def _by_quote(judged: JudgedSymbol, quoted: JudgedSymbol | None) -> JudgedSymbol:
    """Refuse a symbol of whose code the evidence names nothing, however near it is: words alone make no fact.

    Accept a symbol of low similarity whose code the evidence quotes; this raises the risk.
    """
    if quoted is None and judged.tier in (FACT, RAISED):
        return replace(judged, tier=REFUSED, why=say("session.unquoted"))
    if quoted is not None and quoted.tier == REFUSED:
        return replace(quoted, tier=RAISED, why=say("session.quoted", why=quoted.why))
    return quoted or judged


def _at_quote(code: IndexedCode, judged: JudgedSymbol, evidence: str, seen: Collection[str]) -> JudgedSymbol | None:
    """Return the symbol at the definition whose code has a quote from the evidence, or a name in it.

    Its own name shows nothing of a symbol that is not near to the term. Of several definitions, those in files that the
    session looked at come first.
    """
    from shirube.features.map.check import body_of

    own = judged.symbol.rpartition(".")[2] if judged.tier == REFUSED else ""
    quotes = ["".join(found) for found in QUOTED.findall(evidence)]
    quotes += [found.rstrip("(").rpartition(".")[2] for found in _CODE.findall(evidence)]
    wanted = {" ".join(quote.split()) for quote in quotes if len(quote.strip()) > 2 and quote.strip("() ") != own}
    places = definitions_of(code, judged.symbol) if judged.path and wanted else ()
    for path, symbol in sorted(places, key=lambda place: place[0] not in seen):
        body = " ".join(body_of(code.text(path), symbol).split())
        if any(quote in body for quote in wanted):
            return replace(judged, path=path, line=symbol.start_line)
    return None
