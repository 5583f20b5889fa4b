"""The walk and git must list the same files, for random trees and random ignore files."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from shirube.engine.repo.walk import WalkOptions, walk

NAMES = [
    "a",
    "b",
    "ab",
    "Q",
    "a.b",
    "foo",
    "bar",
    "foo.bar",
    "foo bar",
    "foo ",
    "é",
    "[x]",
    "a\\b",
    "#c",
    "!d",
    "-e",
]
PIECES = [
    *NAMES, "*", "*", "**", "**", "?", "/", "/", "/", "***", "q", "[p-r]", "[ab]", "[!a]", "[^b-]", "[]a]", "[a-c]",
    "[[:alpha:]]",    "[[:punct:]x]", "[:alpha:]", "[a", "[z-a]", "\\a",
    "\\*", "\\ ", "\\[", "\\/", "\\", " ", ".", "\t",
]  # fmt: skip
SHAPES = [
    "{0}",
    "/{0}",
    "{0}/",
    "{0}/{1}",
    "**/{0}",
    "{0}/**",
    "{0}/**/{1}",
    "*{0}",
    "{0}*",
    "{0}/*",
    "**/{0}/**/{1}",
    "{0}**/{1}",
]
ROUNDS = int(os.environ.get("SHIRUBE_FUZZ_ROUNDS", "40"))


def random_pattern(dice: random.Random) -> str:
    if dice.random() < 0.5:
        text = dice.choice(SHAPES).format(*(dice.choice(NAMES + PIECES) for _ in range(2)))
    else:
        text = "".join(dice.choice(PIECES) for _ in range(dice.randint(1, 5)))
    return dice.choice(["", "", "", "!"]) + text + dice.choice(["", "", "", "/", " ", "\r"])


def random_rules(dice: random.Random) -> bytes:
    lines = [random_pattern(dice) for _ in range(dice.randint(1, 6))]
    end = dice.choice(["\n", ""])
    return dice.choice([b"", b"", b"\xef\xbb\xbf"]) + ("\n".join(lines) + end).encode()


def build_tree(dice: random.Random, root: Path) -> list[str]:
    files = []
    for _ in range(dice.randint(5, 40)):
        parts = [dice.choice(NAMES) for _ in range(dice.randint(1, 5))]
        path = root.joinpath(*parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x")
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
        files.append("/".join(parts))
    folders = [root, *(path for path in root.rglob("*") if path.is_dir() and ".git" not in path.parts)]
    for folder in dice.sample(folders, k=min(len(folders), dice.randint(1, 4))):
        (folder / ".gitignore").write_bytes(random_rules(dice))
    return sorted(set(files))


def clear(root: Path) -> None:
    for path in root.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.requirement("N001-FILES-03")
@pytest.mark.parametrize("ignore_case", ["false", "true"])
def test_lists_the_files_git_lists(tmp_path, git, env, ignore_case, seed):
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "config", "core.ignoreCase", ignore_case)
    (Path(env["HOME"]) / ".gitconfig").write_text("[core]\n\texcludesFile = ~/mine\n")
    for number in range(ROUNDS):
        dice = random.Random(f"{seed}-{number}")
        clear(root)
        git(root, "read-tree", "--empty")
        files = build_tree(dice, root)
        (root / ".git" / "info" / "exclude").write_bytes(random_rules(dice) if dice.random() < 0.5 else b"")
        (Path(env["HOME"]) / "mine").write_bytes(random_rules(dice) if dice.random() < 0.5 else b"")
        if files and dice.random() < 0.5:
            git(
                root,
                "add",
                "-f",
                "--",
                *(f":(literal){name}" for name in dice.sample(files, k=len(files) // 4 + 1)),
            )
        base = root
        if dice.random() < 0.3:
            base = dice.choice([root, *(path for path in root.iterdir() if path.is_dir() and path.name != ".git")])
            base = root if is_ignored(git, root, base) else base
        ours = [found.path for found in walk(base, WalkOptions(env=env)).files]
        assert ours == listed(git, base), f"seed {seed}-{number} in {base}"


def is_ignored(git, root: Path, folder: Path) -> bool:
    try:
        return bool(git(root, "check-ignore", "--no-index", f"./{folder.name}/")) if folder != root else False
    except subprocess.CalledProcessError:
        return False


def listed(git, root: Path) -> list[str]:
    output = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return sorted(set(output.split("\0")[:-1]))
