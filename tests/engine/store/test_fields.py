"""What the lexical index holds of a piece."""

import pytest
from tests.cases import for_each

from shirube.engine.store.lexical import cut, docs_of, docs_of_text, keep_note, kept_note
from shirube.engine.text.tokens import index_terms
from shirube.messages import Message, say, verbatim
from shirube.types import Chunk


def test_cutting_counts_bytes_not_characters():
    text = "日本\nabc\n"
    pieces = (Chunk(0, 7, 1, 1), Chunk(7, 11, 2, 2))
    assert cut(text, pieces) == ["日本\n", "abc\n"]
    assert cut("ab\ncd\n", (Chunk(0, 3, 1, 1), Chunk(3, 6, 2, 2))) == ["ab\n", "cd\n"]


def test_a_document_has_the_stems_of_content_symbol_and_path():
    piece = Chunk(0, 20, 1, 1, "Stores.getUsers", "method")
    (doc,) = docs_of_text("src/storedUsers.py", "def getUsers(): pass", (piece,))
    assert doc.content.split() == index_terms("def getUsers(): pass")
    assert {"get", "user", "def"} <= set(doc.content.split())
    assert {"stor", "get", "user"} <= set(doc.symbols.split())
    assert {"src", "stor", "user", "py"} <= set(doc.path.split())


def test_only_the_first_document_of_a_file_has_its_path():
    pieces = tuple(Chunk(place, place + 1, place, place) for place in range(3))
    assert [doc.path for doc in docs_of_text("src/a.py", "xyz", pieces)] == ["src a py", "", ""]


def test_a_piece_without_a_symbol_has_none_in_its_document():
    (doc,) = docs_of_text("a.py", "x", (Chunk(0, 1, 1, 1),))
    assert doc.symbols == ""


def test_terms_cut_beforehand_give_the_same_documents():
    text, pieces = "支払い getUsers\n再試行\n", (Chunk(0, 19, 1, 1, "a", "function"), Chunk(19, 29, 2, 2))
    terms = [index_terms(part) for part in cut(text, pieces)]
    assert list(docs_of("a.py", terms, pieces)) == list(docs_of_text("a.py", text, pieces))


def test_contents_that_are_not_those_of_the_pieces_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        list(docs_of("a.py", [], (Chunk(0, 1, 1, 1),)))


@for_each(
    "note",
    [say("index.both", one=say("index.read_as", encoding="cp932"), other=say("index.syntax_errors")), verbatim("{odd")],
)
def test_a_note_comes_back_with_its_code(note: Message):
    back = kept_note(keep_note(note))
    assert (back, back.code) == (note, note.code)


@for_each("text", ["", "read as cp932", "{not json", "binary"])
def test_what_an_earlier_version_noted_is_shown_as_it_is(text: str):
    assert (kept_note(text), kept_note(text).code) == (text, "")
