"""``python -m benchmarks.start PROJECT``: how long beginnings take, each beside a floor that took turns with it.

Commands are measured in CPU seconds of new processes, servers as :mod:`benchmarks.start.servers` says.
``check_write_target`` is asked in made-up projects of two sizes.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.start.servers import measure_servers

TIMES = 9
SIZES = (5_000, 75_000)


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path, help="a project to search; it is indexed first, elsewhere than usual")
    parser.add_argument("--sizes", action="store_true", help="also the made-up projects (minutes)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        os.environ |= {"SHIRUBE_CACHE_DIR": f"{base}/cache", "SHIRUBE_STATE_DIR": f"{base}/state"}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        print("\n".join(_commands(options.project.resolve())))
        print("\n".join(measure_servers(options.project.resolve())))
        for size in SIZES if options.sizes else ():
            print(_asked(Path(base) / f"made-{size}", size))


def _commands(project: Path) -> list[str]:
    python, ours = sys.executable, [sys.executable, "-m", "shirube"]
    commands = {
        "python -c pass": [python, "-c", "pass"],
        "shirube --version": [*ours, "--version"],
        "shirube --help": [*ours, "--help"],
        "shirube search, warm": [*ours, "--root", str(project), "search", "where are retries decided"],
    }
    for command in commands.values():
        _cpu(command)
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(TIMES):
        for name, command in commands.items():
            spent[name].append(_cpu(command))
    floor = min(spent["python -c pass"])
    rows = [f"| {name} | {min(one):.3f} | {median(one):.3f} | {min(one) / floor:.1f} |" for name, one in spent.items()]
    return ["| new process | CPU s, least | median | × floor |", "|---|---|---|---|", *rows]


def _cpu(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _asked(root: Path, size: int) -> str:
    """Return what ``check_write_target`` costs in a project of so many files, in packages of a hundred."""
    from shirube import open_workspace

    for number in range(size):
        folder = root / f"pkg{number // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        above = f"from pkg{(number - 1) // 100}.m{number - 1} import f{number - 1}\n\n\n" if number % 100 else ""
        body = f'def f{number}(value):\n    """Handle thing {number}."""\n    return value + {number}\n'
        (folder / f"m{number}.py").write_text(above + body, "utf-8")
    with open_workspace(root) as project:
        project.sync_index()
        handle = project.start_session("MODIFY", "change f50 so that it doubles the value").session_id
        own = project.in_session(handle)
        own.find_definitions("f50")
        own.get_symbols("pkg0/m50.py")
        spent = []
        for _ in range(40):
            begun = time.process_time()
            project.check_write_target(handle, ("pkg0/m50.py",))
            spent.append(1000 * (time.process_time() - begun))
    return f"check_write_target, {size} files: {median(spent):.2f} ms CPU (least {min(spent):.2f})"


if __name__ == "__main__":
    main()
