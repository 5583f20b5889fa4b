import os
import shutil
import sys

import pytest

from shirube.deadline import Deadline
from shirube.engine.repo.grep_scan import Reachable, sieve
from shirube.engine.repo.regex import Spelling, compile_pattern

needs_rg = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")


def kept(root, files, env, *patterns, **spelling):
    compiled = [compile_pattern(pattern, Spelling(**spelling)) for pattern in patterns]
    found = sieve(root, compiled, files, 1 << 20, env, Deadline())
    return None if found is None else sorted(found)


@needs_rg
def test_files_that_may_match_are_kept(tmp_path, make, env):
    root = make(tmp_path / "p", {"a": "foo bar\n", "b/c": "foo\n", "d": "決済 ファイル"})
    files = ["a", "b/c", "d"]
    assert kept(root, files, env, "foo") == ["a", "b/c"]
    assert kept(root, files, env, "foo bar", "決済") == ["a", "d"]
    assert kept(root, files, env, "FOO B", ignore_case=True) == ["a"]
    assert kept(root, files, env, r"foo \w", regex=True) == ["a"]
    assert kept(root, files, env, "nothing") == []
    assert kept(root, [], env, "foo") == []


@needs_rg
def test_only_the_given_files_are_read_even_hidden_ignored_or_binary_ones(tmp_path, make, env):
    root = make(tmp_path / "p", {".git/HEAD": "", ".gitignore": "b", ".h": "x", "a": "x", "b": "x", "bin": b"\0x"})
    assert kept(root, [".h", "b", "bin"], env, "x") == [".h", "b", "bin"]


@needs_rg
def test_what_is_no_plain_file_is_left_to_whoever_reads(tmp_path, make, env):
    root = make(tmp_path / "p", {"a": "foo", "large": "x" * (1 << 21)})
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to("a")
    assert kept(root, ["a", "gone", "large", "link", "pipe"], env, "nothing") == ["gone", "large", "link", "pipe"]


def test_nothing_is_said_without_ripgrep(tmp_path, make, env):
    root = make(tmp_path / "p", {"a": "foo"})
    assert kept(root, ["a"], env | {"PATH": str(tmp_path)}, "foo") is None


@needs_rg
def test_nothing_is_said_about_an_expression_without_certain_letters(tmp_path, make, env):
    root = make(tmp_path / "p", {"a": "foo"})
    assert kept(root, ["a"], env, r"\w+", regex=True) is None


@needs_rg
def test_nothing_is_said_when_ripgrep_fails_or_time_is_up(tmp_path, make, env):
    root = make(tmp_path / "p", {"a": "foo", "locked": "foo"})
    pattern = compile_pattern("foo", Spelling())
    assert sieve(root, [pattern], ["a"], 1 << 20, env, Deadline(0.0)) is None
    assert sieve(tmp_path / "gone", [pattern], ["a"], 1 << 20, env, Deadline()) in (None, {"a"})
    fake = make(tmp_path / "bin", {"rg": "#!/bin/sh\nexit 2\n"})
    (fake / "rg").chmod(0o755)
    assert kept(root, ["a"], env | {"PATH": str(fake)}, "foo") is None
    (fake / "rg").write_text("no program")
    assert kept(root, ["a"], env | {"PATH": str(fake)}, "foo") is None


@needs_rg
@pytest.mark.parametrize("name", ["-e", "--pre=./evil.sh", "new\nline", "a b", "[id].tsx", "日本.py", "'$(x)`"])
def test_a_name_stays_a_name(tmp_path, make, env, name):
    root = make(tmp_path / "p", {name: "needle\n"})
    assert kept(root, [name], env, "needle") == [name]


@needs_rg
@pytest.mark.parametrize("regex", [True, False])
def test_a_pattern_stays_a_pattern(tmp_path, make, env, regex):
    root = make(tmp_path / "p", {"a": "--pre=./evil.sh\n", "evil.sh": "#!/bin/sh\ntouch sprung\n"})
    (root / "evil.sh").chmod(0o755)
    assert kept(root, ["a"], env, "--pre=./evil.sh", regex=regex) == ["a"]
    for pattern in ("--pre=evil.sh", "-f/etc/passwd", "--search-zip"):
        assert kept(root, ["a"], env, pattern, regex=regex) == []
    assert not (root / "sprung").exists()


@needs_rg
def test_settings_of_the_user_do_not_change_the_search(tmp_path, make, env):
    root = make(tmp_path / "p", {"a": "needle\n", "rc": "--invert-match\n"})
    assert kept(root, ["a"], env | {"RIPGREP_CONFIG_PATH": str(root / "rc")}, "needle") == ["a"]


@needs_rg
def test_long_lists_of_files_are_searched_in_batches(tmp_path, make, env, monkeypatch):
    monkeypatch.setattr(sys.modules["shirube.engine.repo.grep_scan"], "_MAX_ARGUMENT_BYTES", 100)
    names = [f"file{number:03}" for number in range(50)]
    root = make(tmp_path / "p", dict.fromkeys(names, "needle"))
    assert kept(root, names, env, "needle") == names


def test_links_pipes_and_paths_outside_are_not_handed_over(tmp_path, make):
    make(tmp_path / "outside", {"secret": "needle"})
    root = make(tmp_path / "p", {"real/a": "needle", "large": "needle" * 10})
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to("../outside/secret")
    (root / "folder").symlink_to("../outside")
    files = [
        "pipe",
        "link",
        "folder/secret",
        "../outside/secret",
        "/etc/passwd",
        "gone",
        "real",
        "",
        "a\0b",
        "large",
        "real/a",
    ]
    safe = Reachable(root, 10)
    assert [name for name in files if safe.is_file(name)] == ["real/a"]
