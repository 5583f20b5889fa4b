"""``python -m benchmarks.speed --small PATH --middle PATH --out DIR``."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.speed import machine
from benchmarks.speed.collect import measure_repository
from benchmarks.speed.install import weigh
from benchmarks.speed.report import markdown
from benchmarks.speed.spawn import HERE


def main() -> None:
    """Measure what the command line names and write results.json, results.md and results.png."""
    options = _options()
    given = {size: path.resolve() for size, path in (("small", options.small), ("middle", options.middle)) if path}
    if not given:
        _tell("no repository given: measuring this one as the small one")
        given = {"small": HERE}
    loads = [machine.load()]
    repositories = {size: _measure(size, path, options) for size, path in given.items()}
    install = weigh() if options.install else {}
    results = {
        "date": options.date,
        "command": _command(given, options),
        "machine": machine.describe(),
        "load": [*loads, machine.load()],
        "repositories": repositories,
        "install": install,
    }
    _write(results, options.out)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--small", type=Path, metavar="PATH", help="a checkout of about 60 files")
    parser.add_argument("--middle", type=Path, metavar="PATH", help="a checkout of about 5,000 files")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="cold indexes of each program (3)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="all other measurements (5)")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--install", action="store_true", help="also weigh an installation; needs a package index")
    return parser.parse_args()


def _measure(size: str, path: Path, options: argparse.Namespace) -> dict[str, Any]:
    found = measure_repository(path, options.repeats, options.rounds, lambda what: _tell(f"{size}: {what}"))
    return {"size": size, "name": path.name, "commit": machine.commit_of(path), **found}


def _command(given: dict[str, Path], options: argparse.Namespace) -> str:
    """Return the command with names instead of places, which differ from machine to machine."""
    words = [f"--{size} {path.name}" for size, path in given.items()]
    words += [f"--repeats {options.repeats}", f"--rounds {options.rounds}"] + ["--install"] * options.install
    return " ".join(["python -m benchmarks.speed", *words])


def _write(results: dict[str, Any], out: Path) -> None:
    from benchmarks.speed.plot import draw

    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (out / "results.md").write_text(markdown(results), "utf-8")
    draw(results, out / "results.png")
    print(markdown(results))


def _tell(text: str) -> None:
    print(f"speed: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
