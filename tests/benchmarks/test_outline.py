import asyncio
from pathlib import Path

from benchmarks.outline.__main__ import Outlined, ask, draw, stands_in, table

from shirube.types import Symbol


def test_files_are_drawn_alike_and_every_symbol_of_them_is_sent(sample_repo: Path):
    root = sample_repo / "src"
    drawn = draw(root, 2, seed=20)
    assert len(drawn) == 2
    assert drawn == draw(root, 2, seed=20)
    outlined = asyncio.run(ask(root, drawn))
    assert [one.path for one in outlined] == drawn
    assert all(one.symbols and not one.missing and not one.cut for one in outlined)


def test_a_name_counts_only_behind_its_own_line():
    symbol = Symbol("pay", "pay", "function", 12, 20)
    assert stands_in(symbol, "a.py\n3 x, 12 pay, 40 y")
    assert not stands_in(symbol, "a.py\n112 pay\n120 pay")


def test_the_table_has_a_row_for_each_language_and_names_what_is_too_large():
    small = Outlined("a.py", "python", 100, 2, 10, 0, False)
    large = Outlined("b.go", "go", 100, 5, 30, 1, True)
    assert list(table([small, large]))[2:] == [
        "| go | 1 | 0.0% | 30.0% | 30.0% | 5 | 1 | 1 |",
        "| python | 1 | 100.0% | 10.0% | 10.0% | 2 | 0 | 0 |",
        "| **all** | 2 | 50.0% | 20.0% | 30.0% | 7 | 1 | 1 |",
        "",
        "- b.go: 30.0% of 100 tokens, 5 symbols",
    ]
