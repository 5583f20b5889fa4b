"""What the lexical index holds of a piece."""

from shirube.store.fields import cut, docs_of
from shirube.types import Piece


def test_cutting_counts_bytes_not_characters():
    text = "日本\nabc\n"
    pieces = (Piece(0, 7, 1, 1), Piece(7, 11, 2, 2))
    assert cut(text, pieces) == ["日本\n", "abc\n"]
    assert cut("ab\ncd\n", (Piece(0, 3, 1, 1), Piece(3, 6, 2, 2))) == ["ab\n", "cd\n"]


def test_a_document_has_the_words_of_content_symbol_and_path():
    (doc,) = docs_of("src/userStore.py", "def getUser(): pass", (Piece(0, 19, 1, 1, "Store.getUser", "method"),))
    assert {"getuser", "get", "user", "def"} <= set(doc.content.split())
    assert {"store", "getuser", "user"} <= set(doc.symbols.split())
    assert {"src", "user", "store", "py"} <= set(doc.path.split())
    assert doc.kind == "method"
