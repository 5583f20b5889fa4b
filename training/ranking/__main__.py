"""``python -m training.ranking``: fit the ranking on the development sets and write the table that is shipped.

The same trees and questions give the same table to the byte; ``--check`` only compares.
"""

import argparse
import sys
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks.quality.data import load
from benchmarks.quality.ours import Ours
from msgspec import convert

from training.ranking import cases as data
from training.ranking.cases import AT, Numbers
from training.ranking.confidence import fit_confidence
from training.ranking.fit import TEXT, Fitted, fit_files, fit_places

if TYPE_CHECKING:
    from shirube.engine.search.shapes import Shapes

TABLE = Path(__file__).parents[2] / "src" / "shirube" / "engine" / "search" / "ranking.toml"
FURTHER = 1.0
"""Chosen by place@3 on the development sets; 0.5 to 2 are within 0.01 of each other."""
HEAD = """# How many points each measure is worth. Written by `python -m training.ranking`; do not edit.
#
# `at` are measures, the lists below the points of a signal at each of them, with straight lines between. A signal's
# points are multiplied by its weight in defaults.toml, by the profile's, and by the number of the question's words.
# `roles` correct the factors of the boost profiles. `confidence` and `bias` give the logarithm of the odds that the
# first place is right.
"""


def main() -> None:
    """Fit the order of files and places, then how sure the first place of that order is, and write the table."""
    options = _options()
    of_questions, of_commits = (Ours(load(path), str(options.cache)) for path in (options.questions, options.commits))
    asked = [(of_questions, one) for one in data.questions(options.questions)]
    later = [*data.commits(options.commits), *data.errors(options.errors), *data.places()]
    asked += [(of_commits, one) for one in later]
    cases = [data.measure(ours, one) for ours, one in asked]
    files, places = fit_files(cases), fit_places(cases)
    asked += [(of_questions, one) for one in data.strangers(data.questions(options.questions))]
    asked += [(of_commits, one) for one in data.strangers(later)]
    with patch("shirube.engine.search.pipeline.shapes", lambda: _shapes(table(files, places))):
        answers = [data.first_answer(ours, one) for ours, one in asked]
    text = table(files, places, fit_confidence([answer for answer in answers if answer is not None]))
    if options.check:
        sys.exit(0 if TABLE.read_text("utf-8") == text else f"{TABLE.name} differs from what the data gives")
    TABLE.write_text(text, "utf-8")


@cache
def _shapes(text: str) -> "Shapes":
    from shirube.engine.search.shapes import Shapes

    return convert(tomllib.loads(text), Shapes)


def table(files: Fitted, places: Numbers, confidence: tuple[Numbers, float] | None = None) -> str:
    """Return the table as TOML; the best text by words and sense gets about 1 point."""
    from shirube.config import load_config
    from shirube.engine.search.confidence import HitSigns
    from shirube.engine.search.evidence import Evidence
    from shirube.engine.search.question import Question
    from shirube.engine.search.signals import FILE_SIGNALS, PLACE_SIGNALS

    config = load_config(None, None, {"HOME": "/nowhere"}).search
    bare = Evidence(Question(""), config, config.profiles["default"], config.boosts["default"], (), (), (), ())  # type: ignore[arg-type]
    weights = [signal.weight(bare) * TEXT for signal in FILE_SIGNALS]
    lines = [HEAD, f"at = {list(AT)}", f"further = {_number(FURTHER / TEXT)}"]
    lines += [f"bias = {_number(confidence[1] if confidence else 0.0)}", "", "[files]"]
    lines += _rows([signal.name for signal in FILE_SIGNALS], files.shapes, weights)
    lines += ["", "[places]", *_rows([signal.name for signal in PLACE_SIGNALS], places, [1.0] * len(PLACE_SIGNALS))]
    lines += ["", "[roles]", *(f"{name} = {_number(2.718281828459045**value)}" for name, value in files.roles.items())]
    signs = HitSigns.__struct_fields__
    lines += ["", "[confidence]", *(_rows(signs, confidence[0], [1.0] * len(signs)) if confidence else ())]
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
