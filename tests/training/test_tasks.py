"""Japanese is made of docs and names by looking words up, the same way every time."""

from training import tasks

LEXICON = {("file",): ["ファイル"], ("read",): ["読む"], ("config", "file"): ["設定ファイル"]}


def test_the_longest_phrase_is_looked_up_and_unknown_words_mostly_fall_away() -> None:
    translate = tasks.Translator(LEXICON, frozenset({"the"}), stays=0)
    assert translate("read the config file quickly") == "読む 設定ファイル"
    assert translate("read it") == ""


def test_names_keep_their_small_words() -> None:
    (row,) = tasks._translated_names(LEXICON, [{"n": "Thing.isFile"}])
    assert row["n"] == "isFile"
    assert row["u"].endswith("ファイル")


def test_the_glossary_is_pairs() -> None:
    assert {"j": "べき等", "e": "idempotent"} in tasks.glossary()
