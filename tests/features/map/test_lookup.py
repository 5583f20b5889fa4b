from collections.abc import Sequence

import pytest

from shirube.codec import replace
from shirube.features.map.agreement import Agreement
from shirube.features.map.lookup import Index, look_up, tier_of
from shirube.features.map.states import Tier
from tests.cases import for_each

LOGIN = Agreement("ログイン機能", "AuthService", successes=1)
PAYMENT = Agreement("payment", "PaymentGateway", successes=1)
RULE = Agreement("命名規則", doc_type="convention", successes=1)
MAP = Index((LOGIN, PAYMENT, RULE))


def nothing(term: str, texts: Sequence[str]) -> list[float]:
    return [0.0] * len(texts)


def never(term: str, texts: Sequence[str]) -> list[float]:
    raise AssertionError("nobody has to ask for the sense")


def synonyms(term: str, texts: Sequence[str]) -> list[float]:
    """A model that knows what checkout and refund have to do with payment."""
    near = {("checkout", "payment"): 0.9, ("payment refund", "payment"): 0.9, ("refund", "payment"): 0.8}
    return [near.get((term, text), 0.0) for text in texts]


def found(question: str, similarity=nothing) -> list[tuple[str, float]]:
    return [(near.agreement.nl_term, near.similarity) for near in look_up(question, MAP, similarity)]


@pytest.mark.requirement("004-SHORT-01", "N003-JAPANESE-01")
@for_each(
    "question", ["ログイン機能", "ﾛｸﾞｲﾝ機能", "ログイン", "login", "where is the login", "AuthService", "auth service"]
)
def test_an_agreement_is_found_by_its_words_in_both_languages(question: str):
    ((term, similarity), *_) = found(question, never)
    assert term == "ログイン機能"
    assert similarity >= 0.7


def test_a_convention_is_found_too():
    assert found("命名規則", never)[0] == ("命名規則", 1.0)


def test_only_the_very_term_may_answer_alone():
    asked = {"ログイン": True, "login": True, "payment refund": False, "ログイン画面": False, "ログアウト": False}
    best = {question: look_up(question, MAP, lambda term, texts: [0.9] * len(texts))[0] for question in asked}
    assert {question: near.alone for question, near in best.items()} == asked
    assert all(near.similarity < 0.8 for near in best.values() if not near.alone)


def test_a_question_about_more_than_the_term_is_less_similar():
    ((term, whole),) = found("payment")
    ((_, part),) = found("payment refund")
    assert (term, whole) == ("payment", 1.0)
    assert 0.05 < part < 0.5


def test_words_that_many_agreements_have_tell_little():
    index = Index(tuple(Agreement(f"{name} settings screen", name, successes=1) for name in ("mail", "user", "tax")))
    assert [near.agreement.symbol for near in look_up("screen about mail", index, nothing)] == ["mail"]
    assert look_up("search screen", index, nothing) == ()


def test_the_sense_finds_what_no_word_does():
    ((term, similarity),) = found("checkout", synonyms)
    assert term == "payment"
    assert 0.5 < similarity < 0.8


def test_a_word_without_a_counterpart_lowers_even_a_near_sense():
    near = {("file history", "changelog"): 0.95, ("file", "changelog"): 0.1, ("history", "changelog"): 0.9}
    index = Index((Agreement("changelog", "Changelog", successes=1),))

    def similarity(term: str, texts: Sequence[str]) -> list[float]:
        return [near.get((term, text), 0.0) for text in texts]

    (doubtful,) = look_up("file history", index, similarity)
    near["file", "changelog"] = 0.9
    (sure,) = look_up("file history", index, similarity)
    assert doubtful.similarity < sure.similarity


def test_what_is_not_near_is_not_named():
    assert found("database migration") == []
    assert found("") == []
    assert look_up("x", Index(()), never) == ()


def test_of_two_that_are_as_near_the_one_that_fared_better_comes_first():
    good, bad = replace(LOGIN, symbol="Good", successes=5), replace(LOGIN, symbol="Bad", failures=2)
    near = look_up("ログイン機能", Index((bad, good)), nothing)
    assert [one.agreement.symbol for one in near] == ["Good", "Bad"]


@pytest.mark.requirement("004-MAPTIER-01", "004-MAPTIER-02", "004-MAPTIER-03")
@for_each(
    ("similarity", "certain", "tier"),
    [
        (0.8, True, Tier.READY),
        (0.79, True, Tier.VERIFICATION),
        (0.7, True, Tier.VERIFICATION),
        (0.69, True, Tier.EXPLORATION),
        (1.0, False, Tier.EXPLORATION),
    ],
)
def test_the_tiers_of_seed_004(similarity: float, certain: bool, tier: Tier):
    assert tier_of(similarity, certain, 0.7, 0.8) == tier
