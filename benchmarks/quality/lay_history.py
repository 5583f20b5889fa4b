"""``python -m benchmarks.quality.lay_history --bench PATH --mirrors PATH``: give the trees of the questions a history.

The trees of the public benchmark come without one. Each gets a repository whose checked-out commit is the one that the
tree was made from, so nothing later can be read; objects stay in the bare mirrors, at ``OWNER+NAME/repo``. Git's index
stays empty, and so the walk sees the same files as before.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Give every tree that has a mirror its history."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.lay_history", description=__doc__)
    parser.add_argument("--bench", type=Path, required=True, help="folder with repos.json and repos/")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of bare repositories")
    options = parser.parse_args()
    for spec in json.loads((options.bench / "repos.json").read_text("utf-8")):
        mirror = options.mirrors / spec["mirror"].removeprefix("github:").replace("/", "+") / "repo"
        print(spec["name"], lay(options.bench / "repos" / spec["name"], mirror, spec["revision_used"]), file=sys.stderr)


def lay(tree: Path, mirror: Path, commit: str) -> str:
    """Give a tree the history up to a commit; return how many commits there are, or why there are none."""
    objects = (mirror / "objects").resolve()
    if not objects.is_dir():
        return f"no mirror at {mirror.parent.name}"
    _git(tree, "init", "--quiet")
    (tree / ".git" / "objects" / "info" / "alternates").write_text(f"{objects}\n", "utf-8")
    (tree / ".git" / "HEAD").write_text(f"{commit}\n", "ascii")
    return _git(tree, "rev-list", "--count", "--no-merges", "HEAD")


def _git(tree: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=tree, capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip()


if __name__ == "__main__":
    main()
