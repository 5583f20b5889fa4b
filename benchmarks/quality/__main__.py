"""``python -m benchmarks.quality --bench PATH``: how good the answers are, and what each part is worth."""

import argparse
import json
import platform
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.quality.ablations import OFF, STRATEGIES
from benchmarks.quality.carry import carried
from benchmarks.quality.data import Repository, japanese, load
from benchmarks.quality.metric import difference, overall
from benchmarks.quality.ours import Ours, questions
from benchmarks.quality.peers import PEERS, scores_of
from benchmarks.quality.reliability import cases, fit, summary
from benchmarks.quality.report import draw, markdown
from benchmarks.quality.speed import beside_semble, percentiles


def main() -> None:
    """Measure, and write results.json, results.md and results.png."""
    options = _options()
    repositories = load(options.bench)
    if options.only:
        repositories = [one for one in repositories if one.name in options.only]
    _tell(f"{len(repositories)} repositories, {len(questions(repositories))} questions: indexing")
    ours = Ours(repositories, str(options.cache)) if options.cache else Ours(repositories)
    results = _measure(ours, repositories, options)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (options.out / "results.md").write_text(markdown(results), "utf-8")
    draw(results, options.out / "results.png")
    ours.close()
    print(markdown(results))


def _measure(ours: Ours, repositories: list[Repository], options: argparse.Namespace) -> dict[str, Any]:
    asked = questions(repositories)
    base = ours.scores(asked)
    results: dict[str, Any] = {
        "date": options.date,
        "machine": f"{platform.machine()}, python {platform.python_version()}",
        "repositories": len(repositories),
        "questions": len(asked),
        "shirube": _rows(base, repositories),
        "question cpu ms": percentiles(ours.seconds),
    }
    results["peers"] = {}
    for name in PEERS if not options.no_peers else ():
        _tell(name)
        theirs = scores_of(name, repositories, ours)
        results["peers"][name] = {**_rows(theirs, repositories), "ours minus this": difference(base, theirs)}
    twins = questions(japanese(repositories))
    in_japanese = ours.scores(twins)
    in_english = {key: base[key] for key in in_japanese}
    results["japanese"] = {
        "questions": len(twins),
        "japanese": overall(in_japanese),
        "the same in english": overall(in_english),
        "gap": difference(in_japanese, in_english),
        "shirube": _rows(in_japanese, japanese(repositories)),
    }
    _tell("with the model")
    results["with the model"] = _with_model(ours, asked, twins, base, in_japanese)
    _tell("what each part is worth")
    results["without"] = {name: _without(ours, asked, twins, base, in_japanese, off) for name, off in OFF.items()}
    results["strategies"] = {name: overall(ours.scores(asked, ours.config(tokenization=name))) for name in STRATEGIES}
    results["text alone (boost profile none)"] = overall(ours.scores(asked, boost="none"))
    _tell("reliability")
    known = cases(ours, repositories) + cases(ours, japanese(repositories))
    results["reliability"] = {**summary(known, ours.config().confidence.found), "fitted": fit(known)}
    if options.carry:
        _tell("leave one language out")
        results["carry"] = carried(ours, repositories, options.carry)
    for size, path in (("middle", options.middle), ("large", options.large)):
        if path:
            _tell(f"speed on {path.name}")
            results[f"speed {size}"] = beside_semble(path, [one.text for one in asked[::6]], peer=size == "middle")
    return results


def _with_model(ours: Ours, asked: Any, twins: Any, base: Any, in_japanese: Any) -> dict[str, Any]:
    """Ask as the default does, words and sense together, and by sense alone."""
    english, japanese_too = ours.scores(asked, mode="auto"), ours.scores(twins, mode="auto")
    return {
        "english": overall(english),
        "english, more than by words": difference(english, base),
        "japanese": overall(japanese_too),
        "japanese, more than by words": difference(japanese_too, in_japanese),
        "gap": difference(japanese_too, {key: english[key] for key in japanese_too}),
        "by sense alone, every signal": overall(ours.scores(asked, mode="dense")),
        "by sense alone, nothing else": overall(ours.scores(asked, mode="dense", boost="none")),
        "by rank alone": overall(ours.scores(asked, ours.config(fusion="rrf"), mode="hybrid")),
    }


def _without(ours: Ours, asked: Any, twins: Any, base: Any, in_japanese: Any, off: Any) -> dict[str, Any]:
    config = ours.config(**off)
    return {
        "english": difference(ours.scores(asked, config), base),
        "japanese": difference(ours.scores(twins, config), in_japanese),
    }


def _rows(scores: dict[tuple[str, int], float], repositories: list[Repository]) -> dict[str, Any]:
    """Return the overall score, and that of each category and language."""
    category = {(one.repository, one.number): one.category for one in questions(repositories)}
    by_language: dict[str, list[float]] = {}
    for repository in repositories:
        own = [scores[repository.name, one.number] for one in repository.questions]
        by_language.setdefault(repository.language, []).append(mean(own) if own else 0.0)
    return {
        "ndcg": overall(scores),
        "categories": {
            name: overall({key: score for key, score in scores.items() if category[key] == name})
            for name in sorted(set(category.values()))
        },
        "languages": {name: mean(values) for name, values in sorted(by_language.items())},
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--bench", type=Path, required=True, help="folder with repos.json, annotations/ and repos/")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this repository; repeatable")
    parser.add_argument("--cache", type=Path, help="keep the indexes here between runs")
    parser.add_argument("--carry", type=int, default=0, metavar="N", help="leave-one-language-out over N settings")
    parser.add_argument("--middle", type=Path, help="a tree of about 5,000 files: speed beside semble")
    parser.add_argument("--large", type=Path, help="a tree of about 75,000 files: speed")
    parser.add_argument("--no-peers", action="store_true", help="only ourselves")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="where to write")
    return parser.parse_args()


def _tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
