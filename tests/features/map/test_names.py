import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.features.map.files import file_name, with_digest
from tests.cases import for_each

TEXT = st.text(max_size=60)
TRICKY = st.text(st.sampled_from("ab_-. /~Aあログ"), min_size=1, max_size=6)


@pytest.mark.requirement("004-NAME-01")
@for_each(
    ("term", "symbol", "name"),
    [
        ("ログイン機能", "AuthService", "ログイン機能_AuthService.md"),
        ("login form", "LoginForm.submit", "login-form_LoginForm.submit.md"),
        ("retry", "with_retries", "retry_with_retries.md"),
        ("命名規則", "", "命名規則.md"),
    ],
)
def test_a_plain_pair_has_a_plain_name(term: str, symbol: str, name: str):
    assert file_name(term, symbol) == name


@pytest.mark.requirement("N004-NAME-01")
@given(one=st.tuples(TRICKY, TRICKY), other=st.tuples(TRICKY, TRICKY))
def test_two_pairs_never_share_a_file(one: tuple[str, str], other: tuple[str, str]):
    if one != other:
        assert file_name(*one) != file_name(*other)


@given(term=TEXT, symbol=TEXT)
def test_a_name_is_safe_everywhere(term: str, symbol: str):
    name = file_name(term, symbol)
    assert len(name.encode()) <= 255 + 60  # 50 characters of four bytes are possible, and rare
    assert not set(name) & set('/\\:*?"<>|\0\n')
    assert not name.startswith((".", " ")) or not (term + symbol).strip("-. ")
    assert name.endswith(".md")


def test_the_same_pair_has_the_same_name_every_time():
    assert file_name("a/b", "c") == file_name("a/b", "c") == with_digest("a/b", "c")


@for_each("term", ["con", "NUL", "com1"])
def test_a_reserved_name_is_not_used(term: str):
    assert "~" in file_name(term, "")
