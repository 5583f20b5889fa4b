"""SQLite's FTS5 as the second engine."""

import sqlite3

import pytest

from shirube.engine.store.lexical import Where, file_of, key_of
from shirube.engine.store.port import Doc
from shirube.engine.store.projection import FtsLexical


def files(index: FtsLexical, word: str) -> set[int]:
    fields = {field: {word: 1.0} for field in ("content", "symbols", "path")}
    return {file_of(key) for key, _ in index.search(fields, Where(), 9)}


@pytest.fixture
def index():
    db = sqlite3.connect(":memory:", isolation_level=None)
    yield FtsLexical(db)
    db.close()


def test_our_tokens_are_found_whole(index):
    index.replace(1, "python", [Doc("page-agent page agent ログ", "", "")])
    index.replace(2, "python", [Doc("agent", "get_user", "")])
    assert files(index, "page-agent") == {1}
    assert files(index, "get_user") == {2}
    assert files(index, "ログ") == {1}


def test_what_could_not_be_a_token_finds_nothing(index):
    index.replace(1, "python", [Doc("plain", "", "")])
    odd = 'plain" OR "x'
    assert files(index, odd) == set()
    assert index.together([odd], Where(), 9) == []
    assert index.together(["plain", odd], Where(), 9) == []
    assert index.frequencies("content", [odd]) == {odd: 0}


def test_a_dropped_file_is_not_held(index):
    index.replace(1, "python", [Doc("plain", "", "")])
    index.replace(1, "", [])
    assert index.held() == set()
    assert files(index, "plain") == set()


def test_what_is_worth_more_counts_for_more(index):
    for number in range(3, 20):
        index.replace(number, "python", [Doc("other", "", "")])
    index.replace(1, "python", [Doc("red", "", "")])
    index.replace(2, "python", [Doc("blue", "", "")])
    scores = {file_of(key): score for key, score in index.search({"content": {"red": 3.0, "blue": 1.5}}, Where(), 9)}
    assert scores[1] == pytest.approx(2 * scores[2])


def test_terms_stand_together_in_the_content_of_one_document(index):
    index.replace(1, "python", [Doc("red green", "", ""), Doc("red", "green", "green")])
    index.replace(2, "go", [Doc("green red", "", "")])
    assert {key for key, _ in index.together(["red", "green"], Where(), 9)} == {key_of(1, 0), key_of(2, 0)}
    assert [file_of(key) for key, _ in index.together(["red", "green"], Where(languages=["go"]), 9)] == [2]


def test_a_term_is_counted_by_field(index):
    index.replace(1, "python", [Doc("red red", "red", ""), Doc("red", "", "")])
    assert [index.frequencies(field, ["red"])["red"] for field in ("content", "symbols", "path")] == [2, 1, 0]
