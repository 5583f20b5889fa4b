"""The mining of words: which English a Japanese word means, and how telling it is."""

from collections.abc import Sequence

import numpy as np
import pytest
from training.words import meanings, telling
from training.words.align import Links, Pair, align
from training.words.cut import Unit, compounds, english, merged

from shirube.engine.text.glossary import JapaneseWord


def pairs(*texts: tuple[str, str]) -> list[Pair]:
    """Return pairs of words between spaces."""
    return [(one.split(), other.split(), 1.0) for one, other in texts]


OPEN = pairs(
    ("open file", "ファイル 開く"),
    ("open window", "窓 開く"),
    ("close window", "窓 閉じる"),
    ("close file", "ファイル 閉じる"),
    ("regular expression", "正規表現"),
    ("invalid regular expression", "無効 正規表現"),
    ("regular expression search", "正規表現 検索"),
    ("search", "検索"),
    ("invalid", "無効"),
)


def best(links: Links, word: str) -> str:
    """Return what a word most likely means."""
    return max(links.meanings[word], key=lambda one: links.meanings[word][one])


def test_a_word_means_what_comes_and_goes_with_it():
    links = align(OPEN)
    found = {word: best(links, word) for word in ("ファイル", "開く", "窓", "閉じる", "検索", "無効")}
    assert found == {
        "ファイル": "file",
        "開く": "open",
        "窓": "window",
        "閉じる": "close",
        "検索": "search",
        "無効": "invalid",
    }
    assert links.seen["開く"] == 2


def test_two_words_side_by_side_are_a_phrase():
    assert align(OPEN).phrases["正規表現"] == {"regular expression": 3.0}


def test_the_same_pairs_give_the_same_links():
    assert align(OPEN) == align(OPEN)


def unit(word: str, begin: int, joins: bool = True) -> Unit:
    """Return a unit as it stands in a text."""
    return Unit(word, word, begin, begin + len(word), joins, True)


def letters(text: str) -> list[Unit]:
    """Cut a text at spaces, and a word after two letters."""
    units = []
    for begin in range(0, len(text), 2):
        units.append(unit(text[begin : begin + 2], begin, "の" not in text[begin : begin + 2]))
    return units


def test_words_that_often_stand_together_are_one():
    known = compounds(["正規表現"] * 6 + ["有効期限"] * 5, letters)
    assert known == {("正規", "表現")}
    assert [(one.form, parts) for one, parts in merged(letters("正規表現期限"), known)] == [
        ("正規表現", ("正規", "表現")),
        ("期限", ("期限",)),
    ]


def links(**words: dict[str, float]) -> Links:
    """Return links of words that occur ten times."""
    return Links({word: dict(found) for word, found in words.items()}, {}, dict.fromkeys(words, 10.0))


def test_a_compound_is_kept_where_its_parts_do_not_say_it():
    long = links(有効={"valid": 9.0}, 期限={"deadline": 8.0}, 環境={"environ": 9.0}, 変数={"variabl": 9.0})
    whole = links(有効期限={"expir": 8.0}, 環境変数={"environ": 6.0})
    whole.phrases["環境変数"] = {"environ variabl": 8.0}
    parts = {"有効期限": ("有効", "期限"), "環境変数": ("環境", "変数")}
    table = meanings.from_strings(long, links(), whole, parts)
    assert table["有効期限"] == {"expir": pytest.approx(8 / 11)}
    assert "環境変数" not in table


def test_a_kanji_alone_and_a_word_in_hiragana_must_be_surer():
    table = meanings.from_strings(links(型={"type": 9.0}, 時={"time": 2.0}, こと={"cannot": 9.0}), links(), links(), {})
    assert table.keys() == {"型"}


@pytest.mark.parametrize(("projects", "found"), [(1, False), (2, True)])
def test_histories_add_words_that_more_than_one_project_uses(projects: int, found: bool):
    table: meanings.Table = {}
    meanings.add_histories(table, links(), [links(番組={"program": 6.0})], {("番組", "program"): projects})
    assert ("番組" in table) == found


def test_the_model_proposes_as_sure_as_it_is_right_of_known_words():
    terms = ["zero", "type", "open", "ゼロ", "型名", "開く"]
    rows = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0.1, 0], [0, 1, 0.1], [0.1, 0, 1]])
    table: meanings.Table = {"型名": {"type": 0.9}, "開く": {"start": 0.9}}
    meanings.add_proposals(table, terms, rows, ["ゼロ"])
    assert table["ゼロ"] == {"zero": 0.5}
    meanings.add_proposals(table, ["zero", "ヌル"], np.eye(2), ["ヌル"])
    assert "ヌル" not in table


def messages(word: str, meaning: str, names: Sequence[str]) -> list[tuple[str, list[JapaneseWord], set[str]]]:
    """Return messages that say a word, beside the names that each touched."""
    return [("one", [JapaneseWord(word, ((meaning, 1.0),))], {name}) for name in names]


def test_a_word_tells_when_its_english_is_in_the_names():
    rows = messages("認証", "auth", ["auth"] * 10) + messages("修正", "fix", ["user", "cart", "page"] * 30)
    worth = telling.weights(rows)
    assert worth["認証"] > 0.5
    assert worth["修正"] < 0.25


def test_english_is_cut_into_the_words_that_say_something():
    assert english("_Open the user's ConfigFile") == ["open", "user", "config", "file"]
