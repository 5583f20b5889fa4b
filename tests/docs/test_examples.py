"""Every example of the README and the pages of docs is run, and prints what is shown."""

import json
import os
import re
import shlex
import shutil
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from shirube.config import load_config
from shirube.doors.cli.main import build_parser
from tests.conftest import isolate, make_state_dirs
from tests.docs.examples import KINDS, PAGES, ROOT, Block, Reader, blocks, columns, examples, execute, matches
from tests.postgres import shared_server
from tests.teams import Team

NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
BROKEN, ADVICE = 2, "  → "
"""What a refusal ends with, and how its advice is shown: an example of one shows both."""
WIDTH = 80


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Return a reader in the sample shop, with the model that everybody has and the home that the examples name."""
    isolate(make_state_dirs(tmp_path / "own"), monkeypatch)
    monkeypatch.delenv("SHIRUBE_EMBED_MODEL")
    made = Reader(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(made.home / "shop")
    return made


@pytest.fixture
def server(request: pytest.FixtureRequest, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pages about a server have one, and the page about a team a remote."""
    name = request.node.callspec.params["name"]
    if name in ("docs/server.md", "docs/team.md", "docs/team-server.md"):
        reader.stands_for[shared_server().shown] = "db.example.org/shirube"
        monkeypatch.setenv("SHIRUBE_STORE_BACKEND", "postgres")
        monkeypatch.setenv("SHIRUBE_STORE_ADDRESS", shared_server().address())
    if name == "docs/team.md":
        if shutil.which("git") is None:
            pytest.skip("git is missing")
        remotes = reader.home / "remotes"
        team = Team(reader.home, shared_server(), "", {**os.environ, "HOME": str(reader.home)})
        team.remote("team/shop.git")
        settings = f'[url "file://{remotes}/"]\n\tinsteadOf = https://example.org/\n\tinsteadOf = git@example.org:\n'
        (reader.home / ".gitconfig").write_text(settings)
        monkeypatch.setenv("SHIRUBE_WORKER_PROTOCOLS", "file")


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_page_run(name: str, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    if name.endswith(".ja.md"):
        monkeypatch.setenv("SHIRUBE_LANG", "ja")
    if name == "docs/history.md" and shutil.which("git") is None:
        pytest.skip("git is missing")
    for block, following in pairwise([*blocks(ROOT / name), Block(0, "", "")]):
        place = f"{name}:{block.line}"
        if block.kind in ("console", "sh"):
            for example in examples(block):
                code, printed = reader.run(example.command)
                told = f"{place}: $ {example.command}\n{printed}"
                if block.kind == "sh":
                    assert code == 0, told
                else:
                    assert code != BROKEN or ADVICE in example.shown, told
                    assert matches(reader.alike(example.shown), reader.alike(printed)), told
        elif block.kind == "python":
            printed = execute(block.text)
            shown = following.text if following.kind == "text" else "…"
            assert matches(reader.alike(shown), reader.alike(printed)), f"{place}\n{printed}"
        elif block.kind == "toml":
            _accept(block.text)
        elif block.kind == "json":
            assert json.loads(block.text), place


def _accept(settings: str) -> None:
    """Read settings as a user's own file, which may set everything."""
    assert tomllib.loads(settings)
    root = Path.cwd()
    place = root.parents[1] / "own" / "config" / "config.toml"
    place.write_text(settings, "utf-8")
    load_config(root)
    place.unlink()


@pytest.mark.parametrize("name", NAMES)
def test_every_block_says_what_it_is_and_fits_a_terminal(name: str) -> None:
    found = blocks(ROOT / name)
    assert [f"{name}:{block.line}" for block in found if block.kind not in KINDS] == []
    wide = [line for block in found for line in block.text.splitlines() if columns(line) > WIDTH]
    assert wide == []


@pytest.mark.parametrize("name", ["README.md", "README.ja.md", "docs/coming-from.md"])
def test_a_command_in_running_text_is_one_that_the_program_takes(name: str) -> None:
    told = re.findall(r"`shirube (\w[^`]*)`", re.sub(r"```.*?```", "", (ROOT / name).read_text("utf-8"), flags=re.S))
    assert told
    for words in map(shlex.split, told):
        build_parser().parse_args(words)


def test_pages_with_nothing_to_run_are_known() -> None:
    """A page that loses its examples by a slip of a fence would else pass."""
    without = [page.name for page in PAGES if not {block.kind for block in blocks(page)} - {"text"}]
    assert without == ["glossary.md", "measurements.md"]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n…\n", "a\nb\nc\n", True),
        ("a\n…\nc\n", "a\nc\n", True),
        ("a … c\n", "a b c\n", True),
        ("a\n", "a\nb\n", False),
        ("a … c\n", "a b d\n", False),
        ("", "a\n", False),
    ],
)
def test_an_ellipsis_stands_for_what_is_left_out(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same
