"""Ask the gate as an agent's hooks do: ``python -m benchmarks.gate PATH [TIMES] --out DIR``.

Every question is a process of its own, as it is for an agent, and the questions take turns with ``python -c pass``,
which is the least that a hook in Python can cost. The project is not written to, and what we keep goes into a
directory of its own; where a question is about a change, the gate is made to remember something else of the file.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from benchmarks.speed.machine import load
from shirube.engine.store.disk import GATE, JOURNAL, SESSION, project_directory, stream_of
from shirube.engine.store.journal import Journal
from shirube.features.guard.gate_memory import Memory, memory_file, recall, remember
from shirube.features.guard.state import Phase, Recorded, Session, WriteCheck, pack_event, pack_session
from shirube.features.guard.stored_session import WRITTEN
from shirube.features.plan.frame import Intent

CLIENT, HANDLE = "bench", "s_bench"
LIMIT_MS = {"before": 100.0, "after": 150.0, "stop": 150.0}
LARGE = 10_000
"""Files above which only the questions before a tool have a limit: the tree has to be looked at after it."""
CALLS = 40
"""Calls recorded in the session, with eight files each: a session of some length."""


class Question(NamedTuple):
    """One thing that is measured."""

    name: str
    moment: str
    event: Callable[[], dict[str, object]]
    """Makes what the hook is told, and before that what it is about; not measured."""
    expect: str = "ALLOW"


class Cost(NamedTuple):
    """What one question cost, in milliseconds."""

    wall: float
    cpu: float


class Bench:
    """A project, a READY session about some of its files, and a place for what we keep."""

    def __init__(self, root: Path, scratch: Path, times: int) -> None:
        self.root = root
        self.folder = project_directory(scratch / "state", root)
        self.memory = memory_file(self.folder / GATE, CLIENT)
        kept = {f"SHIRUBE_{name.upper()}_DIR": str(scratch / name) for name in ("state", "cache", "config")}
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("SHIRUBE_", "PYTHON"))}
        # An installed program has its modules compiled; a checkout need not have.
        self.env = {**plain, **kept, "PYTHONPYCACHEPREFIX": str(scratch / "compiled")}
        self._tree: dict[str, str] = {}
        self.files, found = self._listed()
        self.checked, self.unseen = found[:2]
        self.looked = found[2 : 2 + 4 * (times + 2)]
        """The gate puts on record what it has judged, so it takes another file each time to let it judge again."""

    def _listed(self) -> tuple[int, list[str]]:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=self.root, capture_output=True, check=True).stdout
        files = [os.fsdecode(path) for path in listed.split(b"\0")[:-1]]
        return len(files), [path for path in files if (self.root / path).is_file()]

    def begin(self) -> None:
        """Record a session that is ready to write, and let the first hook take its snapshot."""
        journal = Journal(self.folder / JOURNAL, 5.0, time.time_ns)
        session = Session(HANDLE, Intent.MODIFY, "make it quicker", phase=Phase.READY, client=CLIENT)
        journal.put(SESSION, HANDLE, pack_session(session))
        seen = [tuple(f"seen/{call}/{file}.py" for file in range(8)) for call in range(CALLS)]
        for files in (*seen, tuple(self.looked)):
            call = Recorded("search", hits=len(files), answer="found", seen=files)
            journal.append(stream_of(HANDLE), pack_event(call))
        journal.append(stream_of(HANDLE), {**pack_event(WriteCheck(self.checked, True)), WRITTEN: True})
        journal.close()

    def forget(self) -> dict[str, object]:
        """Remember nothing, so that the next hook is the first of a session."""
        self.memory.unlink(missing_ok=True)
        return {}

    def as_if_changed(self, *paths: str) -> None:
        """Remember the tree as it is, but for other content of some files."""
        held = recall(self.memory) or Memory()
        self._tree = self._tree or held.files
        remember(self.memory, Memory({**self._tree, **dict.fromkeys(paths, f"1 1 1 1 {'0' * 40}")}))

    def ask(self, question: Question) -> Cost:
        """Return what one question cost; an answer that is not the expected one ends everything."""
        told = json.dumps({"session_id": CLIENT, "cwd": str(self.root), **question.event()})
        words = (
            ["-m", "shirube", "gate", "--hook", question.moment, "--mode", "block"]
            if question.moment
            else ["-c", "pass"]
        )
        before, started = _spent(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, *words],
            input=told,
            capture_output=True,
            env=self.env,
            cwd=self.root,
            text=True,
            check=False,
        )
        cost = Cost(1000 * (time.perf_counter() - started), 1000 * (_spent() - before))
        if done.stdout.split()[:1] != question.expect.split():
            raise SystemExit(f"{question.name}: {done.stdout}{done.stderr}")
        return cost


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def questions(bench: Bench) -> list[Question]:
    """Return everything that is asked."""

    def write(path: str) -> dict[str, object]:
        return {"tool_name": "Write", "tool_input": {"file_path": str(bench.root / path)}}

    def run(command: str) -> dict[str, object]:
        return {"tool_name": "Bash", "tool_input": {"command": command}}

    def after(*paths: str) -> dict[str, object]:
        bench.as_if_changed(*paths)
        return run("python fix.py")

    def read() -> dict[str, object]:
        place = bench.root / bench.looked.pop()
        text = place.read_text("utf-8", "replace")
        response = {"type": "text", "file": {"filePath": str(place), "content": text}}
        return {"tool_name": "Read", "tool_input": {"file_path": str(place)}, "tool_response": response}

    def printed() -> dict[str, object]:
        bench.as_if_changed()
        path = bench.looked.pop()
        text = (bench.root / path).read_text("utf-8", "replace")
        return {**run(f"sed -n '1,200p' {path}"), "tool_response": {"stdout": text, "stderr": ""}}

    return [
        Question("`python -c pass`", "", dict, ""),
        Question("before: a command that only reads", "before", lambda: run("git log --oneline | head")),
        Question("before: a command in READY", "before", lambda: run("python fix.py")),
        Question("before: a file on record", "before", lambda: write(bench.checked)),
        Question("before: a file that was looked at", "before", lambda: write(bench.looked.pop())),
        Question("before: refused", "before", lambda: write(bench.unseen), "BLOCK"),
        Question("after: a file was read", "after", read),
        Question("after: a file was read by a command", "after", printed),
        Question("after: nothing changed", "after", after),
        Question("after: a file on record changed", "after", lambda: after(bench.checked)),
        Question("after: a file that was looked at changed", "after", lambda: after(bench.looked.pop())),
        Question("after: another changed, refused", "after", lambda: after(bench.unseen), "BLOCK"),
        Question("stop: nothing changed", "stop", after),
        Question("stop: refused", "stop", lambda: after(bench.unseen), "BLOCK"),
        Question("start: the snapshot", "start", bench.forget),
    ]


def measure(bench: Bench, asked: Sequence[Question], times: int) -> dict[str, list[Cost]]:
    """Ask everything in turn, so that a busy moment of the machine falls on all."""
    costs: dict[str, list[Cost]] = {question.name: [] for question in asked}
    for question in (asked[-1], *asked):  # the first of all takes the snapshot and compiles our modules
        bench.ask(question)
    for _ in range(times):
        for question in asked:
            costs[question.name].append(bench.ask(question))
    return costs


def report(bench: Bench, asked: Sequence[Question], costs: dict[str, list[Cost]], loads: tuple[float, float]) -> str:
    """Return the table."""
    floor = median(cost.wall for cost in costs[asked[0].name])
    lines = [
        f"# Gate: {bench.root.name}, {bench.files:,} files",
        "",
        f"Machine: {os.cpu_count()} cores, Python {platform.python_version()}. "
        f"Load average before and after: {loads[0]:.1f} and {loads[1]:.1f}. {len(costs[asked[0].name])} times each.",
        "",
        "| question | wall p50, ms | wall p95, ms | CPU p50, ms | × floor | limit of p95 |  |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for question in asked:
        walls, cpus = [cost.wall for cost in costs[question.name]], [cost.cpu for cost in costs[question.name]]
        high = quantiles(walls, n=20)[-1] if len(walls) > 1 else walls[0]
        limit = LIMIT_MS.get(question.moment) if question.moment == "before" or bench.files <= LARGE else None
        verdict = f"≤ {limit:.0f} | {'met' if high <= limit else '**not met**'}" if limit else " | "
        middle = median(walls)
        lines.append(
            f"| {question.name} | {middle:.0f} | {high:.0f} | {median(cpus):.0f} | {middle / floor:.1f} | {verdict} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write ``results.md``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="a project under git")
    parser.add_argument("times", type=int, nargs="?", default=40, help="how often each is asked (default: 40)")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="where results.md goes")
    options = parser.parse_args()
    before = load()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(options.path.resolve(), Path(scratch).resolve(), options.times)
        bench.begin()
        asked = questions(bench)
        costs = measure(bench, asked, options.times)
        text = report(bench, asked, costs, (before, load()))
    options.out.mkdir(parents=True, exist_ok=True)
    results = options.out / "results.md"
    # The other results of the gate stand below, under headings of their own.
    below = results.read_text("utf-8").partition("\n## ") if results.exists() else ("", "", "")
    results.write_text("".join((text, *below[1:])), "utf-8")
    print(text)


if __name__ == "__main__":
    main()
