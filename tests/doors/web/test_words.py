"""The words of the interface."""

import re
from pathlib import Path

import pytest

import shirube.doors.web
from shirube.doors.web.words import LANGUAGES, Words, choose, table
from shirube.engine.search.rank import Role
from shirube.engine.search.signals import FILE_SIGNALS, SITUATION
from shirube.errors import BadArgument
from shirube.messages import Argument, say, step
from shirube.operations import OPERATIONS
from shirube.types import KINDS
from tests.cases import for_each

SOURCE = Path(shirube.doors.web.__file__).parent
SOURCES = [path.read_text("utf-8") for path in (*SOURCE.glob("*.py"), *SOURCE.glob("templates/*"))]
ALL = "\n".join(SOURCES)
GROUPS = (
    *("search", "context", "graph", "plans", "sessions", "map", "agreement", "conflict", "insights", "ended"),
    *("index", "start", "gate_count", "frame"),
)
"""Groups of phrases that only pages ask for; others hold words of the program."""
CALLED = ("operation", "argument")
"""Groups of what messages name."""
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


def test_every_phrase_is_there_in_both_languages():
    assert [key for key, phrases in table().items() if not all(phrases[one].strip() for one in LANGUAGES)] == []
    assert [key for key, phrases in table().items() if not JAPANESE.search(phrases["ja"])] == []


def test_both_languages_have_the_same_gaps():
    def gaps(phrase: str) -> list[str]:
        return sorted(re.findall(r"\{(\w+)\}", phrase))

    assert [key for key, phrases in table().items() if gaps(phrases["en"]) != gaps(phrases["ja"])] == []


def test_every_phrase_that_is_asked_for_is_there():
    asked = set(re.findall(r"""\b(?:t|words)\(["']([a-z_]+\.[\w-]+)["']""", ALL))
    assert len(asked) > 200
    assert asked - table().keys() == set()


def test_every_column_that_is_asked_for_is_there():
    asked = re.findall(r"t\.heads\('(\w+)', (?:\w+, )?('[^)]+')\)", ALL)
    assert len(asked) > 15
    assert {f"{group}.{name}" for group, names in asked for name in re.findall(r"\w+", names)} - table().keys() == set()


@pytest.mark.parametrize("group", GROUPS)
def test_no_phrase_of_a_page_is_left_over(group: str):
    """Pages ask for a phrase by its key, or by its group and a name that stands beside it."""
    texts = [text for text in SOURCES if re.search(rf"""["']{group}[."']""", text)]
    names = set(re.findall(r"[\w-]+", "\n".join(texts)))
    own = [key.split(".")[1] for key in table() if key.startswith(f"{group}.")]
    assert own
    assert [name for name in own if name not in names] == []


@for_each(
    ("chosen", "accepted", "language"),
    [
        ("ja", "en", "ja"),
        ("", "ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("", "fr,en;q=0.5,ja;q=0.9", "ja"),
        ("", "en-GB", "en"),
        ("", "fr", "en"),
        ("", "", "en"),
        ("klingon", "ja;q=x, en", "en"),
        ("", "ja;q=0", "en"),
    ],
)
def test_the_language_is_the_chosen_one_or_what_the_browser_likes_best(chosen, accepted, language):
    assert choose(chosen, accepted) == language


def test_gaps_are_filled_and_unknown_terms_stay_as_they_are():
    assert Words("en")("search.shown", shown=1, total=2) == "1 of 2"
    assert Words("ja").term("phase", "READY") == "書き込み可"
    assert Words("ja").term("phase", "SOMETHING") == "SOMETHING"


def test_messages_name_pages_and_fields_instead_of_operations_and_arguments():
    stale = say("asking.stale_cursor")
    assert Words("en").say(stale) == stale
    assert Words("ja").say(stale) == "続きの位置が示されたあとに索引が変わりました"
    wrong = say("arguments.must_be", name=Argument("languages"), what=say("arguments.list"), given="1")
    assert Words("en").say(wrong) == "'Language' must be a list, not 1"
    assert Words("ja").say(wrong) == "「言語」は一覧で指定してください（1 ではなく）"
    proposed = say("cli.system", error=(step("index_status", limit=3), step("search_text", regex=True)))
    assert Words("en").say(proposed) == "the system refused: the Index page, search_text regex=true"
    assert Words("ja").say(proposed) == "システムに拒否されました:「索引」のページ、search_text regex=true"
    assert (
        Words("ja").say(BadArgument("session.none", name="x").hint).endswith("一覧は「セッション」のページにあります")
    )
    assert Words("ja").say("somebody's <words>") == "somebody's <words>"


def test_what_messages_name_is_there():
    """Operations and arguments that exist, called by what stands on a page."""
    arguments = {name for one in OPERATIONS for name in one.request.__struct_fields__}
    named = {group: [key.partition(".")[2] for key in table() if key.startswith(f"{group}.")] for group in CALLED}
    assert set(named["operation"]) <= {one.name for one in OPERATIONS}
    assert set(named["argument"]) <= arguments
    phrases = {phrase for key, pair in table().items() if key.split(".")[0] not in CALLED for phrase in pair.values()}
    for name in named["operation"]:
        called = table()[f"operation.{name}"]
        quoted = re.findall("「(.+?)」", called["ja"])
        quoted += re.findall(r"'(.+?)'", called["en"]) + re.findall(r"the (\w+) page", called["en"])
        assert len(quoted) in (2, 4), name
        assert set(quoted) <= phrases, name


def test_every_kind_and_role_has_words():
    assert {kind for kind in KINDS if f"kind.{kind}" not in table()} == set()
    assert {role for role in Role if f"role.{role.value}" not in table()} == set()


def test_every_signal_of_the_ranking_has_a_word_in_both_languages():
    # What stands behind a colon is a detail.
    names = {one.name.partition(":")[0] for one in (*FILE_SIGNALS, *SITUATION)} | {"name", "place"}
    told = {name: (Words("en").reason(name)[0], Words("ja").reason(name)[0]) for name in names}
    assert [name for name, (english, japanese) in told.items() if name in (english, japanese)] == []
    assert all(JAPANESE.search(japanese) for _, japanese in told.values())
    assert Words("en").reason("frame:42") == ("Line in the pasted output", "42")
