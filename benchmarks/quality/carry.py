"""Do the weights carry over? Tuned without a language, measured on it."""

import random
from statistics import mean

from benchmarks.quality.data import Repository
from benchmarks.quality.metric import overall
from benchmarks.quality.ours import Ours, questions

GRID: dict[str, tuple[float, ...]] = {
    "fields__symbols": (0.3, 0.5, 0.8),
    "fields__path": (0.6, 1.0, 1.5),
    "fields__name": (0.5, 1.0, 1.5),
    "signals__coherence": (2.5, 3.0, 4.0),
    "signals__other_forms": (0.3, 0.6, 0.9),
    "signals__definition": (0.15, 0.3, 0.5),
    "signals__dependency": (0.0, 0.17, 0.4),
    "signals__proximity": (0.0, 0.4, 0.8),
}


def carried(ours: Ours, repositories: list[Repository], draws: int = 40, seed: int = 0) -> dict[str, object]:
    """Draw settings around the defaults; for each language take the best of the others and measure it there."""
    chance = random.Random(seed)
    drawn = [{name: chance.choice(values) for name, values in GRID.items()} for _ in range(draws)]
    settings: list[dict[str, float]] = [{}, *drawn]
    tables = [ours.scores(questions(repositories), ours.config(**one)) for one in settings]
    language_of = {repository.name: repository.language for repository in repositories}
    rows = {}
    for language in sorted(set(language_of.values())):
        without = [_only(table, language_of, language, inside=False) for table in tables]
        within = [_only(table, language_of, language, inside=True) for table in tables]
        chosen = max(range(len(settings)), key=lambda number: without[number])
        rows[language] = {"default": within[0], "tuned without it": within[chosen], "best possible": max(within)}
    return {
        "settings drawn": draws,
        "default": round(overall(tables[0]), 4),
        "best on everything": round(max(map(overall, tables)), 4),
        "worst on everything": round(min(map(overall, tables)), 4),
        "languages": {name: {key: round(value, 4) for key, value in row.items()} for name, row in rows.items()},
        "mean over languages": {
            key: round(mean(row[key] for row in rows.values()), 4)
            for key in ("default", "tuned without it", "best possible")
        },
    }


def _only(table: dict[tuple[str, int], float], language_of: dict[str, str], language: str, inside: bool) -> float:
    return overall({key: score for key, score in table.items() if (language_of[key[0]] == language) is inside})
