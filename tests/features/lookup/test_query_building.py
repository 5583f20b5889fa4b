"""What every question has in common, whichever operation asks it: reading, refusing, judging."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from shirube import Project, open_workspace
from shirube.codec import replace
from shirube.engine.search import HitPage
from shirube.engine.store.lookups import ChangedTogether, PastChanges
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.features.lookup.operations import SearchRequest
from shirube.features.lookup.query_building import SearchInput, ask, judge_answer, next_cursor, query_of
from shirube.features.lookup.results import SearchResult
from shirube.messages import say
from shirube.operation import Call, Context, pack_cursor
from shirube.operations import operation_named, run
from shirube.types import Answer, Mode, Query, Scope
from tests.cases import for_each

ASKING = ("search", "search_forest", "files_search")


def read(shop: Project, text: str, **options) -> Query:
    return query_of(shop.workspace, SearchInput(text, 10, **options))


def test_filters_inside_the_text_count_as_arguments(shop: Project):
    query = read(shop, "retry lang:py lang:typescript path:src kind:class tag:Web", kinds=("function",))
    assert query.scope == Scope("src", ("python", "typescript"), ("function", "class"), ("web",))


def test_the_same_path_said_twice_is_one_path(shop: Project):
    assert read(shop, "retry path:src path:src", path="src").scope.path == "src"


def test_auto_is_the_mode_of_the_settings_and_without_a_trained_model_by_words(shop: Project):
    assert read(shop, "retry").mode == Mode.LEXICAL
    assert read(shop, "retry", mode=Mode.DENSE).mode == Mode.DENSE


def test_a_profile_goes_through_as_it_was_named(shop: Project):
    query = read(shop, "retry", profile="bugfix", boost_profile="docs")
    assert (query.profile, query.boost_profile) == ("bugfix", "docs")


@pytest.mark.requirement("N001-RANK-05")
@for_each("operation", ASKING)
@for_each(
    ("arguments", "code", "message", "hint"),
    [
        ({"query": ""}, "bad_argument", "the query has no word", "for example"),
        ({"query": "?!"}, "bad_argument", "the query has no word", "for example"),
        ({"query": "lang:python"}, "bad_argument", "the query has no word", "for example"),
        ({"query": "x" * 100_000}, "bad_argument", "one word of 100000 characters", "search_text"),
        ({"query": "あ " * 200_001}, "bad_argument", "'query' has 400002 characters", "the part that matters"),
        ({"query": "x", "profile": "testfial"}, "unknown_name", "profile 'testfial'", "'testfail'"),
        ({"query": "x", "profile": "zzz"}, "unknown_name", "profile 'zzz'", "known: bugfix, default"),
        ({"query": "x", "boost_profile": "doc"}, "unknown_name", "boost profile 'doc'", "'docs'"),
        ({"query": "x kind:clas"}, "unknown_name", "kind 'clas'", "'class'"),
        ({"query": "x lang:pyhton"}, "unknown_name", "language 'pyhton'", "'python'"),
        ({"query": "x path:../y"}, "outside_root", "'../y' leads out of the project", "only paths below"),
        ({"query": "x path:/etc"}, "outside_root", "'/etc' leads out of the project", "only paths below"),
        ({"query": "x path:src path:web"}, "bad_argument", "two paths are given: src and web", "give one"),
        ({"query": "x path:src", "path": "web"}, "bad_argument", "two paths are given: web and src", "give one"),
        ({"query": "x", "path": "../y"}, "outside_root", "'../y' leads out of the project", "only paths below"),
        ({"query": "x", "cursor": "junk"}, "bad_argument", "cursor is not one of ours", "next_cursor"),
        ({"query": "x", "cursor": pack_cursor("a.py", 3)}, "bad_argument", "cursor is not one of ours", "next_cursor"),
        ({"query": "x", "cursor": pack_cursor(-1)}, "bad_argument", "cursor is not one of ours", "next_cursor"),
        ({"query": "x", "limit": 0}, "bad_argument", "'limit' must be from 1 to", "How many"),
        ({"query": "x", "limit": 201}, "bad_argument", "'limit' must be from 1 to", "How many"),
        ({"query": "x", "boots_profile": "docs"}, "unknown_name", "argument 'boots_profile'", "'boost_profile'"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name_with_the_next_step(
    shop: Project, operation: str, arguments: dict[str, object], code: str, message: str, hint: str
):
    with pytest.raises(ShirubeError) as caught:
        shop.call(operation, **arguments)
    assert caught.value.code == code
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert len(caught.value.message) < 300


def test_a_file_at_hand_outside_the_project_is_refused(shop: Project):
    with pytest.raises(ShirubeError, match=r"'\.\./x' leads out of the project") as caught:
        shop.search("retry", editing=["../x"])
    assert caught.value.code == "outside_root"


def test_a_pasted_text_up_to_the_limit_is_answered(shop: Project):
    assert isinstance(shop.search("retry the payment " * 1_100), SearchResult)


def test_a_name_longer_than_any_index_term_is_answered(shop: Project):
    assert shop.search(f"retry {'x' * 70}_{'y' * 70}").forest_hits


@for_each(
    ("share", "answer"), [(0.0, Answer.PARTIAL), (0.99, Answer.PARTIAL), (1.0, Answer.FOUND), (1.4, Answer.FOUND)]
)
def test_an_answer_is_found_from_a_likelihood_of_the_settings_on(shop: Project, share: float, answer: Answer):
    confidence = share * shop.workspace.config.search.confidence.found
    found, _ = ask(shop.workspace, read(shop, "retry"), SearchInput("retry", 10), Call(patient=True))
    said, advice = judge_answer(shop.workspace, read(shop, "retry"), replace(found, confidence=confidence), ())
    assert said == answer
    assert advice.startswith("read src/shop/retry.py:")


NOTHING = HitPage((), False, 0, ())


@for_each(
    ("query", "notes", "answer", "words"),
    [
        (Query("zebra"), (), Answer.NONE, "nothing indexed has these words"),
        (Query("zebra"), ("a look is under way",), Answer.UNKNOWN, "ask again"),
        (Query("zebra", scope=Scope("gone")), (), Answer.UNKNOWN, "nothing at 'gone' is indexed"),
        (Query("型"), (), Answer.UNKNOWN, "a single character"),
    ],
)
def test_an_absence_is_claimed_only_where_it_is_proven(
    shop: Project, query: Query, notes: tuple[str, ...], answer: Answer, words: str
):
    said, advice = judge_answer(shop.workspace, query, NOTHING, notes)
    assert said == answer
    assert words in advice


def test_while_the_index_is_being_built_nothing_is_certain(workspace):
    """The workspace is open and not indexed yet."""
    assert judge_answer(workspace, Query("zebra"), NOTHING, ())[0] == Answer.UNKNOWN
    found = replace(NOTHING, hits=("something",), confidence=1.0)
    assert judge_answer(workspace, Query("zebra"), found, ())[0] == Answer.PARTIAL


def test_the_next_page_begins_where_this_one_ends(shop: Project):
    query = replace(Query("x", limit=7), offset=14)
    assert next_cursor(query, replace(NOTHING, more=True)) == pack_cursor(21)
    assert next_cursor(query, NOTHING) == ""


@for_each(
    ("text", "wanted"),
    [
        ("retry payment lang:ts", set()),
        ("price lang:ts", {"web/cart.ts", "web/price.ts"}),
        ("retry path:web", set()),
        ("price path:web/cart.ts", {"web/cart.ts"}),
        ("payment path:**/*.py kind:class", {"src/shop/payment.py"}),
        ("policy kind:section", {"README.md"}),
        ("policy tag:none", set()),
    ],
)
def test_filters_inside_the_text_narrow_the_answer(shop: Project, text: str, wanted: set[str]):
    assert {hit.path for hit in shop.search(text).forest_hits} == wanted


@pytest.mark.requirement("N001-ASK-01")
def test_a_tag_finds_the_documents_that_have_it(sample_repo):
    (sample_repo / "docs").mkdir()
    (sample_repo / "docs/login.md").write_text("---\ntags: [Auth, web]\n---\n# Retry\n\nretry the login\n")
    with open_workspace(sample_repo) as project:
        assert [hit.path for hit in project.search("retry tag:auth").forest_hits] == ["docs/login.md"]


@pytest.mark.requirement("001-FTS-02", "N001-DEGRADE-01")
def test_a_fallback_is_said_and_gone_with_the_next_question(sample_repo, monkeypatch):
    from shirube.engine.store import tantivy

    def gone() -> None:
        raise ImportError("gone")

    with open_workspace(sample_repo) as project:
        with monkeypatch.context() as patch:
            patch.setattr(tantivy, "_tantivy", gone)
            worse = [project.search("cartTotal") for _ in range(2)]
        good = project.search("cartTotal")
    assert all("tantivy cannot be used (gone)" in result.degraded[0] for result in worse)
    assert good.degraded == ()
    assert {result.forest_hits[0].path for result in (*worse, good)} == {"web/cart.ts"}


@pytest.mark.requirement("N001-RANK-07")
def test_history_is_read_for_those_who_use_it_only(shop: Project, monkeypatch):
    asked, look = [], shop.workspace.store.backend.look

    def noting(*wanted, likely=()):
        asked.extend(type(one) for one in wanted if isinstance(one, PastChanges | ChangedTogether))
        return look(*wanted)

    monkeypatch.setattr(shop.workspace.store.backend, "look", noting)
    shop.search("retry")
    assert asked == []
    shop.search("retry", profile="bugfix")
    shop.search("retry", editing=["src/shop/payment.py"])
    assert asked == [PastChanges, ChangedTogether]


def test_a_cursor_behind_the_end_is_no_proof_of_absence(shop: Project):
    operation = operation_named("search")
    result = operation.function(
        Context(shop.workspace, Call()), SearchRequest("retry payment", cursor=pack_cursor(5000))
    )
    assert (result.forest_hits, result.answer) == ((), Answer.PARTIAL)
    assert "no further places" in result.next
    assert "without skip" in shop.search("retry payment", skip=5000).next


def test_too_many_files_at_hand_and_unknown_ones_are_refused(shop: Project):
    with pytest.raises(BadArgument, match="the limit is 20"):
        shop.search("retry", editing=[f"src/{n}.py" for n in range(21)])
    with pytest.raises(UnknownName, match="file at hand"):
        shop.search("retry", editing=["src/shop/retri.py"])
    assert shop.search("retry", editing=["src/shop/retry.py"] * 500).forest_hits


def test_one_character_with_a_filter_is_unknown_as_without(shop: Project):
    assert shop.search("設 lang:python").answer == Answer.UNKNOWN


def test_many_threads_may_ask_for_the_meaning_at_once(shop: Project):
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda n: shop.search(f"retry {n}", mode="dense").total, range(60)))
    assert len(found) == 60


def test_a_question_that_is_passing_finds_what_is_indexed_and_proves_no_absence(sample_repo):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        workspace, passing = project.workspace, Call(passing=True)
        (sample_repo / "late.py").write_text("def zebra_crossing():\n    return 1\n")
        found, late = (run(workspace, "search", {"query": query}, passing) for query in ("retry", "zebra"))
        assert found.total
        assert not found.degraded
        assert (late.total, late.answer, late.degraded) == (0, Answer.UNKNOWN, (say("asking.unproven"),))
        assert run(workspace, "search", {"query": "zebra"}, Call()).total == 1


def test_the_last_word_of_a_passing_question_may_be_half_typed(sample_repo):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        half = run(project.workspace, "search", {"query": "paym"}, Call(passing=True))
        assert half.forest_hits[0].path == "src/shop/payment.py"
        assert any("read as 'PaymentError'" in note for note in half.degraded)
        assert not run(project.workspace, "search", {"query": "paym"}, Call()).total
        assert not run(project.workspace, "search", {"query": "Pa zebracrossing"}, Call(passing=True)).total


def test_a_passing_question_to_a_project_without_an_index_waits_for_one(sample_repo):
    with open_workspace(sample_repo) as project:
        assert run(project.workspace, "search", {"query": "retry"}, Call(passing=True, patient=True)).total


@pytest.mark.parametrize("operation", ["search", "search_text"])
def test_what_was_not_read_stands_in_the_way_of_an_absence(sample_repo, operation):
    asked = {"query": "zebracrossing"} if operation == "search" else {"patterns": ["zebracrossing"]}
    with open_workspace(sample_repo, index__max_file_bytes=5000) as project:
        assert run(project.workspace, operation, asked, Call(patient=True)).answer == Answer.NONE
        (sample_repo / "big.py").write_text("x = 1\n" * 1000 + "zebracrossing = 1\n")
        answer = run(project.workspace, operation, asked, Call(patient=True))
        assert (answer.answer, "big.py (too large)" in answer.next) == (Answer.UNKNOWN, True)
        elsewhere = run(project.workspace, operation, {**asked, "path": "src"}, Call(patient=True))
        assert elsewhere.answer == Answer.NONE
