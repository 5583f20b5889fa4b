import pytest

from shirube.features.map.message_terms import Dictionary

MESSAGES = (
    "番組表を追加",
    "番組表の修正",
    "番組を並べる",
    "番組の一覧",
    "再生を止める",
    "再生の修正",
    "新着情報の修正",
    "サムネイルを出す",
)


@pytest.mark.parametrize(
    ("message", "terms"),
    [
        ("番組表のスクロールを修正", {"番組表", "番組"}),
        ("番組表示の修正", {"番組表示", "番組"}),
        ("サムネイル追加対応", {"サムネイル"}),
        ("再生時の不具合", {"再生"}),
        ("放送時間の計算", {"放送時間"}),
        ("新着情報を直す", {"新着情報"}),
        ("データソース変更時のバグ", {"データソース"}),
        ("音声の書き出しと読み込み", {"音声"}),
        ("音声書き出しを速くする", {"音声書き出し"}),
        ("CSV出力のエラー", {"CSV出力"}),
        ("ｻﾑﾈｲﾙのﾊﾞｸﾞ", {"サムネイル"}),
        ("Fix the player", set()),
        ("不具合修正", set()),
        ("設定ファイルの変更", set()),
        ("", set()),
    ],
)
def test_terms_are_words_that_can_name_something(message: str, terms: set[str]):
    assert Dictionary(MESSAGES).terms(message) == terms


def test_what_stands_alone_only_once_cuts_nothing():
    assert Dictionary(["御朱印帳", "朱印"]).terms("御朱印帳") == {"御朱印帳"}
    assert Dictionary(["御朱印帳", "朱印", "朱印"]).terms("御朱印帳") == {"御朱印帳", "朱印"}


def test_a_heading_without_spaces_is_no_term():
    assert Dictionary([]).terms("漢" * 25) == set()
    assert Dictionary([]).terms("漢" * 24) == {"漢" * 24}
