import pytest

from shirube.errors import BadArgument, OutsideRoot, UnknownName
from shirube.features.commands.model import Command, CommandOptions
from shirube.features.commands.options import RESERVED, Given, check_options, read_options
from tests.cases import for_each
from tests.refusals import refusal

COMMAND = Command(
    "git",
    "do",
    "thing",
    options=CommandOptions(("default", "long"), ("default", "short"), uv={"scope": "what", "size": ""}),
)
GREEDY = Command("git", "do", "all", options=CommandOptions(file=True, stdin=True, destination=True))


@pytest.mark.requirement("000-OPTION-01", "000-OPTION-02", "000-OPTION-03", "000-OPTION-04", "N000-OPTION-01")
@for_each(
    ("flag", "given"),
    [
        *((f"{name}=x", Given(edition="x")) for name in ("-e", "--edition", "-i", "--input", "edition")),
        *((f"{name}=x", Given(adaptation="x")) for name in ("-a", "--adaptation", "adaptation")),
        *((f"{name}=in.md", Given(file="in.md")) for name in ("-f", "--from", "--file", "file", "from")),
        *((f"{name}=o/p.md", Given(destination="o/p.md")) for name in ("-d", "-o", "--destination", "destination")),
        ("--uv-scope=a=b", Given(variables={"scope": "a=b"})),
        ("uv-two_words-x=日本 語", Given(variables={"two_words-x": "日本 語"})),
    ],
)
def test_every_spelling_is_understood(flag: str, given: Given):
    assert read_options([flag]) == given


def test_several_are_gathered_and_written_as_the_original_reads_them():
    given = read_options(["-e=long", "-d=out.md", "-f=in.md", "--uv-b=2", "--uv-a=1"])
    assert given.flags() == ["--edition=long", "--from=in.md", "--destination=out.md", "--uv-b=2", "--uv-a=1"]


@pytest.mark.requirement("N000-OPTION-02")
@for_each("flag", ["-x=1", "--editon=long", "--config=git", "-c=git", "--uv-=x", "--uv-9=x", "stdin=x", "=x"])
def test_an_unknown_option_is_refused(flag: str):
    with pytest.raises(UnknownName, match="unknown option"):
        read_options([flag])


@for_each(
    ("flags", "words"),
    [
        (["--edition"], "has no value"),
        (["long"], "has no value"),
        (["--edition="], "is empty"),
        (["--uv-scope="], "is empty"),
        (["-e=a", "--edition=b"], "given twice"),
        (["--uv-a=1", "--uv-a=2"], "given twice"),
        *(([f"--uv-{name}=x"], "fills in") for name in RESERVED),
    ],
)
def test_what_cannot_be_meant_is_refused(flags: list[str], words: str):
    with pytest.raises(BadArgument, match=words):
        read_options(flags)


@pytest.mark.requirement("N000-SAFE-01")
@for_each("option", ["-f", "-o", "-d", "--from", "--destination"])
@for_each("path", ["../x", "/etc/passwd", "~/x", "a/../../b", "a\nb", "a\0b", "..", "C:\\x", "a\\..\\b"])
def test_a_path_that_escapes_is_refused(option: str, path: str):
    with refusal(OutsideRoot, "commands.leaves"):
        read_options([f"{option}={path}"])


@pytest.mark.requirement("N000-SAFE-02")
def test_shell_characters_in_free_text_are_just_text():
    nasty = "$(rm -rf ~); `id` | cat > /etc/passwd && echo <x> 'q' \"d\""
    assert read_options([f"--uv-scope={nasty}"]).variables == {"scope": nasty}


@pytest.mark.requirement("N000-OPTION-03")
def test_options_are_checked_against_the_registry_and_missing_ones_named():
    assert check_options(COMMAND, read_options(["-e=long", "-a=short", "--uv-size=3"]), "") == ("uv-scope",)
    assert check_options(COMMAND, Given(), "") == ("uv-scope", "uv-size")
    with pytest.raises(UnknownName, match=r"unknown edition of 'git do thing' 'lon'") as caught:
        check_options(COMMAND, Given(edition="lon"), "")
    assert caught.value.nearest == "long"
    with pytest.raises(UnknownName, match="unknown adaptation"):
        check_options(COMMAND, Given(adaptation="long"), "")
    with pytest.raises(UnknownName) as caught:
        check_options(COMMAND, Given(variables={"scop": "x"}), "")
    assert caught.value.nearest == "uv-scope"


@for_each(("given", "stdin"), [(Given(file="a"), ""), (Given(destination="a"), ""), (Given(), "text")])
def test_an_input_the_command_does_not_take_is_refused(given: Given, stdin: str):
    with refusal(BadArgument, "commands.takes_no"):
        check_options(COMMAND, given, stdin)
    assert check_options(GREEDY, given, stdin) == ()
