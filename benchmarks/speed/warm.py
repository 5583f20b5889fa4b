"""``python -m benchmarks.speed.warm PROJECT``: what a question to a warm MCP server takes while files change.

A copy of the project is served on stdio. Questions come one after the other; before every second one another file is
edited, and pauses let the look for changes fall due. Measured from the request to the reply, at the client.
"""

import argparse
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.speed.door import HELLO, reply, send
from benchmarks.speed.edits import put, words
from benchmarks.speed.measure import cpu_of, percentile
from benchmarks.speed.spawn import HERE, environment

QUESTIONS = Path(__file__).with_name("queries.txt").read_text("utf-8").splitlines()[1:]
PAUSES = (0.0, 0.1, 0.3, 1.0, 2.5)
"""Seconds before a question: from one that follows at once to one that comes after a look was due."""
SETTLE_SECONDS = 10.0


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path, help="a checkout of some thousand files; it is copied, not changed")
    parser.add_argument("--questions", type=int, default=200, metavar="N", help="how many to ask (200)")
    parser.add_argument("--place", type=Path, metavar="DIR", help="keep the copy and its index here for the next run")
    parser.add_argument("--model", default="static", help="the embedding model (static)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shirube-bench-") as base:
        place = (options.place or Path(base)).resolve()
        root, env = place / "tree", environment(place / "cache", {"SHIRUBE_EMBED_MODEL": options.model})
        if not root.exists():
            shutil.copytree(options.project, root, symlinks=True)
        ours = [sys.executable, "-m", "shirube", "--root", str(root)]
        subprocess.run([*ours, "index"], cwd=HERE, env=env, check=True, capture_output=True)
        with subprocess.Popen(
            [*ours, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=HERE, env=env
        ) as server:
            try:
                print("\n".join(_asked(server, root, options.questions)))
            finally:
                server.kill()


def _asked(server: "subprocess.Popen[bytes]", root: Path, count: int) -> list[str]:
    to_server, from_server, numbers = server.stdin, server.stdout, itertools.count(1)
    assert to_server is not None
    assert from_server is not None

    def call(method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = next(numbers)
        send(to_server, {"id": number, "method": method, "params": params})
        return reply(from_server, number)

    call("initialize", HELLO)
    send(to_server, {"method": "notifications/initialized"})
    for question in QUESTIONS:
        call("tools/call", {"name": "search", "arguments": {"query": question}})
    time.sleep(SETTLE_SECONDS)
    files, fresh = sorted(root.rglob("*.py")), words(count, keep_time=False)
    spent: dict[str, list[float]] = {"still": [], "edited": []}
    notes: Counter[str] = Counter()
    cpu, began = cpu_of(server.pid), time.perf_counter()
    for number in range(count):
        kind = "edited" if number % 2 else "still"
        if kind == "edited":
            put(files[number * 7 % len(files)], fresh[number], keep_time=False)
        time.sleep(PAUSES[number // 2 % len(PAUSES)])
        asked = time.perf_counter()
        found = call("tools/call", {"name": "search", "arguments": {"query": QUESTIONS[number % len(QUESTIONS)]}})
        spent[kind].append(1000 * (time.perf_counter() - asked))
        notes.update(json.loads(found["result"]["content"][0]["text"])["degraded"])
    busy = (cpu_of(server.pid) - cpu) / (time.perf_counter() - began)
    rows = [
        f"| {name} | {len(each)} | {percentile(each, 0.5):.1f} | {percentile(each, 0.95):.1f} | {max(each):.1f} |"
        for name, each in {**spent, "all": [*spent["still"], *spent["edited"]]}.items()
    ]
    head = ["| before the question | asked | p50 ms | p95 ms | worst ms |", "|---|---|---|---|---|"]
    said = [f"- said {times} times: {note}" for note, times in notes.most_common()]
    return [*head, *rows, "", f"The server used {busy:.0%} of a core.", *said]


if __name__ == "__main__":
    main()
