"""What a clone costs whose repository is indexed on the server, and whether it answers like an index made anew."""

import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.server.places import Places, bring_up_to_date
from benchmarks.speed.measure import percentile
from shirube.operation import Call
from shirube.operations import run
from shirube.workspace import Workspace

REMOTE = "https://example.org/team/project.git"
CHANGED = 50
BACK = 100
"""So many commits ago is the branch that is switched to, and the other form of the changed files."""
SETTINGS = {"index.sync_share": 1e-9, "index.workers": 2, "embed.model": "static"}


def measure(places: Places, root: Path) -> dict[str, Any]:
    """Return what was measured on clones of one repository; its commits' subjects are the questions."""
    questions = _git(root, "log", "--no-merges", "--format=%s", "-100").split("\n")
    team, clone, tree = (places.folder / name for name in ("team", "clone", "tree"))
    for place in (team, clone):
        _git(places.folder, "clone", "-q", str(root), str(place))
        _git(place, "remote", "set-url", "origin", REMOTE)
    with closing(places.open(team, "there", **SETTINGS)) as worker:
        bring_up_to_date(worker)
        worker.store.note("commit", _git(team, "rev-parse", "HEAD"))
    steps: dict[str, Any] = {}
    steps["first answer of an index of its own"] = _first(places, team, "here", questions[0])
    steps["first answer of a fresh clone"] = _first(places, clone, "overlay", questions[0])
    _git(team, "worktree", "add", "-q", "--detach", str(tree))
    steps["first answer of a second work tree, without a server"] = _first(places, tree, "here", questions[0])
    files = _git(clone, "ls-files", "*.py").split("\n")
    with closing(places.open(clone, "overlay", **SETTINGS)) as ours:
        bring_up_to_date(ours)
        for path in files[: 5 * 100 : 100]:
            (clone / path).write_text((clone / path).read_text("utf-8") + "\n\ndef added_here():\n    pass\n", "utf-8")
        steps["after editing five files"] = _synced(ours)
        _git(clone, "checkout", "-q", "-f", "--detach", f"HEAD~{BACK}")
        steps[f"a branch of {BACK} commits ago"] = _synced(ours)
        _git(clone, "checkout", "-q", "-f", "--detach", "HEAD@{1}")
        steps["and back"] = _synced(ours)
        changed = _git(clone, "diff", "--name-only", "--diff-filter=M", f"HEAD~{BACK}", "HEAD").split("\n")[:CHANGED]
        _git(clone, "checkout", "-q", f"HEAD~{BACK}", "--", *changed)
        steps[f"with {len(changed)} changed files"] = _synced(ours)
        alike = _alike(places, ours, clone, questions) | {"changed": len(changed)}
    return {"steps": steps, "alike": alike}


def _first(places: Places, root: Path, place: str, question: str) -> dict[str, Any]:
    """Return what the first answer costs, with opening and closing."""
    began = time.perf_counter()
    with closing(places.open(root, place, **SETTINGS)) as workspace:
        run(workspace, "search", {"query": question}, Call(patient=True))
        return {"seconds": time.perf_counter() - began, **_read(workspace)}


def _synced(workspace: Workspace) -> dict[str, Any]:
    began = time.perf_counter()
    bring_up_to_date(workspace)
    return {"seconds": time.perf_counter() - began, **_read(workspace)}


def _read(workspace: Workspace) -> dict[str, int]:
    job = workspace.keeper.job
    assert job is not None
    assert job.report is not None
    return {"parsed": job.report.parsed, "reused": job.report.reused}


def _alike(places: Places, ours: Workspace, root: Path, questions: list[str]) -> dict[str, Any]:
    with closing(places.open(root, "anew", **SETTINGS)) as anew:
        bring_up_to_date(anew)
        hits = {"overlay": _hits(ours, questions), "here": _hits(anew, questions)}
    equal = sum(one == other for one, other in zip(hits["overlay"][0], hits["here"][0], strict=True))
    cpu = {name: percentile(told[1], 0.5) for name, told in hits.items()}
    return {"questions": len(questions), "first ten equal": equal, "cpu": cpu}


def _hits(workspace: Workspace, questions: list[str]) -> tuple[list[Any], list[float]]:
    run(workspace, "search", {"query": "warm up"}, Call(patient=True))
    found, spent = [], []
    for question in questions:
        began = time.process_time()
        answer = run(workspace, "search", {"query": question}, Call())
        spent.append((time.process_time() - began) * 1000)
        found.append([(hit.path, hit.start_line, hit.end_line) for hit in answer.forest_hits])
    return found, spent


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()
