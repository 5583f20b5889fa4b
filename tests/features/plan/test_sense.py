from shirube.engine.text.tokens import folded
from shirube.features.plan.sense import compare, read_words
from tests.cases import for_each


@for_each(
    ("value", "quote"),
    [
        ("no output", "prints nothing"),
        ("クラッシュする", "落ちる"),
        ("login form", "ログインフォーム"),
        ("保存に失敗する", "保存できない"),
        ("the window stays open", "the window does not close"),
        ("saving raises an error", "cannot save"),
        ("Login", "ｌｏｇｉｎ"),
    ],
)
def test_fair_wordings_agree(value, quote):
    assert compare(value, quote).agrees
    assert compare(quote, value).agrees


@for_each(
    ("value", "quote", "between"),
    [
        ("login fails", "logout fails", ("login", "logout")),
        ("入力内容が保存される", "入力内容が保存されない", ("保存", "保存…ない")),
        ("the file is saved", "the file is not saved", ("saved", "not saved")),
        ("retry 3 times", "retry 5 times", ("3", "5")),
        ("mark as read", "mark as unread", ("read", "unread")),
        ("sort by tag", "sort by author", ("tag", "author")),
        ("昇順に並べる", "sort in descending order", ("昇順", "descending")),
        ("invoice totals", "ログイン画面", ("invoice totals", "ログイン画面")),
    ],
)
def test_unfair_wordings_are_told_apart_by_the_words_that_differ(value, quote, between):
    compared = compare(value, quote)
    assert not compared.agrees
    assert (compared.clash if any(compared.clash) else compared.rest) == between


def test_what_is_denied_about_a_thing_does_not_change_its_name():
    assert not compare("save", "cannot save").agrees
    assert compare("save", "cannot save", is_name=True).agrees


def test_vectors_pair_words_that_no_table_knows():
    assert not compare("the gizmo wobbles", "the gadget wobbles").agrees
    near = {frozenset(["gizmo", "gadget"]): 0.9}
    assert compare("a gizmo", "the gadget", lambda one, other: near.get(frozenset([one, other]), 0.0)).agrees


def test_empty_texts_agree_with_nothing():
    assert not compare("", "").agrees
    assert not compare("", "login").agrees


def test_a_word_knows_whether_it_is_negated():
    assert [(word.text, word.negated) for word in read_words("does not close the window")][1:] == [
        ("close", True),
        ("window", False),
    ]
    assert {word.text: word.negated for word in read_words("画面が表示されない")}["表示"]


def test_texts_are_compared_without_case_width_and_spaces():
    assert folded(" Ｌｏｇｉｎ   Form ") == "login form"
