"""Keys of chunks, and BM25 in memory."""

from shirube.store.lexical import MemoryLexical, Where, file_of, key_of
from shirube.store.port import Doc

WEIGHTS = {"content": 1.0, "symbols": 2.0, "path": 1.0}


def test_a_key_names_file_and_position():
    assert file_of(key_of(12, 34)) == 12
    assert key_of(12, 34) - key_of(12, 0) == 34


def test_a_where_without_words_allows_everything():
    assert Where().allows("python", "class")
    assert not Where(languages=["go"]).allows("python", "class")
    assert not Where(kinds=["function"]).allows("python", "class")


def test_a_match_in_the_symbol_weighs_more_than_one_in_the_content():
    index = MemoryLexical()
    index.replace(1, "python", [Doc("word here", "", "", "function")])
    index.replace(2, "python", [Doc("other text", "word", "", "function")])
    assert [file_of(key) for key, _ in index.search(["word"], WEIGHTS, Where(), 9)] == [2, 1]


def test_a_replaced_file_is_held_once_and_an_emptied_one_not_at_all():
    index = MemoryLexical()
    index.replace(1, "python", [Doc("one", "", "", "function"), Doc("two", "", "", "function")])
    index.replace(1, "python", [Doc("three", "", "", "function")])
    assert index.search(["two"], WEIGHTS, Where(), 9) == []
    assert len(index.search(["three"], WEIGHTS, Where(), 9)) == 1
    index.replace(1, "", [])
    assert index.held() == set()
