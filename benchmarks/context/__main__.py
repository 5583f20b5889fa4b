"""``python -m benchmarks.context --bench PATH``: what a bundle holds for its tokens, beside other ways to read."""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from benchmarks.context.readers import Reader, bundles, semble_snippets, whole_files
from benchmarks.context.recall import point
from benchmarks.context.report import draw, markdown
from benchmarks.context.tokens import measure
from benchmarks.quality.data import load
from benchmarks.quality.metric import difference
from benchmarks.quality.ours import Ours, questions
from shirube.engine.graph.closure import Direction

BUDGETS = (1000, 2000, 4000, 8000)
OURS = "context_bundle"


def main() -> None:
    """Measure, and write results.json, results.md and results.png; parts that are not asked for are kept."""
    options = _options()
    kept = options.out / "results.json"
    results: dict[str, Any] = json.loads(kept.read_text("utf-8")) if kept.is_file() else {}
    results["date"] = options.date or results.get("date", "")
    if options.bench:
        _recall(results, options)
    if options.speed:
        results["speed"] = {"tree": options.speed.name, **_speed(options.speed)}
    if options.node:
        results["tokens"] = measure(options.trees, options.node, options.files)
    kept.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (options.out / "results.md").write_text(markdown(results), "utf-8")
    draw(results, options.out / "results.png")
    print(markdown(results))


def _recall(results: dict[str, Any], options: argparse.Namespace) -> None:
    repositories = load(options.bench)
    ours = Ours(repositories, str(options.cache)) if options.cache else Ours(repositories)
    asked = questions(repositories)
    readers: dict[str, Reader] = {
        "whole files in search order": whole_files(ours),
        "semble 0.7 snippets": semble_snippets(repositories),
        OURS: bundles(ours),
    }
    results |= {"repositories": len(repositories), "questions": len(asked), "curve": {}}
    scores: dict[str, dict[int, Any]] = {}
    for name, reader in readers.items():
        for budget in BUDGETS:
            found = point(reader, asked, budget)
            scores.setdefault(name, {})[budget] = found.scores
            row = {"recall": found.recall, "aimed": found.aimed, "files": found.files, "tokens": found.tokens}
            results["curve"].setdefault(name, {})[str(budget)] = row
            print(name, budget, row, flush=True)
    results["ahead"] = {
        name: {str(budget): difference(scores[OURS][budget], scores[name][budget]) for budget in BUDGETS}
        for name in readers
        if name != OURS
    }
    ours.close()


def _speed(tree: Path) -> dict[str, Any]:
    """Measure closures of files drawn from all over the tree, and bundles for everyday goals; milliseconds, warm."""
    from shirube import open_workspace

    goals = Path(__file__).with_name("goals.txt").read_text("utf-8").splitlines()
    with open_workspace(tree) as project:
        paths = sorted({edge.source for edge in project.workspace.store.edges() if edge.kind == "path"})
        total = project.workspace.store.totals().files
        drawn = paths[:: max(1, len(paths) // 200)]
        project.context_bundle(goals[0])
        closures = [
            _milliseconds(lambda path=path: project.deps_closure(path, direction=Direction.BOTH)) for path in drawn
        ]
        made = [_milliseconds(lambda goal=goal: project.context_bundle(goal)) for goal in goals for _ in range(3)]
    return {"files": total, "closure ms": _percentiles(closures), "bundle ms": _percentiles(made)}


def _milliseconds(work: Any) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def _percentiles(times: list[tuple[float, float]]) -> dict[str, float]:
    walls, cpus = (sorted(one[way] for one in times) for way in (0, 1))
    place = {"p50": len(times) // 2, "p90": int(0.9 * (len(times) - 1))}
    return {
        f"{what} {name}": round(of[at], 1)
        for what, of in (("wall", walls), ("cpu", cpus))
        for name, at in place.items()
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.context", description=__doc__)
    parser.add_argument("--bench", type=Path, help="folder with repos.json, annotations/ and repos/")
    parser.add_argument("--cache", type=Path, help="keep the indexes here between runs")
    parser.add_argument("--speed", type=Path, metavar="TREE", help="measure closures and bundles on this tree")
    parser.add_argument("--node", type=Path, metavar="DIR", help="where gpt-tokenizer is installed: check the estimate")
    parser.add_argument("--trees", type=Path, nargs="+", default=[], help="texts to check the estimate on")
    parser.add_argument("--files", type=int, default=150, help="files of each kind, drawn at random")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    return parser.parse_args()


if __name__ == "__main__":
    main()
