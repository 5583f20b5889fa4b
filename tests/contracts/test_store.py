"""One suite for every store: what is promised by the port holds whichever engine answers."""

from pathlib import Path

import pytest

import shirube.store.projection as projection_module
import shirube.store.tantivy as tantivy_module
from shirube.embed.hashed import HashedEmbedder
from shirube.embed.quantize import to_int8
from shirube.store import Ask, Change, Entry, Store
from shirube.store.embedded import EmbeddedStore
from shirube.store.fields import pack_text
from shirube.store.memory import MemoryStore
from shirube.text import index_tokens
from shirube.types import Edge, FileRecord, Piece, RawImport, Scope, Skip, Stat, Symbol

DIMENSIONS = 256
EMBEDDER = HashedEmbedder()


def _no_tantivy():
    raise ImportError("no tantivy here")


class _NoFts:
    def __init__(self, db):
        db.execute("SELECT no_such_module_fts5_is_missing()")


@pytest.fixture(params=["memory", "tantivy", "fts5", "scan"])
def store(request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if request.param in ("fts5", "scan"):
        monkeypatch.setattr(tantivy_module, "_tantivy", _no_tantivy)
    if request.param == "scan":
        monkeypatch.setattr(projection_module, "FtsLexical", _NoFts)
    made: Store = MemoryStore(DIMENSIONS) if request.param == "memory" else EmbeddedStore(tmp_path / "i", DIMENSIONS)
    yield made
    made.close()


def entry(
    path: str, *texts: str, language: str = "python", kind: str = "function", names: tuple[str, ...] = ()
) -> Entry:
    pieces, start = [], 0
    for number, text in enumerate(texts):
        end = start + len(text.encode())
        name = names[number] if number < len(names) else ""
        pieces.append(Piece(start, end, number + 1, number + 1, name, kind))
        start = end
    whole = "".join(texts)
    rows = EMBEDDER.place(EMBEDDER.contents(list(texts)), path)
    record = FileRecord(path, f"digest of {whole}", Stat(len(whole), 1, 2, 3), language, len(texts), 9)
    symbols = tuple(Symbol(name, name, kind, 1, 1, f"def {name}()", "doc") for name in names)
    return Entry(
        record, pack_text(whole), tuple(pieces), symbols, (RawImport("os", 1, ("path",)),), to_int8(rows).tobytes()
    )


def words(store: Store, query: str, **scope) -> list[str]:
    found = store.candidates(
        Ask(tuple(index_tokens(query)), {"content": 1.0, "symbols": 2.0, "path": 1.0}, b"", Scope(**scope))
    )
    return [f"{item.path}:{item.start_line}" for item in found.items if item.lexical > 0]


def write(store: Store, *entries: Entry, removed: tuple[str, ...] = ()) -> None:
    store.write(Change(entries=entries, removed=removed))
    store.publish()


def test_an_empty_store_answers_with_nothing(store: Store):
    assert store.files() == {}
    assert words(store, "anything") == []
    assert store.totals().files == 0
    assert store.noted("never") == ""


def test_what_is_written_is_found_by_content_symbol_and_path(store: Store):
    write(
        store,
        entry("src/auth.py", "def f(): check password", names=("login_user",)),
        entry("src/b.py", "something else"),
    )
    assert words(store, "password") == ["src/auth.py:1"]
    assert words(store, "login_user") == ["src/auth.py:1"]
    assert words(store, "auth") == ["src/auth.py:1"]


def test_japanese_is_found_by_any_word_in_it(store: Store):
    write(store, entry("a.py", "# ログイン機能を検証する"), entry("b.py", "# 検索の順位"))
    assert words(store, "ログイン") == ["a.py:1"]
    assert words(store, "検索") == ["b.py:1"]


@pytest.mark.requirement("001-FTS-01", "N001-RANK-01")
def test_more_of_a_rarer_word_ranks_higher(store: Store):
    write(store, entry("a.py", "common common rare"), entry("b.py", "common"), entry("c.py", "rare rare rare"))
    assert words(store, "rare")[0] == "c.py:1"


@pytest.mark.requirement("N003-SYNC-01")
def test_replacing_a_file_forgets_what_it_said_before(store: Store):
    write(store, entry("a.py", "alpha"))
    write(store, entry("a.py", "beta"))
    assert words(store, "alpha") == []
    assert words(store, "beta") == ["a.py:1"]
    assert store.totals().files == 1
    assert store.totals().chunks == 1


def test_a_removed_file_is_gone_from_every_answer(store: Store):
    write(store, entry("a.py", "alpha", names=("alpha",)), entry("b.py", "beta"))
    store.write_edges({"a.py": [Edge("a.py", "b.py", "path")]})
    write(store, removed=("a.py",))
    assert words(store, "alpha") == []
    assert set(store.files()) == {"b.py"}
    assert store.symbols("a.py") == ()
    assert store.edges("a.py") == ()
    assert store.text("a.py") == ""
    assert store.vectors("a.py") == b""


def test_a_touched_file_keeps_its_content_and_takes_the_new_stat(store: Store):
    write(store, entry("a.py", "alpha"))
    old = store.files()["a.py"]
    moved = FileRecord(old.path, old.digest, Stat(5, 50, 60, 3), old.language, old.lines, 70)
    store.write(Change(touched=(moved,)))
    assert store.files()["a.py"] == moved
    assert words(store, "alpha") == ["a.py:1"]


def test_files_can_be_asked_for_by_path(store: Store):
    write(store, entry("a.py", "alpha"), entry("b.py", "beta"))
    assert set(store.files(["b.py", "none.py"])) == {"b.py"}


def test_a_known_file_that_is_not_indexed_counts_nowhere(store: Store):
    binary = FileRecord("x.bin", "d", Stat(1, 1, 1, 1), "", 0, 1, "binary")
    write(store, Entry(binary, b"", ()), entry("a.py", "alpha"))
    assert store.totals().files == 1
    assert store.totals().languages == {"python": 1}
    assert store.files()["x.bin"].note == "binary"


def test_scopes_narrow_by_language_kind_and_path(store: Store):
    write(
        store,
        entry("src/a.py", "word"),
        entry("src/deep/b.ts", "word", language="typescript"),
        entry("docs/c.md", "word", language="markdown", kind="section"),
        entry("app/[id]/page.tsx", "word", language="tsx"),
    )
    assert words(store, "word", languages=("typescript",)) == ["src/deep/b.ts:1"]
    assert words(store, "word", kinds=("section",)) == ["docs/c.md:1"]
    assert words(store, "word", path="src") == ["src/a.py:1", "src/deep/b.ts:1"]
    assert words(store, "word", path="*.py") == ["src/a.py:1"]
    assert words(store, "word", path="src/**/*.ts") == ["src/deep/b.ts:1"]
    assert words(store, "word", path="app/[id]") == ["app/[id]/page.tsx:1"]


def test_a_path_scope_finds_the_one_file_behind_many_better_ones(store: Store):
    write(
        store,
        *(entry(f"noise/{n}.py", "word word word") for n in range(60)),
        entry("src/only.py", "word and much more text"),
    )
    found = store.candidates(Ask(("word",), {"content": 1.0}, b"", Scope(path="src"), limit=5))
    assert [item.path for item in found.items] == ["src/only.py"]


def test_the_nearest_by_meaning_comes_first(store: Store):
    write(store, entry("a.py", "read the configuration file"), entry("b.py", "draw a red circle"))
    vector = to_int8(EMBEDDER.query("configuration file reading")).tobytes()
    found = store.candidates(Ask((), {}, vector, Scope(), 10)).items
    assert [item.path for item in found] == ["a.py", "b.py"]
    assert found[0].cosine > found[1].cosine
    assert -1.01 <= found[1].cosine <= found[0].cosine <= 1.01


def test_the_dense_leg_keeps_to_the_scope(store: Store):
    write(store, entry("a.py", "red circle"), entry("b.ts", "red circle", language="typescript"))
    vector = to_int8(EMBEDDER.query("red circle")).tobytes()
    found = store.candidates(Ask((), {}, vector, Scope(languages=("typescript",)), 10)).items
    assert [item.path for item in found] == ["b.ts"]


@pytest.mark.requirement("003-CHUNK-08")
def test_texts_pieces_and_whole_files_come_back_as_written(store: Store):
    write(store, entry("a.py", "最初の行\n", "second line\n", names=("one", "two")))
    found = store.candidates(Ask(("second",), {"content": 1.0})).items
    assert store.texts([found[0].key]) == {found[0].key: "second line\n"}
    assert store.text("a.py") == "最初の行\nsecond line\n"
    assert [piece.symbol for piece in store.pieces("a.py")] == ["one", "two"]
    assert found[0].chunk_id == "a.py:two:2-2"


@pytest.mark.requirement("N001-STORE-01", "001-DEPS-01")
def test_symbols_imports_edges_skips_and_notes_come_back_as_written(store: Store):
    made = entry("a.py", "x", names=("one",))
    write(store, made, entry("b.py", "y"))
    store.write_edges(
        {"a.py": [Edge("a.py", "b.py", "path", "import", 3), Edge("a.py", "numpy", "package", "import", 1)]}
    )
    store.write_skips([Skip("z.bin", "binary"), Skip(".env", "secret", "named like a secret")])
    store.note("state", "complete")
    assert store.symbols("a.py") == made.symbols
    assert store.imports(["a.py"]) == {"a.py": made.imports}
    assert set(store.imports()) == {"a.py", "b.py"}
    assert [edge.target for edge in store.edges("a.py")] == ["numpy", "b.py"]
    assert store.edges() == store.edges("a.py")
    assert store.skips() == (Skip(".env", "secret", "named like a secret"), Skip("z.bin", "binary"))
    assert store.noted("state") == "complete"


def test_writing_edges_again_replaces_them(store: Store):
    write(store, entry("a.py", "x"))
    store.write_edges({"a.py": [Edge("a.py", "old", "package")]})
    store.write_edges({"a.py": [Edge("a.py", "new", "package")]})
    assert [edge.target for edge in store.edges()] == ["new"]


@pytest.mark.requirement("N001-FILES-04")
def test_paths_with_odd_characters_are_ordinary(store: Store):
    odd = ["sp ace.py", "[id].py", "(group)/@x.py", "日本語.py", "new\nline.py", "quo'te\".py", "per%cent.py"]
    write(store, *(entry(path, "word") for path in odd))
    assert set(store.files()) == set(odd)
    assert len(words(store, "word")) == len(odd)
    write(store, removed=tuple(odd))
    assert store.files() == {}


@pytest.mark.parametrize("term", ['"', "a*", "NEAR", "AND", "x:y", "(", "-", "OR 1=1", "日本"])
def test_no_term_is_taken_for_query_language(store: Store, term: str):
    write(store, entry("a.py", "plain words"))
    found = store.candidates(Ask((term,), {"content": 1.0, "symbols": 1.0, "path": 1.0}))
    assert found.items == ()


def test_a_sound_store_has_nothing_to_complain_about_and_compacting_changes_no_answer(store: Store):
    write(store, *(entry(f"{n}.py", f"word number{n} " * (n + 1)) for n in range(20)))
    write(store, removed=("3.py",))
    before = words(store, "number7 word")
    store.compact()
    assert set(words(store, "number7 word")) == set(before)
    assert words(store, "number7 word")[0] == "7.py:1"
