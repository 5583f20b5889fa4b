"""``python -m benchmarks.plans --bench PATH``: what plans gain, how sure they are, what they remember."""

import argparse
import json
import platform
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.plans.goals import Ran, fixed_suffixes, run_goal, words_of
from benchmarks.plans.report import draw, markdown
from benchmarks.plans.shop import hanging, remembered
from benchmarks.quality.data import Labelled, Repository, japanese, load
from benchmarks.quality.metric import difference, ndcg, overall
from benchmarks.quality.ours import Ours, questions
from shirube.codec import replace

STRANGERS = 4
"""One goal in so many is also asked where nothing answers it."""
MEMORY_GOALS = 5


def main() -> None:
    """Measure, and write results.json, results.md and results.png."""
    options = _options()
    repositories = load(options.bench)
    ours = Ours(repositories, str(options.cache)) if options.cache else Ours(repositories)
    results = _measure(ours, repositories, options)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (options.out / "results.md").write_text(markdown(results), "utf-8")
    draw(results, options.out / "results.png")
    ours.close()
    print(markdown(results))


def _measure(ours: Ours, repositories: list[Repository], options: argparse.Namespace) -> dict[str, Any]:
    asked = questions(repositories)[:: options.every]
    machine = f"{platform.machine()}, python {platform.python_version()}"
    results: dict[str, Any] = {"date": options.date, "machine": machine, "goals": len(asked)}
    small = repositories[[one.name for one in repositories].index(options.shop)]
    with tempfile.TemporaryDirectory() as scratch:
        goals = [one.text for one in small.questions[:MEMORY_GOALS]]
        results["memory"] = {"project": small.name, **remembered(small.root, Path(scratch), goals)}
    _tell(str(results["memory"]))
    results["deadline"] = hanging(small.root)
    _tell(str(results["deadline"]))
    results["without expectations"] = without(ours, asked)
    _tell(str(results["without expectations"]))
    results["with expectations"] = given(ours, repositories, asked[:: options.given_every])
    _tell(str(results["with expectations"]))
    results["japanese"] = without(ours, questions(japanese(repositories))[:: options.every])
    return results


def without(ours: Ours, asked: list[Labelled]) -> dict[str, Any]:
    """Compare plain search, plans, and plans with fixed suffixes; goals are the questions."""
    plain, sure = {}, {}
    for one in asked:
        found = ours.found(one, mode="auto")
        plain[_key(one)] = ndcg([hit.path for hit in found.hits], one)
        sure[_key(one)] = found.confidence
    plans = {_key(one): run_goal(ours, one) for one in asked}
    fixed = {_key(one): run_goal(ours, one, refine=fixed_suffixes) for one in asked}
    by_key = {_key(one): one for one in asked}
    scores = {
        name: {key: ndcg(ran.paths, by_key[key]) for key, ran in every.items()}
        for name, every in (("plans", plans), ("fixed suffixes", fixed))
    }
    worst = set(sorted(plain, key=lambda key: (plain[key], sure[key]))[: len(plain) // 2])

    def half(of: dict[Any, float]) -> dict[Any, float]:
        return {key: of[key] for key in worst}

    table = {"plain search": plain, **scores}
    rows = {
        name: {
            "ndcg": overall(of),
            "worst half": overall(half(of)),
            "worst half, every goal alike": mean(half(of).values()),
        }
        for name, of in table.items()
    }
    ways = _counted(ran.stopped for ran in plans.values())
    return {
        "goals": len(asked),
        "rows": rows,
        "plans minus plain": difference(scores["plans"], plain),
        "plans minus fixed": difference(scores["plans"], scores["fixed suffixes"]),
        "plans minus fixed, worst half": difference(half(scores["plans"]), half(scores["fixed suffixes"])),
        "iterations": {
            name: mean(r.iterations for r in of.values()) for name, of in (("plans", plans), ("fixed", fixed))
        },
        "seconds": {name: mean(r.seconds for r in of.values()) for name, of in (("plans", plans), ("fixed", fixed))},
        "stopped": ways,
        "reliability": bins([*plans.values()]),
    }


def given(ours: Ours, repositories: list[Repository], asked: list[Labelled]) -> dict[str, Any]:
    """Give every goal the names that tell its labelled file, at home and, one in four, in a strange project."""
    names = [one.name for one in repositories]
    home, away = [], []
    for one in asked:
        words = words_of(ours, one)
        if not words:
            continue
        home.append(run_goal(ours, one, words))
        if one.number % STRANGERS == 0:
            strange = names[(names.index(one.repository) + 1) % len(names)]
            lost = Labelled(strange, one.number, one.text, one.category, ())
            away.append(replace(run_goal(ours, lost, words), stranger=True))
    reached = [ran for ran in home if ran.stopped == "confident"]
    return {
        "goals": len(home),
        "reached": len(reached) / len(home),
        "reached in three": sum(ran.iterations <= 3 for ran in reached) / len(home),
        "right when reached": mean(ran.right for ran in reached),
        "right at all": mean(ran.right for ran in home),
        "iterations": mean(ran.iterations for ran in home),
        "seconds": mean(ran.seconds for ran in home),
        "strangers": len(away),
        "strangers that were sure": sum(ran.stopped == "confident" for ran in away) / max(1, len(away)),
        "reliability": bins([*home, *away]),
    }


def bins(ran: list[Ran], count: int = 10) -> dict[str, Any]:
    """Return for each tenth of confidence how many plans there were and how many were right, and the mean gap."""
    table = []
    for number in range(count):
        inside = [one for one in ran if min(count - 1, int(one.confidence * count)) == number]
        if inside:
            said, true = mean(one.confidence for one in inside), mean(one.right for one in inside)
            table.append({"said": round(said, 3), "true": round(true, 3), "plans": len(inside)})
    gap = sum(abs(row["said"] - row["true"]) * row["plans"] for row in table) / max(1, len(ran))
    return {"mean gap": round(gap, 3), "bins": table}


def _counted(words: Any) -> dict[str, int]:
    from collections import Counter

    return dict(Counter(words))


def _key(question: Labelled) -> tuple[str, int]:
    return question.repository, question.number


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plans", description=__doc__)
    parser.add_argument("--bench", type=Path, required=True, help="folder with repos.json, annotations/ and repos/")
    parser.add_argument("--cache", type=Path, help="keep the indexes here between runs")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth question")
    parser.add_argument("--given-every", type=int, default=1, metavar="N", help="… and of those, for expectations")
    parser.add_argument("--shop", default="flask", metavar="NAME", help="the project for memory and deadline")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    return parser.parse_args()


def _tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
