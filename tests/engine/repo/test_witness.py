"""Without a walk it is known whether a walk would list the same."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.shut import shut

from shirube.engine.repo.walk import WalkOptions, WalkStamp, walk

LIMIT = 100
FILES = {
    "src/a.py": "one",
    "src/deep/b.py": "two",
    "big.txt": "x" * (LIMIT + 1),
    ".gitignore": "out/\n*.log\n",
    "out/made.txt": "",
    "kept.log": "",
    "node_modules/x/y.js": "",
}


@pytest.fixture
def look(tmp_path, make, git, env) -> Callable[..., tuple[Path, Callable[[], WalkStamp]]]:
    """Make a repository, and return how to look at it; every time stamp after that is younger."""

    def made(**options):
        root = make(tmp_path / "p", FILES)
        git(root, "init", "-q")
        git(root, "add", "src")
        (root / "link").symlink_to("src/a.py")
        (root / "shut").mkdir()
        (root / "shut" / "c.py").write_text("")

        def looked() -> WalkStamp:
            begun = wait_for_the_clock(tmp_path / "probe")
            listing = walk(root, WalkOptions(max_bytes=LIMIT, env=env, **options))
            wait_for_the_clock(tmp_path / "probe")
            return WalkStamp(root, listing, begun)

        return root, looked

    return made


def wait_for_the_clock(probe: Path) -> int:
    """Return a time stamp of the file system that nothing has that was made before."""
    probe.write_text("")
    first = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == first:
        probe.write_text("")
    return probe.stat().st_ctime_ns


def edit_keeping_size_and_time(root: Path) -> None:
    """An edit that only the change time tells of."""
    file = root / "src" / "a.py"
    was = file.stat()
    file.write_text("ONE")
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda root: (root / "src/deep/b.py").write_text("three"),
    "edited, size and time kept": edit_keeping_size_and_time,
    "a new file": lambda root: (root / "src/deep/new.py").write_text(""),
    "a lost file": lambda root: (root / "src/a.py").unlink(),
    "renamed over another": lambda root: (root / "src/a.py").replace(root / "src/deep/b.py"),
    "a new directory": lambda root: (root / "src/more").mkdir(),
    "a directory away": lambda root: (root / "src/deep").rename(root / "deep"),
    "other rules": lambda root: (root / ".gitignore").write_text("out/\n"),
    "rules of a directory": lambda root: (root / "src/.gitignore").write_text("a.py\n"),
    "our own rules": lambda root: (root / ".shirubeignore").write_text("src\n"),
    "rules of the clone": lambda root: (root / ".git/info/exclude").write_text("a.py\n"),
    "rules of the user": lambda root: put(root.parent / "home/.config/git/ignore", "a.py\n"),
    "settings of the user": lambda root: put(root.parent / "home/.gitconfig", "[core]\n\texcludesFile = /x\n"),
    "another link": lambda root: ((root / "link").unlink(), (root / "link").symlink_to("src")),
    "a file that was too large": lambda root: (root / "big.txt").write_text("x" * LIMIT),
}


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_tree_that_nobody_touched_stands(look):
    root, looked = look()
    witness = looked()
    assert witness.still_holds()
    assert witness.still_holds()
    assert root.is_dir()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_would_change_the_listing_is_noticed(look, change):
    root, looked = look()
    witness = looked()
    change(root)
    assert not witness.still_holds()
    assert looked().still_holds(), "the next walk knows of it"


def test_a_file_that_git_tracks_from_now_on_is_noticed(look, git):
    root, looked = look()
    witness = looked()
    git(root, "add", "-f", "kept.log")
    assert not witness.still_holds()


def test_a_directory_that_is_opened_to_us_is_noticed(look):
    root, looked = look()
    with shut(root / "shut", 0):
        witness = looked()
    assert not witness.still_holds()


def test_what_no_walk_would_list_changes_nothing(look):
    root, looked = look()
    witness = looked()
    (root / "out/made.txt").write_text("again")
    (root / "out/more.txt").write_text("")
    (root / "node_modules/x/z.js").write_text("")
    assert witness.still_holds()


def test_a_time_that_is_too_close_to_the_walk_proves_nothing(look, tmp_path, env):
    root, looked = look()
    looked()
    listing = walk(root, WalkOptions(env=env))
    youngest = max(found.stat.ctime_ns for found in listing.files)
    assert not WalkStamp(root, listing, youngest).still_holds()


def test_a_repository_inside_the_repository_always_needs_a_walk(look, git, make, tmp_path):
    root, looked = look()
    inner = make(tmp_path / "inner", {"i.py": ""})
    git(inner, "init", "-q")
    git(inner, "add", ".")
    git(inner, "commit", "-qm", "x")
    git(root, "submodule", "add", "-q", str(inner), "sub")
    assert not looked().still_holds()
