from shirube.features.map.lookup import concepts, covered
from tests.cases import for_each


@for_each(
    ("text", "wanted"),
    [
        ("支払いの再試行", (("payment",), ("retry",))),
        ("グチャペロン検索", (("グチャペロン",), ("search",))),
        ("御朱印帳のログイン機能", (("御朱印帳",), ("login",))),
        ("getUserの処理", (("get",), ("user",))),
        ("the login", (("login",),)),
        ("", ()),
    ],
)
def test_a_text_is_read_as_what_it_is_about(text: str, wanted: tuple[tuple[str, ...], ...]):
    assert tuple(concepts(text)) == wanted


def test_words_of_requests_tell_little_and_stop_words_nothing():
    assert concepts("処理")
    weights = concepts("ログイン機能のバリデーションを追加")
    assert list(weights) == [("login",), ("valid",), ("add",)]
    assert weights[("add",)] < min(weights[("login",)], weights[("valid",)]) / 2


def test_rare_words_tell_more_than_common_ones():
    weights = concepts("user webhook")
    assert weights[("webhook",)] > weights[("user",)]


@for_each(
    ("one", "other"),
    [("ログイン", "login"), ("支払い", "payment"), ("auth service", "AuthService"), ("設定", "config")],
)
def test_both_languages_and_both_spellings_meet(one: str, other: str):
    assert covered(concepts(one), concepts(other))[0] == 1.0


def test_a_request_in_latin_letters_or_with_invisible_marks_is_about_the_same():
    assert concepts("yuukou kigen") == concepts("有効\u200b期限") == concepts("有効期限")
    assert concepts("make no sense") != concepts("名前")


def test_what_is_missing_is_told():
    share, missing = covered(concepts("payment refund"), concepts("payment"))
    assert 0.3 < share < 0.6
    assert missing == [("refund",)]
    assert covered({}, concepts("x")) == (0.0, [])
