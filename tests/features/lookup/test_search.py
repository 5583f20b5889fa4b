import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shirube import Project, open_workspace
from shirube.errors import BadArgument, OutsideRoot, ShirubeError, UnknownName
from shirube.features.lookup.results import SearchResult
from shirube.types import Answer
from tests.cases import for_each
from tests.refusals import refusal

WORDS = "retry payment card cart price shop"


def paths(result: SearchResult) -> list[str]:
    return [hit.path for hit in result.forest_hits]


def token(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_a_question_finds_the_code_that_answers_it(shop: Project):
    result = shop.search("charge the card")
    assert result.query == "charge the card"
    assert result.answer == Answer.FOUND
    assert result.forest_hits[0].path == "src/shop/payment.py"
    assert result.degraded == ()
    assert result.total_chunks > 5


def test_a_symbol_is_found_by_its_name(shop: Project):
    hit = shop.search("cartTotal").forest_hits[0]
    assert (hit.path, hit.symbol, hit.language) == ("web/cart.ts", "cartTotal", "typescript")
    assert hit.start_line <= 9 <= hit.end_line


@for_each(
    ("question", "path"),
    [("返金処理", "src/shop/payment.py"), ("合計金額", "web/cart.ts"), ("三回まで再試行する", "src/shop/retry.py")],
)
def test_a_japanese_question_finds_japanese_words(shop: Project, question: str, path: str):
    assert shop.search(question).forest_hits[0].path == path


def test_a_japanese_question_finds_documents_too_and_they_come_first_for_who_asks_for_them(shop: Project):
    assert "README.md" in paths(shop.search("決済の方針"))
    assert paths(shop.search("決済の方針", boost_profile="docs"))[0] == "README.md"


@for_each(
    ("question", "path"),
    [
        ("カートの合計", "web/cart.ts"),
        ("支払いのリトライ", "src/shop/payment.py"),
        ("charge_cardはどこ", "src/shop/payment.py"),
    ],
)
def test_a_japanese_question_finds_english_code(shop: Project, question: str, path: str):
    assert shop.search(question).forest_hits[0].path == path


SEED = {
    "default": (2.0, 0.6, 0.25, 0.6),
    "bugfix": (1.8, 0.7, 0.35, 0.7),
    "testfail": (1.6, 0.85, 0.3, 0.7),
    "typeerror": (1.4, 0.6, 0.4, 0.6),
    "feature": (1.5, 0.45, 0.5, 0.6),
}
"""editingPath, dependency, proximity and structural of seed 001; its two other weights are alike in every profile."""


@pytest.mark.requirement("001-PROFILE-01", "001-PROFILE-02", "001-PROFILE-03", "001-PROFILE-04", "001-PROFILE-05")
def test_a_profile_moves_the_points_and_the_scores_of_a_search_by_its_weights(shop: Project):
    def asked(profile: str) -> tuple[list[float], float]:
        found = shop.search("retry a payment", editing=("src/shop/payment.py",), profile=profile, explain=True)
        hits = {hit.path: hit for hit in reversed(found.forest_hits)}
        points = {
            (path, reason.name.partition(":")[0]): reason.points for path, hit in hits.items() for reason in hit.why
        }
        edited, neighbour = "src/shop/payment.py", "src/shop/retry.py"
        wanted = ((edited, "editing"), (neighbour, "dep"), (neighbour, "near"), (neighbour, "structural"))
        return [points[each] for each in wanted], hits[edited].score

    plain, best = asked("default")
    for profile, weights in SEED.items():
        points, score = asked(profile)
        shares = [weight / usual for weight, usual in zip(weights, SEED["default"], strict=True)]
        assert [part / whole for part, whole in zip(points, plain, strict=True)] == pytest.approx(shares, rel=0.01)
        assert (score < best) is (weights[0] < SEED["default"][0])


@pytest.mark.requirement("N001-TEXT-03")
def test_half_a_surrogate_pair_in_a_file_is_no_obstacle(tmp_path: Path):
    half = "\ud83d".encode("utf-8", "surrogatepass")
    (tmp_path / "half.py").write_bytes(
        b"def half_a_pair():\n    '''Broken " + half + b" here.'''\n    return 'zebra'\n"
    )
    (tmp_path / f"name{chr(0xDC80)}.py").write_text("def odd_name(): return 'giraffe'\n")  # a name that is no UTF-8
    with open_workspace(tmp_path) as project:
        assert project.sync_index().totals["files"] >= 1
        found = project.search("zebra").forest_hits[0]
        assert (found.path, found.symbol) == ("half.py", "half_a_pair")
        assert [line.file for line in project.search_text(["zebra"]).matches] == ["half.py"]
        assert project.find_definitions("half_a_pair").definitions[0].file == "half.py"
        shown = project.snippets_get("half.py").content
        assert "Broken \ufffd" in shown
        assert project.search("giraffe").answer == Answer.UNKNOWN  # a file with such a name is left out, and named


def test_the_next_step_is_to_read_the_best_hit(shop: Project):
    result = shop.search("cartTotal")
    hit = result.forest_hits[0]
    assert result.next == f"read {hit.path}:{hit.start_line}-{hit.end_line}"


def test_what_is_not_there_is_said_not_to_be_there(shop: Project):
    result = shop.search("zyzzyva")
    assert (result.forest_hits, result.answer, result.total) == ((), Answer.NONE, 0)
    assert "try others" in result.next


@for_each("word", ["hidden_secret_word", "generated_thing"])
def test_secrets_and_ignored_files_are_not_found(shop: Project, word: str):
    assert shop.search(word).forest_hits == ()


def test_the_answer_says_how_fresh_it_is(shop: Project):
    fresh = shop.search("retry").freshness
    assert fresh.indexed_at.endswith("Z")
    assert fresh.checked_at >= fresh.indexed_at
    assert fresh.stale_files == ()


@for_each("query", ["", "   ", "\n\t"])
def test_an_empty_question_is_refused_with_an_example(shop: Project, query: str):
    with refusal(BadArgument, "asking.no_word") as caught:
        shop.search(query)
    assert "for example" in caught.value.hint


def test_an_unknown_language_is_refused_and_the_nearest_named(shop: Project):
    with pytest.raises(UnknownName, match="language 'pyhton'") as caught:
        shop.search("retry", languages=["pyhton"])
    assert caught.value.nearest == "python"


def test_languages_narrow_the_answer(shop: Project):
    found = shop.search(WORDS, languages=["typescript"])
    assert {hit.language for hit in found.forest_hits} == {"typescript"}
    both = shop.search(WORDS, languages=["typescript", "markdown"])
    assert {hit.language for hit in both.forest_hits} == {"typescript", "markdown"}


def test_kinds_narrow_the_answer(shop: Project):
    assert {hit.kind for hit in shop.search(WORDS, kinds=["class"]).forest_hits} == {"class"}


def test_a_chunk_is_of_every_kind_that_begins_in_it(shop: Project):
    assert [hit.path for hit in shop.search("refund kind:method").forest_hits] == ["src/shop/payment.py"]
    assert shop.search("refund kind:interface").forest_hits == ()


@for_each(
    ("path", "wanted"),
    [
        ("web", {"web/cart.ts", "web/price.ts"}),
        ("web/", {"web/cart.ts", "web/price.ts"}),
        ("./web", {"web/cart.ts", "web/price.ts"}),
        ("src/../web", {"web/cart.ts", "web/price.ts"}),
        ("web/**", {"web/cart.ts", "web/price.ts"}),
        ("*.ts", {"web/cart.ts", "web/price.ts"}),
        ("**/cart.*", {"web/cart.ts"}),
        ("web/cart.ts", {"web/cart.ts"}),
        ("nothing/here", set()),
    ],
)
def test_a_directory_or_glob_narrows_the_answer(shop: Project, path: str, wanted: set[str]):
    assert set(paths(shop.search(WORDS, path=path))) == wanted


def test_an_absolute_path_inside_the_project_is_understood(shop: Project):
    path = str(shop.workspace.root / "web")
    assert set(paths(shop.search(WORDS, path=path))) == {"web/cart.ts", "web/price.ts"}


def test_the_root_itself_narrows_nothing(shop: Project):
    assert paths(shop.search(WORDS, path=".")) == paths(shop.search(WORDS))


@for_each("path", ["..", "../other", "/etc", "web/../../x"])
def test_a_path_outside_the_project_is_refused(shop: Project, path: str):
    with refusal(OutsideRoot, "repo.outside"):
        shop.search("retry", path=path)


def test_a_path_with_a_nul_is_refused(shop: Project):
    with pytest.raises(BadArgument):
        shop.search("retry", path="web\0")


@for_each("path", ["**/" * 25 + "zzz", "*a" * 25 + "z"])
def test_no_glob_takes_for_ever(path: str):
    """In a process of its own, because a regular expression that runs away cannot be stopped."""
    program = "import sys; from shirube.engine.store.scope import PathFilter; PathFilter(sys.argv[1])(sys.argv[2])"
    long_path = "aaaaaaaaaa/" * 12 + "a" * 60
    subprocess.run([sys.executable, "-c", program, path, long_path], check=True, timeout=120)


@for_each("limit", [1, 2, 3, 9, 11])
def test_pages_side_by_side_are_the_whole_answer(shop: Project, limit: int):
    whole = shop.search(WORDS, limit=100)
    assert not whole.truncated
    assert whole.next_cursor == ""
    files = len({hit.path for hit in whole.forest_hits})
    assert 3 < files < 9 < len(whole.forest_hits)
    found, cursor = [], ""
    for _ in range(100):
        page = shop.search(WORDS, limit=limit, cursor=cursor)
        found += page.forest_hits
        cursor = page.next_cursor
        assert page.truncated is bool(cursor)
        if not cursor:
            break
    assert tuple(found) == whole.forest_hits


def test_one_second_place_at_most_comes_before_the_best_place_of_another_file(shop: Project):
    found = paths(shop.search(WORDS, limit=100))
    files = len(set(found))
    assert len(found) > files + 1
    assert len(set(found[: files + 1])) == files


def test_a_page_is_never_longer_than_its_limit(shop: Project):
    assert len(shop.search(WORDS, limit=2).forest_hits) == 2


@for_each(
    "cursor",
    [
        "!!!",
        "あ",
        "abc",
        token([]),
        token({}),
        token({"offset": "1"}),
        token({"offset": -1}),
        token({"offset": 10**9}),
        "=" * 5,
    ],
)
def test_a_cursor_that_is_not_ours_is_refused(shop: Project, cursor: str):
    with refusal(BadArgument, "asking.cursor") as caught:
        shop.search("retry", cursor=cursor)
    assert "next_cursor" in caught.value.hint


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cursor=st.text(max_size=60))
def test_any_cursor_is_taken_or_refused_in_our_words(shop: Project, cursor: str):
    refusal = None
    try:
        shop.search("retry", cursor=cursor)
    except ShirubeError as error:
        refusal = error
    assert refusal is None or refusal.hint


def test_a_detailed_answer_shows_all_of_a_hit(shop: Project):
    (brief,) = shop.search("PaymentGateway refund receipt", kinds=["class"], limit=1).forest_hits
    (whole,) = shop.search(
        "PaymentGateway refund receipt", kinds=["class"], limit=1, response_format="detailed"
    ).forest_hits
    assert whole.symbol == brief.symbol == "PaymentGateway"
    assert len(brief.preview.splitlines()) == shop.workspace.config.search.preview_lines
    assert whole.preview_line == whole.start_line
    begin = brief.preview_line - brief.start_line
    assert whole.preview.splitlines()[begin:][: len(brief.preview.splitlines())] == brief.preview.splitlines()
    assert 'receipt.startswith("receipt-")' in whole.preview


@for_each("mode", ["auto", "hybrid", "lexical", "dense"])
def test_every_mode_answers(shop: Project, mode: str):
    assert "src/shop/retry.py" in paths(shop.search("with_retries attempts", mode=mode))


def test_the_same_question_has_the_same_answer(shop: Project):
    for mode in ("auto", "hybrid", "dense"):
        assert shop.search(WORDS, mode=mode).forest_hits == shop.search(WORDS, mode=mode).forest_hits


@for_each("query", ['"retry', "AND OR NOT ( ) * : ^ ~", "retry\0policy", "'; DROP TABLE files; --"])
def test_a_question_is_words_and_never_a_query_language(shop: Project, query: str):
    assert isinstance(shop.search(query), SearchResult)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(min_size=1, max_size=60))
def test_any_question_is_answered_or_refused_in_our_words(shop: Project, query: str):
    refusal = None
    try:
        assert isinstance(shop.search(query, mode="hybrid"), SearchResult)
    except ShirubeError as error:
        refusal = error
    assert refusal is None or refusal.hint


def test_a_changed_file_is_seen_or_told(sample_repo):
    from shirube import open_workspace

    with open_workspace(sample_repo, index__sync_share=1.0) as project:
        project.search("retry")
        (sample_repo / "src/shop/new.py").write_text("def brand_new_thing():\n    return 1\n")
        project.sync_index()
        assert paths(project.search("brand_new_thing")) == ["src/shop/new.py"]


def test_a_file_that_changed_after_the_look_is_looked_at_again_before_it_is_told(sample_repo):
    from shirube import open_workspace

    with open_workspace(sample_repo, index__sync_share=1e-9) as project:
        project.sync_index()
        with (sample_repo / "web/cart.ts").open("a") as file:
            file.write("// more\n")
        result = project.search("cartTotal")
        assert (result.forest_hits[0].path, result.freshness.stale_files) == ("web/cart.ts", ())
        (sample_repo / "web/cart.ts").rename(sample_repo / "web/basket.ts")
        assert project.search("cartTotal").forest_hits[0].path == "web/basket.ts"
        (sample_repo / "web/basket.ts").unlink()
        assert all(hit.path != "web/basket.ts" for hit in project.search("cartTotal").forest_hits)


def test_a_file_that_changes_while_the_answer_is_made_is_named_as_stale(sample_repo, monkeypatch):
    from shirube import open_workspace

    with open_workspace(sample_repo) as project:
        project.sync_index()
        keeper = project.workspace.keeper
        monkeypatch.setattr(keeper, "refresh", lambda *asked, **how: ())
        with (sample_repo / "web/cart.ts").open("a") as file:
            file.write("// more\n")
        assert project.search("cartTotal").freshness.stale_files == ("web/cart.ts",)


def test_a_configuration_that_asks_for_no_hits_does_not_pass_for_proof_of_absence(sample_repo):
    from shirube import open_workspace

    try:
        with open_workspace(sample_repo, search__limit=0) as project:
            answer = project.search("retry").answer
    except ShirubeError:
        return
    assert answer != Answer.NONE


def test_before_it_is_said_that_something_is_not_there_the_tree_is_looked_at(sample_repo):
    from shirube import open_workspace

    with open_workspace(sample_repo, index__sync_share=0.0) as project:
        project.sync_index()
        for word in ("bravo", "charlie", "delta"):
            (sample_repo / "new.py").write_text(f"def {word}(): pass\n")
            assert project.search(word).answer == Answer.FOUND
        assert project.search("bravo").answer == Answer.NONE


def test_nothing_indexed_is_unknown_and_not_none(sample_repo):
    from shirube import open_workspace

    with open_workspace(sample_repo, index__excludes=["*"]) as project:
        assert project.search("retry").answer == Answer.UNKNOWN


def test_what_has_nothing_in_common_is_no_neighbour(shop: Project):
    assert shop.search("zzzqqqxx", mode="dense").answer == shop.search("zzzqqqxx").answer == Answer.NONE


def test_an_answer_by_the_parts_of_a_compound_is_partial_and_says_so(shop: Project):
    result = shop.search("retry-attempts-zebra quokka")
    assert (result.answer, paths(result)[0]) == (Answer.PARTIAL, "src/shop/retry.py")
    assert "parts were searched" in result.degraded[0]


def test_an_answer_says_how_sure_it_is(shop: Project):
    sure, unsure = shop.search("cartTotal"), shop.search("retry zebra quokka wombat")
    assert (sure.answer, unsure.answer) == (Answer.FOUND, Answer.PARTIAL)
    assert 0 < unsure.confidence < shop.workspace.config.search.confidence.found <= sure.confidence <= 1
    assert shop.search("zzzqqqxx").confidence == 0.0


def test_the_mode_of_the_configuration_holds_unless_the_question_names_one(sample_repo):
    from shirube import open_workspace

    def legs(result: SearchResult) -> set[str]:
        return {reason.name for hit in result.forest_hits for reason in hit.why if reason.name.startswith("text:")}

    with open_workspace(sample_repo, search__mode="dense") as project:
        assert legs(project.search("cart total")) == {"text:sense"}
        assert legs(project.search("cart total", mode="lexical")) == {"text:words"}


def test_an_index_that_is_deleted_meanwhile_is_built_again(sample_repo, state_dirs):
    import shutil

    from shirube import open_workspace

    with open_workspace(sample_repo) as project:
        assert project.search("cartTotal").answer == Answer.FOUND
        shutil.rmtree(state_dirs.cache)
        project.search("cartTotal")
        assert project.search("cartTotal").answer == Answer.FOUND


@pytest.mark.requirement("001-PHRASE-01")
def test_a_phrase_that_stands_nowhere_is_told(shop: Project):
    told = [note for note in shop.search('"retry the wrong payment" payment').degraded if note.code == "asking.phrases"]
    assert [note.values["names"] for note in told] == [['"retry the wrong payment"']]
    assert "asking.phrases" not in [note.code for note in shop.search('"amount too large"').degraded]
