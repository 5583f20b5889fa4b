"""``python -m benchmarks.team --packages DIR --history PATH``: workers index many repositories, and are killed."""

import argparse
import json
import os
import platform
import random
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.postgres import DatabaseServer, find_binaries
from tests.teams import make_team

from benchmarks.server.places import SETTINGS
from benchmarks.team.measure import Crew, differing
from benchmarks.team.remotes import from_history, from_packages

SEED = 20


def main() -> None:
    """Measure, and write results.json and results.md."""
    options = _options()
    results: dict[str, Any] = {
        "date": options.date,
        "machine": f"{os.cpu_count()} cores, python {platform.python_version()}",
        "command": shlex.join(["python", "-m", "benchmarks.team", *map(_named, sys.argv[1:])]),
        "workers": options.workers,
        "killed every": options.kill,
    }
    for name, kill in (("undisturbed", 0.0), ("killed", options.kill)):
        server = DatabaseServer(find_binaries(), **SETTINGS)
        folder = Path(tempfile.mkdtemp(prefix="team-"))
        try:
            results[name] = measure(options, folder, server, kill)
            print(name, json.dumps(results[name]), flush=True)
        finally:
            server.remove()
            shutil.rmtree(folder, ignore_errors=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    (options.out / "results.md").write_text(markdown(results), "utf-8")
    print(markdown(results))


def measure(options: argparse.Namespace, folder: Path, server: DatabaseServer, kill: float) -> dict[str, Any]:
    """Let workers index all repositories, one of them killed every ``kill`` seconds; 0: none."""
    environ = {f"SHIRUBE_{name}_DIR": str(folder / name.lower()) for name in ("CACHE", "STATE", "CONFIG")}
    team = make_team(folder, server, server.address(), {**os.environ, **environ})
    os.environ.update(team.environ)
    from_packages(team, options.packages, options.count - options.slices)
    from_history(team, options.history, options.slices)
    for name in team.names:
        team.add(name)
    crew = Crew(team, options.workers, random.Random(SEED), kill)
    seconds = crew.run_until_done(options.patience)
    rows = team.branches().values()
    written = team.rows("SELECT count(*) FROM shirube.files")[0][0]
    files = sum(row.files for row in rows)
    return {
        "repositories": len(rows),
        "states": Counter(row.state for row in rows),
        "files": files,
        "seconds": round(seconds, 1),
        "files a second": round(files / seconds, 1),
        "kills": crew.kills,
        "kills at work": crew.at_work,
        "begun": sum(row.runs for row in rows),
        "begun again": sum(row.runs > 1 for row in rows),
        "written": written,
        "written twice": written - files,
        "unlike a clone": differing(team),
        "jobs left": team.rows("SELECT count(*) FROM shirube.procrastinate_jobs")[0][0],
        "processes left": crew.left(),
    }


def markdown(results: dict[str, Any]) -> str:
    """Return the page."""
    calm, killed = results["undisturbed"], results["killed"]
    lines = [
        "# Workers of a team",
        "",
        f"{results['date']}, {results['machine']}; the server and all workers on one machine.",
        "",
        f"`{results['command']}`",
        "",
        f"{results['workers']} workers. In the second run one of them, by lot, gets SIGKILL every "
        f"{results['killed every']:.0f} s, and another one is started in its place. *Files* are those in the indexes; "
        "*written* are those that were ever written to the server.",
        "",
        "| | undisturbed | killed |",
        "|---|--:|--:|",
    ]
    for name, before in calm.items():
        lines.append(f"| {name} | {_told(before)} | {_told(killed[name])} |")
    return "\n".join([*lines, ""])


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {name}" for name, count in value.items())
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _named(word: str) -> str:
    return Path(word).name if Path(word).is_absolute() else word


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.team", description=__doc__)
    parser.add_argument("--packages", type=Path, nargs="+", required=True, help="directories of directories with code")
    parser.add_argument("--history", type=Path, required=True, help="a clone, of which slices in time are made")
    parser.add_argument("--count", type=int, default=60, help="how many repositories (default 60)")
    parser.add_argument("--slices", type=int, default=12, help="how many of them from the history (default 12)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill", type=float, default=20.0, help="kill a worker every so many seconds (default 20)")
    parser.add_argument("--patience", type=float, default=3600.0, help="give up after so many seconds")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    return parser.parse_args()


if __name__ == "__main__":
    main()
