"""Whether symbols are what a term means: three tiers of seed 003, learned pairs first, Japanese and English alike."""

import re
from typing import TYPE_CHECKING

from shirube.errors import BadArgument
from shirube.features.guard.outcomes import facts, keep_confirmed
from shirube.features.guard.results import ConfirmResult, JudgedSymbol, ValidateResult
from shirube.features.map.agreement import plain_symbol, plain_term
from shirube.features.map.answers import MapReader, refresh_stale
from shirube.features.map.code_state import IndexedCode, definitions_of
from shirube.features.map.facts import FACT, RAISED, ConfirmedSymbol
from shirube.features.map.lookup import Near
from shirube.messages import NOTHING, Message, say, step
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.guard.operations import ConfirmRequest, ValidateRequest
    from shirube.types import Symbol
    from shirube.workspace import Workspace

REFUSED, UNKNOWN = "refused", "unknown"
MOST = 50
SUGGESTED = 5
_QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|「([^」\n]+)」")
_CODE = re.compile(r"[\w$]+(?:\.[\w$]+)*\(|[A-Za-z_$][\w$]*_[\w$]+|[a-z]+[A-Z][\w$]*|[A-Z][a-z]+[A-Z][\w$]*")


def validate_symbol_relevance(workspace: "Workspace", request: "ValidateRequest", call: Call) -> ValidateResult:
    """Answer the operation of this name."""
    term = request.target_feature.strip() or _feature(workspace, request.session_id)
    names = _names(request.symbols)
    workspace.keeper.refresh(call.progress, patient=call.patient)
    judged = judge_symbols(workspace, term, names, call)
    accepted = tuple(one.symbol for one in judged if one.tier in (FACT, RAISED))
    return ValidateResult(
        target_feature=term,
        results=judged,
        accepted=accepted,
        refused=tuple(one.symbol for one in judged if one.tier == REFUSED),
        not_found=tuple(one.symbol for one in judged if one.tier == UNKNOWN),
        risk_level="HIGH" if any(one.tier == RAISED for one in judged) else "",
        cached_matches=tuple(one.symbol for one in judged if one.source == "agreement"),
        suggestions=_suggestions(workspace, term, names),
        guidance=NOTHING if accepted else _guidance(term),
        model=workspace.embedder.name,
        next=_next(accepted),
    )


def _names(symbols: tuple[str, ...]) -> list[str]:
    names = list(dict.fromkeys(filter(None, map(plain_symbol, symbols))))
    if not 1 <= len(names) <= MOST:
        raise BadArgument("session.symbols_given", count=len(names), most=MOST)
    return names


def _feature(workspace: "Workspace", session_id: str) -> str:
    """Return the feature a session is about: its slot, or its request."""
    if not session_id:
        raise BadArgument("session.no_feature")
    known = facts(workspace, session_id)
    return dict(known.frame).get("target_feature", "") or known.request


def judge_symbols(workspace: "Workspace", term: str, names: list[str], call: Call) -> tuple[JudgedSymbol, ...]:
    """Put each symbol into its tier: learned pairs first, then the calibrated similarity."""
    atlas = MapReader(workspace)
    refresh_stale(workspace, {one.path for one in atlas.loaded.agreements if one.path and not one.origin}, call)
    code = IndexedCode(workspace)
    learned = {
        one.symbol: one for one in atlas.loaded.agreements if plain_term(one.nl_term) == plain_term(term) and one.symbol
    }
    judged = []
    for name in names:
        places = definitions_of(code, name)
        spot = atlas.spot(Near(learned[name], 1.0)) if name in learned else None
        if spot is not None and spot.certain:
            found = spot.finding
            why = say("session.agreed_before")
            judged.append(JudgedSymbol(name, FACT, 1.0, found.path, found.start_line, "agreement", why))
        elif not places:
            judged.append(JudgedSymbol(name, UNKNOWN, 0.0, "", 0, "none", say("session.no_name")))
        else:
            # The best similarity counts: of its name, or of the words of its scopes and name.
            value = max(workspace.similarity(term, [name.rpartition(".")[2], places[0][1].qualified]))
            judged.append(_by_similarity(workspace, name, value, places[0]))
    return tuple(judged)


def _by_similarity(workspace: "Workspace", name: str, value: float, place: "tuple[str, Symbol]") -> JudgedSymbol:
    path, symbol = place
    config = workspace.config.map
    if value > config.relevant:
        tier, code, limit = FACT, "session.near", config.relevant
    elif value >= config.doubtful:
        tier, code, limit = RAISED, "session.doubtful", config.doubtful
    else:
        tier, code, limit = REFUSED, "session.far", config.doubtful
    why = say(code, value=f"{value:.2f}", limit=f"{limit:g}")
    return JudgedSymbol(name, tier, value, path, symbol.start_line, "similarity", why)


def _suggestions(workspace: "Workspace", term: str, names: list[str]) -> tuple[str, ...]:
    from shirube.features.map.answers import similarity_of
    from shirube.features.map.lookup import look_up

    near = look_up(term, workspace.map.load().index, similarity_of(workspace), SUGGESTED)
    others = (one.agreement.symbol for one in near)
    return tuple(dict.fromkeys(symbol for symbol in others if symbol and symbol not in names))


def _guidance(term: str) -> Message:
    return say("session.none_near", term=term, search=step("search", query=term))


def _next(accepted: tuple[str, ...]) -> Message:
    if not accepted:
        return say("session.explore_further")
    evidence = "what in the code shows it"
    return say("session.call", call=step("confirm_symbol_relevance", relevant_symbols=accepted, code_evidence=evidence))


# --- confirming --------------------------------------------------------------------------------------------


def confirm_symbol_relevance(workspace: "Workspace", request: "ConfirmRequest", call: Call) -> ConfirmResult:
    """Answer the operation of this name."""
    if not request.code_evidence.strip():
        raise BadArgument("session.no_code")
    known = facts(workspace, request.session_id)
    term = request.target_feature.strip() or _feature(workspace, request.session_id)
    workspace.keeper.refresh(call.progress, patient=call.patient)
    judged = judge_symbols(workspace, term, _names(request.relevant_symbols), call)
    code = IndexedCode(workspace)
    shown = {one.symbol: _stands(code, one, request.code_evidence) for one in judged if one.path}
    accepted = tuple(_weighed(one, shown.get(one.symbol, False)) for one in judged)
    kept = tuple(one for one in accepted if one.tier in (FACT, RAISED))
    symbols = tuple(
        ConfirmedSymbol(term, one.symbol, one.path, one.tier, request.code_evidence, one.similarity) for one in kept
    )
    if kept:
        known = keep_confirmed(workspace, request.session_id, symbols)
    return ConfirmResult(
        session_id=request.session_id,
        target_feature=term,
        confirmed=kept,
        refused=tuple(one for one in accepted if one.tier == REFUSED),
        not_found=tuple(one.symbol for one in accepted if one.tier == UNKNOWN),
        evidence_found=any(shown.values()),
        risk_level=known.risk,
        next=say("session.call", call=step("submit_understanding")) if kept else _guidance(term),
    )


def _weighed(one: JudgedSymbol, shown: bool) -> JudgedSymbol:
    """Accept a symbol that is not near when the code itself was quoted; the risk goes up."""
    if one.tier != REFUSED or not shown:
        return one
    why = say("session.quoted", why=one.why)
    return JudgedSymbol(one.symbol, RAISED, one.similarity, one.path, one.line, one.source, why)


def _stands(code: IndexedCode, one: JudgedSymbol, evidence: str) -> bool:
    """Tell whether something quoted, or a name other than its own, stands in the lines of the symbol."""
    from shirube.features.map.check import body_of

    own = one.symbol.rpartition(".")[2]
    quotes = ["".join(found) for found in _QUOTED.findall(evidence)]
    quotes += [found.rstrip("(").rpartition(".")[2] for found in _CODE.findall(evidence)]
    wanted = {" ".join(quote.split()) for quote in quotes if len(quote.strip()) > 2 and quote.strip("() ") != own}
    for _, symbol in definitions_of(code, one.symbol, one.path):
        body = " ".join(body_of(code.text(one.path), symbol).split())
        if any(quote in body for quote in wanted):
            return True
    return False
