"""The table of sources covers the data of the data card, and nothing of it may be used that is not known to be free."""

import re
from pathlib import Path

from training.licences import NOT_FREE, SHARE_ALIKE, UNKNOWN, UNUSED, USABLE, Source

from tests.cases import for_each
from training import licences

CARD = (Path(licences.__file__).with_name("data-card.md")).read_text("utf-8")


NEVER = re.compile(r"not-free|proprietary|commercial|busl|sspl|elastic|-nc\b|unlicensed|by-sa")


def source(licence: str, registry: str = "pypi", name: str = "pypi:demo") -> Source:
    return Source(name, registry, 1, 1, 0, licence, "a test")


def numbers(start: str) -> list[int]:
    """Return the numbers in the row of the data card that begins so."""
    (line,) = (line for line in CARD.splitlines() if line.startswith(f"| {start} |"))
    return [int(found.replace(",", "")) for found in re.findall(r"\b\d[\d,]*\b", line)]


@for_each(
    ("licence", "expected"),
    [
        ("MIT", USABLE),
        ("(MIT OR GPL-3.0-or-later)", USABLE),
        ("AGPL-3.0-or-later OR LicenseRef-Element-Commercial", USABLE),
        ("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", USABLE),
        ("(MIT OR ISC) AND BUSL-1.1", NOT_FREE),
        ("MIT AND LicenseRef-Not-Free", NOT_FREE),
        ("CC-BY-NC-4.0", NOT_FREE),
        ("SSPL-1.0", NOT_FREE),
        ("CC-BY-SA-4.0", SHARE_ALIKE),
        ("GPL-2.0 AND (CC-BY-SA-3.0 AND MIT)", SHARE_ALIKE),
        ("CC-BY-SA-3.0 OR MIT", USABLE),
        ("A licence of our own", UNKNOWN),
        ("(MIT", UNKNOWN),
        ("MIT)", UNKNOWN),
        ("", UNKNOWN),
        ("unknown", UNKNOWN),
    ],
)
def test_a_licence_has_a_verdict(licence: str, expected: str) -> None:
    assert licences.verdict(source(licence)) == expected


def test_debians_main_section_is_free_but_not_what_nobody_knows() -> None:
    assert licences.verdict(source("Janik-permissive", "debian")) == USABLE
    assert licences.verdict(source("unknown", "debian")) == UNKNOWN
    assert licences.verdict(source("CC-BY-SA-3.0", "debian")) == SHARE_ALIKE
    assert licences.verdict(source("MIT", "pypi", "pypi:unidic-lite")) == UNUSED


def test_a_source_that_is_not_in_the_table_may_not_be_used() -> None:
    assert not licences.free("pypi:never-heard-of")
    assert licences.free("pypi:attrs")
    assert not licences.free("deb:edict")
    assert licences.free("pypi:immutabledict"), "a name that only looks like a word list's"


def test_nothing_that_is_not_free_is_usable() -> None:
    for one in licences.sources().values():
        words = one.licence.lower()
        assert one.licence
        assert one.known
        if (
            re.search(r"not-free|proprietary|commercial|busl|sspl|elastic|-nc\b|unlicensed|by-sa", words)
            and " or " not in words
        ):
            assert not licences.free(one.name), one
        if words == "unknown" or words.startswith("see "):
            assert not licences.free(one.name), one


def test_every_row_of_the_table_is_told_once_and_in_order() -> None:
    lines = licences.TABLE.read_text("utf-8").splitlines()[1:]
    names = [line.split("\t")[0] for line in lines]
    assert names == sorted(set(names))
    assert {one.registry for one in licences.sources().values()} == {"pypi", "npm", "debian", "git"}


def test_the_table_covers_what_the_data_card_says() -> None:
    every = licences.sources().values()
    kinds = ("doc and code", "English and Japanese strings", "Japanese word list", "commit or comment and code")
    code, strings, words, histories = map(numbers, kinds)
    assert sum(one.collected for one in every) == code[0] + strings[0] + words[0] + histories[0]
    assert sum(one.code for one in every) == code[1]
    assert sum(one.strings for one in every) == strings[1]
    assert words[1] == histories[1] == 0


def test_the_data_card_gives_the_verdicts_of_the_table() -> None:
    told = licences.totals(licences.sources().values())
    for name in (USABLE, UNUSED, SHARE_ALIKE, NOT_FREE, UNKNOWN):
        assert tuple(numbers(name)[:2]) == told[name], name
