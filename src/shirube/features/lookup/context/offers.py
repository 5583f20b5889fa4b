"""What may be shown: pieces of files, each with the named reasons that speak for it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from shirube.types import Piece, Reason

_TAGS = (
    "artifact phrase text definition path-phrase path structural path-segment path-keyword dep near co-change recent"
)
_TELLING = {name: place for place, name in enumerate(_TAGS.split())}
MOST_TAGS = 6


@dataclass(slots=True)
class Offer:
    """A piece of a file that may be shown."""

    path: str
    start: int
    end: int
    symbol: str
    kind: str
    focus: int
    """The line it is about."""
    reasons: list[Reason] = field(default_factory=list)

    @property
    def score(self) -> float:
        """The sum of what speaks for it."""
        return sum(reason.points for reason in self.reasons)

    @property
    def why(self) -> tuple[str, ...]:
        """The reasons as tags, the most telling first, in seed 001's order."""
        tags = [reason.name for reason in self.reasons if reason.points > 0 and _kind(reason.name) in _TELLING]
        return tuple(sorted(dict.fromkeys(tags), key=lambda tag: _TELLING[_kind(tag)]))[:MOST_TAGS]


def _kind(tag: str) -> str:
    return tag.partition(":")[0]


class Offers:
    """All offers, each piece once: what speaks for it twice adds up."""

    def __init__(self) -> None:
        self._by_place: dict[tuple[str, int, int], Offer] = {}

    def add(self, path: str, piece: Piece, reasons: Iterable[Reason], focus: int = 0) -> Offer:
        """Offer a piece for some reasons; a line that was named is what it is about."""
        key = (path, piece.start_line, piece.end_line)
        offer = self._by_place.get(key)
        if offer is None:
            offer = Offer(*key, piece.symbol, piece.kind, focus or piece.start_line)
            self._by_place[key] = offer
        elif focus:
            offer.focus = focus
        for reason in reasons:
            self._say(offer, reason)
        return offer

    @staticmethod
    def _say(offer: Offer, reason: Reason) -> None:
        """Add a reason; the same one again counts once, by its larger share."""
        for at, known in enumerate(offer.reasons):
            if known.name == reason.name:
                offer.reasons[at] = max(known, reason, key=lambda one: one.points)
                return
        offer.reasons.append(reason)

    def paths(self) -> set[str]:
        """Return the files something of which is offered."""
        return {path for path, _, _ in self._by_place}

    def of(self, path: str) -> list[Offer]:
        """Return what is offered of a file, best first."""
        return sorted((one for one in self if one.path == path), key=_by_worth)

    def ranked(self) -> list[Offer]:
        """Return all of them, best first."""
        return sorted((one for one in self if one.score > 0), key=_by_worth)

    def __iter__(self) -> Iterator[Offer]:
        return iter(self._by_place.values())


def _by_worth(offer: Offer) -> tuple[float, str, int]:
    return (-offer.score, offer.path, offer.start)
