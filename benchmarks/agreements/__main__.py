"""``python -m benchmarks.agreements --bench PATH``: are agreements told right after 200 edits, and is the map quick?"""

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.agreements.edits import EDITS, Expected, Subject, can_touch
from benchmarks.quality.data import load

KINDS = {"function", "method", "class", "struct", "interface", "enum", "trait", "module", "type", "macro"}
MOVABLE = {"move to a new file"}
TOUCHED = {"edit", "rename and edit"}


def main() -> None:
    """Copy every repository, agree, edit, check, and write results.json and results.md."""
    options = _options()
    base = Path(tempfile.mkdtemp())
    os.environ |= {"SHIRUBE_CACHE_DIR": str(base / "cache"), "SHIRUBE_STATE_DIR": str(base / "state")}
    chance = random.Random(options.seed)
    rows: list[dict[str, Any]] = []
    quick: list[tuple[float, float]] = []
    repositories = load(options.bench)
    for repository in repositories:
        if options.only and repository.name not in options.only:
            continue
        left = [one for one in repositories if one.name >= repository.name]
        wanted = options.edits // len(repositories) + (len(left) <= options.edits % len(repositories))
        root = base / repository.name
        shutil.copytree(repository.root, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        made, times = _measure(root, wanted, chance, git=not options.no_git)
        rows += [{"repository": repository.name, "language": repository.language, **row} for row in made]
        quick += times
        right = sum(row["right"] for row in made)
        print(f"{repository.name}: {right} of {len(made)}", flush=True)
        shutil.rmtree(root)
    results = _summary(rows, quick, options)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (options.out / "results.md").write_text(_markdown(results), "utf-8")
    print(_markdown(results))
    shutil.rmtree(base)


def _measure(
    root: Path, wanted: int, chance: random.Random, git: bool
) -> tuple[list[dict[str, Any]], list[tuple[float, float]]]:
    from shirube import open_workspace

    if git:
        for command in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "b"],
        ):
            subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)
    with open_workspace(root) as project:
        project.sync_index()
        chosen = _subjects(project, root, wanted, chance)
        for number, (_, subject) in enumerate(chosen):
            project.add_agreement(f"term {number}", symbol=(subject.symbol.qualified,), path=subject.path)
        quick = [_second_question(project, f"term {number}") for number in range(len(chosen))]
        rows = []
        for number, (kind, subject) in enumerate(chosen):
            with _undone(root):
                wanted_state = EDITS[kind][0](subject, chance)
                views = {view.nl_term: view for view in project.check_agreements().agreements}
            view = views[f"term {number}"]
            rows.append(
                {
                    "edit": kind,
                    "symbol": f"{subject.path}: {subject.symbol.kind} {subject.symbol.qualified}",
                    "expected": wanted_state.state,
                    "found": view.state.value,
                    "where": f"{view.path} {view.now_symbol}",
                    "why": view.why,
                    "right": _is_right(wanted_state, view),
                }
            )
    return rows, quick


@contextmanager
def _undone(root: Path) -> Iterator[None]:
    """Put everything back afterwards, as it was."""
    before = {path: path.read_bytes() for path in _sources(root)}
    yield
    after = set(_sources(root))
    for path in after - before.keys():
        path.unlink()
    for path, data in before.items():
        if path not in after or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def _sources(root: Path) -> Iterator[Path]:
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink() and not {".git", ".shirube"} & set(path.relative_to(root).parts):
            yield path


def _subjects(project: Any, root: Path, wanted: int, chance: random.Random) -> list[tuple[str, Subject]]:
    """Choose symbols of different files, and what is to happen to each."""
    store = project.workspace.store
    paths = sorted(path for path, record in store.files().items() if record.language not in ("", "markdown", "json"))
    chance.shuffle(paths)
    kinds = [kind for kind, (_, times) in EDITS.items() for _ in range(times)]
    chosen: list[tuple[str, Subject]] = []
    for path in paths:
        if len(chosen) == wanted:
            break
        kind = chance.choice(kinds)
        fitting = [one for one in store.symbols(path) if _fits(one, kind, store.symbols(path))]
        chance.shuffle(fitting)
        for symbol in fitting:
            subject = Subject(root, path, symbol, len(chosen))
            if kind not in TOUCHED or can_touch(subject):
                chosen.append((kind, subject))
                break
    return chosen


def _fits(symbol: Any, kind: str, beside: Any) -> bool:
    once = sum(one.qualified == symbol.qualified for one in beside) == 1
    long_enough = symbol.end_line - symbol.start_line >= 2
    plain = symbol.name.isidentifier() and symbol.kind in KINDS
    return once and long_enough and plain and (kind not in MOVABLE or not symbol.scope)


def _second_question(project: Any, question: str) -> tuple[float, float]:
    """Return how many milliseconds the second question takes that the map answers: clock and processor."""
    project.search(question)
    begun, worked = time.perf_counter(), time.process_time()
    found = project.search(question)
    taken = (time.perf_counter() - begun) * 1000, (time.process_time() - worked) * 1000
    assert found.short_circuit, (question, found)
    return taken


def _is_right(expected: Expected, view: Any) -> bool:
    if view.state.value != expected.state:
        return False
    place = not expected.path or view.path == expected.path
    return place and (not expected.symbol or view.now_symbol.split(".")[-1] == expected.symbol)


def _summary(
    rows: list[dict[str, Any]], quick: list[tuple[float, float]], options: argparse.Namespace
) -> dict[str, Any]:
    by_kind = {kind: [row["right"] for row in rows if row["edit"] == kind] for kind in EDITS}
    return {
        "date": options.date,
        "seed": options.seed,
        "git": not options.no_git,
        "edits": len(rows),
        "right": sum(row["right"] for row in rows),
        "share": round(sum(row["right"] for row in rows) / len(rows), 4),
        "kinds": {kind: [sum(found), len(found)] for kind, found in by_kind.items()},
        "second question ms": _percentiles([clock for clock, _ in quick]),
        "second question cpu ms": _percentiles([worked for _, worked in quick]),
        "wrong": [row for row in rows if not row["right"]],
    }


def _percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"p50": round(median(ordered), 2), "p95": round(ordered[int(len(ordered) * 0.95)], 2)}


def _markdown(results: dict[str, Any]) -> str:
    lines = [
        "# Agreements after edits",
        "",
        "`python -m benchmarks.agreements` on copies of public repositories "
        f"({results['date']}, seed {results['seed']},",
        f"{'with' if results['git'] else 'without'} git). Every edit is made by itself and undone; after each comes",
        "`check_agreements`. Right means the state and, where the code still is, its file and name.",
        "",
        f"**{results['right']} of {results['edits']} right ({results['share']:.1%}).** A second question that a fresh "
        f"agreement answers takes {results['second question cpu ms']['p50']} ms of the processor (median; "
        f"{results['second question cpu ms']['p95']} at the 95th percentile) and "
        f"{results['second question ms']['p50']} ms ({results['second question ms']['p95']}) of the clock, "
        "on a machine shared with others.",
        "",
        "| edit | right | of |",
        "|---|---|---|",
        *(f"| {kind} | {right} | {total} |" for kind, (right, total) in results["kinds"].items()),
    ]
    if results["wrong"]:
        lines += [
            "",
            "What was told wrongly:",
            "",
            "| repository | edit | symbol | expected | found |",
            "|---|---|---|---|---|",
        ]
        for row in results["wrong"]:
            symbol = row["symbol"].replace("|", "\\|")
            lines.append(
                f"| {row['repository']} | {row['edit']} | {symbol} | {row['expected']} | {row['found']}: {row['why']} |"
            )
    return "\n".join([*lines, ""])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreements", description=__doc__)
    parser.add_argument("--bench", type=Path, required=True, help="folder with repos.json, annotations/ and repos/")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this repository; repeatable")
    parser.add_argument("--edits", type=int, default=200, metavar="N", help="how many edits (default 200)")
    parser.add_argument("--seed", type=int, default=7, help="for the random choices")
    parser.add_argument("--no-git", action="store_true", help="leave the copies without a repository")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    return parser.parse_args()


if __name__ == "__main__":
    main()
