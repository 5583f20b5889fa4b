"""Ask the site as a browser does: ``python -m benchmarks.web PATH --out DIR``.

The project is indexed first, into a directory of its own. Then ``shirube ui`` is started, and one connection asks for
the first page, every other page, and for the results of questions as they are typed, letter by letter.
"""

import argparse
import http.client
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from urllib.parse import urlencode

from benchmarks.speed.machine import load

QUESTIONS = (
    "how are sessions expired",
    "template loader cache",
    "QuerySet.filter",
    "where is the csrf token checked",
    "migration autodetector",
    "ログイン 認証",
    "テストの実行",
    "url resolver",
)
PAGES = ("context", "graph", "plans", "sessions", "map", "insights", "index")
FIRST_MS, TYPING_MS = 300.0, 50.0


class Browser:
    """One connection with the cookie it was given."""

    def __init__(self, address: str, entrance: str, process: int) -> None:
        self._process = process
        self._connection = http.client.HTTPConnection(address, timeout=120)
        self._cookie = ""
        self.found = False
        """Whether the last answer held a hit."""
        self.ask(entrance)

    def ask(self, path: str) -> float:
        """Return how many milliseconds an answer took, the whole of it."""
        started = perf_counter()
        self._connection.request("GET", path, headers={"cookie": self._cookie, "accept-language": "en"})
        answer = self._connection.getresponse()
        self.found = b'class="hit"' in answer.read()
        spent = 1000 * (perf_counter() - started)
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status}")
        self._cookie = (answer.headers.get("set-cookie") or self._cookie).split(";")[0]
        return spent

    def cpu(self) -> float:
        """Return how many milliseconds the server has been at work, which a busy machine does not change."""
        fields = Path(f"/proc/{self._process}/stat").read_text().rpartition(")")[2].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(root: Path, environ: dict[str, str]) -> Iterator[Browser]:
    """Start the site and enter it."""
    command = [sys.executable, "-m", "shirube", "--root", str(root), "ui", "--no-open"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ)
    assert process.stderr is not None
    found = re.search(r"http://([^/]+)(/enter\S+)", process.stderr.readline() + process.stderr.readline())
    assert found is not None
    try:
        yield Browser(found[1], found[2], process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def typed(question: str) -> Iterator[str]:
    """Yield what stands in the field while a question is typed."""
    for end in range(2, len(question) + 1):
        yield f"/search/part/results?{urlencode({'q': question[:end], 'mode': 'auto', 'typing': 1})}"


def measure(root: Path, environ: dict[str, str], rounds: int) -> dict[str, float]:
    """Return milliseconds by what was measured."""
    firsts, asked, typing, hits, work = [], [], [], [], 0.0
    subprocess.run([sys.executable, "-m", "shirube", "--root", str(root), "index", "--quiet"], env=environ, check=True)
    for _ in range(rounds):
        with serving(root, environ) as browser:
            firsts.append(browser.ask("/search"))
            asked.append(browser.ask("/search?q=settings"))
            before = browser.cpu()
            for path in (path for question in QUESTIONS for path in typed(question)):
                spent = browser.ask(path)
                typing.append(spent)
                hits += [spent] if browser.found else []
            work += browser.cpu() - before
            pages = {page: browser.ask(f"/{page}") for page in PAGES}
    return {
        "first page, worst": max(firsts),
        "first page with a first answer, worst": max(asked),
        "answers while typing": len(typing),
        "while typing, p50": median(typing),
        "while typing, p95": quantiles(typing, n=20)[-1],
        "while typing, p95 of the answers with a hit": quantiles(hits, n=20)[-1],
        "while typing, answers without a hit": len(typing) - len(hits),
        "while typing, worst": max(typing),
        "while typing, CPU for an answer, mean": work / len(typing),
        **{f"page {page}": spent for page, spent in pages.items()},
    }


def main() -> None:
    """Measure and write ``results.md``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    options = parser.parse_args()
    before = load()
    with tempfile.TemporaryDirectory(prefix="shirube-web-") as own:
        environ = {**os.environ, "SHIRUBE_CACHE_DIR": f"{own}/cache", "SHIRUBE_STATE_DIR": f"{own}/state"}
        found = measure(options.root.resolve(), environ, options.rounds)
    limits = {"first page, worst": FIRST_MS, "while typing, p95": TYPING_MS}
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    lines = ["# Web", "", f"Machine: {machine}. Load average before and after: {before:.2g} and {load():.2g}.", ""]
    lines += ["| measured, ms | value | limit |  |", "| --- | ---: | ---: | --- |"]
    for name, value in found.items():
        limit = limits.get(name)
        verdict = "" if limit is None else "met" if value <= limit else "**not met**"
        lines.append(f"| {name} | {value:.1f} | {f'≤ {limit:g}' if limit else ''} | {verdict} |")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.md").write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
