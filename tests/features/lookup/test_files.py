import pytest

from shirube import Project, open_workspace
from shirube.errors import BadArgument, ShirubeError
from shirube.features.lookup.results import FilesResult
from shirube.types import Answer
from tests.cases import for_each
from tests.refusals import refusal

WORDS = "retry payment card cart price shop"


def files(project: Project, query: str = WORDS, **options) -> FilesResult:
    result: FilesResult = project.call("files_search", query=query, **options)
    return result


def paths(project: Project, query: str = WORDS, **options) -> list[str]:
    return [found.path for found in files(project, query, **options).results]


@pytest.mark.requirement("N001-FILES-05")
def test_a_file_comes_with_its_line_language_ending_score_and_reasons(shop: Project):
    found = files(shop, "cartTotal").results[0]
    assert (found.path, found.lang, found.ext) == ("web/cart.ts", "typescript", ".ts")
    lines = (shop.workspace.root / found.path).read_text("utf-8").split("\n")
    assert found.matchLine == shop.search("cartTotal").forest_hits[0].match_line
    assert "cartTotal" in lines[found.matchLine - 1]
    assert found.score == pytest.approx(sum(reason.points for reason in found.why), abs=1e-6)


def test_every_file_comes_once_and_in_the_order_of_its_score(shop: Project):
    found = files(shop).results
    assert len({one.path for one in found}) == len(found) > 5
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_files_stand_as_in_search(shop: Project):
    assert paths(shop) == list(dict.fromkeys(hit.path for hit in shop.search(WORDS, limit=100).forest_hits))


def test_previews_are_for_those_who_ask(shop: Project):
    assert {found.preview for found in files(shop).results} == {""}
    assert "interface CartItem" in files(shop, "CartItem", compact=False).results[0].preview


@pytest.mark.requirement("N001-FILES-05")
@for_each(
    ("options", "wanted"),
    [
        ({"lang": "typescript"}, {"web/cart.ts", "web/price.ts"}),
        ({"lang": "ts"}, {"web/cart.ts", "web/price.ts"}),
        ({"ext": ".ts"}, {"web/cart.ts", "web/price.ts"}),
        ({"ext": "md"}, {"README.md"}),
        ({"path_prefix": "web"}, {"web/cart.ts", "web/price.ts"}),
        ({"path": "web/"}, {"web/cart.ts", "web/price.ts"}),
        ({"path_prefix": "web", "ext": ".ts"}, {"web/cart.ts", "web/price.ts"}),
        ({"path_prefix": "src", "ext": ".ts"}, set()),
        ({"path_prefix": "tests", "ext": "py"}, {"tests/test_payment.py"}),
    ],
)
def test_language_ending_and_directory_narrow_the_answer(shop: Project, options: dict[str, str], wanted: set[str]):
    assert set(paths(shop, **options)) == wanted


@pytest.mark.requirement("001-BOOST-04")
def test_documents_come_first_under_the_docs_profile(shop: Project):
    assert paths(shop, "retry policy")[0] == "src/shop/retry.py"
    assert paths(shop, "retry policy", boost_profile="docs")[0] == "README.md"


@pytest.mark.requirement("001-BOOST-06")
def test_without_boosts_the_text_alone_orders(shop: Project):
    for found in files(shop, boost_profile="none").results:
        assert [reason.name for reason in found.why] == ["text:words"]


def test_a_profile_raises_the_tests(shop: Project):
    def boost(profile: str) -> float:
        found = {one.path: one.why for one in files(shop, "checkout receipt", profile=profile).results}
        return next(reason.points for reason in found["tests/test_payment.py"] if reason.name == "boost:test")

    assert boost("default") < 0 < boost("testfail")


@for_each("limit", [1, 2, 3, 50])
def test_pages_side_by_side_are_the_whole_answer(shop: Project, limit: int):
    whole = files(shop)
    found, cursor = [], ""
    for _ in range(20):
        page = files(shop, limit=limit, cursor=cursor)
        found += page.results
        cursor = page.next_cursor
        assert page.total == whole.total == len(whole.results)
        assert page.truncated is bool(cursor)
        if not cursor:
            break
    assert tuple(found) == whole.results


def test_nothing_found_is_said_with_the_next_step(shop: Project):
    result = files(shop, "zyzzyva")
    assert (result.results, result.answer, result.total, result.confidence) == ((), Answer.NONE, 0, 0.0)
    assert "try others" in result.next


def test_the_next_step_is_to_read_the_first_file(shop: Project):
    result = files(shop)
    assert result.next.startswith(f"read {result.results[0].path}:")


@for_each("ext", ["*", "a/b", "**/*.py", "../py"])
def test_what_is_no_ending_is_refused_with_an_example(shop: Project, ext: str):
    with pytest.raises(ShirubeError) as caught:
        files(shop, ext=ext)
    assert caught.value.code == "bad_argument"
    assert caught.value.message == f"'{ext}' is no file ending"
    assert caught.value.hint == "for example .py"


@for_each("ext", ["p?", "[tp]s", "."])
def test_an_ending_is_no_pattern(shop: Project, ext: str):
    with refusal(ShirubeError, "asking.ending"):
        files(shop, ext=ext)


@for_each("prefix", ["..", "../x", "/etc", "web/../../x"])
@for_each("ext", ["", ".py"])
def test_a_directory_outside_the_project_is_refused_with_or_without_an_ending(shop: Project, prefix: str, ext: str):
    with pytest.raises(ShirubeError) as caught:
        files(shop, path_prefix=prefix, ext=ext)
    assert caught.value.code == "outside_root"


def test_a_file_without_an_ending_has_none(sample_repo):
    (sample_repo / "Makefile").write_text("quokka:\n\techo quokka\n")
    (sample_repo / ".quokkarc").write_text("quokka = 1\n")
    with open_workspace(sample_repo) as project:
        assert {found.path: found.ext for found in files(project, "quokka").results} == {
            "Makefile": "",
            ".quokkarc": "",
        }


def test_metadata_filters_know_tags_alone(shop: Project):
    assert files(shop, metadata_filters={"tag": "nope"}).results == ()
    with refusal(BadArgument, "arguments.metadata"):
        files(shop, metadata_filters={"category": "x"})


def test_without_a_trained_model_a_search_by_meaning_says_so(shop: Project):
    codes = {mode: [note.code for note in shop.search(WORDS, mode=mode).degraded] for mode in ("dense", "auto")}
    assert ("asking.no_model" in codes["dense"], "asking.no_model" in codes["auto"]) == (True, False)
