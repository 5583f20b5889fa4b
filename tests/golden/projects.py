"""The projects the golden results are about: the sample shop with the example registry, and a hostile one."""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import StateDirs, isolate, make_state_dirs, write_sample
from tests.e2e.hostile import write_hostile
from tests.golden.adapter import still_clock
from tests.ranking.conftest import write_project

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FROZEN = Path(__file__).parent / "sources.tar.xz"
SETTLED = {
    "SHIRUBE_INDEX_SYNC_SHARE": "0.0",
    "SHIRUBE_INDEX_SYNC_ON_START": "false",
    "COLUMNS": "80",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
"""The tree is looked at when a step says so, and not when a busy machine finds the time."""
ODD = (b"src/line\nbreak.py", b"src/tab\there.py", b"src/bell\x07.py", b"src/broken\xff.py")
FIRST = "2026-01-05T09:00:00+00:00"
SECOND = "2026-01-12T09:00:00+00:00"


@contextmanager
def surroundings(base: Path) -> Iterator[StateDirs]:
    """Keep everything of this machine out of a run below ``base``."""
    dirs = make_state_dirs(base / "own")
    with pytest.MonkeyPatch.context() as patch, still_clock():
        isolate(dirs, patch)
        for name, value in SETTLED.items():
            patch.setenv(name, value)
        patch.setenv("PATH", os.pathsep.join(filter(_without_ours, os.get_exec_path())))
        yield dirs


def _without_ours(folder: str) -> bool:
    """Tell whether a folder of the path leaves shirube to be found elsewhere: ``install`` says when it is not there."""
    return not any(Path(folder, name).exists() for name in ("shirube", "michishirube"))


def write_shop(root: Path) -> Path:
    """Write the sample shop with the commands of the examples, committed twice, at fixed moments."""
    write_sample(root)
    shutil.copytree(EXAMPLES / "registry" / ".agent", root / ".agent")
    (root / ".shirube").mkdir()
    return commit(root)


def write_attack(root: Path) -> Path:
    """Write the hostile shop, with names and contents that are no text at all beside the markup."""
    write_hostile(root)
    shutil.copytree(EXAMPLES / "registry" / ".agent", root / ".agent")
    body = "def charge_card_{}():\n    return 'charge the card'\n"
    for number, name in enumerate(ODD):
        (root / os.fsdecode(name)).write_text(body.format(f"name_{number}"), "utf-8")
    (root / "src/latin.py").write_bytes("# charge the card: café\ncaf\xe9 = 'é'\n".encode("latin-1"))
    (root / "src/shift.py").write_bytes("# 支払い charge the card\nshift = '返金'\n".encode("shift-jis"))
    (root / "src/wide.py").write_bytes("charge_card_wide = '返金'\n".encode("utf-16"))
    (root / "src/nothing.py").write_bytes(b"charge_card\x00\x01\x02 = 1\n")
    return commit(root)


def commit(root: Path) -> Path:
    """Make a repository of a directory: everything, then one file again."""
    git(root, FIRST, "init", "-q", "-b", "main", "--object-format=sha1")
    git(root, FIRST, "add", "-A")
    git(root, FIRST, "commit", "-q", "-m", "open the shop")
    price = root / "web/price.ts"
    price.write_text(price.read_text("utf-8") + "\nexport const CURRENCY = 'JPY';\n", "utf-8")
    git(root, SECOND, "commit", "-q", "-am", "say which currency")
    return root.resolve()


def git(root: Path, moment: str, *arguments: str) -> None:
    """Run git as somebody who is the same everywhere, at a fixed moment."""
    who = {"NAME": "Aya", "EMAIL": "aya@example.org", "DATE": moment}
    names = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in who.items()}
    options = ("-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", "-c", "core.quotepath=true")
    environ = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *options, *arguments], cwd=root, env=environ, check=True, capture_output=True)


def write_orchid(root: Path) -> Path:
    """Write the project of several languages that the tests of the ranking use."""
    return write_project(root).resolve()


def write_frozen(root: Path) -> Path:
    """Write part of this program's own source, as it was when the rankings were first kept."""
    with tarfile.open(FROZEN) as archive:
        archive.extractall(root, filter="data")
    return root.resolve()
