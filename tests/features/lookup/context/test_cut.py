"""Cutting: pieces, the symbol around a line, windows around a point."""

import pytest

from shirube.features.lookup.context.fit import LEAST_LINES, SourceFiles, grow, innermost, trim
from shirube.types import Symbol
from tests.cases import for_each
from tests.features.lookup.context.conftest import store_of

LONG = "def long():\n" + "".join(f"    step_{number} = {number}\n" for number in range(200)) + "    return step_0\n"


@pytest.fixture
def pages(store) -> SourceFiles:
    return SourceFiles(store)


@pytest.mark.requirement("001-BUNDLE-04")
def test_a_piece_is_found_by_any_of_its_lines_and_ends_where_the_symbol_ends(pages: SourceFiles):
    piece = pages.piece_at("src/shop/payment.py", 18)
    assert piece.symbol == "PaymentGateway"
    text = pages.text("src/shop/payment.py", piece.start_line, piece.end_line)
    assert text.startswith("class PaymentGateway")
    assert text.endswith('return receipt.startswith("receipt-")')


def test_a_line_between_pieces_belongs_to_the_next_and_none_comes_behind_the_last(pages: SourceFiles):
    assert pages.piece_at("src/shop/payment.py", 27).symbol == "checkout"
    assert pages.piece_at("src/shop/payment.py", 9_999) is None
    assert pages.piece_at("gone.py", 1) is None


def test_the_innermost_symbol_is_the_smallest_around_a_line():
    symbols = [Symbol("A", "A", "class", 1, 20), Symbol("f", "A.f", "method", 3, 9), Symbol("g", "g", "macro", 30, 31)]
    assert innermost(symbols, 5).qualified == "A.f"
    assert innermost(symbols, 12).qualified == "A"
    assert innermost(symbols, 25) is None


def test_a_long_span_is_cut_around_its_point_and_fits():
    pages = SourceFiles(store_of({"a.py": LONG}))
    start, end = trim(pages, "a.py", (1, 202), 100, 200)
    assert start <= 100 <= end
    assert pages.tokens("a.py", start, end) <= 200
    assert pages.tokens("a.py", start, end) > 100


@for_each("focus", [1, 202, -5, 900])
def test_a_cut_never_leaves_the_span(focus: int):
    pages = SourceFiles(store_of({"a.py": LONG}))
    start, end = trim(pages, "a.py", (1, 202), focus, 150)
    assert 1 <= start < end <= 202


def test_what_fits_whole_is_not_cut_and_what_cannot_fit_is_nothing():
    pages = SourceFiles(store_of({"a.py": LONG}))
    assert trim(pages, "a.py", (1, 202), 100, 100_000) == (1, 202)
    assert trim(pages, "a.py", (1, 202), 100, 3) is None


def test_a_line_alone_comes_with_its_small_neighbours_and_not_with_the_imports():
    text = "import os\nimport sys\n\n\nclass A:\n    one = 1\n\n    def f(self):\n        return 1\n" + "\n\n" + LONG
    pages = SourceFiles(store_of({"a.py": text}))
    first = pages.piece_at("a.py", 5)
    start, end = grow(pages, "a.py", (first.start_line, first.end_line))
    assert start == 5
    assert end - start + 1 >= min(LEAST_LINES, 5)
    assert grow(pages, "a.py", (12, 213)) == (12, 213)
