"""One file from disk to what the index keeps."""

import pytest

from shirube.engine.index.reading import Reader, Setup, Task, from_plain


@pytest.fixture
def reader(tree):
    return Reader(Setup(str(tree.root), str(tree.state / "parsed.sqlite"), 1000, "hashed"))


@pytest.mark.requirement("003-SYNC-04")
def test_a_source_file_is_parsed_cut_and_embedded(tree, reader):
    tree.put("a.py", "def alpha():\n    return 1\n")
    reading = reader.read(Task("a.py"))
    parsed = from_plain(reading.parsed)
    assert reading.status == "ok"
    assert parsed.language == "python"
    assert [symbol.name for symbol in parsed.symbols] == ["alpha"]
    assert len(reading.docs) == len(parsed.pieces) == len(reading.vectors) // 256
    assert "alpha" in reading.docs[0].content
    assert not reading.reused


def test_a_known_digest_is_enough(tree, reader):
    tree.put("a.py", "x\n")
    digest = reader.read(Task("a.py")).digest
    assert reader.read(Task("a.py", digest)).status == "same"


@pytest.mark.requirement("003-CHUNK-09")
def test_what_the_cache_holds_is_not_parsed_again_and_gives_the_same_vectors(tree, reader):
    tree.put("a.py", "def alpha():\n    return 1\n")
    first = reader.read(Task("a.py"))
    tree.cache.put(first.cache_rows, 0)
    again = reader.read(Task("a.py"))
    assert again.reused
    assert again.cache_rows == ()
    assert (again.parsed, again.vectors, again.docs) == (first.parsed, first.vectors, first.docs)


def test_a_damaged_cache_entry_is_made_anew(tree, reader):
    tree.put("a.py", "def alpha():\n    return 1\n")
    first = reader.read(Task("a.py"))
    tree.cache.put([(first.cache_keys[0], b"damaged")], 0)
    again = reader.read(Task("a.py"))
    assert not again.reused
    assert again.parsed == first.parsed


@pytest.mark.parametrize(
    ("content", "status"), [(b"\x00\x01", "binary"), (b"x" * 2000, "too_large"), (b"", "ok"), (b"text", "ok")]
)
def test_every_kind_of_file_has_a_status(tree, reader, content, status):
    tree.put("f", content)
    assert reader.read(Task("f")).status == status


def test_a_header_may_show_late_that_it_is_cpp(tree):
    tree.put("a.h", "// licence\n" * 1_000 + "class Till {\n  int ring();\n};\n")
    reading = Reader(Setup(str(tree.root), str(tree.state / "parsed.sqlite"), 100_000, "hashed")).read(Task("a.h"))
    assert [(one.kind, one.name) for one in from_plain(reading.parsed).symbols][:1] == [("class", "Till")]


def test_missing_files_and_directories_are_values(tree, reader):
    (tree.root / "d").mkdir()
    assert reader.read(Task("none.py")).status == "gone"
    assert reader.read(Task("none/deeper.py")).status == "gone"
    assert reader.read(Task("d")).status not in ("ok", "same", "gone")
