"""One suite for every store: what is promised by the port holds whichever engine answers.

To add a backend:

1. Write a class with the methods of ``Store`` (``src/shirube/engine/store/port.py``) in a module of its own in
   ``src/shirube/engine/store``. ``MemoryStore`` is the shortest complete one to start from. Methods that only raise
   ``NotImplementedError`` are fine on the way, except ``close``.
2. Add a line to ``BACKENDS`` below: a name, and a function that opens an empty store in a folder.
3. Run ``.venv/bin/python -m pytest tests/contracts/test_store.py -x -k NAME``. The first test asks an empty store for
   ``files``, ``candidates``, ``totals`` and ``noted``; nearly all others need ``write`` and ``publish``, too.
4. When all pass, let ``workspace.py`` open it: mypy then compares every signature with the port. No other module may
   name a store, so add the new one to ``protected_modules`` of the contract "stores" in ``pyproject.toml``.

Scores may differ between engines, so no test here compares them between backends; what is found, in which order of
paths, and which totals are reported must not differ.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.postgres import overlay_of_nothing, postgres_store
from tests.stores import change_counts, chunk_id, embedded_store, memory_store, publish, write_edges, write_skips

import shirube.engine.store.projection as projection_module
import shirube.engine.store.tantivy as tantivy_module
from shirube.codec import replace
from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.embed.quantize import to_int8
from shirube.engine.store.lexical import pack_text
from shirube.engine.store.port import Ask, Candidates, Entry, PastChange, SimilarChange, StoreChange, TouchedFile
from shirube.engine.store.store import Store
from shirube.engine.text.tokens import index_terms
from shirube.messages import say, verbatim
from shirube.types import Chunk, Edge, FileRecord, RawImport, Scope, Skip, Symbol

DIMENSIONS = 256
EMBEDDER = HashedEmbedder()


def open_embedded_without(engines: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Open the embedded store with none, the first, or the first two of its lexical engines (tantivy, FTS5) missing."""

    def no_tantivy():
        raise ImportError("no tantivy here")

    class NoFts5:
        def __init__(self, db):
            db.execute("SELECT no_such_module_fts5_is_missing()")

    if engines > 0:
        monkeypatch.setattr(tantivy_module, "_tantivy", no_tantivy)
    if engines > 1:
        monkeypatch.setattr(projection_module, "FtsLexical", NoFts5)
    return embedded_store(folder, DIMENSIONS)


BACKENDS: dict[str, Callable[[Path, pytest.MonkeyPatch], Store]] = {
    "memory": lambda folder, monkeypatch: memory_store(DIMENSIONS),
    "tantivy": partial(open_embedded_without, 0),
    "fts5": partial(open_embedded_without, 1),
    "scan": partial(open_embedded_without, 2),
    "postgres": lambda folder, monkeypatch: postgres_store(dimensions=DIMENSIONS),
    "overlay": lambda folder, monkeypatch: overlay_of_nothing(folder, DIMENSIONS),
}
"""Name → opens an empty store; ``monkeypatch`` is there to take an engine away."""


@pytest.fixture(params=BACKENDS)
def store(request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = BACKENDS[request.param](tmp_path / "i", monkeypatch)
    yield made
    made.close()


def entry(
    path: str, *texts: str, language: str = "python", kind: str = "function", names: tuple[str, ...] = ()
) -> Entry:
    pieces, start = [], 0
    for number, text in enumerate(texts):
        end = start + len(text.encode())
        name = names[number] if number < len(names) else ""
        pieces.append(Chunk(start, end, number + 1, number + 1, name, kind))
        start = end
    whole = "".join(texts)
    rows = EMBEDDER.place(EMBEDDER.contents(list(texts)), path)
    record = FileRecord(path, f"digest of {whole}", len(whole), language, len(texts))
    symbols = tuple(Symbol(name, name, kind, at, at, f"def {name}()", "doc") for at, name in enumerate(names, 1))
    return Entry(
        record, pack_text(whole), tuple(pieces), symbols, (RawImport("os", 1, ("path",)),), to_int8(rows).tobytes()
    )


def fields(query: str, *names: str) -> dict[str, dict[str, float]]:
    """Return what to look for in the named fields, or in all."""
    return {name: dict.fromkeys(index_terms(query), 1.0) for name in names or ("content", "symbols", "path")}


def spots(found: Candidates) -> list[str]:
    return [f"{item.path}:{item.start_line}" for item in found.items]


def words(store: Store, query: str, **scope) -> list[str]:
    """Return the chunks that have words of the query in their content or symbol."""
    found = store.candidates(Ask(fields(query, "content", "symbols"), scope=Scope(**scope)))
    assert all(item.lexical > 0 for item in found.items)
    return spots(found)


def with_phrase(store: Store, phrase: str, **scope) -> list[str]:
    """Return the chunks that have all the words of the phrase."""
    found = store.candidates(Ask(phrases=(tuple(index_terms(phrase)),), scope=Scope(**scope)))
    (scores,) = found.phrases
    assert all(score > 0 for score in scores.values())
    assert scores.keys() == {item.key for item in found.items}
    return sorted(spots(found))


def defined(store: Store, *names: str, limit: int = 100, **scope) -> list[str]:
    """Return where the names are defined, by path, name and line of the chunk."""
    found = store.candidates(Ask(names=names, scope=Scope(**scope), limit=limit))
    lines = {item.key: item.start_line for item in found.items}
    return [f"{one.path}:{one.symbol.name}:{lines[one.key]}" for one in found.definitions]


def write(store: Store, *entries: Entry, removed: tuple[str, ...] = ()) -> None:
    store.write(StoreChange(entries=entries, removed=removed))
    publish(store)


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
    found = store.candidates(Ask(fields("auth", "path")))
    assert [(item.path, item.lexical) for item in found.items] == [("src/auth.py", 0.0)]


def test_the_forms_of_a_word_find_each_other(store: Store):
    write(
        store,
        entry("a.py", "the serializers are cached", names=("stoppedQueries",)),
        entry("b.py", "serialization with a cache", names=("stop_query",)),
    )
    assert set(words(store, "serialize")) == {"a.py:1", "b.py:1"}
    assert set(words(store, "caching")) == {"a.py:1", "b.py:1"}
    assert set(words(store, "queries")) == {"a.py:1", "b.py:1"}
    assert set(words(store, "stopping")) == {"a.py:1", "b.py:1"}


def test_a_term_that_is_worth_more_ranks_what_has_it_higher(store: Store):
    write(store, entry("a.py", "alpha"), entry("b.py", "beta"), *(entry(f"{n}.py", "other") for n in range(4)))
    for worth, first in ((3.0, "a.py"), (0.3, "b.py")):
        found = store.candidates(Ask({"content": {"alpha": worth, "beta": 1.0}})).items
        assert found[0].path == first


def test_a_term_is_looked_for_in_the_fields_it_is_asked_for_only(store: Store):
    write(store, entry("alpha.py", "beta", names=("gamma",)))
    for place, term in (("path", "alpha"), ("content", "beta"), ("symbols", "gamma")):
        for field in ("content", "symbols", "path"):
            found = store.candidates(Ask({field: {term: 1.0}})).items
            assert bool(found) is (field == place), (field, term)


def test_a_term_that_is_worth_nothing_finds_nothing(store: Store):
    write(store, entry("alpha.py", "alpha", names=("alpha",)))
    assert store.candidates(Ask({field: {"alpha": 0.0} for field in ("content", "symbols", "path")})).items == ()


def test_a_file_is_found_by_its_path_in_its_first_chunk_only(store: Store):
    write(store, entry("src/billing.py", "one\n", "two\n", "three\n"), entry("src/other.py", "four\n"))
    found = store.candidates(Ask(fields("billing", "path")))
    assert spots(found) == ["src/billing.py:1"]


def test_paths_are_counted_by_files_and_not_by_chunks(store: Store):
    write(store, entry("src/a.py", "one\n", "two\n"), entry("src/b.py", "three\n"), entry("lib/a.py", "src\n"))
    found = store.candidates(Ask({"path": dict.fromkeys(("src", "a", "lib", "none"), 1.0)}))
    assert found.files == 3
    assert found.in_paths == {"src": 2, "a": 2, "lib": 1, "none": 0}


def test_a_file_that_is_only_known_counts_as_a_file_without_a_path_to_find(store: Store):
    binary = FileRecord("src/x.bin", "d", 1, "", 0, verbatim("binary"))
    write(store, Entry(binary, b"", ()), entry("src/a.py", "alpha"))
    found = store.candidates(Ask(fields("src", "path")))
    assert (found.files, found.in_paths) == (2, {"src": 1})
    assert spots(found) == ["src/a.py:1"]


def test_terms_are_counted_by_the_chunks_whose_content_has_them(store: Store):
    write(store, entry("a.py", "red red\n", "reds\n", "blue\n"), entry("red.py", "green\n", names=("red",)))
    found = store.candidates(Ask(fields("red blue none", "content")))
    assert (found.chunks, found.in_content) == (4, {"red": 2, "blue": 1, "none": 0})


def test_a_phrase_is_found_where_all_its_terms_stand_in_one_chunk(store: Store):
    write(
        store,
        entry("a.py", "retry the payment\n", "never\n"),
        entry("b.py", "retry\n", "payment\n"),
        entry("c.py", "payments that were retried"),
        entry("payment/retry.py", "nothing", names=("retry_payment",)),
    )
    assert with_phrase(store, "payment retry") == ["a.py:1", "c.py:1"]
    assert with_phrase(store, "payments") == ["a.py:1", "b.py:2", "c.py:1"]
    assert with_phrase(store, "payment unknown") == []


def test_each_phrase_has_an_answer_of_its_own(store: Store):
    write(store, entry("a.py", "page-agent"), entry("b.py", "red green"))
    found = store.candidates(Ask(phrases=(("page-agent",), ("green", "red"), ("blue",))))
    paths = {item.key: item.path for item in found.items}
    assert [[paths[key] for key in scores] for scores in found.phrases] == [["a.py"], ["b.py"], []]


def test_terms_are_counted_by_field_and_names_are_looked_up(store: Store):
    write(store, entry("a.py", "x\n", "y\n", names=("page-agent", "agent")), entry("page-agent.py", "page-agent"))
    known = store.known(["page-agent", "agent", "none"], ["agent", "page", "none"])
    assert known.files == 2
    assert known.in_symbols == {"page-agent": 1, "agent": 2, "none": 0}
    assert known.in_paths == {"page-agent": 1, "agent": 1, "none": 0}
    assert known.in_content == {"page-agent": 1, "agent": 1, "none": 0}
    assert known.defined == {"agent"}
    assert store.known([], []).defined == frozenset()


def test_a_phrase_without_terms_is_found_nowhere(store: Store):
    write(store, entry("a.py", "alpha"))
    assert store.candidates(Ask(phrases=((),))).phrases == ({},)


def test_a_definition_is_found_whatever_its_capitals_with_the_chunk_of_its_first_line(store: Store):
    write(
        store,
        entry("b.py", "x\n", "y\n", names=("checkout", "PaymentGateway")),
        entry("a.py", "paymentgateway\n", names=("paymentGateway",)),
        entry("c.py", "paymentgateway\n", names=("Payment",)),
    )
    assert defined(store, "paymentgateway") == ["a.py:paymentGateway:1", "b.py:PaymentGateway:2"]
    assert defined(store, "checkout", "payment") == ["b.py:checkout:1", "c.py:Payment:1"]
    assert defined(store, "gateway") == []


def test_a_definition_comes_back_with_its_whole_symbol(store: Store):
    made = entry("a.py", "x", names=("run",))
    write(store, made)
    (found,) = store.candidates(Ask(names=("run",))).definitions
    assert found.symbol == made.symbols[0]


def test_a_definition_below_the_start_of_a_chunk_belongs_to_the_chunk_that_holds_it(store: Store):
    made = entry("a.py", "one\ntwo\nthree\n", "four\nfive\n")
    pieces = (Chunk(0, 14, 1, 3), Chunk(14, 24, 4, 5))
    symbols = tuple(Symbol(f"line{at}", f"line{at}", "function", at, at, "", "") for at in range(1, 6))
    write(store, replace(made, pieces=pieces, symbols=symbols))
    assert defined(store, *(one.name for one in symbols)) == [
        "a.py:line1:1",
        "a.py:line2:1",
        "a.py:line3:1",
        "a.py:line4:4",
        "a.py:line5:4",
    ]


def test_a_definition_goes_with_its_file(store: Store):
    write(store, entry("a.py", "x", names=("alpha",)), entry("b.py", "y", names=("alpha",)))
    write(store, entry("a.py", "x", names=("beta",)), removed=("b.py",))
    assert defined(store, "alpha") == []
    assert defined(store, "beta") == ["a.py:beta:1"]


def test_the_chunks_of_lines_asked_for_are_there_whatever_they_say(store: Store):
    write(
        store,
        entry("a.py", "x\n", "y\n", "z\n"),
        entry("b.py", "p\n", "q\n"),
        entry("c.ts", "x", language="typescript"),
    )
    lines = {"a.py": [2, 3], "b.py": [9], "c.ts": [1], "gone.py": [1]}
    found = store.candidates(Ask(fields("y"), lines=lines))
    assert spots(found) == ["a.py:2", "a.py:3", "b.py:1", "c.ts:1"]
    assert [item.lexical > 0 for item in found.items] == [True, False, False, False]
    assert spots(store.candidates(Ask(lines=lines, scope=Scope(languages=("typescript",))))) == ["c.ts:1"]
    assert spots(store.candidates(Ask(lines=lines, scope=Scope(path="b.py")))) == ["b.py:1"]


def test_definitions_are_no_more_than_asked_for(store: Store):
    write(store, *(entry(f"{n}.py", "x", names=("run",)) for n in range(5)))
    assert defined(store, "run", limit=2) == ["0.py:run:1", "1.py:run:1"]


@pytest.mark.parametrize("name", ["Überprüfung", "ЗАКАЗ", "Ωmega"])
def test_a_definition_with_letters_beyond_ascii_is_found_whatever_its_capitals(store: Store, name: str):
    write(store, entry("a.py", "x", names=(name,)))
    assert defined(store, name.lower()) == [f"a.py:{name}:1"]


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
    write_edges(store, {"a.py": [Edge("a.py", "b.py", "path")]})
    write(store, removed=("a.py",))
    assert words(store, "alpha") == []
    assert set(store.files()) == {"b.py"}
    assert store.symbols("a.py") == ()
    assert store.edges("a.py") == ()
    assert store.text("a.py") == ""
    assert store.vectors("a.py") == b""


def test_files_can_be_asked_for_by_path(store: Store):
    write(store, entry("a.py", "alpha"), entry("b.py", "beta"))
    assert set(store.files(["b.py", "none.py"])) == {"b.py"}


def test_a_known_file_that_is_not_indexed_counts_nowhere(store: Store):
    binary = FileRecord("x.bin", "d", 1, "", 0, verbatim("binary"))
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
    for ask in (Ask(fields("word", "content")), Ask(phrases=(("word",),))):
        found = store.candidates(replace(ask, scope=Scope(path="src"), limit=5))
        assert [item.path for item in found.items] == ["src/only.py"]


@pytest.mark.parametrize(
    ("scope", "meant"),
    [
        ({"path": "src"}, ["src/a.py", "src/deep/b.ts"]),
        ({"path": "*.md"}, ["docs/c.md"]),
        ({"languages": ("typescript", "markdown")}, ["docs/c.md", "src/deep/b.ts"]),
        ({"kinds": ("section",)}, ["docs/c.md"]),
        ({"path": "src", "languages": ("markdown",)}, []),
    ],
)
def test_words_paths_phrases_and_definitions_keep_to_the_scope(store: Store, scope, meant):
    write(
        store,
        entry("src/a.py", "red word", names=("run",)),
        entry("src/deep/b.ts", "red word", language="typescript", names=("run",)),
        entry("docs/c.md", "red word", language="markdown", kind="section", names=("run",)),
    )
    spots = [f"{path}:1" for path in meant]
    assert sorted(words(store, "red", **scope)) == spots
    assert with_phrase(store, "word red", **scope) == spots
    assert defined(store, "run", **scope) == [f"{path}:run:1" for path in meant]
    by_path = store.candidates(Ask(fields("src docs", "path"), scope=Scope(**scope))).items
    assert sorted(item.path for item in by_path) == meant


def test_a_path_scope_finds_the_one_definition_behind_many_others(store: Store):
    write(
        store, *(entry(f"noise/{n}.py", "x", names=("run",)) for n in range(9)), entry("src/a.py", "x", names=("run",))
    )
    assert defined(store, "run", path="src", limit=5) == ["src/a.py:run:1"]


def test_the_nearest_by_meaning_comes_first(store: Store):
    write(store, entry("a.py", "read the configuration file"), entry("b.py", "draw a red circle"))
    vector = to_int8(EMBEDDER.query("configuration file reading")).tobytes()
    found = store.candidates(Ask(vector=vector, limit=10)).items
    assert [item.path for item in found] == ["a.py", "b.py"]
    assert found[0].cosine > found[1].cosine
    assert -1.01 <= found[1].cosine <= found[0].cosine <= 1.01


def test_a_file_is_as_near_as_the_sum_of_its_pieces(store: Store):
    write(store, entry("a.py", "read the configuration file"), entry("b.py", "draw a red circle"))
    vector = to_int8(EMBEDDER.query("configuration file reading"))
    found = store.candidates(Ask(vector=vector.tobytes(), limit=10))
    assert set(found.wholes) == {"a.py", "b.py"}
    for path, cosine in found.wholes.items():
        rows = np.frombuffer(store.vectors(path), dtype=np.int8).reshape(-1, EMBEDDER.dimensions).astype(float)
        whole = rows.sum(axis=0)
        assert cosine == pytest.approx(float(vector[0].astype(float) @ whole) / 127 / np.linalg.norm(whole), abs=1e-3)
    assert store.candidates(Ask(fields("configuration"))).wholes == {}


def test_the_dense_leg_keeps_to_the_scope(store: Store):
    write(store, entry("a.py", "red circle"), entry("b.ts", "red circle", language="typescript"))
    vector = to_int8(EMBEDDER.query("red circle")).tobytes()
    found = store.candidates(Ask(vector=vector, scope=Scope(languages=("typescript",)), limit=10)).items
    assert [item.path for item in found] == ["b.ts"]


@pytest.mark.requirement("003-CHUNK-08")
def test_texts_pieces_and_whole_files_come_back_as_written(store: Store):
    write(store, entry("a.py", "最初の行\n", "second line\n", names=("one", "two")))
    found = store.candidates(Ask({"content": {"second": 1.0}})).items
    assert store.texts([found[0].key]) == {found[0].key: "second line\n"}
    assert store.text("a.py") == "最初の行\nsecond line\n"
    assert [piece.symbol for piece in store.pieces("a.py")] == ["one", "two"]
    assert chunk_id(found[0]) == "a.py:two:2-2"


@pytest.mark.requirement("N001-STORE-01", "001-DEPS-01")
def test_symbols_imports_edges_skips_and_notes_come_back_as_written(store: Store):
    made = entry("a.py", "x", names=("one",))
    write(store, made, entry("b.py", "y"))
    write_edges(
        store, {"a.py": [Edge("a.py", "b.py", "path", "import", 3), Edge("a.py", "numpy", "package", "import", 1)]}
    )
    write_skips(store, [Skip("z.bin", "binary"), Skip("a.py", "too_large", say("repo.bytes", count=7))])
    store.note("state", "complete")
    assert store.symbols("a.py") == made.symbols
    assert store.imports(["a.py"]) == {"a.py": made.imports}
    assert set(store.imports()) == {"a.py", "b.py"}
    assert [edge.target for edge in store.edges("a.py")] == ["numpy", "b.py"]
    assert store.edges() == store.edges("a.py")
    assert store.skips() == (Skip("a.py", "too_large", say("repo.bytes", count=7)), Skip("z.bin", "binary"))
    assert [skip.detail.code for skip in store.skips()] == ["repo.bytes", ""]
    assert store.noted("state") == "complete"


def test_files_that_were_indexed_less_than_well_are_named(store: Store):
    odd, plain, data = entry("b.py", "x"), entry("a.py", "y"), entry("c.bin", "z")
    write(
        store,
        replace(odd, record=replace(odd.record, note=say("index.read_as", encoding="latin-1"))),
        replace(plain, record=replace(plain.record, note=verbatim("a part cannot be parsed"))),
        replace(data, record=replace(data.record, note=verbatim("no text"), language="")),
        entry("d.py", "w"),
    )
    assert store.remarks() == (("a.py", "a part cannot be parsed"), ("b.py", "read as latin-1"))
    assert [note.code for _, note in store.remarks()] == ["", "index.read_as"]


@pytest.mark.requirement("001-CLOSURE-02")
def test_edges_are_found_from_their_other_end(store: Store):
    write(store, *(entry(path, "x") for path in ("a.py", "b.py", "c.py")))
    write_edges(
        store,
        {
            "c.py": [Edge("c.py", "b.py", "path", "import", 2), Edge("c.py", "numpy", "package", "import", 1)],
            "a.py": [Edge("a.py", "b.py", "path", "import", 3)],
        },
    )
    assert [edge.source for edge in store.edges_to("b.py")] == ["a.py", "c.py"]
    assert [(edge.source, edge.kind) for edge in store.edges_to("numpy", "a.py")] == [("c.py", "package")]
    assert store.edges_to() == store.edges_to("gone.py") == ()
    assert [edge.target for edge in store.edges_to("b.py", "numpy", most=1)] == ["numpy"]
    assert store.edges_to("b.py", most=2) == store.edges_to("b.py")
    write(store, removed=("c.py",))
    assert [edge.source for edge in store.edges_to("b.py", "numpy")] == ["a.py"]


def test_what_many_files_define_is_told_at_once(store: Store):
    write(store, entry("a.py", "x", names=("two", "one")), entry("b.py", "y"), entry("c.py", "z", names=("three",)))
    found = store.symbols_in(["c.py", "a.py", "b.py", "gone.py", "a.py"])
    assert found == {"a.py": store.symbols("a.py"), "c.py": store.symbols("c.py")}
    assert [symbol.name for symbol in found["a.py"]] == ["two", "one"]
    assert store.symbols_in([]) == {}
    many = [f"{number}.py" for number in range(2_000)]
    assert store.symbols_in([*many, "c.py"]) == {"c.py": store.symbols("c.py")}


def test_a_chunk_leads_to_the_symbols_it_is_named_after(store: Store):
    write(store, entry("a.py", "x ", "y ", "z", names=("one", "two")), entry("b.py", "x", names=("one",)))
    keys = {(item.path, item.start_line): item.key for item in store.candidates(Ask(fields("x y z"))).items}
    found = store.symbols_of(list(keys.values()))
    assert found[keys["a.py", 2]] == (store.symbols("a.py")[1],)
    assert found[keys["b.py", 1]] == store.symbols("b.py")
    assert keys["a.py", 3] not in found
    assert store.symbols_of([]) == {}


def test_edges_between_files_are_found_from_both_ends_of_many_at_once(store: Store):
    store.write(StoreChange(entries=tuple(entry(f"{name}.py", name) for name in "abcd")))
    write_edges(
        store,
        {
            "a.py": [Edge("a.py", "b.py", "path", "import", 2), Edge("a.py", "a.py", "path", "import", 1)],
            "b.py": [Edge("b.py", "c.py", "path", "import", 1), Edge("b.py", "numpy", "package", "import", 2)],
            "c.py": [Edge("c.py", "d.py", "path", "import", 1)],
        },
    )
    ends = [(edge.source, edge.target) for edge in store.edges_around(["b.py"])]
    assert ends == [("a.py", "b.py"), ("b.py", "c.py")]
    both = store.edges_around(["c.py", "b.py", "c.py", "gone.py"])
    assert [(edge.source, edge.target) for edge in both] == [*ends, ("c.py", "d.py")]
    assert [(edge.source, edge.line) for edge in store.edges_around(["a.py"])] == [("a.py", 1), ("a.py", 2)]
    assert store.edges_around([]) == store.edges_around(["numpy", "gone.py"]) == ()
    assert store.targets(["a.py", "b.py", "gone.py"]) == {"a.py": {"a.py", "b.py"}, "b.py": {"c.py"}}
    assert store.targets([]) == {}
    many = [f"{number}.py" for number in range(2_000)]
    assert store.edges_around([*many, "d.py"]) == store.edges_to("d.py")


def test_writing_edges_again_replaces_them(store: Store):
    write(store, entry("a.py", "x"))
    write_edges(store, {"a.py": [Edge("a.py", "old", "package")]})
    write_edges(store, {"a.py": [Edge("a.py", "new", "package")]})
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
    every = {field: {term: 1.0} for field in ("content", "symbols", "path")}
    found = store.candidates(Ask(every, phrases=((term,), (term, "plain")), names=(term,)))
    assert (found.items, found.definitions) == ((), ())
    assert found.phrases == ({}, {})
    assert found.in_paths == {term: 0}
    assert store.known([term, "plain"], [term]).in_symbols == {term: 0, "plain": 0}


def test_a_sound_store_has_nothing_to_complain_about_and_compacting_changes_no_answer(store: Store):
    write(store, *(entry(f"{n}.py", f"word number{n} " * (n + 1)) for n in range(20)))
    write(store, removed=("3.py",))
    before = words(store, "number7 word")
    store.compact()
    assert set(words(store, "number7 word")) == set(before)
    assert words(store, "number7 word")[0] == "7.py:1"


def waiting(path: str, *texts: str, names: tuple[str, ...] = ()) -> Entry:
    """Return a file whose vectors are still to be made."""
    return replace(entry(path, *texts, names=names), vectors=None)


def test_files_without_vectors_are_counted_and_listed_with_their_texts(store: Store):
    write(
        store, entry("a.py", "alpha"), waiting("b.py", "beta one ", "beta ログ", names=("run", "stop")), waiting("c.py")
    )
    assert store.coverage() == (1, 3)
    first, second = store.unembedded(0, 10)
    assert (first.path, first.texts, first.symbols) == ("b.py", ("beta one ", "beta ログ"), ("run", "stop"))
    assert (first.digest, first.language) == ("digest of beta one beta ログ", "python")
    assert (second.path, second.texts) == ("c.py", ())
    assert [one.path for one in store.unembedded(0, 1)] == ["b.py"]
    assert [one.path for one in store.unembedded(first.number, 10)] == ["c.py"]


def test_a_file_that_is_not_indexed_needs_no_vectors(store: Store):
    write(store, replace(waiting("x.bin"), record=replace(waiting("x.bin").record, language="")))
    assert store.coverage() == (0, 0)
    assert store.unembedded(0, 10) == ()


def test_vectors_that_come_later_are_found_by(store: Store):
    write(store, waiting("a.py", "alpha"), waiting("b.py", "beta"))
    question = to_int8(EMBEDDER.query("beta")).tobytes()
    assert store.candidates(Ask(vector=question)).items == ()
    assert store.vectors("b.py") == b""
    rows = {one.number: entry(one.path, *one.texts).vectors or b"" for one in store.unembedded(0, 10)}
    store.embed(rows)
    assert store.coverage() == (2, 2)
    assert store.unembedded(0, 10) == ()
    assert store.candidates(Ask(vector=question)).items[0].path == "b.py"
    assert store.vectors("b.py") == entry("b.py", "beta").vectors


def test_vectors_of_a_file_that_changed_meanwhile_are_passed_over(store: Store):
    write(store, waiting("a.py", "alpha"), waiting("gone.py", "gone"))
    old = {one.number: entry(one.path, *one.texts).vectors or b"" for one in store.unembedded(0, 10)}
    write(store, waiting("a.py", "changed"), removed=("gone.py",))
    store.embed(old)
    assert store.coverage() == (0, 1)
    assert store.vectors("a.py") == b""


def test_vectors_that_are_there_stay(store: Store):
    write(store, waiting("a.py", "alpha"))
    (one,) = store.unembedded(0, 10)
    first = entry("a.py", "alpha").vectors or b""
    store.embed({one.number: first})
    store.embed({one.number: entry("a.py", "other").vectors or b""})
    assert store.vectors("a.py") == first


@pytest.mark.parametrize(
    "name",
    [
        "getUser",
        "get_user",
        "_private",
        "__init__",
        "run",
        "HTTPServer2",
        "検索する",
        "a1b2c3d4e5f6a7b8c9",
        "_",
        "x" * 80,
    ],
)
@pytest.mark.requirement("N003-REFS-04")
def test_no_file_that_has_a_name_is_missing_from_its_mentions(store: Store, name: str):
    forms = [f"{name}()", f"a.{name} = 1", f"x-{name}", f"{name}-y", f"「{name}」", f"<{name}>", f"{name}.{name}"]
    write(store, *(entry(f"f{number}.py", form) for number, form in enumerate(forms)))
    found = store.mentions(name, Scope())
    assert set(found.paths) >= {f"f{number}.py" for number in range(len(forms))}


def test_mentions_keep_to_the_scope_and_know_nothing_of_what_is_gone(store: Store):
    write(store, entry("src/a.py", "start()"), entry("src/b.go", "start()", language="go"), entry("c.py", "start()"))
    assert store.mentions("start", Scope()).paths == ("c.py", "src/a.py", "src/b.go")
    assert store.mentions("start", Scope("src", ("python",))).paths == ("src/a.py",)
    assert store.mentions("nothing", Scope()).paths == ()
    write(store, removed=("c.py",))
    assert store.mentions("start", Scope()).paths == ("src/a.py", "src/b.go")


def test_names_that_begin_with_a_part_come_before_those_that_have_it(store: Store):
    write(
        store, entry("a.py", "x", "y", "z", names=("getUser", "User", "userName")), entry("b.py", "x", names=("User",))
    )
    assert store.names("USER", 10) == ("User", "userName", "getUser")
    assert store.names("user", 2) == ("User", "userName")
    assert store.names("%", 10) == store.names("nobody", 10) == ()


def test_files_are_counted_by_language_within_a_scope(store: Store):
    write(store, entry("a/x.py", "x"), entry("a/y.go", "y", language="go"), entry("b/z.py", "z"))
    write(store, entry("a/known.bin", language=""))
    assert store.counts(Scope()) == {"python": 2, "go": 1}
    assert store.counts(Scope("a")) == {"python": 1, "go": 1}
    assert store.counts(Scope("**/*.py", ("python", "rust"))) == {"python": 2}
    assert store.counts(Scope("nowhere")) == {}


def test_it_is_known_which_files_are_imported_at_all(store: Store):
    write(store, *(entry(path, "x") for path in ("a.py", "b.py", "c.py")))
    write_edges(store, {"c.py": [Edge("c.py", "b.py", "path", "import", 2), Edge("c.py", "a", "package", "import", 1)]})
    assert store.imported(["a.py", "b.py", "c.py", "gone.py"]) == {"b.py"}
    assert store.imported([]) == set()


def test_what_is_left_out_can_be_asked_for_by_reason(store: Store):
    write_skips(store, [Skip("z.bin", "binary"), Skip("big.txt", "too_large"), Skip(".env", "secret")])
    assert [skip.path for skip in store.skips("secret", "too_large")] == [".env", "big.txt"]
    assert store.skips("unreadable") == ()


def test_mentions_know_the_language_of_each_file(store: Store):
    write(store, entry("b.py", "pay the bill"), entry("a.go", "pay", language="go"), entry("c.py", "nothing"))
    found = store.mentions("pay", Scope())
    assert found.languages == {"a.go": "go", "b.py": "python"}
    assert found.paths == ("a.go", "b.py")


# --- past changes -----------------------------------------------------------------------------------------


def past(number: int, subject: str, *paths: str, body: str = "", weight: float = 1.0, at: int = 0) -> PastChange:
    """Return a commit; without ``at`` it is later the higher its number is."""
    files = tuple(TouchedFile(path, ("one", "two")) for path in paths)
    return PastChange(f"{number:040x}", at or 1000 + number, "Ada", subject, body, files, weight)


PAST = (
    past(1, "Fix the parser of dates", "a.py", "b.py", body="It failed\n\non leap years."),
    past(2, "Add a parser", "c.py", body="parser " * 200),
    past(3, "日付の解析を修正", "a.py", "src/日本語.py"),
    past(4, "Reformat the parser", "a.py", "c.py", weight=0.0),
    past(5, "Fix the parser of dates", "b.py", at=1001),
    past(6, "", "a.py"),
    past(7, "Nothing"),
)


def similar(store: Store, query: str, limit: int = 10) -> list[tuple[int, float]]:
    found = store.similar_changes(dict.fromkeys(index_terms(query), 1.5), limit)
    return [(int(one.change.commit, 16), one.share) for one in found]


def test_past_changes_are_returned_newest_first_as_they_were_written(store: Store):
    store.write_changes(PAST)
    wanted = sorted(PAST, key=lambda change: (-change.seconds, change.commit))
    assert store.past_changes() == tuple(wanted)
    assert store.commits() == {change.commit: change.seconds for change in PAST}


def test_a_store_without_past_changes(store: Store):
    assert store.past_changes() == ()
    assert store.commits() == {}
    assert store.past_changes(["a.py"], since=5) == ()
    assert change_counts(store, ["a.py"]) == {}
    assert store.similar_changes({"parser": 1.0}, 5) == ()
    store.write_changes((), ["ab" * 20])
    assert store.commits() == {}


def test_past_changes_of_some_files_and_from_a_time_on(store: Store):
    store.write_changes(PAST)
    assert [change.commit[-1] for change in store.past_changes(["a.py"])] == ["6", "4", "3", "1"]
    assert [change.commit[-1] for change in store.past_changes(["b.py", "src/日本語.py", "no"])] == ["3", "1", "5"]
    assert store.past_changes([]) == ()
    assert [change.commit[-1] for change in store.past_changes(since=1004)] == ["7", "6", "4"]
    assert [change.commit[-1] for change in store.past_changes(["a.py"], since=1004)] == ["6", "4"]


def test_changes_that_tell_something_are_counted(store: Store):
    store.write_changes(PAST)
    assert change_counts(store, ["a.py", "b.py", "c.py", "no"]) == {"a.py": 3, "b.py": 2, "c.py": 1}
    assert change_counts(store, []) == {}


def test_a_removed_change_is_gone_from_everything(store: Store):
    store.write_changes(PAST)
    store.write_changes((), [PAST[0].commit, PAST[2].commit, "f" * 40])
    assert [number for number, _ in similar(store, "fix parser dates 解析")] == [5, 2]
    assert change_counts(store, ["a.py", "b.py", "src/日本語.py"]) == {"a.py": 1, "b.py": 1}
    assert PAST[0].commit not in store.commits()
    store.write_changes((), store.commits())
    assert (store.past_changes(), store.commits(), similar(store, "parser")) == ((), {}, [])
    store.write_changes(PAST)
    assert len(store.past_changes(["a.py"])) == 4


def test_one_call_adds_and_removes(store: Store):
    store.write_changes(PAST[:3])
    store.write_changes(PAST[3:], [PAST[0].commit])
    assert len(store.commits()) == 6


def test_a_known_change_gets_the_files_given_and_keeps_its_message(store: Store):
    store.write_changes(PAST)
    before = similar(store, "parser dates")
    files = (TouchedFile("new.py", ("x",), "a.py"), TouchedFile("z.py", (), "", "y.py"))
    store.write_changes([replace(PAST[0], subject="other", seconds=1, files=files)])
    (found,) = store.past_changes(["new.py"])
    assert found == replace(PAST[0], files=files)
    assert PAST[0].commit not in {change.commit for change in store.past_changes(["a.py", "b.py"])}
    assert similar(store, "parser dates") == before


def test_two_files_of_a_change_may_have_the_same_path_today(store: Store):
    files = (TouchedFile("a", ("x",), "old"), TouchedFile("a", ("y",), "older"))
    store.write_changes([replace(PAST[0], files=files)])
    assert store.past_changes(["a"])[0].files == files
    assert change_counts(store, ["a"]) == {"a": 1}


def test_commits_are_returned_by_their_names(store: Store):
    store.write_changes(PAST)
    named = store.changes_named([PAST[0].commit, PAST[4].commit, "f" * 40])
    assert named == tuple(sorted((PAST[0], PAST[4]), key=lambda change: -change.seconds))
    assert store.changes_named([]) == ()


def test_similar_changes_have_words_of_the_question_and_tell_something(store: Store):
    store.write_changes(PAST)
    found = store.similar_changes(dict.fromkeys(index_terms("the parser of dates fails"), 1.0), 10)
    assert [one.change.commit[-1] for one in found][:2] in (["1", "5"], ["5", "1"])
    assert found[0].change.body == ""
    assert found[0].change.files
    assert all(one.share > 0 for one in found)
    assert "4" not in {one.change.commit[-1] for one in found}, "a mass change is similar to nothing"
    assert [number for number, _ in similar(store, "解析")] == [3]
    assert similar(store, "unheard") == []
    assert store.similar_changes({}, 5) == ()


def test_a_weight_counts_and_the_limit_cuts(store: Store):
    store.write_changes(PAST)
    terms = {index_terms("nothing")[0]: 5.0, index_terms("parser")[0]: 1.0}
    assert store.similar_changes(terms, 1)[0].change.commit == PAST[6].commit
    assert len(store.similar_changes(terms, 2)) == 2


def test_of_equally_similar_changes_the_newest_come_first_then_by_name(store: Store):
    many = [past(number, "Same words", "a.py", at=1000 + number % 3) for number in range(1, 40)]
    store.write_changes(many)
    wanted = sorted(many, key=lambda change: (-change.seconds, change.commit))
    for limit in (1, 5, 13, 14, 39, 100):
        found = store.similar_changes({"same": 1.0}, limit)
        assert [one.change.commit for one in found] == [change.commit for change in wanted[:limit]]


def test_scores_are_the_same_in_every_store_however_the_changes_came(store: Store):
    """Otherwise a rebuild could rank another file first."""
    words = ["parser", "date", "year", "fix", "add", "leap", "zone", "解析", "日付", "utc"]
    many = [
        past(
            number, " ".join(words[at % 10] for at in range(number % 7 + 1)), "a.py", body=" ".join(words[number % 9 :])
        )
        for number in range(1, 120)
    ]
    memory = memory_store(DIMENSIONS)
    memory.write_changes(many)
    for start in range(0, 120, 7):
        store.write_changes(reversed(many[start : start + 7]))
    gone = [change.commit for change in many[10:30]]
    store.write_changes((), gone)
    memory.write_changes((), gone)
    store.write_changes(many[12:20])
    memory.write_changes(many[12:20])
    for query in ("fix the date", "parser zone utc leap year", "日付の解析", "add fix date year parser utc"):
        terms = {term: 1 / (3 + at) for at, term in enumerate(index_terms(query))}
        found: tuple[SimilarChange, ...] = store.similar_changes(terms, 17)
        assert len(found) == 17 or query == "日付の解析"
        assert found == memory.similar_changes(terms, 17)


def test_what_was_asked_before_a_change_is_not_answered_after_it(store: Store):
    store.write_changes(PAST[:2])
    assert len(similar(store, "parser")) == 2
    store.write_changes(PAST[4:5])
    assert [number for number, _ in similar(store, "parser")].count(5) == 1
    files = (TouchedFile("moved.py"),)
    store.write_changes([replace(PAST[1], files=files)])
    assert files in [one.change.files for one in store.similar_changes({index_terms("parser")[0]: 1.0}, 5)]
    store.write_changes((), [PAST[1].commit])
    assert 2 not in [number for number, _ in similar(store, "parser")]


def test_times_and_names_beyond_the_ordinary(store: Store):
    odd = [
        past(1, "Zero", 'a\tb\n"c".py', at=0),
        replace(past(2, "Later than 2106", "\ufffd.py"), seconds=2**40),
        replace(past(3, "sha256"), commit="c" * 64),
        replace(past(4, "no author \U0001f980", "a b.py"), author=""),
    ]
    store.write_changes(odd)
    assert {change.commit: change for change in store.past_changes()} == {change.commit: change for change in odd}


def test_how_much_files_changed_is_the_same_however_the_changes_came(store: Store):
    times = [1_200_000_000 + 7_654_321 * (number * number % 61) for number in range(1, 60)]
    many = [past(number, "x", f"{number % 3}.py", "all.py", at=at) for number, at in enumerate(times, 1)]
    memory = memory_store(DIMENSIONS)
    memory.write_changes(many)
    for change in reversed(many):
        store.write_changes([change])
    paths = ["0.py", "1.py", "2.py", "all.py", "no"]
    assert store.busy(paths) == memory.busy(paths)
    assert store.busy(paths)["all.py"] == 1.0
    store.write_changes((), [change.commit for change in many[20:40]])
    memory.write_changes((), [change.commit for change in many[20:40]])
    store.write_changes(many[30:35])
    memory.write_changes(many[30:35])
    assert store.busy(paths) == memory.busy(paths)
