from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.search import pipeline
from shirube.engine.search.evidence import READ_BY_WORDS
from shirube.engine.search.pipeline import MOST_VERIFIED, Around, HitPage, search
from shirube.engine.search.places import ALSO
from shirube.engine.store.lookups import ChunkTexts, WhereKnown
from shirube.engine.store.memory import MemoryStore
from shirube.engine.store.port import Ask, Candidate, Candidates, Definition, Known, Lookup
from shirube.engine.store.store import Store
from shirube.messages import say
from shirube.settings import SearchConfig
from shirube.types import Edge, Mode, Query, Scope
from tests.cases import for_each
from tests.engine.search.conftest import DEFAULTS, EMBEDDER, IDENTITY, candidate, definition, entry, filled, points


@pytest.fixture
def unshaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every measure be worth itself, to reckon by hand."""
    monkeypatch.setattr(pipeline, "shapes", lambda: IDENTITY)


FILLER = tuple(entry(f"other/file{number}.py", f"nothing of interest {number}") for number in range(12))
"""So that what is in one path or text is rare."""


@pytest.fixture
def store() -> Store:
    return filled(
        entry("a/retry.py", "def retry(): retry retry", names=["retry"]),
        entry("b/bank.py", "class Bank: charges and does retry once in a long while", names=["Bank"], kind="class"),
        entry("c/notes.md", "nothing about it here", language="markdown"),
        entry("d/cart.ts", "function total() {}", names=["total"], language="typescript"),
    )


class FakeStore(Store):
    """A store that offers what the test hands it, and remembers what it was asked."""

    def __init__(
        self, *items: Candidate, degraded: tuple[str, ...] = (), definitions: tuple[Definition, ...] = ()
    ) -> None:
        super().__init__(MemoryStore(EMBEDDER.dimensions))
        self.items, self.said, self.definitions = items, degraded, definitions
        self.asked: list[Ask] = []

    def look(self, *needed: Lookup[Any], likely: Sequence[Lookup[Any]] = ()) -> list[Any]:
        return [self._answer(one) for one in needed]

    def _answer(self, asked: Lookup[Any]) -> Any:
        if isinstance(asked, Ask):
            self.asked.append(asked)
            phrases = tuple({} for _ in asked.phrases)
            return Candidates(self.items, phrases, self.definitions, degraded=self.said)
        if isinstance(asked, WhereKnown):
            return Known(1, *(dict.fromkeys(asked.terms, 1) for _ in range(3)), frozenset())
        if isinstance(asked, ChunkTexts):
            return {key: f"line one of {key}\nline two" for key in asked.keys}
        return self.backend.look(asked)[0]


def find(store: Store, text: str, around: Around | None = None, **options) -> HitPage:
    config = options.pop("config", DEFAULTS)
    return search(Query(text, **{"mode": Mode.LEXICAL, **options}), store, EMBEDDER, config, around)


def paths(store: Store, text: str, **options) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in find(store, text, **options).hits))


def why(store: Store, text: str, path: str, **options) -> dict[str, float]:
    return points(next(hit for hit in find(store, text, **options).hits if hit.path == path).why)


def test_the_best_match_comes_first_and_what_does_not_match_stays_away(store):
    assert paths(store, "retry") == ["a/retry.py", "b/bank.py"]


def test_nothing_that_matches_is_an_empty_page(store):
    assert find(store, "zebra") == HitPage((), False, 0, ())


@pytest.mark.requirement("003-CHUNK-08")
def test_a_hit_carries_place_reasons_and_preview(store):
    hit = find(store, "retry").hits[0]
    assert (hit.path, hit.start_line, hit.symbol, hit.kind, hit.language) == (
        "a/retry.py",
        1,
        "retry",
        "function",
        "python",
    )
    assert hit.preview == "def retry(): retry retry"
    assert hit.similarity is None


@pytest.mark.requirement("001-SCORE-06")
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("boost", sorted(DEFAULTS.boosts))
def test_a_score_is_the_sum_of_its_named_reasons(store, mode: Mode, boost: str):
    found = find(store, "retry bank a/retry.py", mode=mode, boost_profile=boost)
    assert found.hits
    for hit in found.hits:
        assert all(reason.name for reason in hit.why)
        assert hit.score == pytest.approx(sum(reason.points for reason in hit.why), abs=1e-6)


@for_each("mode", list(Mode))
def test_scores_never_rise_down_the_page_and_none_is_nothing(mode: Mode):
    store = filled(
        entry("a.py", "retry bank", "total retry", "bank of totals", "something else"), entry("b.py", "retry once")
    )
    scores = [hit.score for hit in find(store, "retry bank total", mode=mode).hits]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


@for_each(
    ("mode", "words", "sense"),
    [(Mode.LEXICAL, True, False), (Mode.DENSE, False, True), (Mode.HYBRID, True, True)],
)
def test_a_mode_asks_only_for_its_legs(mode: Mode, words: bool, sense: bool):
    fake = FakeStore()
    find(fake, "retry policy", mode=mode)
    (ask,) = fake.asked
    assert bool(ask.fields) is words
    assert bool(ask.vector) is sense


def test_the_sense_orders_by_cosine(unshaped):
    """Half as near as the nearest counts nothing; three quarters as near counts half. The sense weighs 1.4."""
    fake = FakeStore(
        candidate(1, "a.py", cosine=0.6), candidate(2, "b.py", cosine=0.8), candidate(3, "c.py", cosine=0.4)
    )
    found = find(fake, "x", mode=Mode.DENSE, boost_profile="none")
    assert [(hit.path, points(hit.why)) for hit in found.hits] == [
        ("b.py", {"text:sense": pytest.approx(1.4)}),
        ("a.py", {"text:sense": pytest.approx(0.7)}),
    ]


def test_both_legs_are_blended_by_what_they_say(unshaped):
    """words.py has all of the words and none of the sense, which weighs more (1.4)."""
    fake = FakeStore(candidate(1, "words.py", lexical=7.0), candidate(2, "sense.py", cosine=0.9))
    found = find(fake, "x", mode=Mode.HYBRID, boost_profile="none")
    assert [(hit.path, hit.score) for hit in found.hits] == [
        ("sense.py", 1.4),
        ("words.py", 1.0),
    ]


def test_both_legs_are_fused_by_reciprocal_ranks_computed_by_hand_when_that_is_wanted(unshaped):
    """both.py is second twice, 61/62 of 1 and of 1.4; the others are first once."""
    fake = FakeStore(
        candidate(1, "both.py", lexical=5.0, cosine=0.5),
        candidate(2, "words.py", lexical=7.0),
        candidate(3, "sense.py", cosine=0.9),
    )
    found = find(fake, "x", mode=Mode.HYBRID, boost_profile="none", config=replace(DEFAULTS, fusion="rrf"))
    assert [(hit.path, hit.score) for hit in found.hits] == [
        ("both.py", pytest.approx(2.4 * 61 / 62, abs=1e-6)),
        ("sense.py", 1.4),
        ("words.py", 1.0),
    ]


@for_each("mode", [Mode.LEXICAL, Mode.DENSE, Mode.HYBRID])
def test_ties_go_by_path_then_by_line_whatever_order_the_store_has(mode: Mode):
    items = [
        candidate(4, "b.py", 1, lexical=1.0, cosine=0.5),
        candidate(3, "a.py", 19, lexical=1.0, cosine=0.5),
        candidate(2, "a.py", 12, lexical=1.0, cosine=0.5),
        candidate(5, "c.py", 1, lexical=1.0, cosine=0.5),
    ]
    pages = [find(FakeStore(*order), "x", mode=mode).hits for order in (items, items[::-1], items[2:] + items[:2])]
    assert [(hit.path, hit.start_line) for hit in pages[0]] == [("a.py", 12), ("a.py", 19), ("b.py", 1), ("c.py", 1)]
    assert pages[1] == pages[2] == pages[0]


@pytest.mark.requirement("001-POLICY-01")
@given(st.permutations(range(9)))
def test_the_same_files_have_the_same_order_however_they_were_written(order: list[int]):
    entries = [entry(f"{n % 3}/f{n}.py", f"retry {n % 2} alpha" * (1 + n % 4), "beta retry") for n in range(9)]
    plain = [(hit.path, hit.start_line, hit.score) for hit in find(filled(*entries), "retry alpha").hits]
    mixed = filled(*(entries[at] for at in order))
    assert [(hit.path, hit.start_line, hit.score) for hit in find(mixed, "retry alpha").hits] == plain


def test_a_file_has_its_best_place_first_and_says_where_the_others_are():
    store = filled(entry("a.py", "retry alpha", "retry"), entry("b.py", "retry"), *FILLER)
    first, further = (hit for hit in find(store, "retry alpha").hits if hit.path == "a.py")
    assert (first.start_line, further.start_line) == (1, 2)
    assert [(place.start_line, place.end_line) for place in first.also] == [(2, 2)]
    assert further.why[:-1] == first.why
    assert further.why[-1].name == "further place"


def test_further_places_come_on_the_pages_behind_the_files():
    store = filled(*(entry(f"{n}.py", "retry", "retry") for n in range(5)))
    found = find(store, "retry", limit=3)
    assert [hit.path for hit in found.hits] == ["0.py", "1.py", "2.py"]
    assert (found.more, found.total) == (True, 10)


def test_no_more_than_a_few_further_places_are_named_beside_a_hit():
    store = filled(entry("a.py", *["retry"] * 9))
    assert len(find(store, "retry").hits[0].also) == ALSO


@for_each("limit", [1, 2, 3, 4, 7, 11])
def test_pages_side_by_side_are_the_whole_list(limit: int):
    store = filled(*(entry(f"{n}.py", f"retry alpha {'x ' * n}", "retry", "alpha") for n in range(4)))
    whole = find(store, "retry alpha", limit=100)
    assert len(whole.hits) == 12
    assert not whole.more
    pages, offset = [], 0
    while True:
        page = find(store, "retry alpha", limit=limit, offset=offset)
        pages += page.hits
        offset += limit
        assert page.total == len(whole.hits)
        if not page.more:
            break
    assert tuple(pages) == whole.hits


def test_every_file_is_on_some_page_and_on_one_only():
    store = filled(*(entry(f"{n:03}.py", f"retry {'x ' * n}") for n in range(150)))
    found, offset, more = [], 0, True
    while more:
        page = find(store, "retry", limit=10, offset=offset)
        found += [hit.path for hit in page.hits]
        offset, more = offset + 10, page.more
    assert found == [f"{n:03}.py" for n in range(150)]


def test_a_page_beyond_the_end_is_empty():
    found = find(FakeStore(candidate(1, lexical=1)), "x", offset=5)
    assert (found.hits, found.more, found.total) == ((), False, 1)


def test_every_page_asks_the_store_for_the_same_so_that_pages_fit_together(config):
    fake = FakeStore()
    for offset in (0, 10, 500):
        find(fake, "x", limit=10, offset=offset)
    find(fake, "x", limit=100)
    assert [ask.limit for ask in fake.asked] == [config.candidates] * 4


def test_what_the_store_could_not_do_is_passed_on():
    fake = FakeStore(candidate(1, lexical=1), degraded=("tantivy is missing: FTS5 answered",))
    assert find(fake, "x").degraded == ("tantivy is missing: FTS5 answered",)


def test_the_weights_of_the_fields_reach_the_store(config):
    fake = FakeStore()
    fields = replace(config.fields, content=3.0, symbols=0.5)
    find(fake, "configuration", config=replace(config, fields=fields))
    short = config.signals.other_forms
    forms = {"config": short, "cfg": short, "conf": short}
    assert fake.asked[0].fields == {
        "content": {"configur": 3.0},
        "symbols": {"configur": 0.5} | {form: 0.5 * worth for form, worth in forms.items()},
        "path": {"configur": 1.0, **forms},
    }


def test_names_and_phrases_reach_the_store():
    fake = FakeStore(candidate(1, lexical=1))
    find(fake, 'Foo::bar "oauth handlers" page-agent')
    assert fake.asked[0].names == ("bar", "page-agent", "page_agent", "pageagent")
    assert fake.asked[0].outer == "foo"
    assert fake.asked[0].phrases == (("oauth", "handler"), ("page-agent",))


def test_the_scope_of_the_question_reaches_the_store(store):
    assert paths(store, "retry total", scope=Scope(languages=("typescript",))) == ["d/cart.ts"]
    assert paths(store, "retry total", scope=Scope(kinds=("class",))) == ["b/bank.py"]
    assert paths(store, "retry total", scope=Scope(path="a")) == ["a/retry.py"]
    assert paths(store, "retry total", scope=Scope(path="*.ts")) == ["d/cart.ts"]


def test_only_documents_with_all_the_tags_are_left():
    store = filled(
        entry("a.md", "---\ntags: [Auth, web]\n---\nlogin", language="markdown"),
        entry("b.md", "---\ntags: [auth]\n---\nlogin login", language="markdown"),
        entry("c.py", "login"),
    )
    assert paths(store, "login", scope=Scope(tags=("auth",))) == ["b.md", "a.md"]
    assert paths(store, "login", scope=Scope(tags=("auth", "web"))) == ["a.md"]
    assert paths(store, "login", scope=Scope(tags=("none",))) == []


def test_tags_are_looked_for_in_every_chunk_there_is():
    fake = FakeStore()
    find(fake, "x", scope=Scope(tags=("auth",)))
    assert fake.asked[0].limit > fake.size()


def test_a_preview_is_cut_to_its_lines(config):
    fake = FakeStore(candidate(1, lexical=1))
    assert find(fake, "x", config=replace(config, preview_lines=1)).hits[0].preview == "line one of 1"
    assert find(fake, "x").hits[0].preview == "line one of 1\nline two"


def test_a_question_without_words_matches_nothing(store):
    assert paths(store, "!!! ???") == []


@pytest.mark.requirement("001-TOK-06")
def test_the_strategy_cuts_the_words_that_are_looked_up_and_the_text_that_is_embedded(monkeypatch, config):
    seen, store = [], FakeStore(candidate(1, lexical=1))
    monkeypatch.setattr(EMBEDDER, "query", lambda text, tokens: seen.append(tokens) or HashedEmbedder().query(text))
    for strategy, cut in (
        ("phrase-aware", ("page-agent",)),
        ("legacy", ("page", "agent")),
        ("hybrid", ("page-agent", "page", "agent")),
    ):
        seen.clear()
        store.asked.clear()
        find(store, "page-agent", mode=Mode.HYBRID, config=replace(config, tokenization=strategy))
        assert seen[0] == cut
        assert tuple(store.asked[0].fields["content"]) == cut


# --- compounds and phrases ---------------------------------------------------------------------------------


@pytest.mark.requirement("001-PHRASE-04")
def test_a_compound_is_looked_for_as_it_is_written():
    store = filled(entry("a.js", "getUser"), entry("b.py", "get_user", names=["get_user"]), *FILLER)
    found = find(store, "get_user")
    assert [hit.path for hit in found.hits] == ["b.py"]
    assert "phrase:get_user" in points(found.hits[0].why)
    assert found.degraded == ()


@for_each(
    "one",
    [
        entry("lambda/page-agent/run.ts", "the page-agent runs", language="typescript"),
        entry("src/run.rb", "the page-agent runs", names=["page-agent"], language="ruby"),
    ],
)
def test_a_compound_in_a_path_or_a_symbol_is_a_name_and_so_a_phrase(one):
    assert "phrase:page-agent" in why(filled(one, *FILLER), "page-agent", one.record.path)


def test_a_compound_that_names_a_method_inside_of_a_class_is_a_phrase():
    """Methods of a small class have no chunk of their own, so only its definition tells that it is a name."""
    bank = entry("src/bank.py", "class Bank: def charge_card(self): charge_card", names=["Bank"], kind="class")
    method = replace(bank.symbols[0], name="charge_card", qualified="Bank.charge_card", kind="method")
    store = filled(replace(bank, symbols=(*bank.symbols, method)), *FILLER)
    assert "phrase:charge_card" in why(store, "charge_card", "src/bank.py")


def test_a_compound_of_prose_is_no_phrase_and_its_words_count():
    store = filled(entry("a.py", "a case-insensitive search"), entry("b.py", "insensitive to case: search"), *FILLER)
    found = find(store, "case-insensitive search")
    assert {hit.path for hit in found.hits} == {"a.py", "b.py"}
    assert not any(reason.name.startswith("phrase:") for hit in found.hits for reason in hit.why)
    assert found.degraded == ()


def test_the_projects_own_name_is_no_phrase():
    store = filled(*(entry(f"my-app/{n}.py", "my-app starts" if n else "my-app app start") for n in range(8)))
    assert not any("phrase:my-app" in points(hit.why) for hit in find(store, "my-app start").hits)


def test_a_compound_nobody_wrote_is_searched_by_its_parts_and_the_answer_says_so():
    store = filled(entry("a.js", "function getUser() {}", names=["getUser"], language="javascript"))
    found = find(store, "get_user")
    assert [hit.path for hit in found.hits] == ["a.js"]
    assert found.degraded == (say("asking.compounds"),)


def test_what_not_even_the_parts_find_is_no_match():
    assert find(filled(entry("a.js", "getUser")), "no_such_thing").hits == ()


def test_a_compound_longer_than_any_term_is_no_obstacle(store):
    assert paths(store, f"retry {'x' * 70}_{'y' * 70}")[0] == "a/retry.py"


@pytest.mark.requirement("001-PHRASE-01", "001-PHRASE-04")
def test_a_quoted_phrase_counts_only_where_it_stands_as_written():
    store = filled(
        entry("words.py", "handler oauth oauth, a handler handler"),
        entry("phrase.py", "The OAuth\n   Handler of everything"),
        *FILLER,
    )
    assert "phrase:oauth handler" in why(store, '"oauth handler"', "phrase.py")
    assert "phrase:oauth handler" not in why(store, '"oauth handler"', "words.py")
    assert paths(store, '"oauth handler"') == ["phrase.py", "words.py"]


def test_a_quoted_phrase_is_read_in_the_likeliest_chunks_only(monkeypatch):
    store = filled(*(entry(f"{n}.py", "oauth handler") for n in range(MOST_VERIFIED + 9)))
    monkeypatch.setattr(pipeline, "MOST_VERIFIED", 9)
    read, look = [], store.backend.look

    def noting(*wanted, likely=()):
        read.extend(len(one.keys) for one in wanted if isinstance(one, ChunkTexts))
        return look(*wanted)

    monkeypatch.setattr(store.backend, "look", noting)
    with Deadline().governing():
        find(store, '"oauth handler"', limit=1)
    assert READ_BY_WORDS < read[0] <= READ_BY_WORDS + 9
    monkeypatch.setattr(pipeline, "MOST_VERIFIED", 500)
    with Deadline().governing():
        find(store, '"oauth handler"', limit=1)
    assert len(read) == 2
    assert read[1] > read[0]


@pytest.mark.requirement("001-PATH-01", "001-SCORE-01")
def test_a_phrase_in_text_and_path_has_the_seeds_weights(unshaped):
    """2.0, and 1.5 (path) × 1.5 (phrase)."""
    store = filled(
        entry("lambda/page-agent/src/handler.ts", "page-agent Lambda handler", language="typescript"),
        entry("lambda/canvas-agent/handler.ts", "canvas-agent Lambda handler", language="typescript"),
        *FILLER,
    )
    found = why(store, "page-agent Lambda handler", "lambda/page-agent/src/handler.ts")
    assert found["phrase:page-agent"] == pytest.approx(2.0)
    assert found["path-phrase:page-agent"] == pytest.approx(2.25)
    assert paths(store, "page-agent Lambda handler")[:2] == [
        "lambda/page-agent/src/handler.ts",
        "lambda/canvas-agent/handler.ts",
    ]


# --- names ---------------------------------------------------------------------------------------------------


@for_each(
    ("question", "symbol", "kind"),
    [
        ("Foo::bar", "Foo.bar", "method"),
        ("module.func", "func", "function"),
        ("_private", "_private", "function"),
        ("getUserById", "getUserById", "function"),
        ("where is getUserById defined", "getUserById", "function"),
        ("SessionStore", "SessionStore", "class"),
    ],
)
def test_what_defines_a_name_comes_before_what_uses_it(question: str, symbol: str, kind: str):
    name = symbol.rpartition(".")[2]
    store = filled(
        entry("src/m.py", f"def {name}(): module Foo", names=[symbol], kind=kind),
        *(entry(f"src/use{n}.py", f"module Foo {name} {name}") for n in range(3)),
        *FILLER,
    )
    found = find(store, question)
    assert found.hits[0].path == "src/m.py"
    assert f"definition:{symbol}" in points(found.hits[0].why)


def test_the_place_of_a_definition_is_shown_before_the_place_that_uses_it_more():
    fake = FakeStore(
        candidate(1, "a.py", 1, lexical=9.0),
        candidate(2, "a.py", 50, lexical=1.0),
        definitions=(definition("getUser", "function", 2, "a.py"),),
    )
    assert find(fake, "getUser").hits[0].start_line == 50


# --- what is around the question -----------------------------------------------------------------------------


def imports(source: str, *targets: str) -> dict[str, tuple[Edge, ...]]:
    return {source: tuple(Edge(source, target, "path") for target in targets)}


@pytest.mark.requirement("001-SCORE-03")
def test_what_the_best_file_imports_shares_its_worth(unshaped):
    store = filled(
        entry("web/page.py", "alpha beta"),
        entry("lib/one.py", "beta"),
        entry("lib2/two.py", "beta"),
        edges=imports("web/page.py", "lib/one.py", "lib2/two.py"),
    )
    given = why(store, "alpha beta", "lib/one.py")
    profile, signals = DEFAULTS.profiles["default"], DEFAULTS.signals
    assert given["dep:web/page.py"] == pytest.approx(profile.dependency * signals.dependency * 0.5 * 2)


def test_a_package_and_the_file_itself_are_no_dependencies():
    edges = {"a.py": (Edge("a.py", "a.py", "path"), Edge("a.py", "b.py", "package"))}
    store = filled(entry("a.py", "alpha beta"), entry("b.py", "beta"), edges=edges)
    assert not any(reason.name.startswith("dep:") for hit in find(store, "alpha beta").hits for reason in hit.why)


@pytest.mark.requirement("001-SCORE-04")
def test_what_stands_beside_the_best_file_is_near_it():
    store = filled(entry("auth/a.py", "alpha beta"), entry("auth/b.py", "beta"), entry("web/c.py", "beta"), *FILLER)
    assert paths(store, "alpha beta") == ["auth/a.py", "auth/b.py", "web/c.py"]


@pytest.mark.requirement("001-SCORE-02")
def test_the_file_at_hand_gains_and_so_does_what_it_imports():
    store = filled(
        entry("a/a.py", "beta"),
        entry("b/b.py", "beta"),
        entry("c/c.py", "beta"),
        edges=imports("c/c.py", "b/b.py"),
    )
    assert paths(store, "beta") == ["b/b.py", "a/a.py", "c/c.py"]
    assert paths(store, "beta", around=Around(("c/c.py",))) == ["c/c.py", "b/b.py", "a/a.py"]


@for_each("text", ["nothing", "alpha"])
def test_what_the_file_at_hand_imports_gains_alike_whatever_its_own_text_is_worth(unshaped, text: str):
    store = filled(
        entry("e/e.py", text),
        entry("lib/a.py", "beta"),
        entry("x/x.py", "alpha beta beta"),
        edges=imports("e/e.py", "lib/a.py"),
    )
    profile, signals = DEFAULTS.profiles["default"], DEFAULTS.signals
    given = why(store, "alpha beta", "lib/a.py", around=Around(("e/e.py",)))
    assert given["dep:e/e.py"] == pytest.approx(profile.dependency * signals.dependency * 2)


@pytest.mark.requirement("001-SCORE-05")
def test_what_is_built_like_the_file_at_hand_gains():
    store = filled(
        entry("x/users.py", "beta", names=["find_user"]),
        entry("y/orders.py", "beta", names=["find_order"]),
        entry("w/words.py", "beta", names=["Words"], kind="class"),
    )
    around = Around(("x/users.py",))
    assert "structural" in why(store, "beta", "y/orders.py", around=around)
    assert "structural" not in why(store, "beta", "w/words.py", around=around)
    assert "structural" not in why(store, "beta", "x/users.py", around=around)
    assert "structural" not in why(store, "beta", "y/orders.py")


def test_a_file_at_hand_that_is_not_indexed_is_no_obstacle(store):
    assert paths(store, "retry", around=Around(("gone/x.py",)))[0] == "a/retry.py"


def test_history_counts_for_the_profiles_that_ask_for_it(store):
    around = Around(("c/notes.md",), recent={"b/bank.py": 1.0}, together={"b/bank.py": 0.5})
    for profile in ("default", "bugfix"):
        given = why(store, "retry", "b/bank.py", around=around, profile=profile)
        assert ("recent" in given) is (DEFAULTS.profiles[profile].recent > 0)
        assert given["co-change"] == pytest.approx(
            DEFAULTS.profiles[profile].cochange * DEFAULTS.signals.cochange * 0.5
        )


@pytest.mark.requirement("001-BOOST-07", "001-PROFILE-06")
@pytest.mark.parametrize("profile", sorted(DEFAULTS.profiles))
@pytest.mark.parametrize("boost", sorted(DEFAULTS.boosts))
def test_every_profile_answers(store, profile: str, boost: str):
    assert "a/retry.py" in paths(store, "retry", profile=profile, boost_profile=boost)


def test_a_profile_of_the_settings_holds_unless_the_question_names_one(store, config: SearchConfig):
    asked = replace(config, profile="feature", boost_profile="code")
    set_so = find(store, "retry bank", config=asked).hits
    assert set_so == find(store, "retry bank", profile="feature", boost_profile="code").hits
    plain = find(store, "retry bank").hits
    assert set_so != plain
    assert plain == find(store, "retry bank", config=asked, profile="default", boost_profile="default").hits


def test_settings_without_boosts_mean_the_text_alone_too(store, config: SearchConfig):
    asked = replace(config, boost_profile="none")
    assert why(store, "retry", "a/retry.py", config=asked).keys() == {"text:words"}
    assert "boost:implementation" in why(store, "retry", "a/retry.py", config=asked, boost_profile="default")


# --- Japanese ------------------------------------------------------------------------------------------------


JAPANESE = filled(
    entry("src/auth/middleware.py", "class AuthMiddleware: checks the token of a request"),
    entry("src/cache.py", "def evict(): removes the oldest entry of the cache"),
    entry("src/db.py", "# 接続プールから取り出す\ndef acquire(): pass"),
    entry("src/users.py", "def getUserById(id): return rows[id]", names=["getUserById"]),
    *FILLER,
)


@for_each(
    ("question", "path"),
    [
        ("認証ミドルウェア", "src/auth/middleware.py"),
        ("キャッシュの削除", "src/cache.py"),
        ("ｷｬｯｼｭ", "src/cache.py"),
        ("接続プールから取り出す", "src/db.py"),
        ("getUserByIdの実装", "src/users.py"),
        ("トークンを検証するmiddleware", "src/auth/middleware.py"),
    ],
)
def test_a_japanese_question_finds_english_code_names_and_japanese_comments(question: str, path: str):
    assert paths(JAPANESE, question)[0] == path


# --- how sure ------------------------------------------------------------------------------------------------


def test_an_answer_that_has_all_the_words_is_surer_than_one_that_has_some():
    store = filled(entry("a.py", "alpha beta gamma"), *FILLER)
    whole, part = find(store, "alpha beta gamma"), find(store, "alpha zeta theta")
    assert 0 < part.confidence < whole.confidence <= 1
    assert (whole.signs.coverage, part.signs.coverage < 0.5) == (1.0, True)


def test_the_first_hit_is_judged_on_every_page_alike():
    store = filled(*(entry(f"{n}.py", "retry") for n in range(5)))
    pages = [find(store, "retry", limit=2, offset=offset) for offset in (0, 2, 4)]
    assert len({page.confidence for page in pages}) == 1


def test_the_definition_of_a_snake_case_name_comes_before_those_who_use_it_more():
    store = filled(
        entry("a/calls.py", "send_mail twice: send_mail " + "many other words " * 30),
        entry("b/mail.py", "def send_mail(): " + "many other words " * 30, names=("send_mail",)),
        *FILLER,
    )
    assert paths(store, "send_mail")[0] == "b/mail.py"


def test_a_name_is_found_however_the_convention_next_door_spells_it():
    store = filled(entry("a.py", "def make_response(): x", names=("make_response",)), entry("b.py", "make response"))
    assert any(name.startswith("definition:make_response") for name in why(store, "makeResponse", "a.py"))


def test_a_file_that_is_named_in_full_comes_before_one_that_shares_its_parts():
    store = filled(entry("db/models/query.py", "build filter"), entry("db/models/sql/query.py", "build filter filter"))
    assert paths(store, "where does db/models/query.py build the filter")[0] == "db/models/query.py"
    assert "path:db/models/query.py" in why(store, "where does db/models/query.py build it", "db/models/query.py")


def test_a_pasted_traceback_is_read_to_its_end():
    noise = " ".join(f"line{n}" for n in range(300))
    store = filled(entry("a.py", "TemplateDoesNotExist"), entry("b.py", "line1 line2"))
    assert "a.py" in paths(store, f"{noise} TemplateDoesNotExist")


def test_what_is_multiplied_by_nothing_is_still_found():
    boosts = {**DEFAULTS.boosts, "default": replace(DEFAULTS.boosts["default"], implementation=0.0)}
    assert paths(filled(entry("a.py", "alpha")), "alpha", config=replace(DEFAULTS, boosts=boosts)) == ["a.py"]


def test_the_chunk_that_has_the_phrase_is_the_one_that_is_shown():
    store = filled(entry("a.py", "oauth oauth handler handler token\n", "the oauth handler\n"))
    assert find(store, '"oauth handler"').hits[0].start_line in (1, 2)
    assert "the oauth handler" in find(store, '"the oauth handler"').hits[0].preview


def test_auto_asks_by_words_and_sense_at_once_and_for_a_bare_name_by_words_alone():
    store = filled(entry("retry.py", "retry policy of payments", names=("RetryPolicy",)), *FILLER)
    legs = [
        {reason.name for hit in find(store, text, mode=Mode.AUTO).hits for reason in hit.why}
        for text in ("retry policy", "RetryPolicy")
    ]
    assert [("text:words" in leg, "text:sense" in leg) for leg in legs] == [(True, True), (True, False)]


def test_a_hit_says_how_likely_it_belongs_where_its_meaning_was_asked_for():
    store = FakeStore(candidate(1, "a.py", lexical=2.0, cosine=0.5), candidate(2, "b.py", lexical=1.0))
    around = Around(similar=lambda cosine: cosine + 0.25)
    near, far = find(store, "retry", around, mode=Mode.HYBRID).hits
    assert (near.similarity, far.similarity) == (0.75, None)
    assert find(store, "retry", mode=Mode.HYBRID).hits[0].similarity is None


@for_each("mode", [Mode.DENSE, Mode.HYBRID])
def test_what_unrelated_texts_have_in_common_is_no_likeness(mode):
    near = [candidate(number, f"{number}.py", cosine=cosine) for number, cosine in ((1, 0.95), (2, 0.75), (3, 0.69))]
    before = find(FakeStore(*near), "retry the payment", mode=mode).hits
    assert len(before) == 3
    after = find(FakeStore(*near), "retry the payment", mode=mode, around=Around(background=0.7)).hits
    assert [hit.path for hit in after if points(hit.why).get("text:sense", 0) > 0] == [before[0].path]
