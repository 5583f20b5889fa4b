"""Which command lines only read."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shirube.features.guard.shell import git_places, is_reading, read_commands
from tests.cases import for_each

READS = [
    "ls -la",
    "cat a | grep b | wc -l",
    "git log --oneline -5 && git diff HEAD~1 -- src",
    "grep -rn 'a > b; rm x' src",
    "(cd src && ls)",
    "echo $(git rev-parse HEAD)",
    "ls 2>/dev/null || true",
    "ls > /dev/null 2>&1",
    "cat < f",
    "LC_ALL=C sort a",
    "cat 'a b' \"$HOME/x\"",
    "head -5 *.py",
    "find . -name x -print0 | xargs -0 grep foo",
    "cat \\\n a",
    "ls\ncat b",
    "grep '支払い' src/*.py",
    "grep '支払い（税込）２　回' src",
    "[ -f a ] && cat a",
    "command -v git",
    "bash -lc 'ls | head'",
    "git diff $(git merge-base main HEAD) --stat",
    "git log $(git rev-list --tags --max-count=1)",
]
WRITES = [
    "rm x",
    "echo a > f",
    "echo a>>f",
    "ls >| f",
    "ls &> f",
    "ls >& f",
    "cat <> f",
    "ls; rm x",
    "ls && touch x",
    "ls || touch x",
    "ls\ntouch x",
    "ls | tee f",
    "ls & touch x",
    "cat $(touch x)",
    'cat "$(touch x)"',
    "cat `touch x`",
    "cat <(touch x)",
    "(touch x)",
    "FOO=1 ls",
    "PATH=. ls",
    "LANG=$(touch x) ls",
    "$X",
    '"$X" a',
    "find . $X",
    'find ""*',
    "sort {-o,f} g",
    "echo $'a'",
    "echo ${x@P}",
    "echo $((a[$(touch x)]))",
    "ls *(e:'touch x':)",
    "cat <<EOF\n$(touch x)\nEOF",
    "for i in a; do touch x; done",
    "if ls; then touch x; fi",
    "{ touch x; }",
    "! ls",
    "ls # and more",
    "eval ls",
    "ls\rtouch x",
    "a\x00b",
    "ls 'a",
    "(ls",
    "ls )",
    "ls;;",
    "",
    "   ",
    "ls " + "a" * 30_000,
    "(" * 200 + "ls" + ")" * 200,
    "ls >&２",
    "ls ＞ f",
    "echo a｜tee f",
    "ls\u00a0x",
    "ls \u202ex",
    "ls a\u200bb",
    "ls \u2028touch x",
    "ls \x85touch x",
    "ls \ud800",
    "COLUMNS='a[$(touch x)]' ls",
    "LANG=$X ls",
    "echo $a['$(touch x)']",
    "echo ${a}[b]",
    "((ls))",
    "cat < /dev/tcp/host/80",
    "cat < $X",
    "uniq f*",
    "awk a* f",
    "sed -n s/a*/b/ f",
    "git -C s* log",
    "printf a* b",
    "xargs -I $X cat",
    "xargs -I ca* cat",
    "bash -c 'ls; touch x'",
    'bash -c "$X"',
    "sh -c ls touch",
    "sh -c 'sh -c \"touch x\"'",
    "git log $(git rev-parse --output=x)",
    "git log $(git describe --tags)",
    "git log $(git rev-parse HEAD | tee x)",
    "git log $(echo --output=x)",
]


@for_each("command", READS)
def test_what_only_reads_passes(command: str):
    assert is_reading(command)


@for_each("command", WRITES)
def test_what_writes_or_is_not_understood_does_not_pass(command: str):
    assert not is_reading(command)


def test_the_user_may_let_more_pass():
    assert not is_reading("pytest -x tests")
    assert is_reading("pytest -x $FILES", ["pytest"])
    assert is_reading("npm test && ls", ["npm test"])
    assert not is_reading("npm install", ["npm test"])
    assert not is_reading("pytest > log", ["pytest"])
    assert not is_reading("ls; rm x", ["", "  "])
    assert not is_reading("PATH=. npm test", ["npm test"])
    assert is_reading("bash -c 'touch x'", ["bash -c"])
    assert is_reading("bash -c 'ls; make it'", ["make it"])


@for_each(
    ("command", "places"),
    [
        ("ls", set()),
        ("git log", {""}),
        ("g''it log", {""}),
        ("timeout 5 /usr/bin/git -C a -C b log", {"a/b"}),
        ("cd a && git log; cd /b; git log", {"", "a", "/b"}),
        ("(cd a; git log)", {"", "a"}),
        ("cd $X && git log", None),
        ("cd ~/x && git log", None),
        ("cd - && git log", None),
        ("cd a* && git log", None),
        ("cd a && ls", set()),
    ],
)
def test_where_git_would_run(command: str, places: set[str] | None):
    assert git_places(command) == places
    assert git_places("cd $X && git log", ["git log"]) == set()


def test_programs_inside_programs_are_found():
    found = read_commands('a $(b "$(c)") | (d; e)')
    assert found is not None
    assert sorted(one.words[0].text for one in found) == ["a", "b", "c", "d", "e"]


WORDS = ("ls", "cat", "echo", "touch made", "rm keep", "a", "-l", "made", "/dev/null", "$HOME", "*", " ", "  ")
MARKS = (
    ";",
    "&&",
    "&",
    "|",
    "||",
    "|&",
    ">",
    ">>",
    "<",
    "<<",
    "2>",
    "$(",
    "(",
    ")",
    "`",
    "\n",
    "{",
    "}",
    "#",
    "!",
    "=",
)
PIECES = st.sampled_from((*WORDS, *MARKS, "'", '"', "\\", "$'"))
SHELLS = [shell for shell in ("/bin/sh", "/bin/bash", "/bin/zsh") if Path(shell).exists()]


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=400, deadline=None)
def test_nothing_that_passes_changes_a_file(tmp_path_factory: pytest.TempPathFactory, command: str):
    """The real shell is the judge: what the reader lets pass is run, and the directory has to stay as it was."""
    if not is_reading(command):
        return
    for shell in SHELLS:
        place = tmp_path_factory.mktemp("run")
        (place / "keep").write_text("kept")
        env = {"PATH": os.defpath, "HOME": str(place)}
        done = {"cwd": place, "env": env, "stdin": subprocess.DEVNULL, "capture_output": True}
        subprocess.run([shell, "-c", command], **done, check=False)
        assert [(path.name, path.read_text()) for path in place.iterdir()] == [("keep", "kept")], command


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_without_an_error(text: str):
    assert is_reading(text) in (True, False)


@given(
    st.sampled_from(READS),
    st.sampled_from([";", "&&", "||", "|", "\n", "&"]),
    st.sampled_from(["touch x", "rm y", "> z"]),
)
def test_a_write_is_seen_wherever_it_stands(read: str, joint: str, write: str):
    assert not is_reading(f"{read} {joint} {write}")
    assert not is_reading(f"{write} {joint} {read}")
    assert not is_reading(f'echo "$({read} {joint} {write})"')
