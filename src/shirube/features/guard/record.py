"""What a call showed, as its result says it (``shown``): files, symbols, agreements."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from shirube.codec import Shown, replace
from shirube.features.guard.phases import NAMING, explores
from shirube.features.guard.state import MapHit, Recorded

MOST = 500
"""A call that names more files or symbols says nothing about any of the others."""


def with_shown(call: Recorded, shown: Shown, answer: str = "") -> Recorded:
    """Return the call with what its result put before the reader; not every operation is exploration."""
    if not explores(call.operation, call.group):
        shown = Shown(map_hits=shown.map_hits)
    seen = _first(place.path for place in shown.places)
    hits = len(shown.places) + (len(shown.listed) if call.operation in NAMING else 0)
    return replace(
        call,
        answer=answer or ("found" if hits else "unknown"),
        hits=hits,
        seen=seen,
        listed=_first(path for path in shown.listed if path not in seen),
        guessed=_first(path for path in shown.guessed if path not in seen),
        symbols=_first(place.symbol for place in shown.places if place.symbol),
        maps=tuple(
            MapHit(hit.nl_term, hit.symbol, _first((*hit.files, hit.path)), hit.similarity or 0.0, hit.fresh)
            for hit in shown.map_hits
        ),
    )


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))[:MOST]


def asked_words(arguments: Mapping[str, Any]) -> str:
    """Return the words of a call's arguments, one line each, for matching evidence and slots."""
    return "\n".join(text for name, value in arguments.items() if name != "session_id" for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item)
