from dataclasses import replace

import pytest

from shirube.config import load_config
from shirube.embed.hashed import HashedEmbedder
from shirube.embed.quantize import to_int8
from shirube.search.pipeline import WIDENED, search
from shirube.settings import SearchConfig
from shirube.store import Ask, Candidate, Candidates, Change, Entry
from shirube.store.fields import pack_text
from shirube.store.memory import MemoryStore
from shirube.types import FileRecord, Mode, Piece, Query, Scope, Stat

EMBEDDER = HashedEmbedder()


@pytest.fixture
def config() -> SearchConfig:
    return load_config(None, None, {"HOME": "/nowhere"}).search


def entry(path: str, text: str, *, symbol: str = "", kind: str = "module", language: str = "python") -> Entry:
    data = text.encode()
    vectors = to_int8(EMBEDDER.place(EMBEDDER.contents([text]), path)).tobytes()
    piece = Piece(0, len(data), 1, max(1, text.count("\n") + 1), symbol, kind)
    record = FileRecord(path, "0" * 64, Stat(len(data), 1, 1, 1), language, piece.end_line)
    return Entry(record, pack_text(text), (piece,), vectors=vectors)


def filled(*entries: Entry) -> MemoryStore:
    store = MemoryStore(EMBEDDER.dimensions)
    store.write(Change(entries=entries))
    store.publish()
    return store


@pytest.fixture
def store() -> MemoryStore:
    return filled(
        entry("a/retry.py", "def retry(): retry retry", symbol="retry", kind="function"),
        entry("b/bank.py", "class Bank: charges and does retry once in a long while", symbol="Bank", kind="class"),
        entry("c/notes.md", "nothing about it here", kind="section", language="markdown"),
        entry("d/cart.ts", "function total() {}", symbol="total", kind="function", language="typescript"),
    )


class FakeStore(MemoryStore):
    """A store that offers what the test hands it, and remembers what it was asked."""

    def __init__(self, *items: Candidate, degraded: tuple[str, ...] = ()) -> None:
        super().__init__(EMBEDDER.dimensions)
        self.items, self.said = items, degraded
        self.asked: list[Ask] = []

    def candidates(self, ask: Ask) -> Candidates:
        self.asked.append(ask)
        return Candidates(self.items, self.said)

    def texts(self, keys):
        return {key: f"line one of {key}\nline two" for key in keys}


def candidate(key: int, path: str = "a.py", line: int = 1, lexical: float = 0.0, cosine: float | None = None):
    return Candidate(key, path, line, line + 1, "", "module", "python", lexical, cosine)


def paths(store: MemoryStore, config: SearchConfig, text: str, **options) -> list[str]:
    return [hit.path for hit in search(Query(text, **options), store, EMBEDDER, config).hits]


def test_the_best_match_comes_first_and_what_does_not_match_stays_away(store, config):
    assert paths(store, config, "retry") == ["a/retry.py", "b/bank.py"]


def test_nothing_that_matches_is_an_empty_page(store, config):
    found = search(Query("zebra"), store, EMBEDDER, config)
    assert (found.hits, found.more, found.total) == ((), False, 0)


@pytest.mark.requirement("003-CHUNK-08")
def test_a_hit_carries_place_reasons_and_preview(store, config):
    hit = search(Query("retry"), store, EMBEDDER, config).hits[0]
    assert (hit.path, hit.start_line, hit.symbol, hit.kind, hit.language) == (
        "a/retry.py",
        1,
        "retry",
        "function",
        "python",
    )
    assert hit.preview == "def retry(): retry retry"
    assert hit.score == pytest.approx(sum(reason.points for reason in hit.why), abs=1e-6)
    assert hit.similarity is None


@pytest.mark.parametrize("mode", list(Mode))
def test_a_score_is_the_sum_of_its_named_reasons(store, config, mode: Mode):
    for hit in search(Query("retry bank", mode=mode), store, EMBEDDER, config).hits:
        assert hit.why
        assert all(reason.name for reason in hit.why)
        assert hit.score == pytest.approx(sum(reason.points for reason in hit.why), abs=1e-6)


@pytest.mark.parametrize("mode", list(Mode))
def test_scores_never_rise_down_the_page(store, config, mode: Mode):
    scores = [hit.score for hit in search(Query("retry bank total", mode=mode), store, EMBEDDER, config).hits]
    assert scores == sorted(scores, reverse=True)
    assert scores


@pytest.mark.parametrize(
    ("mode", "words", "sense"),
    [(Mode.AUTO, True, False), (Mode.LEXICAL, True, False), (Mode.DENSE, False, True), (Mode.HYBRID, True, True)],
)
def test_a_mode_asks_only_for_its_legs(config, mode: Mode, words: bool, sense: bool):
    fake = FakeStore()
    search(Query("retry policy", mode=mode), fake, EMBEDDER, config)
    (ask,) = fake.asked
    assert bool(ask.terms) is words
    assert bool(ask.vector) is sense


def test_the_dense_leg_orders_by_cosine(config):
    fake = FakeStore(
        candidate(1, "a.py", cosine=0.2), candidate(2, "b.py", cosine=0.9), candidate(3, "c.py", lexical=9)
    )
    found = search(Query("x", mode=Mode.DENSE), fake, EMBEDDER, config)
    assert [(hit.path, hit.score) for hit in found.hits] == [("b.py", 0.9), ("a.py", 0.2)]
    assert [reason.name for reason in found.hits[0].why] == ["dense"]


def test_hybrid_scores_are_reciprocal_ranks_computed_by_hand(config):
    fake = FakeStore(
        candidate(1, "both.py", lexical=5.0, cosine=0.5),
        candidate(2, "words.py", lexical=7.0),
        candidate(3, "sense.py", cosine=0.9),
    )
    found = search(Query("x", mode=Mode.HYBRID), fake, EMBEDDER, config)
    assert [(hit.path, hit.score) for hit in found.hits] == [
        ("both.py", round(1 / 62 + 1 / 62, 6)),
        ("sense.py", round(1 / 61, 6)),
        ("words.py", round(1 / 61, 6)),
    ]
    assert {reason.name for reason in found.hits[0].why} == {"rrf:bm25", "rrf:dense"}


@pytest.mark.parametrize("mode", [Mode.LEXICAL, Mode.DENSE, Mode.HYBRID])
def test_ties_go_by_path_then_by_line_whatever_order_the_store_has(config, mode: Mode):
    items = [
        candidate(4, "b.py", 1, lexical=1.0, cosine=0.5),
        candidate(3, "a.py", 9, lexical=1.0, cosine=0.5),
        candidate(2, "a.py", 2, lexical=1.0, cosine=0.5),
    ]
    wanted = [("a.py", 2), ("a.py", 9), ("b.py", 1)]
    for order in (items, items[::-1], [items[1], items[2], items[0]]):
        found = search(Query("x", mode=mode), FakeStore(*order), EMBEDDER, config)
        assert [(hit.path, hit.start_line) for hit in found.hits] == wanted


def test_pages_side_by_side_are_the_whole_list(config):
    fake = FakeStore(*(candidate(number, f"{number:02}.py", lexical=50 - number) for number in range(25)))
    whole = search(Query("x", limit=25), fake, EMBEDDER, config)
    assert not whole.more
    pages, offset = [], 0
    while True:
        page = search(Query("x", limit=7, offset=offset), fake, EMBEDDER, config)
        pages += page.hits
        offset += 7
        assert page.total == 25
        if not page.more:
            break
    assert tuple(pages) == whole.hits
    assert offset == 28


def test_a_page_beyond_the_end_is_empty(config):
    found = search(Query("x", offset=5), FakeStore(candidate(1, lexical=1)), EMBEDDER, config)
    assert (found.hits, found.more, found.total) == ((), False, 1)


def test_a_deep_page_asks_the_store_for_enough(config):
    fake = FakeStore()
    search(Query("x", limit=10, offset=500), fake, EMBEDDER, config)
    search(Query("x", limit=10), fake, EMBEDDER, config)
    assert [ask.limit for ask in fake.asked] == [511, config.candidates]


def test_what_the_store_could_not_do_is_passed_on(config):
    fake = FakeStore(candidate(1, lexical=1), degraded=("tantivy is missing: FTS5 answered",))
    assert search(Query("x"), fake, EMBEDDER, config).degraded == ("tantivy is missing: FTS5 answered",)


def test_the_weights_of_the_configuration_reach_the_store(config):
    fake = FakeStore()
    search(Query("x"), fake, EMBEDDER, replace(config, fields=replace(config.fields, path=9.0)))
    assert fake.asked[0].weights == {"content": 1.0, "symbols": 2.0, "path": 9.0}


def test_the_scope_of_the_question_reaches_the_store(store, config):
    assert paths(store, config, "retry total", scope=Scope(languages=("typescript",))) == ["d/cart.ts"]
    assert paths(store, config, "retry total", scope=Scope(kinds=("class",))) == ["b/bank.py"]
    assert paths(store, config, "retry total", scope=Scope(path="a")) == ["a/retry.py"]
    assert paths(store, config, "retry total", scope=Scope(path="*.ts")) == ["d/cart.ts"]


def test_a_preview_is_cut_to_its_lines(config):
    fake = FakeStore(candidate(1, lexical=1))
    assert search(Query("x"), fake, EMBEDDER, replace(config, preview_lines=1)).hits[0].preview == "line one of 1"
    whole = search(Query("x"), fake, EMBEDDER, config).hits[0]
    assert whole.preview == "line one of 1\nline two"


def test_a_question_without_words_matches_nothing(store, config):
    assert paths(store, config, "!!! ???") == []


@pytest.mark.requirement("001-TOK-06")
def test_the_strategy_cuts_the_words_that_are_looked_up_and_the_text_that_is_embedded(monkeypatch, config):
    seen = []
    store = FakeStore()
    monkeypatch.setattr(EMBEDDER, "query", lambda text, tokens: seen.append(tokens) or HashedEmbedder().query(text))
    for strategy in ("phrase-aware", "legacy", "hybrid"):
        search(Query("page-agent", mode=Mode.HYBRID), store, EMBEDDER, replace(config, tokenization=strategy))
    assert seen == [("page-agent",), ("page", "agent"), ("page-agent", "page", "agent")]
    assert {ask.terms for ask in store.asked} == set(seen)


def test_a_compound_nobody_wrote_is_searched_by_its_parts_and_the_answer_says_so(config):
    store = filled(entry("a.js", "function getUser() {}", symbol="getUser", kind="function", language="javascript"))
    found = search(Query("get_user"), store, EMBEDDER, config)
    assert [hit.path for hit in found.hits] == ["a.js"]
    assert found.degraded == (WIDENED,)


def test_a_compound_that_is_written_somewhere_is_not_cut(config):
    store = filled(entry("a.js", "getUser"), entry("b.py", "get_user"))
    found = search(Query("get_user"), store, EMBEDDER, config)
    assert [hit.path for hit in found.hits] == ["b.py"]
    assert found.degraded == ()


def test_what_not_even_the_parts_find_is_no_match_without_excuses(config):
    found = search(Query("no_such_thing"), filled(entry("a.js", "getUser")), EMBEDDER, config)
    assert (found.hits, found.degraded) == ((), ())
