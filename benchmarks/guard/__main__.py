"""``python -m benchmarks.guard --commits PATH``: agents of four kinds make changes that were really made."""

import argparse
import json
import os
import platform
import shlex
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.guard.changes import SEED, choose
from benchmarks.guard.measure import OLD_LIES, Player, tell_old_lies
from benchmarks.guard.report import markdown, part, twelve
from benchmarks.guard.sums import numbers
from benchmarks.guard.trees import try_for_real
from benchmarks.quality.data import load

TWELVE, OTHERS = "Twelve changes", "The other changes"


def main() -> None:
    """Play the changes, and write results.json and results.md."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        kept = {name: f"{scratch}/{name.lower()}" for name in ("STATE", "CONFIG", "CACHE")}
        kept |= {"CACHE": str(options.cache)} if options.cache else {}
        os.environ |= {f"SHIRUBE_{name}_DIR": place for name, place in kept.items()}
        parts = _play(options, Path(scratch))
    if options.twelve:
        return
    results = {
        "date": options.date,
        "machine": f"{platform.machine()}, python {platform.python_version()}",
        "command": shlex.join(["python", "-m", "benchmarks.guard", *map(_short, sys.argv[1:])]),
        "seed": options.seed,
        "parts": parts,
    }
    options.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
    stem = "results" if options.seed == SEED else f"results-{options.seed}"
    (options.out / f"{stem}.json").write_text(text, "utf-8")
    (options.out / f"{stem}.md").write_text(markdown(json.loads(text)), "utf-8")
    print(markdown(json.loads(text)))


def _play(options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    repositories = [one for one in load(options.commits) if not options.only or one.name in options.only]
    first, others = choose(options.commits, repositories, options.seed)
    player = Player(options.transcripts)
    player.play(first, careful_only=True)
    parts = {TWELVE: numbers(player.played)}
    print(twelve(parts[TWELVE]["rows"]))
    if options.twelve:
        print("\n".join(part(parts[TWELVE])))
        return parts
    player = Player(options.transcripts)
    player.play(others)
    roots = [(one.name, one.root.resolve()) for one in repositories if one.name in OLD_LIES]
    player.played.old_lies += tell_old_lies(roots)
    real = asdict(try_for_real(others, scratch / "trees"))
    return {**parts, OTHERS: {**numbers(player.played), "real": real}}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guard", description=__doc__)
    parser.add_argument("--commits", type=Path, required=True, help="folder with repos.json, annotations/ and repos/")
    parser.add_argument("--twelve", action="store_true", help="only the twelve changes, and only the careful agent")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this repository; repeatable")
    parser.add_argument("--transcripts", type=Path, metavar="DIR", help="keep what the agents were sent here")
    parser.add_argument("--cache", type=Path, help="keep the indexes here between runs")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    return parser.parse_args()


def _short(argument: str) -> str:
    """Return a path without the folders above it, which are only there on this machine."""
    return Path(argument).name if Path(argument).is_absolute() else argument


if __name__ == "__main__":
    main()
