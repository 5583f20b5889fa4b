"""SQLite's FTS5 as the second engine."""

import sqlite3

import pytest

from shirube.store.fts import FtsLexical
from shirube.store.lexical import Where, file_of
from shirube.store.port import Doc

WEIGHTS = {"content": 1.0, "symbols": 2.0, "path": 1.0}


@pytest.fixture
def index():
    db = sqlite3.connect(":memory:", isolation_level=None)
    yield FtsLexical(db)
    db.close()


def test_our_tokens_are_found_whole(index):
    index.replace(1, "python", [Doc("page-agent page agent ログ", "", "", "function")])
    index.replace(2, "python", [Doc("agent", "get_user", "", "function")])
    assert {file_of(key) for key, _ in index.search(["page-agent"], WEIGHTS, Where(), 9)} == {1}
    assert {file_of(key) for key, _ in index.search(["get_user"], WEIGHTS, Where(), 9)} == {2}
    assert {file_of(key) for key, _ in index.search(["ログ"], WEIGHTS, Where(), 9)} == {1}


def test_what_could_not_be_a_token_finds_nothing(index):
    index.replace(1, "python", [Doc("plain", "", "", "function")])
    assert index.search(['plain" OR "x'], WEIGHTS, Where(), 9) == []


def test_a_dropped_file_is_not_held(index):
    index.replace(1, "python", [Doc("plain", "", "", "function")])
    index.replace(1, "", [])
    assert index.held() == set()
    assert index.search(["plain"], WEIGHTS, Where(), 9) == []
