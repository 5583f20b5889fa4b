import pytest

from shirube.codec import replace
from shirube.features.map.agreement import Agreement, is_expired, plain_symbol, plain_term
from shirube.features.map.states import Standing
from tests.cases import for_each

LOGIN = Agreement("ログイン機能", "AuthService", learned_at="2026-01-10T00:00:00Z")


@pytest.mark.requirement("004-CAMEL-01")
def test_a_symbol_is_split_into_its_words():
    assert LOGIN.symbol_normalized == "auth service"
    assert Agreement("x", "http_server.getURL").symbol_normalized == "http server get url"


@pytest.mark.requirement("N004-TRUST-01")
def test_confidence_rises_with_successes_and_falls_with_failures():
    values = [replace(LOGIN, successes=count).confidence for count in range(5)]
    assert values == sorted(set(values))
    failed = [replace(LOGIN, successes=1, failures=count).confidence for count in range(5)]
    assert failed == sorted(set(failed), reverse=True)
    assert failed[1] <= 0.5 < failed[0]
    assert all(0 < value < 1 for value in (*values, *failed))


@for_each(
    ("term", "plain"), [("ﾛｸﾞｲﾝ  機能", "ログイン 機能"), ("Login Form ", "login form"), ("ＡＢＣ", "abc"), (" ", "")]
)
def test_a_term_is_compared_in_one_spelling(term: str, plain: str):
    assert plain_term(term) == plain


@for_each(
    ("symbol", "plain"),
    [("AuthService.login()", "AuthService.login"), ("a::b", "a.b"), ("A#b", "A.b"), ("ns\\Cls", "ns.Cls"), ("()", "")],
)
def test_a_symbol_is_named_as_the_index_names_it(symbol: str, plain: str):
    assert plain_symbol(symbol) == plain


@pytest.mark.requirement("004-OPEN-03")
@for_each(
    ("used", "cutoff", "expired"),
    [
        ("", "2026-01-01T00:00:00Z", False),
        ("", "2026-02-01T00:00:00Z", True),
        ("2026-03-01T00:00:00Z", "2026-02-01T00:00:00Z", False),
        ("", "", False),
    ],
)
def test_an_agreement_expires_by_its_last_use(used: str, cutoff: str, expired: bool):
    assert is_expired(LOGIN, used, cutoff) is expired


def test_one_that_was_ended_stays_ended_and_one_without_a_date_does_not_expire():
    assert is_expired(replace(LOGIN, standing=Standing.EXPIRED), "2099", "")
    assert not is_expired(Agreement("x", "y"), "", "2099")
