"""``python -m training.ranking``: fit the ranking on the development sets and write the table that is shipped.

The same trees and questions give the same table to the byte; ``--check`` only compares.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.quality.data import load
from benchmarks.quality.ours import Ours

from training.ranking import cases as data
from training.ranking.cases import AT, Case, Numbers
from training.ranking.fit import Fitted, fit_files, fit_places

TABLE = Path(__file__).parents[2] / "src" / "shirube" / "engine" / "search" / "ranking.toml"
FURTHER = 1.0
"""Chosen by place@3 on the development sets; 0.5 to 2 are within 0.01 of each other."""
HEAD = """# How many points each measure is worth. Written by `python -m training.ranking`; do not edit.
#
# `at` are measures, the lists below the points of a signal at each of them, with straight lines between. A signal's
# points are multiplied by its weight in defaults.toml, by the profile's, and by the number of the question's words.
# `roles` correct the factors of the boost profiles.
"""


def main() -> None:
    """Fit, and write the table."""
    options = _options()
    cases = read_cases(options.questions, options.commits, options.errors, str(options.cache))
    text = table(fit_files(cases), fit_places(cases))
    if options.check:
        sys.exit(0 if TABLE.read_text("utf-8") == text else f"{TABLE.name} differs from what the data gives")
    TABLE.write_text(text, "utf-8")


def read_cases(questions: Path, commits: Path, errors: Path, cache: str) -> list[Case]:
    """Ask all development questions and return what the signals measured."""
    of_questions, of_commits = Ours(load(questions), cache), Ours(load(commits), cache)
    later = [*data.commits(commits), *data.errors(errors), *data.places()]
    cases = [data.measure(of_questions, asked) for asked in data.questions(questions)]
    cases += [data.measure(of_commits, asked) for asked in later]
    of_questions.close()
    of_commits.close()
    return cases


def table(files: Fitted, places: Numbers) -> str:
    """Return the table as TOML; points are relative to those of the best text by words, which gets 1."""
    from shirube.config import load_config
    from shirube.engine.search.evidence import Evidence
    from shirube.engine.search.question import Question
    from shirube.engine.search.signals import FILE_SIGNALS, PLACE_SIGNALS

    config = load_config(None, None, {"HOME": "/nowhere"}).search
    bare = Evidence(Question(""), config, config.profiles["default"], config.boosts["default"], (), (), (), ())  # type: ignore[arg-type]
    unit = files.shapes[: len(AT) - 1].sum()
    weights = [signal.weight(bare) * unit for signal in FILE_SIGNALS]
    lines = [HEAD, f"at = {list(AT)}", f"further = {_number(FURTHER / unit)}", "", "[files]"]
    lines += _rows([signal.name for signal in FILE_SIGNALS], files.shapes, weights)
    lines += ["", "[places]", *_rows([signal.name for signal in PLACE_SIGNALS], places, [1.0] * len(PLACE_SIGNALS))]
    lines += ["", "[roles]", *(f"{name} = {_number(2.718281828459045**value)}" for name, value in files.roles.items())]
    return "\n".join(lines) + "\n"


def _rows(names: Sequence[str], shapes: Numbers, weights: Sequence[float]) -> list[str]:
    spans = len(AT) - 1
    rows = []
    for at, (name, weight) in enumerate(zip(names, weights, strict=True)):
        points = [0.0, *shapes[at * spans : (at + 1) * spans].cumsum() / weight]
        rows.append(f'"{name}" = [{", ".join(map(_number, points))}]')
    return rows


def _number(value: float) -> str:
    return f"{value:.3f}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.ranking", description=__doc__)
    parser.add_argument("--questions", type=Path, required=True, help="folder of the public benchmark's questions")
    parser.add_argument("--commits", type=Path, required=True, help="folder of the commits: annotations/ and repos/")
    parser.add_argument("--errors", type=Path, required=True, help="the error messages")
    parser.add_argument("--cache", type=Path, required=True, help="where the indexes are kept")
    parser.add_argument("--check", action="store_true", help="only tell whether the table is what the data gives")
    return parser.parse_args()


if __name__ == "__main__":
    main()
