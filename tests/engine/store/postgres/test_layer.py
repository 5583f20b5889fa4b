"""Layers in memory: what they hold, and how several become one."""

from tests.contracts.test_store import entry

from shirube.codec import replace
from shirube.engine.store.lexical import docs_of_text, unpack_text
from shirube.engine.store.port import Entry, StoreChange
from shirube.engine.store.postgres.layer import ChunksPart, Layer, LinksPart, unpack, unpack_named
from shirube.engine.store.postgres.ref_view import RefView, ViewLinks
from shirube.engine.store.postgres.writing import MOST_LAYERS, MOST_MERGED, LayerRows, layer_of, merged, to_merge
from shirube.types import Edge


def layer(number: int, rows: LayerRows) -> Layer:
    made = Layer(number, rows.files, rows.models)
    made.chunks, made.links = unpack(rows.chunks, ChunksPart), unpack(rows.links, LinksPart)
    return made


def rows_of(*entries: Entry, first: int = 1, **more) -> LayerRows:
    return layer_of(StoreChange(entries, **more), first, "model")


def edges(*pairs: tuple[str, str]) -> dict[str, list[Edge]]:
    return {source: [Edge(source, target, "path", "import", 1)] for source, target in pairs}


STEPS = (
    rows_of(
        entry("a.py", "alpha one\n", "alpha two\n", names=("run",)),
        entry("b.py", "beta"),
        edges=edges(("a.py", "b.py")),
    ),
    rows_of(entry("c.py", "gamma", names=("run",)), first=3, removed=("b.py",), edges=edges(("a.py", "c.py"))),
    rows_of(entry("a.py", "alpha three", names=("stop",)), entry("b.py", "beta again"), first=4),
)


def test_a_newer_layer_replaces_and_removes_what_older_ones_have():
    view = RefView([layer(number, rows) for number, rows in enumerate(STEPS, 1)])
    assert {path: record.digest for path, record in view.records().items()} == {
        "a.py": "digest of alpha three",
        "b.py": "digest of beta again",
        "c.py": "digest of gamma",
    }
    assert (view.files, view.chunks) == (3, 3)
    assert view.spot_of(1) is None
    assert view.spot("gone.py") is None
    links = ViewLinks(view)
    assert [(edge.source, edge.target) for edge in links.edges()] == [("a.py", "c.py")]
    assert links.edges_to("b.py") == ()
    before = RefView([layer(number, rows) for number, rows in enumerate(STEPS[:2], 1)])
    assert set(before.records()) == {"a.py", "c.py"}


def test_several_layers_made_one_hold_what_was_left_of_them():
    layers = [layer(number, rows) for number, rows in enumerate(STEPS, 1)]
    view = RefView(layers)

    def read(table: str):
        return lambda numbers: [
            (number, key, data) for number in numbers for key, data in getattr(STEPS[number - 1], table)
        ]

    made = merged(view, 0, read("postings"), read("names"))
    alone = RefView([layer(9, made)])
    assert alone.records() == view.records()
    assert (alone.chunks, made.files.removed, made.models) == (3, [], ["model"])
    assert ViewLinks(alone).edges() == ViewLinks(view).edges()
    assert ViewLinks(alone).imports() == ViewLinks(view).imports()
    assert made.files.numbers == [3, 4, 5]
    named = {name: [row[0] for row in unpack_named(data)] for name, data in made.names}
    assert named == {b"run": [3], b"stop": [4]}
    left = [
        entry("c.py", "gamma", names=("run",)),
        entry("a.py", "alpha three", names=("stop",)),
        entry("b.py", "beta again"),
    ]
    anew = rows_of(*left, first=3)
    assert made.postings == anew.postings
    assert unpack(made.chunks, ChunksPart) == unpack(anew.chunks, ChunksPart)


def test_layers_above_the_oldest_keep_what_they_remove_from_it():
    view = RefView([layer(number, rows) for number, rows in enumerate(STEPS[:2], 1)])
    made = merged(view, 1, lambda _: [], lambda _: [])
    assert made.files.removed == ["b.py"]
    assert set(RefView([view.layers[0], layer(9, made)]).records()) == {"a.py", "c.py"}


def test_no_more_layers_stay_than_a_question_should_look_into_and_large_ones_are_not_copied_often():
    sizes, copied = [50_000], 0
    for _ in range(2_000):
        sizes.append(8)
        first = to_merge(sizes)
        if first < len(sizes):
            copied += sum(sizes[first:])
            sizes[first:] = [sum(sizes[first:])]
        assert len(sizes) <= MOST_LAYERS
    assert sizes[0] == 50_000
    assert copied < 2_000 * 8 * 8, "each small change is copied a few times only"


def test_what_is_too_large_is_not_merged():
    sizes = [MOST_MERGED, MOST_MERGED // 2 + 1, MOST_MERGED // 2 + 1]
    assert to_merge(sizes, 1) == len(sizes)
    assert to_merge([5, 5], 1) == 0
    assert to_merge([5], 0) == 1
    assert to_merge([], 0) == 0


def test_documents_made_by_workers_and_from_the_text_make_the_same_layer():
    one = entry("a.py", "alpha beta\n", "日本語 gamma\n", names=("run", "stop"))
    docs = tuple(docs_of_text("a.py", unpack_text(one.body), one.pieces))
    assert rows_of(replace(one, docs=docs)) == rows_of(one)
