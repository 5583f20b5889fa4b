from shirube.cli.places import columns, definitions_text, lit, notes_of, references_text
from shirube.cli.show import Paint

from shirube.graph.found import How, Reference
from shirube.operations.results.symbols import Defined, ReferencesResult
from shirube.types import Answer

PLAIN, COLOUR = Paint(False), Paint(True)
DEFINED = Defined("pay", "src/a.py", 3, "function", "", "def pay(x)", "pay", 3, 9, "python")
LONGER = Defined("pay", "src/日本.py", 12, "method", "Shop", "def pay(self, " + "x" * 200, "Shop.pay", 12, 19, "python")
USE = Reference("src/b.py", 4, 9, 12, "    x = pay(1)", "code", How.IMPORT_RESOLVED, 0.97, "f", "src/a.py:3")
EVIL = Reference("e.py", 1, 1, 4, "pay \x1b[31m", "string", How.NAME_ONLY, 0.1, "", "")
RESULT = ReferencesResult("pay", (USE, EVIL), (), 2, {}, Answer.FOUND, True, "abc", 2, {}, {"secret": 1}, {}, (), ())


def test_places_are_aligned_and_long_signatures_cut():
    first, second = definitions_text([DEFINED, LONGER], PLAIN).splitlines()
    assert columns(first.partition("function")[0]) == columns(second.partition("method")[0])
    assert second.endswith("…  in Shop")


def test_the_name_is_lit_in_the_line_that_uses_it():
    assert "x = \x1b[1;31mpay\x1b[0m(1)" in references_text(RESULT, COLOUR)
    assert references_text(RESULT, PLAIN).splitlines()[0] == "src/b.py:4  import  x = pay(1)"


def test_what_a_repository_holds_cannot_steer_the_terminal():
    assert "\x1b[31m" not in references_text(RESULT, PLAIN)
    assert lit("def \x1b pay", "pay", PLAIN) == "def � pay"


def test_notes_tell_of_more_and_of_what_was_not_searched():
    assert notes_of(RESULT, 2) == ["there is more: --cursor abc", "not searched: 1 secret"]
