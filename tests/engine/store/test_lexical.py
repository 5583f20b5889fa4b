"""Keys of chunks, and BM25 in memory."""

from shirube.engine.store.lexical import MemoryLexical, Where, file_of, key_of, places_of_kinds
from shirube.engine.store.port import Doc


def files(index: MemoryLexical, *words: str, symbols: float = 1.0) -> list[int]:
    fields = {"content": dict.fromkeys(words, 1.0), "symbols": dict.fromkeys(words, symbols)}
    return [file_of(key) for key, _ in index.search(fields, Where(), 9)]


def test_a_key_names_file_and_position():
    assert file_of(key_of(12, 34)) == 12
    assert key_of(12, 34) - key_of(12, 0) == 34


def test_a_where_without_words_allows_everything():
    assert Where().allows("python")
    assert not Where(languages=["go"]).allows("python")


def test_a_piece_is_of_its_own_kind_and_of_the_kinds_that_begin_in_it():
    pieces = [(1, "module"), (5, "class"), (40, "class"), (40, "class")]
    symbols = [(5, "class"), (6, "method"), (41, "method"), (2, "constant")]
    assert places_of_kinds(pieces, symbols, ("method",)) == {1, 2}
    assert places_of_kinds(pieces, symbols, ("constant",)) == {0}
    assert places_of_kinds(pieces, symbols, ("class",)) == {1, 2, 3}
    assert places_of_kinds([], symbols, ("class",)) == set()


def test_a_match_in_the_symbol_weighs_what_it_is_said_to_be_worth():
    index = MemoryLexical()
    index.replace(1, "python", [Doc("word here", "here", "")])
    index.replace(2, "python", [Doc("other text", "word", "")])
    assert files(index, "word", symbols=2.0) == [2, 1]
    assert files(index, "word", symbols=0.5) == [1, 2]


def test_documents_with_all_terms_in_their_content_are_found_together_best_first():
    index = MemoryLexical()
    index.replace(1, "python", [Doc("red green blue", "", ""), Doc("red", "green", "")])
    index.replace(2, "go", [Doc("red green red green", "", "")])
    found = index.together(["red", "green"], Where(), 9)
    assert [key for key, _ in found] == [key_of(2, 0), key_of(1, 0)]
    assert index.together(["red", "green"], Where(), 1) == found[:1]
    assert index.together(["red", "green"], Where(languages=["python"]), 9) == found[1:]
    assert index.together(["red", "violet"], Where(), 9) == []


def test_a_term_is_counted_by_field():
    index = MemoryLexical()
    index.replace(1, "python", [Doc("red red", "red", ""), Doc("red", "", "")])
    assert [index.frequencies(field, ["red"])["red"] for field in ("content", "symbols", "path")] == [2, 1, 0]
    index.replace(1, "", [])
    assert index.frequencies("content", ["red"]) == {"red": 0}


def test_a_replaced_file_is_held_once_and_an_emptied_one_not_at_all():
    index = MemoryLexical()
    index.replace(1, "python", [Doc("one", "", ""), Doc("two", "", "")])
    index.replace(1, "python", [Doc("three", "", "")])
    assert files(index, "two") == []
    assert files(index, "three") == [1]
    index.replace(1, "", [])
    assert index.held() == set()
