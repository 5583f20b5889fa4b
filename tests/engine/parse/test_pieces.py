"""Cutting at symbols."""

from itertools import pairwise

from shirube.engine.parse.chunks import MAX_BYTES, Span, cut_chunks
from shirube.engine.parse.file import parse_file

BODY = "        value = compute(value)\n"


def _cut(text: str, language: str = "python") -> list[tuple[str, str, int, int]]:
    return [(one.symbol, one.kind, one.start_line, one.end_line) for one in parse_file(text.encode(), language).pieces]


def test_functions_are_pieces_with_what_stands_directly_above() -> None:
    text = "import a\n\n# far\n\n# near\n@deco\ndef f():\n    pass\n\ndef g():\n    pass\n"
    assert _cut(text) == [("", "head", 1, 3), ("f", "function", 5, 8), ("g", "function", 10, 11)]


def test_a_small_class_stays_whole() -> None:
    assert _cut("class A:\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n") == [
        ("A", "class", 1, 6)
    ]


def test_a_large_class_gives_a_header_and_its_methods() -> None:
    method = "    def {}(self):\n" + BODY * 12
    text = 'class A:\n    """Doc."""\n\n    x = 1\n\n' + method.format("f") + "\n    y = 2\n\n" + method.format("g")
    assert _cut(text) == [
        ("A", "class", 1, 4),
        ("A.f", "method", 6, 18),
        ("A", "class", 20, 20),
        ("A.g", "method", 22, 34),
    ]


def test_same_named_methods_of_two_classes_are_different_pieces() -> None:
    text = "".join(f"class {name}:\n    def run(self):\n{BODY * 25}\n\n" for name in "AB")
    assert [piece[0] for piece in _cut(text)] == ["A", "A.run", "B", "B.run"]


def test_adjacent_constants_share_a_piece() -> None:
    assert _cut("A = 1\nB = 2\n\nC = 3\n") == [("", "module", 1, 4)]


def test_a_lone_constant_gives_its_piece_its_name() -> None:
    assert _cut("LIMIT = 10\n") == [("LIMIT", "constant", 1, 1)]


def test_a_large_constant_is_a_piece_of_its_own() -> None:
    text = "A = 1\nTABLE = {\n" + "".join(f"    {n}: 'value',\n" for n in range(50)) + "}\nB = 2\n"
    assert _cut(text) == [("A", "constant", 1, 1), ("TABLE", "constant", 2, 53), ("B", "constant", 54, 54)]


def test_a_long_function_is_split_and_every_part_keeps_the_symbol() -> None:
    text = "def f():\n" + (BODY * 5 + "\n") * 40
    pieces = parse_file(text.encode(), "python").pieces
    assert len(pieces) > 3
    assert {(piece.symbol, piece.kind) for piece in pieces} == {("f", "function")}
    assert all(piece.end - piece.start <= MAX_BYTES for piece in pieces)
    assert "".join(text[piece.start : piece.end].strip("\n") for piece in pieces).count("compute") == 200


def test_a_long_function_is_opened_at_its_inner_functions() -> None:
    inner = "    def {}():\n" + BODY * 40 + "\n"
    text = "def outer():\n    x = 1\n\n" + inner.format("a") + inner.format("b") + "    return a\n"
    assert [piece[0] for piece in _cut(text)] == ["outer", "outer.a", "outer.b", "outer"]


def test_a_closing_brace_stays_with_the_last_member() -> None:
    method = "  m{}() {{\n" + "    this.value = compute(this.value);\n" * 10 + "  }}\n"
    text = "class A {\n" + method.format(1) + method.format(2) + "};\n"
    pieces = _cut(text, "javascript")
    assert [piece[0] for piece in pieces] == ["A", "A.m1", "A.m2"]
    assert pieces[-1][3] == text.count("\n")


def test_the_rest_of_a_line_stays_with_its_symbol() -> None:
    assert _cut("def f(): return 1  # why\nx = 1\n")[0] == ("f", "function", 1, 1)
    text = b"def f(): return 1  # why\n"
    assert parse_file(text, "python").pieces[0].end == len(text) - 1


def test_prototypes_share_a_piece() -> None:
    assert len(_cut("int a(void);\nint b(void);\nint c(void);\n", "c")) == 1


def test_spans_that_overlap_do_not_make_pieces_overlap() -> None:
    text = b"aaaa\nbbbb\ncccc\ndddd\n"
    pieces = cut_chunks(text, [Span(0, 12, "a", "class"), Span(7, 20, "b", "function"), Span(7, 12, "c", "function")])
    assert all(left.end <= right.start for left, right in pairwise(pieces))
    assert b"".join(text[one.start : one.end] for one in pieces).replace(b"\n", b"") == b"aaaabbbbccccdddd"
