"""The fixed questions, and how the answers to them are timed."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.measure import percentile

ROUNDS = 5


def questions() -> list[str]:
    """Return the fixed list, one question a line."""
    lines = Path(__file__).with_name("queries.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def keywords() -> list[str]:
    """Return the words of the questions that one would grep for, each once."""
    words = (word.strip('"') for line in questions() for word in line.split())
    return list(dict.fromkeys(word for word in words if len(word) > 2))


def time_each(ask: Callable[[str], object], asked: list[str], rounds: int = ROUNDS) -> dict[str, Any]:
    """Return percentiles in milliseconds: of each question's best round, and of all calls."""
    for one in asked:
        ask(one)
    wall: dict[str, list[float]] = {one: [] for one in asked}
    cpu: dict[str, list[float]] = {one: [] for one in asked}
    for _ in range(rounds):
        for one in asked:
            own, started = time.process_time(), time.perf_counter()
            ask(one)
            wall[one].append((time.perf_counter() - started) * 1000)
            cpu[one].append((time.process_time() - own) * 1000)
    return {"wall": _percentiles(wall), "cpu": _percentiles(cpu)}


def _percentiles(found: dict[str, list[float]]) -> dict[str, float]:
    best = [min(values) for values in found.values()]
    every = [value for values in found.values() for value in values]
    return {
        "p50": percentile(best, 0.5),
        "p95": percentile(best, 0.95),
        "p50_all_calls": percentile(every, 0.5),
        "p95_all_calls": percentile(every, 0.95),
        "slowest_call": max(every),
    }
