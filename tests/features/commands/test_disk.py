import ast
import os
import sys
import textwrap
from pathlib import Path

import pytest

from shirube.errors import ConfigError, OutsideRoot, ToolFailed
from shirube.features import commands
from shirube.features.commands.disk import MOST_PROMPTS, CommandRoot, spawn
from tests.features.commands.conftest import Home
from tests.refusals import refusal
from tests.stubborn import Stubborn


def test_only_this_file_of_the_room_touches_the_disk_or_starts_programs():
    """The contract "pure" of the import linter says the same; this tells it in one place."""
    touching = {"os", "io", "pathlib", "subprocess", "tempfile", "shutil", "socket"}
    for path in Path(commands.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        guarded = {id(inner) for node in tree.body if isinstance(node, ast.If) for inner in ast.walk(node)}
        named = {
            (alias.name if isinstance(node, ast.Import) else str(node.module)).split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in guarded
            for alias in node.names
        }
        assert path.name == "disk.py" or not named & touching, path.name


def test_a_text_is_read_and_a_missing_one_is_nothing(project: Home):
    project.write("a/b.md", "\ufeff本文\n")
    place = CommandRoot(project.root)
    assert place.text("a/b.md", 100) == "本文\n"
    assert place.text("a/missing.md", 100) is None
    assert place.text("missing/b.md", 100) is None
    assert CommandRoot(project.root / "gone").text("x", 100) is None


def test_what_cannot_be_read_is_said(project: Home):
    place = CommandRoot(project.root, "~/")
    project.write("big", "x" * 101)
    with pytest.raises(ConfigError, match=r"~/big was not read: 101 bytes"):
        place.text("big", 100)
    (project.root / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(ConfigError, match="~/latin is not UTF-8"):
        place.text("latin", 100)
    (project.root / "folder").mkdir()
    with pytest.raises(ConfigError, match="~/folder was not read"):
        place.text("folder", 100)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(project: Home):
    os.mkfifo(project.root / "pipe")
    with pytest.raises(ConfigError, match="not a regular file"):
        CommandRoot(project.root).text("pipe", 100)


@pytest.mark.requirement("N000-SAFE-01")
def test_no_link_leads_out_and_one_inside_is_followed(project: Home, tmp_path: Path):
    (tmp_path / "secret").write_text("secret")
    project.write("real.md", "inside")
    (project.root / "out.md").symlink_to(tmp_path / "secret")
    (project.root / "folder").symlink_to(tmp_path)
    (project.root / "in.md").symlink_to("real.md")
    place = CommandRoot(project.root)
    assert place.text("in.md", 100) == "inside"
    for path in ("out.md", "folder/secret", "../secret", str(tmp_path / "secret")):
        with refusal(OutsideRoot, "commands.leads_out"):
            place.text(path, 100)
        with pytest.raises(OutsideRoot):
            place.inside(path)


def test_markdown_files_are_listed_in_order_and_links_not_followed(project: Home, tmp_path: Path):
    for path in ("p/b/f.md", "p/a/z.md", "p/a/f.md", "p/a/no.txt"):
        project.write(path, "x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.md").write_text("x")
    (project.root / "p" / "link").symlink_to(tmp_path / "other")
    assert list(CommandRoot(project.root).markdown("p")) == ["p/a/f.md", "p/a/z.md", "p/b/f.md"]
    assert MOST_PROMPTS < 100_000
    with pytest.raises(OutsideRoot):
        list(CommandRoot(project.root).markdown("p/link"))


def test_writing_is_whole_or_not_at_all(project: Home):
    place = CommandRoot(project.root)
    place.write("new/registry.json", "一")
    place.write("new/registry.json", "二")
    assert (project.root / "new" / "registry.json").read_text("utf-8") == "二"
    assert [file.name for file in (project.root / "new").iterdir()] == ["registry.json"]
    project.write("file", "x")
    with pytest.raises(ConfigError, match=r"file/registry\.json was not written"):
        place.write("file/registry.json", "x")


def program(home: Home, body: str) -> str:
    """Write a program that stands for the runner, and return its directory."""
    file = home.write("bin/runner", f"#!{sys.executable}\n{textwrap.dedent(body)}")
    file.chmod(0o755)
    return str(file.parent)


def test_a_program_gets_its_arguments_as_they_are_and_its_input(home: Home, project: Home):
    path = program(home, "import sys, os\nprint(sys.argv[1:], sys.stdin.read(), sorted(os.environ), os.getcwd())")
    env = {"PATH": path, "HOME": "/h", "SECRET": "x", "LD_PRELOAD": "evil"}
    done = spawn(["runner", "a;b", "$(touch x)", "日本"], project.root, env, "入力", 20)
    assert done.ok
    said = done.stdout.decode()
    assert "['a;b', '$(touch x)', '日本'] 入力" in said
    assert "SECRET" not in said
    assert "LD_PRELOAD" not in said
    assert str(project.root.resolve()) in said
    assert list(project.root.iterdir()) == []


def test_a_program_that_is_not_there_is_named(project: Home):
    with pytest.raises(ToolFailed, match="the runner 'no-such-runner' is not installed"):
        spawn(["no-such-runner"], project.root, {"PATH": "/nowhere"}, "", 5)


def test_a_program_that_hangs_is_killed_with_what_it_started(project: Home, tmp_path: Path):
    runner = Stubborn(tmp_path / "runner")
    try:
        done = spawn(["runner"], project.root, {"PATH": f"{tmp_path}:{os.defpath}"}, "", 2.0)
        assert done.timed_out
        runner.wait_until_nobody_runs()
    finally:
        runner.close()
