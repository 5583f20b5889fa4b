"""One spelling for Japanese that is written in many ways."""

from importlib import resources

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text.japanese import folded, from_romaji
from shirube.engine.text.tokens import normalise

TEXT = resources.files("shirube.engine.text")
TERMS = resources.files("shirube.engine.embed").joinpath("data/terms.txt").read_text("utf-8").strip()


@for_each(
    ("text", "spelling"),
    [
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("ＡＰＩの認証", "APIの認証"),
        ("檢索", "検索"),
        ("關數の變更と續行", "関数の変更と続行"),
        ("國會圖書館", "国会図書館"),
        ("辯護・辨當・花瓣", "弁護・弁当・花弁"),
        ("ヴァージョン", "バージョン"),
        ("レヴュー", "レビュー"),
        ("アーカイヴ", "アーカイブ"),
        ("ウ゛ェクタ", "ベクタ"),
        ("か\u3099そ゛う", "がぞう"),
        ("こゝろ", "こころ"),
        ("いすゞ", "いすず"),
        ("サ―バ―の設定", "サーバーの設定"),
        ("ｻ－ﾊﾞ－", "サーバー"),
        ("デ‐タ", "データ"),
        ("getUser檢索ﾃﾞｰﾀ", "getUser検索データ"),
        ("認\u200b証の設\u00ad定", "認証の設定"),
        ("\u202e認証\u202c\ufeff", "認証"),
        ("文\U000e0100字の⻑さ", "文字の長さ"),
    ],
)
def test_other_spellings_become_the_usual_one(text: str, spelling: str):
    assert folded(text) == spelling


@for_each(
    "text", ["", "a-b ~ c", "人々", "3ヶ月", "か所", "クライアント-サーバ", "リスト―要素", "検索―結果", "サーバー"]
)
def test_the_usual_spelling_stays(text: str):
    assert folded(text) == text


def test_every_word_of_the_glossary_is_still_found():
    words = {normalise(line.split("\t")[0]) for line in TEXT.joinpath("japanese.tsv").read_text("utf-8").splitlines()}
    assert {word for word in words if folded(word) not in words} == set()


@given(st.text(st.sampled_from("檢検ヴァィかがサーｻﾞ゛―～- aＡ國ヽ")))
def test_folding_twice_changes_nothing_more(text: str):
    assert folded(folded(text)) == folded(text)


@for_each(
    ("question", "japanese"),
    [
        ("ninshou no yuukou kigen", "認証の有効期限"),
        ("Ninsyou no yuukou kigen?", "認証の有効期限"),
        ("kensaku kekka no hyoji", "検索結果の表示"),
        ("gazou wo hozon suru", "画像を保存する"),
        ("setuzoku ga kireru", "接続が切れる"),
        ("tsuuchi no sousin", "通知の送信"),
        ("API no ninshou", "API の認証"),
        ("ISO no settei", "ISO の設定"),
        ("UTF8 no moji", "UTF8 の文字"),
        ("token no yuukou kigen", "token の有効期限"),
        ("zen'in ni tsuuchi", "全員に通知"),
    ],
)
def test_romaji_is_read_as_japanese(question: str, japanese: str):
    assert from_romaji(question, lambda: TERMS) == japanese


@for_each(
    "question",
    [
        "",
        "ninshou",
        "token to name",
        "name no base",
        "use no mode",
        "to do",
        "wake on time",
        "emoji to kanji",
        "how are routes registered",
        "where is ninshou checked",
        "get_user no ninshou",
        "認証 no kigen",
        "README.md no ninshou",
    ],
)
def test_english_is_not_read_as_japanese(question: str):
    assert from_romaji(question, lambda: TERMS) == question


def test_readings_are_unique_and_small():
    lines = TEXT.joinpath("readings.tsv").read_text("utf-8").splitlines()
    readings = [line.split("\t")[1] for line in lines]
    assert len(set(readings)) == len(readings) == 3000
    assert all(reading.isascii() and reading.islower() for reading in readings)
