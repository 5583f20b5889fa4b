import pytest

from shirube.features.commands.model import (
    LONGEST_TEXT,
    MOST_COMMANDS,
    Command,
    CommandOptions,
    command_from,
    read_entries,
)
from tests.cases import for_each
from tests.features.commands.conftest import entry


def read(*entries):
    sound, problems = read_entries({"tools": {"commands": list(entries)}})
    return tuple(map(command_from, sound)), problems


def test_an_entry_becomes_a_command_with_its_options():
    options = {"edition": ["default", "long"], "adaptation": "short", "file": True, "stdin": True, "destination": False}
    (command,), problems = read(entry("git", "group-commit", "changes", "Group", usage="climpt-git …", options=options))
    assert command == Command(
        "git", "group-commit", "changes", "Group", "climpt-git …",
        CommandOptions(("default", "long"), ("short",), True, True, False),
    )  # fmt: skip
    assert command.id == "git group-commit changes"
    assert problems == ()


@pytest.mark.requirement("N000-REGISTRY-01")
@for_each(
    ("shape", "variables"),
    [
        ({"options": {"uv": {"scope": "what", "uv-size": "how much"}}}, {"scope": "what", "size": "how much"}),
        ({"uv": ""}, {}),
        ({"uv": [{"scope": "what"}, {"size": "how much"}]}, {"scope": "what", "size": "how much"}),
        ({"uv": {"scope": "what"}}, {"scope": "what"}),
        ({"uv": ["scope"]}, {"scope": ""}),
        ({"uv": 7}, {}),
        ({}, {}),
    ],
)
def test_every_shape_of_variables_is_read(shape, variables):
    (command,), _ = read(entry("a", "b", "c", **shape))
    assert command.options.uv == variables


@for_each("value", [None, [], {}, {"tools": []}, {"tools": {"commands": {}}}, 5, "x"])
def test_what_is_no_registry_is_said_to_be_none(value):
    assert read_entries(value) == ((), ("there is no list at tools.commands",))


@for_each("word", ["", "../x", "a/b", "-rf", "a b", ".hidden", "a\0", "x" * 101, None, 3])
def test_an_entry_whose_words_are_not_plain_is_left_out_and_told(word):
    commands, problems = read(entry("git", "ok", "fine"), entry("git", word, "x"), 7)
    assert [command.id for command in commands] == ["git ok fine"]
    assert problems == (
        "entry 2 is left out: its c2 is missing or no plain word",
        "entry 3 is left out: it is no object",
    )


def test_words_may_be_japanese():
    (command,), _ = read(entry("文書", "要約-する", "議事録"))
    assert command.id == "文書 要約-する 議事録"


def test_wrong_types_count_as_not_given_and_long_texts_are_cut():
    options = {"edition": [1, "../x", "ok"], "file": "yes", "stdin": 1}
    (command,), _ = read(entry("a", "b", "c", "d" * 9999, usage=4, options=options))
    assert command.options == CommandOptions(("ok",))
    assert (len(command.description), command.usage) == (LONGEST_TEXT, "")
    (command,), _ = read(entry("a", "b", "c", options=[]))
    assert command.options == CommandOptions()


def test_a_huge_list_is_cut_and_that_is_told():
    commands, problems = read(*(entry("a", "b", f"c{number}") for number in range(MOST_COMMANDS + 5)))
    assert len(commands) == MOST_COMMANDS
    assert problems == (f"only the first {MOST_COMMANDS:,} of {MOST_COMMANDS + 5:,} entries are read",)
