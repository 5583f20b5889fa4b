"""Fresh processes: each measurement that must not profit from an earlier one runs in its own."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed.measure import Spent

HERE = Path(__file__).parents[2]


class Failed(RuntimeError):
    """A measured process ended with an error."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a task returned, and what its whole process cost, imports and all."""

    result: Any
    spent: Spent
    peak_bytes: float = 0.0


def run_task(
    name: str, arguments: Mapping[str, Any], cache: Path, *, memory: bool = False, settings: Mapping[str, str] = {}
) -> Ended:
    """Run a task of ``child`` in a fresh process; memory is watched only when asked, for watching costs time."""
    command = [sys.executable, "-m", "benchmarks.speed.child", name, json.dumps(arguments)]
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, cwd=HERE, env=environment(cache, settings))
        peak, spent = _wait(process, started, memory)
        output.seek(0)
        text = output.read().decode()
    if process.returncode:
        raise Failed(f"{name} ended with {process.returncode}")
    return Ended(json.loads(text.splitlines()[-1]), spent, peak)


def run_command(command: Sequence[str], cache: Path) -> Spent:
    """Run a program to its end and return what it cost."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=HERE, env=environment(cache, {}))
    _, spent = _wait(process, started, memory=False)
    if process.returncode:
        raise Failed(f"{command} ended with {process.returncode}")
    return spent


def environment(cache: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a measured process: every program keeps its files below ``cache``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SHIRUBE_", "SEMBLE_"))}
    places = {
        "SHIRUBE_CACHE_DIR": str(cache / "shirube"),
        "SHIRUBE_STATE_DIR": str(cache / "state"),
        "SHIRUBE_CONFIG_DIR": str(cache / "config"),
        "SHIRUBE_EMBED_MODEL": "hashed",  # neither program runs a trained encoder here
        "XDG_CACHE_HOME": str(cache / "xdg"),
    }
    return kept | places | dict(settings)


def _wait(process: "subprocess.Popen[bytes]", started: float, memory: bool) -> tuple[float, Spent]:
    if memory:
        from benchmarks.speed.memory import watch

        return watch(process), Spent(0.0, 0.0)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return 0.0, Spent(wall, used.ru_utime + used.ru_stime)
