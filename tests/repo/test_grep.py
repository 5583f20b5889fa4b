import os
import shutil
import sys

import pytest

from shirube.errors import BadArgument, ToolFailed
from shirube.repo.grep import GrepOptions, grep

needs_rg = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")


@pytest.fixture(params=[pytest.param("ripgrep", marks=needs_rg), "python"])
def options(request, env, tmp_path):
    def build(**more):
        settings = env if request.param == "ripgrep" else env | {"PATH": str(tmp_path)}
        return GrepOptions(env=settings, **more)

    build.engine = request.param
    return build


def found(result):
    return [(match.path, match.line, match.column) for match in result.matches]


def test_finds_plain_text_with_line_and_column(tmp_path, make, options):
    root = make(tmp_path / "p", {"a.py": "x\n  é foo(a+)\n", "b/c.py": "foo(a+)\r\n", "d.py": "foo(aa)"})
    result = grep(root, ["foo(a+)"], ["a.py", "b/c.py", "d.py"], options())
    assert found(result) == [("a.py", 2, 5), ("b/c.py", 1, 1)]
    assert [match.text for match in result.matches] == ["  é foo(a+)", "foo(a+)"]
    assert (result.truncated, result.engine) == (False, options.engine)


def test_any_of_several_patterns_is_enough(tmp_path, make, options):
    root = make(tmp_path / "p", {"a": "one\ntwo\nthree\ntwo one\n"})
    assert found(grep(root, ["two", "one"], ["a"], options())) == [("a", 1, 1), ("a", 2, 1), ("a", 4, 1)]


def test_only_the_given_files_are_searched_even_hidden_or_ignored_ones(tmp_path, make, options):
    root = make(tmp_path / "p", {".git/HEAD": "", ".gitignore": "b", ".h": "x", "a": "x", "b": "x"})
    assert found(grep(root, ["x"], [".h", "b"], options())) == [(".h", 1, 1), ("b", 1, 1)]
    assert found(grep(root, ["x"], [], options())) == []


def test_case_can_be_ignored(tmp_path, make, options):
    root = make(tmp_path / "p", {"a": "Foo\n"})
    assert found(grep(root, ["fOO"], ["a"], options())) == []
    assert found(grep(root, ["fOO"], ["a"], options(ignore_case=True))) == [("a", 1, 1)]


def test_more_lines_than_the_limit_are_cut_and_said_to_be(tmp_path, make, options):
    root = make(tmp_path / "p", {"a": "x\n" * 5, "b": "x\n"})
    result = grep(root, ["x"], ["a", "b"], options(limit=3))
    assert (len(result.matches), result.truncated) == (3, True)
    assert not grep(root, ["x"], ["a", "b"], options(limit=6)).truncated


@pytest.mark.parametrize("name", ["-e", "--pre=./evil.sh", "new\nline", "a b", "[id].tsx", "日本.py", "'$(x)`"])
def test_a_name_stays_a_name(tmp_path, make, options, name):
    root = make(tmp_path / "p", {name: "needle\n"})
    assert found(grep(root, ["needle"], [name], options())) == [(name, 1, 1)]


@pytest.mark.parametrize("literal", [True, False])
def test_a_pattern_stays_a_pattern(tmp_path, make, env, literal):
    if shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    root = make(tmp_path / "p", {"a": "--pre=./evil.sh\n", "evil.sh": "#!/bin/sh\ntouch sprung\n"})
    (root / "evil.sh").chmod(0o755)
    for pattern in ("--pre=./evil.sh", "--pre=evil.sh", "-f/etc/passwd", "--search-zip"):
        grep(root, [pattern], ["a"], GrepOptions(literal=literal, env=env))
    assert not (root / "sprung").exists()


@needs_rg
def test_settings_of_the_user_do_not_change_the_search(tmp_path, make, env):
    root = make(tmp_path / "p", {"a": "needle\n", "rc": "--invert-match\n"})
    dirty = env | {"RIPGREP_CONFIG_PATH": str(root / "rc")}
    assert found(grep(root, ["needle"], ["a"], GrepOptions(env=dirty))) == [("a", 1, 1)]


def test_links_pipes_and_paths_outside_are_left_out(tmp_path, make, options):
    make(tmp_path / "outside", {"secret": "needle"})
    root = make(tmp_path / "p", {"real/a": "needle"})
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to("../outside/secret")
    (root / "folder").symlink_to("../outside")
    files = ["pipe", "link", "folder/secret", "../outside/secret", "/etc/passwd", "gone", "real", "", "a\0b", "real/a"]
    assert found(grep(root, ["needle"], files, options())) == [("real/a", 1, 1)]


def test_binary_and_oversized_files_are_left_out(tmp_path, make, options):
    root = make(tmp_path / "p", {"bin": b"needle\n\0\0", "big": "needle\n" + "x" * 100, "a": "needle\n"})
    assert found(grep(root, ["needle"], ["a", "big", "bin"], options(max_file_bytes=50))) == [("a", 1, 1)]


def test_a_long_line_is_clipped(tmp_path, make, options):
    root = make(tmp_path / "p", {"a": "x" * 10_000})
    assert len(grep(root, ["xx"], ["a"], options()).matches[0].text) == 400


@pytest.mark.parametrize("patterns", [[], [""], ["a", ""], ["a\nb"], ["a\0b"]])
def test_patterns_that_make_no_sense_are_refused(tmp_path, options, patterns):
    with pytest.raises(BadArgument):
        grep(tmp_path, patterns, [], options())


def test_time_that_has_run_out_is_said_to_have(tmp_path, make, options):
    root = make(tmp_path / "p", {"a": "needle"})
    assert grep(root, ["needle"], ["a"], options(timeout_seconds=-1.0)).truncated


@needs_rg
def test_a_regular_expression_is_linear_and_a_broken_one_is_explained(tmp_path, make, env):
    root = make(tmp_path / "p", {"a": "a" * 5000 + "!\n", "b": "foo12\n"})
    options = GrepOptions(literal=False, env=env)
    assert found(grep(root, ["(a+)+$", r"foo\d+"], ["a", "b"], options)) == [("b", 1, 1)]
    for broken in ("(", "a{1000}{1000}{1000}"):
        with pytest.raises(BadArgument, match="ripgrep refused"):
            grep(root, [broken], ["a"], options)


def test_a_regular_expression_without_ripgrep_is_refused_with_a_hint(tmp_path, env):
    with pytest.raises(ToolFailed) as caught:
        grep(tmp_path, ["a+"], [], GrepOptions(literal=False, env=env | {"PATH": str(tmp_path)}))
    assert "ripgrep" in caught.value.hint


def test_old_japanese_encodings_are_found_without_ripgrep(tmp_path, make, env):
    root = make(tmp_path / "p", {"a": "これは注文の一覧です\n".encode("cp932")})
    options = GrepOptions(env=env | {"PATH": str(tmp_path)})
    assert found(grep(root, ["注文"], ["a"], options)) == [("a", 1, 4)]


@needs_rg
def test_long_lists_of_files_are_searched_in_batches(tmp_path, make, env, monkeypatch):
    monkeypatch.setattr(sys.modules["shirube.repo.grep"], "_MAX_ARGUMENT_BYTES", 100)
    names = [f"file{number:03}" for number in range(50)]
    root = make(tmp_path / "p", dict.fromkeys(names, "needle"))
    result = grep(root, ["needle"], names, GrepOptions(env=env))
    assert [match.path for match in result.matches] == names
