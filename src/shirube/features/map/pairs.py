"""``learned_pairs.json``: generated from the map for people and older tools, and imported again when they edit it.

Every pair we write has a checksum. A pair that matches its checksum is only our copy. A pair that does not match, or
has no checksum, was written by somebody else and is imported.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from msgspec import Struct

from shirube.codec import replace
from shirube.errors import BadArgument
from shirube.features.map.agreement import Agreement, plain_symbol, plain_term
from shirube.features.map.page import as_evidence, evidence_of, new_body, retitled, with_evidence
from shirube.features.map.states import Standing
from shirube.messages import NOTHING, Message, say, verbatim

VERSION = 2
READ = (1, 2)
CHECKSUM = "checksum"
EDITED = ("nl_term", "similarity", "session_id", "learned_at", "path", "standing")
"""What somebody may change in a pair, apart from its symbol and evidence; the rest is made from these."""
Pair = Mapping[str, Any]


class MapChanges(Struct, frozen=True):
    """What another map, or a file of pairs, adds to this map."""

    agreements: tuple[Agreement, ...] = ()
    """The new and changed agreements, to be written."""
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    same: int = 0
    conflicts: tuple[Message, ...] = ()
    problems: tuple[Message, ...] = ()
    """What could not be read, each with the reason."""
    gone: tuple[Agreement, ...] = ()
    """What somebody gave another term or symbol: the page under the old one."""


def write_pairs(agreements: Iterable[Agreement], model: str) -> str:
    """Return the file: version 2, sorted and without the current time, so that equal maps give equal files."""
    pairs = [_pair(agreement) for agreement in agreements if not agreement.is_convention and not agreement.origin]
    pairs.sort(key=lambda pair: (pair["nl_term"], pair["symbol"]))
    return render(pairs, model, max((pair["learned_at"] for pair in pairs), default=""))


def render(pairs: Sequence[Pair], model: str, updated_at: str) -> str:
    """Return the file of some pairs, one pair on each line, so that git can merge most changes by itself."""
    head = {"version": VERSION, "updated_at": updated_at, "embedding_model": model}
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in head.items()]
    rows = ",\n".join(f"    {json.dumps(pair, ensure_ascii=False)}" for pair in pairs)
    return "\n".join(["{", *lines, '  "pairs": [' + (f"\n{rows}\n  ]" if rows else "]"), "}", ""])


def read_pairs(text: str) -> tuple[dict[str, Any], tuple[Pair, ...], tuple[Message, ...]]:
    """Return the file's header, its pairs, and a problem for each invalid pair; refuse any other kind of file."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument("pages.not_json", error=verbatim(str(error))) from None
    if isinstance(data, list):
        data = {"version": 1, "pairs": data}
    if not isinstance(data, dict) or not isinstance(data.get("pairs", []), list):
        raise BadArgument("pages.no_pairs")
    if data.get("version", 1) not in READ:
        raise BadArgument("pages.version", version=repr(data["version"]), first=READ[0], last=READ[1])
    pairs, problems = [], []
    for number, pair in enumerate(data.get("pairs", []), 1):
        if why := _fault(pair):
            problems.append(say("pages.pair", number=number, why=why))
        else:
            pairs.append(pair)
    return {key: value for key, value in data.items() if key != "pairs"}, tuple(pairs), tuple(problems)


def take_in(text: str, agreements: Iterable[Agreement], unread: frozenset[str] = frozenset()) -> MapChanges:
    """Return what the file adds to the map, pair by pair; no valid pair is dropped.

    Pairs whose page is unreadable now (``unread``) are not new: they count as unchanged.
    """
    _, pairs, problems = read_pairs(text)
    known = {agreement.key: agreement for agreement in agreements if not agreement.origin}
    pages = {item.file: item for item in known.values() if item.file}
    listed = {key_of(pair) for pair in pairs}
    written: dict[tuple[str, str], Agreement] = {}
    new: list[str] = []
    changed: dict[str, None] = {}
    gone: list[Agreement] = []
    conflicts: list[Message] = []
    same = 0
    for pair in pairs:
        key = key_of(pair)
        before, page = written.get(key) or known.get(key), pages.get(str(pair.get("agreement_file")))
        if before is None and page and page.key not in listed and _is_copy_of(pair, page):
            before = page
            gone.append(page)
        if before is None and pair.get("agreement_file") in unread:
            same += 1
        elif before is None:
            # A row that was copied and changed was not learned when the first was: the two are a conflict.
            copied = page is not None and not is_ours(pair)
            written[key] = from_pair({**pair, "session_id": "", "learned_at": ""} if copied else pair)
            new.append(label_of(pair))
        elif is_ours(pair) or (after := _with(before, pair, conflicts)) == before:
            same += 1
        else:
            written[key] = after
            changed |= {after.label: None}
    found = tuple(written.values())
    return MapChanges(found, tuple(new), tuple(changed), same, tuple(conflicts), problems, tuple(gone))


def from_pair(pair: Pair) -> Agreement:
    """Return the agreement that a pair describes."""
    agreement = Agreement(
        nl_term=" ".join(str(pair["nl_term"]).split()),
        symbol=plain_symbol(str(pair["symbol"])),
        similarity=_share(pair),
        session_id=str(pair.get("session_id") or ""),
        learned_at=str(pair.get("learned_at") or ""),
        path=str(pair.get("path") or ""),
        standing=Standing(pair.get("standing") or Standing.AGREED),
        successes=1,
    )
    return replace(agreement, body=new_body(agreement, str(pair.get("code_evidence") or "")))


def key_of(pair: Pair) -> tuple[str, str]:
    """Return the key that identifies a pair: the term in normal form, and the symbol."""
    return plain_term(str(pair["nl_term"])), plain_symbol(str(pair["symbol"]))


def label_of(pair: Pair) -> str:
    """Return the name of a pair in messages and lists."""
    return f"{pair['nl_term']} → {pair['symbol']}"


def is_ours(pair: Pair) -> bool:
    """Tell whether a pair is unchanged since we wrote it."""
    return pair.get(CHECKSUM) == _checksum(pair)


def _pair(agreement: Agreement) -> dict[str, Any]:
    first, last = ("nl_term", "symbol", "symbol_normalized", "similarity"), ("path", "standing", "confidence")
    pair: dict[str, Any] = {
        **{name: getattr(agreement, name) for name in first},
        "code_evidence": evidence_of(agreement),
        "session_id": agreement.session_id,
        "learned_at": agreement.learned_at,
        "agreement_file": agreement.file,
        **{name: getattr(agreement, name) for name in last},
    }
    return {**pair, CHECKSUM: _checksum(pair)}


def _checksum(pair: Pair) -> str:
    rest = {key: value for key, value in pair.items() if key != CHECKSUM}
    return sha256(json.dumps(rest, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:8]


def _is_copy_of(pair: Pair, page: Agreement) -> bool:
    """Tell whether a page is as it was when the pair was written: what differs now, somebody changed in the pair."""
    return str(pair.get(CHECKSUM)) == str(_pair(page)[CHECKSUM])


def _with(before: Agreement, pair: Pair, conflicts: list[Message]) -> Agreement:
    """Return an agreement with the edits that somebody made to its pair; a page that changed too is the truth."""
    told = {name: pair[name] for name in EDITED if pair.get(name) not in (None, "")}
    told |= {"similarity": _share(pair)} if "similarity" in told else {}
    told["symbol"] = plain_symbol(str(pair["symbol"]))
    evidence = str(pair.get("code_evidence") or "")
    if not _is_copy_of(pair, before):
        for name in ("similarity", "path", "standing"):
            known = getattr(before, name)
            if told.get(name) is not None and known and told[name] != known:
                told.pop(name)
                edit = {"name": name, "value": str(pair[name]), "known": str(known)}
                conflicts.append(say("pages.edited", agreement=label_of(pair), file=before.file, **edit))
        told = {name: value for name, value in told.items() if name in ("similarity", "path", "standing")}
        return with_evidence(_edited(before, told), evidence)
    after = _edited(before, told)
    return after if evidence == evidence_of(before) else as_evidence(after, evidence)


def _edited(before: Agreement, told: dict[str, Any]) -> Agreement:
    """Return an agreement with other values; one about another place is bound anew, and one with another name moves."""
    after = replace(before, **told | {"standing": Standing(told.get("standing", before.standing))})
    if (after.symbol, after.path) != (before.symbol, before.path):
        after = replace(
            after, path="" if after.path == before.path else after.path, line=0, digest="", sketch="", commit=""
        )
    return after if after.key == before.key else replace(retitled(after, before), file="")


def _fault(pair: Any) -> Message:
    if not isinstance(pair, dict):
        return say("pages.no_object")
    for name in ("nl_term", "symbol"):
        if not isinstance(pair.get(name), str) or not pair[name].strip():
            return say("pages.no_field", name=name)
    if pair.get("standing", "") not in ("", None, *Standing):
        return say("pages.no_standing", text=str(pair["standing"])[:20], known=list(Standing))
    if CHECKSUM in pair and pair.get("similarity") is not None and _share(pair) is None:
        return say("pages.no_share", text=str(pair["similarity"])[:20])
    return NOTHING if plain_symbol(pair["symbol"]) else say("pages.symbol_no_name")


def _share(pair: Pair) -> float | None:
    value = pair.get("similarity")
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        return None
    return round(float(value), 3)
