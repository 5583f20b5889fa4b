"""Read the history of a repository and ask it: ``python -m benchmarks.history --repository DIR``.

Everything happens in a clone that shares the objects of the repository; the repository itself is not written to. CPU
seconds include those of git.
"""

import argparse
import json
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from sqlite3 import sqlite_version
from time import monotonic, process_time

from benchmarks.speed.machine import commit_of, load
from shirube.deadline import Deadline
from shirube.engine.history.commits import GitHistory, HistoryOptions
from shirube.engine.history.reading import bring_up_to_date
from shirube.engine.store.store import Store
from shirube.engine.text.tokens import index_terms
from shirube.workspace import Workspace, build_workspace

COMMITS = 20_000
QUESTIONS, NEAREST = 200, 60
LIMITS = {
    "read once, s": 60.0,
    "one commit more, s": 0.2,
    "one commit more that renames, s": 0.2,
    "more on disk, %": 30.0,
    "similar changes, CPU ms a question": 1.0,
    "is anything new?, CPU ms a question": 0.2,
}


def measure(repository: Path, scratch: Path, commits: int = COMMITS) -> dict[str, float]:
    """Return what was measured, by name."""
    root = scratch / "clone"
    scratch.mkdir(parents=True, exist_ok=True)
    run("git", "clone", "--quiet", "--shared", str(repository), str(root))
    for name in ("CACHE", "STATE", "CONFIG"):
        os.environ[f"SHIRUBE_{name}_DIR"] = str(scratch / name.lower())
    flags = {"history.read": False}
    with closing(build_workspace(root, flags)) as workspace:
        workspace.keeper.sync(full=False, progress=quiet, deadline=Deadline())
    before = on_disk(workspace)
    git = GitHistory(root, HistoryOptions(commits, 0.0), dict(os.environ))
    with closing(build_workspace(root, flags)) as workspace:
        store = workspace.store
        wall, cpu = timed(lambda: bring_up_to_date(store, git, quiet, Deadline()))
        found: dict[str, float] = {"commits": len(store.commits()), "read once, s": wall, "read once, CPU s": cpu}
    found["index without history, MB"] = before / 1e6
    found["more on disk, MB"] = (on_disk(workspace) - before) / 1e6
    found["more on disk, %"] = 100 * (on_disk(workspace) - before) / before
    with closing(build_workspace(root, flags)) as workspace:
        store = workspace.store
        moment = max(store.commits().values())
        for name, change in (("one commit more", edit), ("one commit more that renames", rename)):
            change(root, store)
            moment += 60
            os.environ["GIT_COMMITTER_DATE"] = f"{moment} +0000"
            run("git", "-C", str(root), *WHO, "commit", "--quiet", "--all", "--message", name)
            wall, cpu = timed(lambda: bring_up_to_date(store, git, quiet, Deadline()))
            found |= {f"{name}, s": wall, f"{name}, CPU s": cpu}
        found["similar changes, CPU ms a question"] = ask(store)
        began = process_time()
        for _ in range(QUESTIONS):
            git.stamp()
        found["is anything new?, CPU ms a question"] = (process_time() - began) / QUESTIONS * 1000
    return found


WHO = ("-c", "user.name=a", "-c", "user.email=a@example.org")


def edit(root: Path, store: Store) -> None:
    """Change a file that has changed before."""
    path = next(file.path for change in store.past_changes() for file in change.files if (root / file.path).is_file())
    with (root / path).open("a") as file:
        file.write("\n")


def rename(root: Path, store: Store) -> None:
    """Rename the file that has changed most often."""
    tracked = run("git", "-C", str(root), "ls-files", "-z").split("\0")[:-1]
    _, counts = store.changed_together(tracked, 1)
    path = max(tracked, key=lambda name: (counts.get(name, 0), name))
    run("git", "-C", str(root), "mv", path, f"{path}.renamed")


def ask(store: Store) -> float:
    """Return the CPU milliseconds of a question: subjects of commits, after as many others were asked."""
    subjects = [change.subject for change in store.past_changes() if change.weight]
    step = max(1, len(subjects) // (2 * QUESTIONS))
    asked = [dict.fromkeys(index_terms(subject), 1.0) for subject in subjects[::step]]
    for terms in asked[::2]:
        store.similar_changes(terms, NEAREST)
    began = process_time()
    for terms in asked[1::2]:
        store.similar_changes(terms, NEAREST)
    return (process_time() - began) / max(1, len(asked[1::2])) * 1000


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that something took, and those of all processors."""
    began, before = monotonic(), sum(os.times()[:4])
    work()
    return monotonic() - began, sum(os.times()[:4]) - before


def on_disk(workspace: Workspace) -> int:
    """Return the bytes of a closed index."""
    return sum(file.stat().st_size for file in workspace.directory.rglob("*") if file.is_file())


def run(*command: str) -> str:
    """Run a program that has to succeed."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def quiet(*step: object) -> None:
    """Take a step of progress and say nothing."""


def machine() -> str:
    """Return what it was measured on."""
    git = run("git", "--version").strip()
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, SQLite {sqlite_version}, {git}"


def table(found: dict[str, float], name: str, about: str, loads: tuple[float, float]) -> str:
    """Return the results as a Markdown page."""
    lines = [
        f"# History: {name}",
        "",
        f"Machine: {about}. Load average before and after: {loads[0]:.2g} and {loads[1]:.2g}.",
        "",
        "| measured | value | limit |  |",
        "| --- | ---: | ---: | --- |",
    ]
    for row, value in found.items():
        limit = LIMITS.get(row)
        verdict = "" if limit is None else "met" if value <= limit else "**not met**"
        shown = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
        lines.append(f"| {row} | {shown} | {'' if limit is None else f'≤ {limit:g}'} | {verdict} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write ``results.md`` and ``results.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=COMMITS)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    options = parser.parse_args()
    repository, before = options.repository.resolve(), load()
    with tempfile.TemporaryDirectory(prefix="shirube-history-") as scratch:
        found = measure(repository, Path(scratch).resolve(), options.commits)
    name, about, loads = f"{repository.name} at {commit_of(repository)}", machine(), (before, load())
    page = table(found, name, about, loads)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.md").write_text(page, "utf-8")
    kept = {"project": name, "machine": about, "load": loads, "found": found}
    (options.out / "results.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(page)


if __name__ == "__main__":
    main()
