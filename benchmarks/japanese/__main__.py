"""``python -m benchmarks.japanese``: how far Japanese questions stay behind the same ones in English.

    python -m benchmarks.japanese lay --mirrors MIRRORS --out TREES
    python -m benchmarks.japanese run --bench BENCH --commits COMMITS --trees TREES --cache DIR --date DATE

``lay`` checks out the projects of ``unseen.json`` and ``commits.json`` from bare mirrors (``OWNER+NAME/repo``); those
of the commits get their history, which ends at the snapshot. ``run`` asks the 224 questions of the development split,
the unseen ones and the commits, by words, by sense and by both.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.quality.data import Labelled, Repository, japanese, load
from benchmarks.quality.lay_history import lay
from benchmarks.quality.metric import Scores, difference, overall
from benchmarks.quality.ours import Ours, questions

HERE = Path(__file__).parent
LEGS = {"both": "auto", "words": "lexical", "sense": "dense"}


def main() -> None:
    """Lay out the trees, or ask."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.japanese", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    laying = commands.add_parser("lay")
    laying.add_argument("--mirrors", type=Path, required=True)
    laying.add_argument("--out", type=Path, required=True)
    running = commands.add_parser("run")
    for name in ("bench", "commits", "trees", "cache"):
        running.add_argument(f"--{name}", type=Path, required=True)
    running.add_argument("--date", required=True)
    running.add_argument("--out", type=Path, default=HERE)
    given = parser.parse_args()
    if given.command == "lay":
        for project in [*_read("unseen"), *_read("commits")]:
            print(project["name"], lay_out(project, given.mirrors, given.out), file=sys.stderr)
        return
    results = measure(given.bench, given.commits, given.trees, str(given.cache))
    (given.out / "results.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    (given.out / "results.md").write_text(report(results, given.date), "utf-8")
    print(report(results, given.date))


def _read(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    return found


def lay_out(project: dict[str, Any], mirrors: Path, out: Path) -> str:
    """Check one project out; those with a history get it."""
    mirror, tree = mirrors / project["repository"].replace("/", "+") / "repo", out / project["name"]
    tree.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(
        ["git", f"--git-dir={mirror}", "archive", project["revision"]], capture_output=True, check=True
    )
    subprocess.run(["tar", "-x"], cwd=tree, input=packed.stdout, check=True)
    return "laid out" if "benchmark_root" in project else lay(tree, mirror, project["revision"])


def measure(bench: Path, commits: Path, trees: Path, cache: str) -> dict[str, Any]:
    """Ask everything by every leg."""
    old = load(bench)
    again = questions(japanese(old))
    keys = {(one.repository, one.number) for one in again}
    both = [one for one in questions(old) if (one.repository, one.number) in keys]
    unseen = _read("unseen")
    ours, theirs = Ours(old, cache), Ours([_tree(one, trees) for one in unseen], cache)
    results = {
        "old questions": _gaps(ours, both, again),
        "unseen questions": _gaps(theirs, _labelled(unseen, "en"), _labelled(unseen, "ja")),
    }
    for one in (ours, theirs):
        one.close()
    known = [
        tree for tree in load(commits) if any(not q.text.isascii() for q in tree.questions if q.category != "commit")
    ]
    asked = [one for one in questions(known) if one.category != "commit"]
    results["commits of the development set"] = _levels(Ours(known, cache), asked)
    new = _read("commits")
    results["commits of other projects"] = _levels(
        Ours([_tree(one, trees) for one in new], cache), _labelled(new, "query")
    )
    return results


def _tree(project: dict[str, Any], trees: Path) -> Repository:
    return Repository(
        project["name"], project["language"], trees / project["name"] / project.get("benchmark_root", ""), ()
    )


def _labelled(projects: Iterable[dict[str, Any]], field: str) -> list[Labelled]:
    return [
        Labelled(
            project["name"],
            number,
            row[field],
            row.get("category", "commit"),
            (*row["relevant"], *row.get("secondary", ())),
        )
        for project in projects
        for number, row in enumerate(project["questions"])
    ]


def _gaps(ours: Ours, english: Sequence[Labelled], again: Sequence[Labelled]) -> dict[str, Any]:
    found = {}
    for leg, mode in LEGS.items():
        one, two = ours.scores(english, mode=mode), ours.scores(again, mode=mode)
        gap = difference(one, two)
        found[leg] = {"English": overall(one), "Japanese": overall(two), "gap": gap[0], "interval": gap[1:]}
    return {"questions": len(again), "legs": found}


def _levels(ours: Ours, asked: Sequence[Labelled]) -> dict[str, Any]:
    found = {leg: {"Japanese": overall(ours.scores(asked, mode=mode))} for leg, mode in LEGS.items()}
    projects = {name: overall(_of(name, ours.scores(asked, mode="auto"))) for name in ours.workspaces}
    ours.close()
    return {"questions": len(asked), "legs": found, "projects": projects}


def _of(name: str, scores: Scores) -> dict[tuple[str, int], float]:
    return {key: score for key, score in scores.items() if key[0] == name}


def report(results: dict[str, Any], date: str) -> str:
    """Return the results as a page."""
    lines = [f"# Japanese, {date}", "", "NDCG@10 over files; the gap is paired, with its 95 % interval.", ""]
    lines += ["| set | questions | leg | English | Japanese | gap |", "|---|---:|---|---:|---:|---|"]
    for name, one in results.items():
        for leg, row in one["legs"].items():
            english = f"{row['English']:.3f}" if "English" in row else ""
            gap = f"{row['gap']:.3f} [{row['interval'][0]:.3f}, {row['interval'][1]:.3f}]" if "gap" in row else ""
            lines.append(f"| {name} | {one['questions']} | {leg} | {english} | {row['Japanese']:.3f} | {gap} |")
    for name, one in results.items():
        if "projects" in one:
            lines += [
                "",
                f"{name}: " + ", ".join(f"{project} {value:.3f}" for project, value in one["projects"].items()),
            ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
