"""Packages give docs with their code, catalogues give strings; nothing is unpacked to disk or run."""

import struct
import zipfile
from pathlib import Path

import pytest

from tests.cases import for_each
from training import collect

MODULE = '''
def connect(host, port):
    """Open a connection to the server.

    Args:
        host: where it is
    """
    address = (host, port)
    return socket.create_connection(address, timeout=30)


def close(connection):
    connection.shutdown()
    # padding so that the file is long enough to be read by the collector, which skips the smallest ones
    # padding so that the file is long enough to be read by the collector, which skips the smallest ones
'''


def catalogue(pairs: dict[str, str]) -> bytes:
    keys = sorted({"": "Content-Type: text/plain; charset=UTF-8\n", **pairs}.items())
    ids, texts = [k.encode() for k, _ in keys], [v.encode() for _, v in keys]
    offset = 28 + 16 * len(keys)
    tables, body = [], b""
    for words in (ids, texts):
        for word in words:
            tables.append(struct.pack("<II", len(word), offset + len(body)))
            body += word + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, 0)
    return head + b"".join(tables) + body


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "demo_kit-1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as files:
        files.writestr("demo/net.py", MODULE)
        files.writestr("tests/net.py", MODULE)
        pairs = {"_Open the file %s": "ファイル %s を開く", "Same": "Same"}
        files.writestr("demo/locale/ja/LC_MESSAGES/demo.mo", catalogue(pairs))
    return path


def test_a_documented_function_becomes_a_row_without_its_doc(wheel: Path) -> None:
    (row,) = collect.code_rows(wheel)
    assert row["q"] == "Open a connection to the server."
    assert "create_connection" in row["c"]
    assert "Open a connection" not in row["c"]
    assert (row["n"], row["l"], row["s"]) == ("connect", "python", "demo_kit")


def test_a_catalogue_gives_strings_without_marks(wheel: Path) -> None:
    (row,) = collect.string_rows(wheel)
    assert (row["e"], row["j"]) == ("Open the file", "ファイル を開く")


@for_each("doc", ["Copyright 2020 by somebody or other", "x = {1: 2}", "too short", "日本語の説明です"])
def test_what_is_no_prose_is_no_question(doc: str) -> None:
    assert not collect.is_telling(doc)


def test_markup_and_sections_are_cut() -> None:
    assert collect.first_paragraph("Use :class:`~a.b.Thing` here.\n\nMore.") == "Use Thing here."
    assert collect.first_paragraph("Args:\n  x: y") == ""
    assert collect.first_paragraph("Returns the name.\nReturns:\n  x") == "Returns the name."
