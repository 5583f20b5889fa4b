"""Messages: how one is made, rendered and kept, and that the table and the source agree about every code."""

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

import shirube
from shirube import errors, messages
from shirube.codec import Record, pack, shown_json, unpack
from shirube.messages import (
    AGENT,
    NOTHING,
    Argument,
    Message,
    Speech,
    groups,
    hint_of,
    is_code,
    pack_message,
    render,
    row,
    say,
    section,
    step,
    unpack_message,
    verbatim,
)
from shirube.operation import Shared
from shirube.operations import OPERATIONS

DOOR = Speech("ja", lambda name, given: f"<{name} {sorted(given)}>", lambda name, value: f"--{name}{value}")
"""A Japanese door with words of its own for operations and arguments."""
ROWS = {
    "plain": ["nothing is there", "何もありません"],
    "named": ["'{name}' is gone", "「{name}」はなくなりました"],
    "counted": ["{count|file|files} in {where}", "{where} に {count} ファイル"],
    "advice": ["{@sync_index} takes {-full}", "{-full} は {@sync_index} へ"],
    "wrong": ["'{name}' is wrong", "「{name}」は誤りです", "try {what}", "{what} を試してください"],
}


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of our own, as the group ``own``."""
    monkeypatch.setattr(messages, "section", lambda group: ROWS if group == "own" else section(group))
    sections = messages._sections()
    monkeypatch.setattr(messages, "_sections", lambda: {**sections, "own": ""})


# --- making and rendering ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("rows")
class TestRendering:
    """A message in English for agents, and as a door says it."""

    def test_it_is_the_english_text_and_renders_in_japanese(self):
        told = say("own.plain")
        assert told == "nothing is there"
        assert isinstance(told, str)
        assert (told.code, told.values) == ("own.plain", {})
        assert render(told, DOOR) == "何もありません"
        assert render(told, Speech("en")) == told
        assert type(render(told, AGENT)) is str

    @pytest.mark.parametrize(
        ("count", "english"), [(0, "0 files in a"), (1, "1 file in a"), (2, "2 files in a"), (1200, "1,200 files in a")]
    )
    def test_a_number_takes_the_word_that_fits(self, count: int, english: str):
        assert say("own.counted", count=count, where="a") == english

    def test_a_door_may_cut_long_values_and_long_lists(self):
        brief = Speech(longest=10, listed=2)
        assert render(say("own.named", name="src/a/long/path.py"), brief) == "'src…ath.py' is gone"
        assert render(say("own.named", name=["one", "two", "three", "four"]), brief) == "'one, two, … +2' is gone"
        call = step("search", query="a question of some length", limit=3)
        assert render(say("own.named", name=call), brief) == "'search limit=3' is gone"
        inner = say("own.wrong", name="a name that is too long", what="")
        assert render(say("own.named", name=inner), brief) == "''a n…o long' is wrong' is gone"

    def test_a_plain_number_stays_in_the_other_language(self):
        assert render(say("own.counted", count=1200, where="a"), DOOR) == "a に 1200 ファイル"

    def test_operations_and_arguments_are_called_as_the_door_calls_them(self):
        told = say("own.advice")
        assert told == "sync_index takes full"
        assert render(told, DOOR) == "--full は <sync_index []> へ"

    @pytest.mark.parametrize(
        ("value", "english", "japanese"),
        [
            ("a <b>", "a <b>", "a <b>"),
            (3, "3", "3"),
            (step("sync_index", full=True), "sync_index full=true", "<sync_index ['full']>"),
            (step("search", query="two words"), "search query='two words'", "<search ['query']>"),
            (step("search", path="src/**/*.py"), "search path=src/**/*.py", "<search ['path']>"),
            (Argument("limit"), "limit", "--limit"),
            (["a", "b"], "a, b", "a、b"),
            ((step("search"), Argument("limit")), "search, limit", "<search []>、--limit"),
            ((), "", ""),
        ],
    )
    def test_values_are_told_by_their_kind(self, value: object, english: str, japanese: str):
        told = say("own.named", name=value)
        assert told == f"'{english}' is gone"
        assert render(told, DOOR) == f"「{japanese}」はなくなりました"

    def test_messages_within_messages_are_rendered_too(self):
        told = say("own.named", name=(say("own.plain"), say("own.named", name=say("own.advice"))))
        assert told == "'nothing is there, 'sync_index takes full' is gone' is gone"
        inner = "「--full は <sync_index []> へ」はなくなりました"
        assert render(told, DOOR) == f"「何もありません、{inner}」はなくなりました"

    def test_braces_in_a_value_are_no_gaps(self):
        told = say("own.named", name="{name} {@search} {x|a|b}")
        assert told == "'{name} {@search} {x|a|b}' is gone"
        assert render(told, DOOR) == "「{name} {@search} {x|a|b}」はなくなりました"

    def test_words_of_others_stay_as_they_are(self):
        for text in (verbatim("own.plain"), NOTHING, "own.plain", Message("own.plain")):
            assert render(text, DOOR) == str(text)
        told = say("own.plain")
        assert verbatim(told) is told
        assert verbatim("disk full").code == ""

    def test_a_code_or_a_value_that_is_missing_is_an_error(self):
        with pytest.raises(KeyError):
            say("own.unheard_of")
        with pytest.raises(KeyError):
            say("own.named")

    def test_a_row_of_an_error_has_a_hint(self):
        error = errors.BadArgument("own.wrong", name="x", what=step("search"))
        assert (error.message, error.hint) == ("'x' is wrong", "try search")
        assert error.hint.code == "own.wrong.hint"
        assert error.as_dict(DOOR)["message"] == "「x」は誤りです"
        assert error.as_dict(DOOR)["hint"] == "<search []> を試してください"
        assert hint_of("own.plain", {}) == NOTHING
        assert errors.BadArgument("own.wrong", say("own.plain"), name="x").hint == "nothing is there"

    @pytest.mark.parametrize("text", ["", "disk full", "own.unheard_of", "other.plain", "own.wrong.hint", "own.plain "])
    def test_what_is_no_code_is_a_sentence(self, text: str):
        assert not is_code(text)
        assert errors.ShirubeError(text).as_dict(DOOR)["message"] == text

    def test_a_message_is_no_code(self):
        assert is_code("own.plain")
        assert not is_code(verbatim("own.plain"))


# --- keeping -------------------------------------------------------------------------------------------------


class Kept(Record):
    """Something with messages in it."""

    note: Message = NOTHING
    notes: tuple[Message, ...] = ()


@pytest.mark.usefixtures("rows")
class TestKeeping:
    """A message in a journal, and across processes."""

    VALUES = (
        "text",
        7,
        say("request.cancelled"),
        step("search", query="q", limit=3),
        Argument("limit"),
        (say("request.cancelled"), step("sync_index"), "x"),
    )

    @pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
    def test_it_comes_back_whole(self, value: object):
        told = say("own.named", name=value)
        for back in (unpack_message(pack_message(told)), pickle.loads(pickle.dumps(told)), copy.deepcopy(told)):
            assert (back, back.code, dict(back.values)) == (told, told.code, dict(told.values))
            assert render(back, DOOR) == render(told, DOOR)

    def test_a_record_keeps_messages_and_shows_text(self):
        kept = Kept(say("own.plain"), (say("own.counted", count=1, where="a"), verbatim("theirs")))
        packed = pack(kept)
        assert packed["note"] == {"code": "own.plain", "values": {}}
        assert packed["notes"][1] == "theirs"
        back = unpack(Kept, packed)
        assert back == kept
        assert [one.code for one in back.notes] == ["own.counted", ""]
        assert shown_json(kept) == {"note": "nothing is there", "notes": ["1 file in a", "theirs"]}
        assert shown_json(back, DOOR)["notes"] == ["a に 1 ファイル", "theirs"]
        assert type(shown_json(kept)["note"]) is str

    def test_sentences_of_earlier_versions_are_shown_as_they_are(self):
        back = unpack(Kept, {"note": "an old sentence", "notes": ["own.plain"]})
        assert (back.note, back.note.code) == ("an old sentence", "")
        assert render(back.notes[0], DOOR) == "own.plain"

    @pytest.mark.parametrize(
        "packed", [{"code": "own.lost", "values": {}}, {"code": "own.named", "values": {}}, {"code": "gone.x"}]
    )
    def test_a_code_of_another_version_is_shown_itself(self, packed: dict[str, object]):
        assert unpack_message(packed) == packed["code"]

    @pytest.mark.parametrize("packed", [3, None, [], {"code": 3, "values": {}}, {"code": "own.plain", "values": []}])
    def test_what_is_no_message_is_refused(self, packed: object):
        with pytest.raises(ValueError, match="no message"):
            unpack(Kept, {"notes": [packed]})


# --- the table and the source --------------------------------------------------------------------------------

SOURCE = Path(shirube.__file__).parent
JAPANESE = re.compile("[\u3001-\u30ff\u4e00-\u9fff\uff08]")
GAP = re.compile(r"\{(\w+)(?:\|[^|{}]*\|[^|{}]*)?\}")
NAMED = re.compile(r"\{([@-])(\w+)(?:=\w+)?\}")
CODE = re.compile(r"([a-z_]+)\.([a-z0-9_]+)")
SAYING = {"say", "words", "__init__"} | {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.ShirubeError)
}
"""What takes a code first and its values by name: ``say``, a screen's ``words``, and errors."""


class Said(NamedTuple):
    """A call that says a code, or one of two, and the names of the values; None when they cannot be read off."""

    where: str
    codes: tuple[str, ...]
    values: frozenset[str] | None


@cache
def all_said() -> tuple[Said, ...]:
    """Return every call that says something by its code."""
    return tuple(chain.from_iterable(_said(path) for path in sorted(SOURCE.rglob("*.py"))))


def _said(path: Path) -> Iterator[Said]:
    saying = SAYING - {"words"} if "web" in path.parts else SAYING  # pages have a table of their own for their words
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in saying:
            continue
        names = [one.arg for one in node.keywords]
        values = None if None in names else frozenset(filter(None, names))
        if codes := tuple(filter(CODE.fullmatch, _literals(node.args[0]))):
            yield Said(f"{path.relative_to(SOURCE)}:{node.lineno}", codes, values)


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_literals(node.body), *_literals(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def table() -> dict[str, list[str]]:
    """Return every row by its code."""
    return {f"{group}.{name}": one for group in groups() for name, one in section(group).items()}


def gaps(template: str) -> set[str]:
    return set(GAP.findall(template))


def used() -> set[str]:
    """Return the codes that stand in the source: said, in a table, or begun by a text with gaps."""
    known = set(table())
    found = {code for one in all_said() for code in one.codes}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and "web" not in path.parts and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = (re.escape(str(one.value)) if isinstance(one, ast.Constant) else r"\w+" for one in node.values)
                pattern = "".join(parts)
                if re.match(r"[a-z_]+\\\.", pattern):
                    found |= {code for code in known if re.fullmatch(pattern, code)}
    return found & known


def test_every_code_that_is_said_is_in_the_table_with_the_gaps_that_are_filled():
    rows = table()
    assert len(all_said()) > 30
    assert [one for one in all_said() if not rows.keys() >= set(one.codes)] == [], "add the rows to messages.toml"
    filled = [(one, set().union(*(gaps(text) for code in one.codes for text in rows[code]))) for one in all_said()]
    assert [(one, wanted) for one, wanted in filled if one.values is not None and one.values != wanted] == []


def test_every_word_for_an_unknown_name_is_a_term():
    words = {
        one.value
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "UnknownName"
        for one in node.args[:1]
        if isinstance(one, ast.Constant)
    }
    assert {"argument", "operation", "language"} <= words <= section("terms").keys()


def test_every_row_is_in_both_languages_with_the_same_gaps():
    for code, texts in table().items():
        assert len(texts) in (2, 4), code
        assert row(code) == tuple(texts), code
        for english, japanese in zip(texts[::2], texts[1::2], strict=True):
            assert english.strip(), code
            assert japanese.strip(), code
            assert gaps(english) == gaps(japanese), code
            own, other = (GAP.sub("{}", NAMED.sub("{}", text)) for text in (english, japanese))
            wordless = not re.search("[A-Za-z]", own) or not re.search(r"\w", other.replace("{}", ""))
            assert JAPANESE.search(other) or own == other or wordless, code
            assert not re.search(r"\{\w*[|@-]|\{\w+\}", own + other), code


def test_every_operation_and_argument_that_a_row_names_exists():
    operations = {one.name for one in OPERATIONS}
    fields = {name for one in OPERATIONS for kind in (one.request, one.result) for name in kind.__struct_fields__}
    fields |= {*Shared.__struct_fields__}
    named = {(*found, code) for code, texts in table().items() for text in texts for found in NAMED.findall(text)}
    assert [one for one in sorted(named) if one[1] not in (operations if one[0] == "@" else fields)] == []


def test_no_row_is_left_over():
    assert sorted(table().keys() - used()) == [], "nobody says these: delete the rows, or see their section"
