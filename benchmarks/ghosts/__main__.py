"""Follow a history commit by commit, and compare with a fresh index: ``python -m benchmarks.ghosts --repository DIR``.

Everything happens in a clone that shares the objects of the repository; the repository itself is not written to. The
questions are subjects of commits, spread evenly over those that were followed.
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any

from benchmarks.speed.machine import commit_of, load
from shirube.deadline import Deadline
from shirube.operation import Call
from shirube.operations import run as ask
from shirube.workspace import Workspace, build_workspace

QUESTIONS, SHOWN = 40, 10
FLAGS = {"history.read": False}
Answers = list[list[tuple[Any, ...]]]


def measure(repository: Path, scratch: Path, commits: int, before: int) -> dict[str, float | str]:
    """Return what was measured, by name."""
    root = scratch / "clone"
    run("git", "clone", "--quiet", "--shared", str(repository), str(root))
    every = run("git", "-C", str(root), "rev-list", "--first-parent", "--reverse", "HEAD").splitlines()
    older, steps = every[-commits - before - 1 : -commits], every[-commits:]
    subjects = run("git", "-C", str(root), "log", "--no-merges", "--format=%s", f"{older[0]}..{steps[-1]}").splitlines()
    questions = subjects[:: max(1, len(subjects) // QUESTIONS)][:QUESTIONS]
    with closing(opened(root, scratch / "followed")) as workspace:
        # Nothing is thrown out on the way, as if nobody had ever run ``shirube index``.
        sizes = [follow(workspace, commit) for commit in (*older[:: max(1, before // 10)], *steps)]
        with_dead = answers(workspace, questions)
        followed = workspace.store.totals()
        began, spent = monotonic(), cpu()
        why = workspace.store.compact(0.1)
        wall, seconds = monotonic() - began, cpu() - spent
        renewed, rebuilt = answers(workspace, questions), workspace.store.totals()
    with closing(opened(root, scratch / "fresh")) as workspace:
        workspace.keeper.sync(full=False, progress=quiet, deadline=Deadline())
        wanted = answers(workspace, questions)
    return {
        "syncs": len(sizes),
        "files": followed.files,
        "chunks": followed.chunks,
        "dead chunks": followed.dead,
        "dead chunks after rebuilding": rebuilt.dead,
        "rebuilding, CPU s": seconds,
        "rebuilding, s": wall,
        "rebuilt because": str(why),
        **{f"{name}, dead chunks counted": value for name, value in alike(with_dead, wanted).items()},
        **{f"{name}, rebuilt": value for name, value in alike(renewed, wanted).items()},
    }


def opened(root: Path, place: Path) -> Workspace:
    """Open the clone with an index of its own."""
    for name in ("CACHE", "STATE", "CONFIG"):
        os.environ[f"SHIRUBE_{name}_DIR"] = str(place / name.lower())
    return build_workspace(root, FLAGS)


def follow(workspace: Workspace, commit: str) -> int:
    """Check a commit out and bring the index up to date, as a question does that finds changes."""
    run("git", "-C", str(workspace.root), "checkout", "--quiet", "--detach", commit)
    workspace.keeper.lasting = False
    job = workspace.keeper.start()
    job.wait(None)
    if job.error is not None:
        raise job.error
    return job.report.files if job.report else 0


def answers(workspace: Workspace, questions: Sequence[str]) -> Answers:
    """Return of each question the places in order: file, lines and score."""
    found = [ask(workspace, "search", {"query": query, "limit": SHOWN}, Call(passing=True)) for query in questions]
    return [[(hit.path, hit.start_line, hit.end_line, hit.score) for hit in one.forest_hits] for one in found]


def alike(ones: Answers, others: Answers) -> dict[str, str]:
    """Return how many questions have the same answers, more and less strictly."""
    pairs = list(zip(ones, others, strict=True))
    counts = {
        "first file equal": sum([hit[0] for hit in one[:1]] == [hit[0] for hit in other[:1]] for one, other in pairs),
        "same ten files": sum({hit[0] for hit in one} == {hit[0] for hit in other} for one, other in pairs),
        "same places, same order": sum([hit[:3] for hit in one] == [hit[:3] for hit in other] for one, other in pairs),
        "same scores": sum(one == other for one, other in pairs),
    }
    return {name: f"{count} of {len(pairs)}" for name, count in counts.items()}


def quiet(*step: object) -> None:
    """Show no progress."""


def cpu() -> float:
    """Return the seconds that this process has used of all processors."""
    return sum(os.times()[:2])


def run(*command: str) -> str:
    """Run a program that has to succeed."""
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace")


def main() -> None:
    """Measure and write ``results.md``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=200, help="followed one by one")
    parser.add_argument("--before", type=int, default=1500, help="followed before these, in ten steps")
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    begun = load()
    with tempfile.TemporaryDirectory(prefix="shirube-ghosts-") as scratch:
        found = measure(options.repository.resolve(), Path(scratch), options.commits, options.before)
    about = f"HEAD: {commit_of(options.repository)}. Load average before: {begun:.2g}."
    lines = ["# Dead chunks", "", about, ""]
    lines += ["| measured | value |", "| --- | ---: |"]
    lines += [f"| {name} | {f'{value:,.1f}' if isinstance(value, float) else value} |" for name, value in found.items()]
    print("\n".join(lines))
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
