"""Japanese is made of docs and names by looking words up, the same way every time."""

from shirube.engine.embed.static import Vocabulary
from training import tasks

LEXICON = {("file",): ["ファイル"], ("read",): ["読む"], ("config", "file"): ["設定ファイル"]}


def test_the_longest_phrase_is_looked_up_and_unknown_words_mostly_fall_away() -> None:
    translate = tasks.Translator(LEXICON, frozenset({"the"}), stays=0)
    assert translate("read the config file quickly") == "読む 設定ファイル"
    assert translate("read it") == ""


def test_names_are_looked_up_word_by_word() -> None:
    (row,) = tasks._translated_names(LEXICON, [{"n": "Thing.readFile"}])
    assert row == {"n": "readFile", "u": "読む ファイル"}


def test_what_is_said_most_is_looked_up_first() -> None:
    said = [
        ("open file", "ファイルを開く"),
        ("open", "開く"),
        ("open", "オープン"),
        ("open", "開く"),
        ("Opens", "open"),
    ]
    strings = [{"e": english, "j": japanese} for english, japanese in said]
    words = tasks.lexicon(tasks.Texts(strings=strings))
    assert words[("open",)] == ["開く", "オープン"]
    assert words[("open", "file")] == ["ファイルを開く"]


def test_rows_of_histories_are_tasks_of_their_own() -> None:
    told = {"q": "設定を保存する", "c": "save(settings)", "n": "save", "p": "src/settings.py", "k": "ja_commits"}
    texts = tasks.Texts(code=[{"q": "a", "c": "b", "n": "c"}], histories={"ja_commits": [told]})
    vocabulary = Vocabulary(["save", "sett", "設定", "保存"], 8)
    shares = tasks.Shares(histories={"ja_commits": 0.6}, japanese_code=0, japanese_name=0)
    (task,) = [task for task in tasks.Builder(texts, vocabulary).tasks(shares) if task.name == "ja_commits"]
    assert (len(task), task.share) == (1, 0.6)
    assert [len(part.bags) for part in task.right] == [1, 1, 1]
    assert not [task for task in tasks.Builder(texts, vocabulary).tasks(tasks.Shares()) if task.name == "ja_commits"]
