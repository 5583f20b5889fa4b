import pytest

from shirube import Project
from shirube.errors import ShirubeError
from shirube.features.lookup.results import RerankResult
from tests.cases import for_each

CANDIDATES = ["web/cart.ts", "src/shop/retry.py", "src/shop/payment.py"]


def rerank(project: Project, text: str = "charge the card", candidates: object = None, **options) -> RerankResult:
    offered = [{"path": path} for path in CANDIDATES] if candidates is None else candidates
    result: RerankResult = project.call("semantic_rerank", text=text, candidates=offered, **options)
    return result


def paths(result: RerankResult) -> list[str]:
    return [one.path for one in result.candidates]


@pytest.mark.requirement("001-RERANK-01")
def test_the_same_files_come_back_in_the_order_of_their_likeness(shop: Project):
    result = rerank(shop)
    assert sorted(paths(result)) == sorted(CANDIDATES)
    assert paths(result)[0] == "src/shop/payment.py"
    assert all(0 <= one.semantic <= 1 for one in result.candidates)


@pytest.mark.requirement("N001-RERANK-01")
@for_each("profile", ["default", "bugfix", "refactor"])
def test_combined_is_base_and_the_profiles_weight_of_likeness(shop: Project, profile: str):
    weight = shop.workspace.config.search.profiles[profile].structural
    offered = [{"path": "web/cart.ts", "score": 2.5}, {"path": "src/shop/payment.py", "score": "0.5"}]
    result = rerank(shop, candidates=offered, profile=profile)
    assert {one.path: one.base for one in result.candidates} == {"web/cart.ts": 2.5, "src/shop/payment.py": 0.5}
    for one in result.candidates:
        assert one.combined == pytest.approx(one.base + weight * one.semantic, abs=2e-4)
    assert paths(result) == ["web/cart.ts", "src/shop/payment.py"]


def test_only_as_many_as_were_asked_for_come_back(shop: Project):
    assert paths(rerank(shop, k=1)) == paths(rerank(shop))[:1]


def test_files_worth_the_same_go_by_path(shop: Project):
    found = rerank(shop, "zyzzyva quokka wombat").candidates
    assert list(found) == sorted(found, key=lambda one: (-one.combined, one.path))


def test_a_path_may_be_absolute_or_roundabout(shop: Project):
    absolute = str(shop.workspace.root / "web/cart.ts")
    assert paths(rerank(shop, candidates=[{"path": absolute}, {"path": "src/../web/price.ts"}])) != []
    assert set(paths(rerank(shop, candidates=[{"path": absolute}]))) == {"web/cart.ts"}


def test_a_file_the_index_does_not_know_is_named_and_no_error(shop: Project):
    result = rerank(shop, candidates=[{"path": "gone.ts"}, {"path": "web/cart.ts"}, {"path": ".env"}])
    assert paths(result) == ["web/cart.ts"]
    assert result.unknown == ("gone.ts", ".env")
    assert "index_status" in result.next


@pytest.mark.requirement("001-RERANK-02")
def test_without_a_trained_model_the_answer_says_so(shop: Project):
    result = rerank(shop)
    assert result.model == shop.workspace.embedder.name
    assert result.degraded == ("model: none, so likeness is that of the words",)


def test_candidates_may_come_as_json(shop: Project):
    assert paths(rerank(shop, candidates='[{"path": "web/cart.ts"}]')) == ["web/cart.ts"]


def test_one_candidate_and_fifty_are_taken(shop: Project):
    fifty = [{"path": f"gone{number}.py"} for number in range(49)] + [{"path": "web/cart.ts"}]
    assert paths(rerank(shop, candidates=fifty)) == paths(rerank(shop, candidates=fifty[-1:])) == ["web/cart.ts"]


@for_each(
    ("arguments", "code", "message", "hint"),
    [
        ({"candidates": []}, "bad_argument", "0 candidates", "1 to 50"),
        ({"candidates": [{"path": "a.py"}] * 51}, "bad_argument", "51 candidates", "1 to 50"),
        ({"text": ""}, "bad_argument", "the text is empty", "what the files are to be about"),
        ({"text": "   "}, "bad_argument", "the text is empty", "what the files are to be about"),
        ({"candidates": [{"path": "../x"}]}, "outside_root", "'../x' leads out", "only paths below"),
        ({"candidates": [{"path": "/etc/passwd"}]}, "outside_root", "'/etc/passwd' leads out", "only paths below"),
        ({"candidates": [{"path": ""}]}, "bad_argument", "the path is empty", "relative to the project"),
        ({"candidates": [{}]}, "bad_argument", "missing argument 'path'", "A file of the project"),
        ({"candidates": [{"path": "a.py", "socre": 1}]}, "unknown_name", "argument 'socre'", "'score'"),
        ({"candidates": [{"path": "a.py", "score": "high"}]}, "bad_argument", "'score' must be a number", "so far"),
        ({"candidates": ["a.py"]}, "bad_argument", "'candidates' must be a list of objects", "1 to 50 files"),
        ({"candidates": 3}, "bad_argument", "'candidates' must be a list", "1 to 50 files"),
        ({"k": 0}, "bad_argument", "'k' must be from 1 to 50", "How many"),
        ({"k": 51}, "bad_argument", "'k' must be from 1 to 50", "How many"),
        ({"profile": "bugfx"}, "unknown_name", "profile 'bugfx'", "'bugfix'"),
    ],
)
def test_what_cannot_be_reranked_is_refused_by_name_with_the_next_step(
    shop: Project, arguments: dict[str, object], code: str, message: str, hint: str
):
    with pytest.raises(ShirubeError) as caught:
        rerank(shop, **arguments)
    assert caught.value.code == code
    assert message in caught.value.message
    assert hint in caught.value.hint


@for_each("score", ["nan", "inf", float("-inf"), float("nan")])
def test_a_score_that_is_no_number_to_add_to_is_refused(shop: Project, score: object):
    with pytest.raises(ShirubeError, match="'score'"):
        rerank(shop, candidates=[{"path": "web/cart.ts", "score": score}])
