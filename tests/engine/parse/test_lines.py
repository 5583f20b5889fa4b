"""Cutting by lines."""

from hypothesis import given
from hypothesis import strategies as st

from shirube.engine.parse.chunks import LONG_BYTES, MAX_BYTES, Lines, Span, cut_chunks, cut_lines, split_span


def test_a_short_text_is_one_piece() -> None:
    (piece,) = cut_lines(b"\n\n  a\nb\n\n")
    assert (piece.start, piece.end, piece.start_line, piece.end_line) == (2, 7, 3, 4)


def test_nothing_gives_nothing() -> None:
    assert cut_lines(b"") == ()
    assert cut_lines(b" \n\t\r\n") == ()
    assert cut_lines("\u3000\n".encode()) == ()


def test_a_long_text_is_cut_at_blank_lines() -> None:
    paragraph = b"a line of text\n" * 60
    pieces = cut_lines(b"\n".join([paragraph] * 5))
    assert [piece.start_line for piece in pieces] == [1, 123, 184]


def test_without_blank_lines_it_is_cut_at_line_ends() -> None:
    text = b"0123456789\n" * 1000
    pieces = cut_lines(text)
    assert all(text[piece.start - 1 : piece.start] in {b"", b"\n"} for piece in pieces)
    assert sum(piece.end_line - piece.start_line + 1 for piece in pieces) == 1000


def test_a_megabyte_without_line_end_is_cut_between_characters() -> None:
    text = ("あ" * 350_000).encode()
    pieces = cut_lines(text)
    assert b"".join(text[piece.start : piece.end] for piece in pieces) == text
    assert all(text[piece.start : piece.end].decode() for piece in pieces)


def test_marks_are_preferred_to_blank_lines() -> None:
    text = b"x\n\n" * 1000
    assert list(split_span(text, 0, len(text), [1101, 2103])) == [(0, 1101), (1101, 3000)]


@given(st.binary(max_size=9000))
def test_parts_join_to_the_whole_and_are_short(text: bytes) -> None:
    parts = list(split_span(text, 0, len(text)))
    assert b"".join(text[start:end] for start, end in parts) == text
    assert all(0 < end - start <= MAX_BYTES for start, end in parts)


def test_lines_are_right_for_short_and_long_spans_in_any_order() -> None:
    text = b"ab\n" * LONG_BYTES
    lines = Lines(text)
    assert lines.of(3, 5) == (2, 2)
    assert lines.of(6, LONG_BYTES * 3 - 1) == (3, LONG_BYTES)
    assert lines.of(0, 4) == (1, 2)


def test_pieces_keep_symbol_and_kind() -> None:
    chunks = cut_chunks(b"a\n" * 3000, [Span(0, 6000, "f", "function")])
    assert len(chunks) > 2
    assert {(chunk.symbol, chunk.kind) for chunk in chunks} == {("f", "function")}
