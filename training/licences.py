"""Which sources may be trained on, by the licence of each: ``sources.tsv``.

    python -m training.licences          how many rows each verdict has, and the sources that are left out

A source may be used when its licence is known and is a free one. Debian's main section is free by its guidelines,
whatever a licence is called there. Left out are those that are not free, those that nobody has looked up (a source that
is not in the table is one of them), and works under CC BY-SA, which asks for the same terms again and turned out not to
be needed.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("sources.tsv")
USABLE, UNKNOWN, NOT_FREE, SHARE_ALIKE, UNUSED = "free", "unknown", "not free", "share-alike", "not needed"
FREE = re.compile(
    r"MIT(-0|-CMU)?|0BSD|BSD(-[1-4]-Clause.*)?|ISC|Apache(-[12]\.\d)?|[AL]?GPL(-[123]\.\d)?(-only|-or-later|\+)?|MPL-[12]\.\d|PSF-2\.0"
    r"|Python-2\.0(\.1)?|CNRI-Python|Artistic(-[12]\.0)?|Zlib|ZPL-2\.\d|BSL-1\.0|EPL-[12]\.0|EUPL-1\.\d|Unlicense|CC0-1\.0|CC-BY-[34]\.0"
    r"|BlueOak-1\.0\.0|WTFPL|HPND|NCSA|Public-Domain|Ruby|PHP-3\.0\d?|OFL-1\.1|CECILL-\w+|AFL-\d\.\d|OSI-Approved|UPL-1\.0|MulanPSL-2\.0|W3C|PostgreSQL|EFL-2\.0"
    r"|LicenseRef-Biopython-License-Agreement|LicenseRef-Repoze-BSD-derived"
)
"""Free by their texts; Debian's main section carries the last two."""
NOT_NEEDED = frozenset({"pypi:unidic-lite"})
"""A word list that was measured and pays nothing."""
_SHARE_ALIKE = re.compile(r"\bCC-BY-SA\b")
_NOT_FREE = re.compile(r"Not-Free|Proprietary|Commercial|BUSL|SSPL|Elastic|-NC\b|PolyForm|UNLICENSED", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """A package: where it is from, how many of its rows were collected and are in the table that ships, its terms."""

    name: str
    registry: str
    collected: int
    code: int
    strings: int
    licence: str
    known: str

    @property
    def rows(self) -> int:
        """Rows that the table that ships was trained on."""
        return self.code + self.strings


@cache
def sources() -> dict[str, Source]:
    """Return every source of the table, by name."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    made = (Source(row[0], row[1], int(row[2]), int(row[3]), int(row[4]), row[5], row[6]) for row in rows)
    return {source.name: source for source in made}


def free(name: str) -> bool:
    """Tell whether a source may be used; one that is not in the table may not."""
    source = sources().get(name)
    return source is not None and verdict(source) == USABLE


def verdict(source: Source) -> str:
    """Return ``free``, or why a source is left out; a name that nobody has judged is unknown."""
    if source.name in NOT_NEEDED:
        return UNUSED
    if source.licence in ("", UNKNOWN):
        return UNKNOWN
    if _SHARE_ALIKE.search(source.licence) and not holds(source.licence, _asks_nothing_again):
        return SHARE_ALIKE
    if source.registry == "debian" or holds(source.licence, _is_free):
        return USABLE
    return NOT_FREE if _NOT_FREE.search(source.licence) else UNKNOWN


def _asks_nothing_again(name: str) -> bool:
    return not _SHARE_ALIKE.search(name)


def _is_free(name: str) -> bool:
    return FREE.fullmatch(re.sub(r"\s+WITH\s.*", "", name)) is not None


def holds(licence: str, test: Callable[[str], bool]) -> bool:
    """Tell whether a licence such as ``(MIT OR X) AND ISC`` can be taken so that every name that then counts passes."""
    words = [word.strip() for word in re.split(r"([()]|\bAND\b|\bOR\b)", licence) if word.strip()]
    return _either(words, test) and not words


def _either(words: list[str], test: Callable[[str], bool]) -> bool:
    value = _both(words, test)
    while words[:1] == ["OR"]:
        del words[0]
        value = _both(words, test) or value
    return value


def _both(words: list[str], test: Callable[[str], bool]) -> bool:
    value = _one(words, test)
    while words[:1] == ["AND"]:
        del words[0]
        value = _one(words, test) and value
    return value


def _one(words: list[str], test: Callable[[str], bool]) -> bool:
    first = words.pop(0) if words else ""
    if first != "(":
        return test(first)
    value = _either(words, test)
    return bool(words) and words.pop(0) == ")" and value


def totals(given: Iterable[Source]) -> dict[str, tuple[int, int]]:
    """Return sources and rows of every verdict."""
    counts: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for source in given:
        counts[verdict(source)] += 1
        rows[verdict(source)] += source.rows
    return {name: (counts[name], rows[name]) for name in (USABLE, UNUSED, SHARE_ALIKE, NOT_FREE, UNKNOWN)}


def main() -> None:
    """Print the shares, and what is left out."""
    every = sources().values()
    whole = sum(source.rows for source in every)
    for name, (number, rows) in totals(every).items():
        print(f"{name:12} {number:5} sources {rows:8} rows {rows / whole:8.3%}")
    for source in sorted(every, key=lambda one: -one.rows):
        if verdict(source) != USABLE:
            print(f"{verdict(source):12} {source.rows:8} {source.name} ({source.licence}; {source.known})")


if __name__ == "__main__":
    main()
