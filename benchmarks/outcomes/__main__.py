"""``python -m benchmarks.outcomes --bench PATH``: learn from half of a repository's questions, ask the other half."""

import argparse
import json
import random
from pathlib import Path
from typing import Any

from benchmarks.quality.data import Labelled, Repository, load
from benchmarks.quality.metric import difference, ndcg, overall, same_file
from benchmarks.quality.ours import Ours

BOUNDS = (0.05, 0.1, 0.15, 0.25, 0.4)
LEAST = 8


def main() -> None:
    """Measure, and write results.json and results.md."""
    options = _options()
    repositories = [one for one in load(options.bench) if not options.only or one.name in options.only]
    ours = Ours(repositories, str(options.cache)) if options.cache else Ours(repositories)
    halves = [half for repository in repositories for half in _halves(repository, random.Random(options.seed))]
    asked = [question for _, questions in halves for question in questions]
    base = ours.scores(asked, mode="auto")
    rows = {}
    for bound in BOUNDS:
        scores: dict[tuple[str, int], float] = {}
        moved = 0
        for known, questions in halves:
            for question in questions:
                shares = _shares(ours, known, question, bound)
                key = question.repository, question.number
                scores[key] = _asked(ours, question, shares) if shares else base[key]
                moved += bool(shares)
        rows[str(bound)] = {"ndcg": overall(scores), "against none": difference(scores, base), "questions moved": moved}
        rows[str(bound)]["worst repositories"] = _worst(scores, base)
    results = {
        "date": options.date,
        "seed": options.seed,
        "repositories": len(repositories),
        "questions": len(asked),
        "least outcomes": LEAST,
        "without": overall(base),
        "bounds": rows,
    }
    ours.close()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    (options.out / "results.md").write_text(_markdown(results), "utf-8")
    print(_markdown(results))


def _halves(repository: Repository, chance: random.Random) -> list[tuple[list[Labelled], list[Labelled]]]:
    """Return each half of the questions with the other one, which was answered before."""
    questions = list(repository.questions)
    chance.shuffle(questions)
    first, second = questions[: len(questions) // 2], questions[len(questions) // 2 :]
    return [(first, second), (second, first)]


def _shares(ours: Ours, known: list[Labelled], question: Labelled, bound: float) -> dict[str, float]:
    """Return what is learnt from sessions that ended well, each with the files its question is about."""
    from shirube.features.map.learning import learn
    from shirube.features.map.records import Outcome, Result, WrittenFile

    paths = ours.workspaces[question.repository].store.files()
    told = []
    for one in known:
        files = tuple(WrittenFile(path) for path in paths if any(same_file(path, target) for target in one.targets))
        told.append(Outcome(str(one.number), Result.SUCCESS, request=one.text, files=files))
    return learn(told, bound, LEAST).shares(question.text)


def _asked(ours: Ours, question: Labelled, shares: dict[str, float]) -> float:
    from shirube.engine.search import Around, search
    from shirube.types import Mode, Query

    workspace = ours.workspaces[question.repository]
    query = Query(question.text, 10, 0, Mode.AUTO)
    found = search(query, workspace.store, workspace.embedder, workspace.config.search, Around(learned=shares))
    return ndcg([hit.path for hit in found.hits], question)


def _worst(scores: dict[tuple[str, int], float], base: dict[tuple[str, int], float]) -> dict[str, float]:
    """Return the repositories that lose most."""
    names = sorted({name for name, _ in scores})
    change = {
        name: sum(scores[key] - base[key] for key in scores if key[0] == name) / sum(key[0] == name for key in scores)
        for name in names
    }
    return {name: round(value, 4) for name, value in sorted(change.items(), key=lambda one: one[1])[:3]}


def _markdown(results: dict[str, Any]) -> str:
    lines = [
        "# What outcomes teach the ranking",
        "",
        f"`python -m benchmarks.outcomes` ({results['date']}, seed {results['seed']}): {results['questions']} questions"
        f" of {results['repositories']} repositories.",
        "Each half of a repository's questions is asked after the other half ended well, with the files it is about; "
        f"from {results['least outcomes']} outcomes on.",
        "",
        f"Without outcomes: NDCG@10 {results['without']:.4f}.",
        "",
        "| bound | NDCG@10 | change (95 % interval) | questions moved | repositories that lose most |",
        "|---|---|---|---|---|",
    ]
    for bound, row in results["bounds"].items():
        worst = ", ".join(f"{name} {value:+.3f}" for name, value in row["worst repositories"].items())
        lines.append(
            f"| {bound} | {row['ndcg']:.4f} | {_interval(row['against none'])} | {row['questions moved']} | {worst} |"
        )
    return "\n".join([*lines, ""])


def _interval(values: tuple[float, float, float]) -> str:
    return f"{values[0]:+.4f} ({values[1]:+.4f} to {values[2]:+.4f})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outcomes", description=__doc__)
    parser.add_argument("--bench", type=Path, required=True, help="folder with repos.json, annotations/ and repos/")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this repository; repeatable")
    parser.add_argument("--cache", type=Path, help="keep the indexes here between runs")
    parser.add_argument("--seed", type=int, default=7, help="for the halves")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    return parser.parse_args()


if __name__ == "__main__":
    main()
