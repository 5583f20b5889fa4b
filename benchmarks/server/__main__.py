"""``python -m benchmarks.server --tree PATH``: what an index on a server costs beside one on this machine."""

import argparse
import json
import os
import platform
import shlex
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.server import answers, growth, overlay, speed
from benchmarks.server.places import Places
from benchmarks.server.report import draw, markdown


def main() -> None:
    """Measure what the command line names, and write results.json, results.md and results.png."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "results.json"
    results: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    for name, measure in _parts(options).items():
        print(name, flush=True)
        with tempfile.TemporaryDirectory() as folder, closing(Places(Path(folder))) as places:
            results[name] = measure(places)
            results |= {"machine": _machine(places), "date": options.date}
        results.setdefault("commands", {})[name] = _command()
        file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (options.out / "results.md").write_text(markdown(results), "utf-8")
    draw(results, options.out / "results.png")
    print(markdown(results))


def _parts(options: argparse.Namespace) -> dict[str, Callable[[Places], Any]]:
    """Return what is measured, each on a server of its own."""
    parts: dict[str, Callable[[Places], Any]] = {}
    if options.tree:
        parts["speed"] = lambda places: speed.measure(places, options.tree, options.commits)
    if options.overlay:
        parts["overlay"] = lambda places: overlay.measure(places, options.overlay)
    if options.bench:
        parts["answers"] = lambda places: answers.compare(places, options)
    if options.grow:
        parts["growth"] = lambda places: growth.measure(
            places, options.grow, speed.subjects(options.commits, options.grow.name)
        )
    return parts


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server", description=__doc__)
    parser.add_argument("--tree", type=Path, metavar="PATH", help="a tree of about 5,000 files: speed; it is edited")
    parser.add_argument("--grow", type=Path, metavar="PATH", help="a tree that is copied, for eighteen repositories")
    parser.add_argument("--overlay", type=Path, metavar="PATH", help="a git repository that is cloned: what differs")
    parser.add_argument("--bench", type=Path, help="answers: folder with repos.json, annotations/ and repos/")
    parser.add_argument("--commits", type=Path, help="the same with subjects of commits; speed asks some of them too")
    parser.add_argument("--errors", type=Path, help="error messages from the trees of --commits")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this repository; repeatable")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    options = parser.parse_args()
    if not (options.tree or options.grow or options.overlay or options.bench):
        parser.error("nothing to measure: give --tree, --grow, --overlay or --bench")
    if options.grow and not options.commits:
        parser.error("--grow asks subjects of commits: give --commits")
    return options


def _machine(places: Places) -> str:
    return f"{os.cpu_count()} cores, python {platform.python_version()}, PostgreSQL {places.version()}"


def _command() -> str:
    """Return the command with names instead of places, which differ from machine to machine."""
    words = [Path(word).name if Path(word).is_absolute() else word for word in sys.argv[1:]]
    return shlex.join(["python", "-m", "benchmarks.server", *words])


if __name__ == "__main__":
    main()
