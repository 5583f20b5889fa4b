"""``python -m benchmarks.quality --bench PATH``: how good the answers are, and what each part is worth."""

import argparse
import json
import platform
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.quality.ablations import ablations, history
from benchmarks.quality.leave_out import left_out
from benchmarks.quality.measurements import of_questions, of_trees
from benchmarks.quality.plot import draw
from benchmarks.quality.reliability import reliability
from benchmarks.quality.report import markdown
from benchmarks.quality.sets import GROUPS, Sets, read_sets
from benchmarks.quality.speed import beside_semble, percentiles


def main() -> None:
    """Measure, and write results.json, results.md and results.png."""
    options = _options()
    cache = str(options.cache or tempfile.mkdtemp())
    _tell("reading the questions, indexing the trees")
    sets = read_sets(options.bench, options.commits, options.errors, options.only, cache)
    _tell(", ".join(f"{len(asked)} × {kind}" for kind, asked in sets.kinds.items()))
    results: dict[str, Any] = {
        "date": options.date,
        "machine": f"{platform.machine()}, python {platform.python_version()}",
        "command": shlex.join(["python", "-m", "benchmarks.quality", *map(_short, sys.argv[1:])]),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    _measure(sets, options, results)
    (options.out / "results.md").write_text(markdown(results), "utf-8")
    draw(results, options.out / "results.png")
    sets.close()
    print(markdown(results))


def _measure(sets: Sets, options: argparse.Namespace, results: dict[str, Any]) -> None:
    """Measure part by part; what is known is written after each, since all of it takes more than half an hour."""

    def keep(name: str, found: Any) -> None:
        results[name] = found
        text = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
        (options.out / "results.json").write_text(text, "utf-8")

    _tell("every question, as the program is set up")
    answers = {name: sets.ask(sets.group(name)) for name in GROUPS}
    seconds = sets.of_questions.seconds, sets.of_commits.seconds
    keep("question cpu ms", [percentiles(list(some)) for some in seconds if some])
    _tell("questions")
    keep("questions", of_questions(sets, answers, not options.no_peers))
    if options.commits:
        _tell("commits, messages, places")
        keep("trees", of_trees(sets, answers, not options.no_peers))
    _tell("reliability")
    keep("reliability", reliability(sets, answers))
    _tell("with and without history")
    keep("history", history(sets, answers))
    if not options.no_ablations:
        _tell("what each part is worth")
        keep("without", ablations(sets, answers))
    if options.leave_out or options.folds:
        _tell("fitted without the repository that is asked")
        keep("left out", left_out(sets, options.folds))
    for size, path in (("middle", options.middle), ("large", options.large)):
        if path:
            _tell(f"speed on {path.name}")
            texts = [one.text for one in sets.kinds["question"][::6]]
            keep(f"speed {size}", beside_semble(path, texts, peer=size == "middle"))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--bench", type=Path, required=True, help="folder with repos.json, annotations/ and repos/")
    parser.add_argument("--commits", type=Path, help="the same with subjects of commits; places are asked there too")
    parser.add_argument("--errors", type=Path, help="error messages from the trees of --commits")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this repository; repeatable")
    parser.add_argument("--cache", type=Path, help="keep the indexes here between runs")
    parser.add_argument("--leave-out", action="store_true", help="fit without each repository and ask it")
    parser.add_argument("--folds", type=int, default=0, metavar="N", help="the same, with N groups of repositories")
    parser.add_argument("--middle", type=Path, help="a tree of about 5,000 files: speed beside semble")
    parser.add_argument("--large", type=Path, help="a tree of about 75,000 files: speed")
    parser.add_argument("--no-peers", action="store_true", help="only ourselves")
    parser.add_argument("--no-ablations", action="store_true", help="do not measure what each part is worth")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    options = parser.parse_args()
    if (options.leave_out or options.folds or options.errors) and not options.commits:
        parser.error("--errors, --leave-out and --folds need --commits")
    return options


def _short(argument: str) -> str:
    """Return a path without the folders above it, which are only there on this machine."""
    return Path(argument).name if Path(argument).is_absolute() else argument


def _tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
