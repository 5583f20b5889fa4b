"""Index a very large tree once and ask it: ``python -m benchmarks.scale PATH --out DIR``.

One run, memory watched all along: the peak is the summed PSS of all processes. The tree is not written to.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.speed.machine import describe, load
from benchmarks.speed.spawn import run_task

LIMITS = {
    "cold index, minutes": 15.0,
    "peak memory, MB": 2000.0,
    "question p50, ms": 20.0,
    "question p95, ms": 50.0,
}


def measure(root: Path, cache: Path) -> dict[str, float]:
    """Return what was measured, by name."""
    cold = run_task("shirube_cold", {"root": str(root)}, cache, memory=True)
    warm = run_task("shirube_resting", {"root": str(root)}, cache, memory=True)
    on_disk = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
    held, query, hybrid = cold.result["held"], warm.result["query"]["wall"], warm.result["query_hybrid"]["wall"]
    return {
        "files": held["files"],
        "chunks": held["chunks"],
        "symbols": held["symbols"],
        "source, MB": warm.result["source_bytes"] / 1e6,
        "cold index, minutes": cold.result["wall"] / 60,
        "cold index, CPU minutes": cold.result["cpu"] / 60,
        "peak memory, MB": cold.peak_bytes / 1e6,
        "index and parse cache on disk, MB": on_disk / 1e6,
        "sync without a change, s": warm.result["unchanged"]["wall"]["best"],
        "question p50, ms": query["p50"],
        "question p95, ms": query["p95"],
        "question p50, both legs, ms": hybrid["p50"],
        "question p95, both legs, ms": hybrid["p95"],
        "memory of a process that answers, MB": warm.peak_bytes / 1e6,
    }


def table(found: dict[str, float], machine: dict[str, Any], loads: tuple[float, float]) -> str:
    """Return the results as a Markdown page."""
    about = ", ".join(f"{name} {value}" for name, value in machine.items())
    lines = [
        "# Scale",
        "",
        f"Machine: {about}. Load average before and after: {loads[0]:.2g} and {loads[1]:.2g}.",
        "",
        "| measured | value | limit |  |",
        "| --- | ---: | ---: | --- |",
    ]
    for name, value in found.items():
        limit = LIMITS.get(name)
        verdict = "" if limit is None else "met" if value <= limit else "**not met**"
        shown = f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"
        lines.append(f"| {name} | {shown} | {'' if limit is None else f'≤ {limit:g}'} | {verdict} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write ``results.md``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    options = parser.parse_args()
    before = load()
    with tempfile.TemporaryDirectory(prefix="shirube-scale-") as cache:
        found = measure(options.root.resolve(), Path(cache))
    options.out.mkdir(parents=True, exist_ok=True)
    page = table(found, describe(), (before, load()))
    (options.out / "results.md").write_text(page, "utf-8")
    print(page)


if __name__ == "__main__":
    main()
