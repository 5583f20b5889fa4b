from shirube.features.map.meanings import read_japanese, telling_parts
from tests.cases import for_each


def telling(text: str) -> list[str]:
    return [part.text for part in telling_parts(text)]


@for_each(
    ("request", "words"),
    [
        ("ログインの不具合を修正する", ["ログイン"]),
        ("字幕の色を反映する", ["字幕", "色"]),
        ("録画予約の画面を直す", ["録画", "予約", "画面"]),
        ("支払いの再試行に対応", ["支払い", "再試行"]),
        ("番組を検索する", ["番組", "検索"]),
        ("認証の仕組み", ["認証"]),
        ("不具合報告の追加", ["不具合", "報告"]),
        ("命名規則の変更", ["命名規則"]),
    ],
)
def test_verbs_of_everyday_requests_name_nothing_but_nouns_do(request: str, words: list[str]):
    assert telling(request) == words


def test_words_that_name_nothing_count_when_there_are_no_others():
    assert telling("修正する") == ["修正"]
    assert telling("処理") == ["処理"]


@for_each(
    ("text", "words"),
    [
        ("御朱印帳の一覧", ["御朱印帳", "一覧"]),
        ("返金", ["返金"]),
        ("グチャペロンを開く", ["グチャペロン", "開く"]),
        ("時は金", ["金"]),
    ],
)
def test_an_unknown_word_is_kept_whole_and_a_single_unknown_letter_is_not_a_word(text: str, words: list[str]):
    assert [part.text for part in read_japanese(text)] == words


def test_other_spellings_do_not_shift_the_words_behind_them():
    assert [part.text for part in read_japanese("ヴァリデーションの御朱印表示")] == ["バリデーション", "御朱印", "表示"]
    assert [part.text for part in read_japanese("サ―バ―の御朱印")] == ["サーバー", "御朱印"]


def test_a_long_compound_is_read_word_by_word():
    assert telling("予約変更" * 40) == ["予約", "変更"] * 39 + ["予約"]


def test_what_only_says_the_way_of_something_is_taken_off():
    assert telling("設定方法") == telling("設定") == ["設定"]
    assert [part.text for part in read_japanese("前処理")] == ["前処理"]


def test_only_sure_meanings_are_used():
    (login,) = read_japanese("ログイン")
    assert login.english == ("login",)
    (settings,) = read_japanese("決済")
    assert settings.english == ("payment",)  # and "acquire", in six texts of a hundred
    (retry,) = read_japanese("再試行")
    assert retry.english == ("retry", "try again")
