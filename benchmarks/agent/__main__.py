"""``python -m benchmarks.agent --commits PATH``: what an agent pays until the answering line is in view."""

import argparse
import json
import platform
import shlex
import sys
import tempfile
from pathlib import Path

from benchmarks.agent.measurements import play_all, results_of
from benchmarks.agent.plot import draw
from benchmarks.agent.report import markdown
from benchmarks.agent.tasks import read_tasks
from benchmarks.quality.data import load
from benchmarks.quality.ours import Ours

EACH = 20
"""How many commits of each repository."""


def main() -> None:
    """Measure, and write results.json, results.md and results.png."""
    options = _options()
    repositories = [one for one in load(options.commits) if not options.only or one.name in options.only]
    print("indexing", flush=True)
    Ours(repositories, str(options.cache or tempfile.mkdtemp())).close()
    tasks = read_tasks(options.commits, [one.name for one in repositories], options.each)
    print(f"{len(tasks)} tasks", flush=True)
    results = {
        "date": options.date,
        "machine": f"{platform.machine()}, python {platform.python_version()}",
        "command": shlex.join(["python", "-m", "benchmarks.agent", *map(_short, sys.argv[1:])]),
        "parts": results_of(play_all(repositories, tasks)),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
    (options.out / "results.json").write_text(text, "utf-8")
    page = markdown(json.loads(text))
    (options.out / "results.md").write_text(page, "utf-8")
    draw(json.loads(text)["parts"], options.out / "results.png")
    print(page)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agent", description=__doc__)
    parser.add_argument("--commits", type=Path, required=True, help="folder with repos.json, annotations/ and repos/")
    parser.add_argument("--each", type=int, default=EACH, metavar="N", help="commits of each repository")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this repository; repeatable")
    parser.add_argument("--cache", type=Path, help="keep the indexes here between runs")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    return parser.parse_args()


def _short(argument: str) -> str:
    """Return a path without the folders above it, which are only there on this machine."""
    return Path(argument).name if Path(argument).is_absolute() else argument


if __name__ == "__main__":
    main()
