from pathlib import Path

import benchmarks.agreements
import pytest

from shirube.features.map.same_term import SAME, SURE, SUREST, clauses, names_term, same
from tests.cases import for_each

SIBLINGS = Path(benchmarks.agreements.__file__).with_name("siblings.tsv").read_text("utf-8").splitlines()


@for_each(
    ("one", "other"),
    [
        ("ログイン", "ログイン機能"),
        ("ﾛｸﾞｲﾝ", "ログイン"),
        ("ユーザー削除", "ユーザーを削除する"),
        ("ユーザー削除", "ユーザーの削除"),
        ("取り消し", "取消し"),
        ("組み合わせ", "組合せ"),
        ("読み込み", "読込"),
        ("檢索", "検索"),
        ("けんさく", "検索"),
        ("ろぐいん", "ログイン"),
        ("kensaku no kekka", "検索結果"),
        ("log in", "login"),
        ("where is the login", "login"),
        ("Users", "user"),
        ("export_csv", "ExportCSV"),
        ("export CSV", "CSV export"),
        ("CSV exports", "exporting CSV"),
        ("validate user", "user validation"),
        ("list of users", "user list"),
        ("cfg", "configuration"),
        ("the login feature", "login"),
    ],
)
def test_particles_endings_and_spelling_make_no_other_term(one: str, other: str):
    assert same(one, other) == same(other, one) == SAME


@for_each(
    ("one", "other", "similarity"),
    [
        ("ログイン", "login", SUREST),
        ("ログアウト", "log out", SUREST),
        ("ユーザー削除", "delete user", SUREST),
        ("ユーザー削除", "user removal", SURE),
        ("ユーザーの削除", "remove user", SURE),
        ("CSVエクスポート", "CSV export", SUREST),
        ("支払いの再試行", "payment retry", SUREST),
        ("パスワードのリセット", "reset password", SUREST),
        ("オブジェクトからの設定", "config from object", SURE),
        ("支払いの再試行", "retry", 0.0),
        ("ログイン", "login screen", 0.0),
        ("御朱印帳検索", "search", 0.0),
        ("認証機能", "authentication", SUREST),
    ],
)
def test_the_other_language_says_the_same_when_every_word_has_its_counterpart(one: str, other: str, similarity: float):
    assert same(one, other) == same(other, one) == similarity


@pytest.mark.requirement("004-SHORT-02")
@for_each("pair", SIBLINGS)
def test_siblings_are_other_terms(pair: str):
    one, other = pair.split("\t")
    assert same(one, other) == same(other, one) == 0.0


def test_nothing_is_the_same_as_nothing():
    assert same("", "") == same("", "login") == same("?!", "…") == 0.0


def test_a_request_is_read_clause_by_clause():
    assert clauses("Please fix the login, it crashes when the password is empty.") == [
        "login",
        "it crashes",
        "password is empty",
    ]
    assert clauses("ログイン機能を修正して。パスワードが空の場合に落ちる") == [
        "ログイン機能",
        "パスワードが空",
        "に落ちる",
    ]


@for_each(
    ("request_", "term", "names"),
    [
        ("ログイン機能を修正してください", "login", True),
        ("fix the CSV export", "CSV出力", False),
        ("fix the CSV export", "export CSV", True),
        ("ユーザーの削除を直して", "ユーザー", False),
        ("improve the login form", "login", False),
        ("住所の修正画面を開く", "住所", False),
    ],
)
def test_a_request_names_a_term_when_a_clause_is_that_term(request_: str, term: str, names: bool):
    assert names_term(request_, term) is names
