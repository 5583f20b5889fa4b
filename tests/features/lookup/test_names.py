"""A name leads to its definition, however it is asked for."""

from collections.abc import Iterator

import pytest

from shirube import Project, open_workspace
from shirube.types import Answer
from tests.cases import for_each
from tests.conftest import isolate, make_state_dirs

USES = "\n".join(f"    note{at} = ThrottleRate(parse_rate(value))  # the throttle rate of {at}" for at in range(30))
FILES = {
    "src/throttle.py": (
        '"""Throttles requests."""\n\nimport os\n\n\n'
        "class ThrottleRate:\n    limit = 3\n\n    def _parse_unit(self):\n        return 1\n\n\n"
        "def allow_request(throttle, rate):\n    # the throttle rate is looked at\n    return throttle.rate(rate)\n\n\n"
        "def parse_rate(text):\n    return ThrottleRate(int(text))\n"
    ),
    "src/many.py": f"from throttle import ThrottleRate, parse_rate\n\n\ndef uses(value):\n{USES}\n",
    "src/_internal/rates.py": "def reset_rates():\n    return None\n",
    "src/rates.py": "def reset_rates():\n    return 'public'\n",
    "src/state.ts": "export const SET_ENGINE_STATE = 'SET';\nexport interface ConfigEnv {\n  mode: string;\n}\n",
    "src/state.use.ts": "import { ConfigEnv } from './state';\n"
    + "\n".join(f"export const run{at} = (env: ConfigEnv): ConfigEnv => env; // ConfigEnv" for at in range(20)),
    "tests/throttle.spec.ts": "describe('parse_rate', () => {\n  it('ThrottleRate', () => {});\n});\n",
    "tests/test_rates.py": "def parse_unit():\n    return 'ThrottleRate parse_rate'\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    base = tmp_path_factory.mktemp("names")
    for path, text in FILES.items():
        (base / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (base / "tree" / path).write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(base / "own"), patch)
        with open_workspace(base / "tree") as opened:
            opened.sync_index()
            yield opened


def places(project: Project, question: str) -> list[tuple[str, str]]:
    return [(hit.path, hit.symbol) for hit in project.search(question).forest_hits]


@for_each(
    "question",
    [
        *("parse_rate", "`parse_rate`", "parse_rate()", "parseRate", "ParseRate", "def parse_rate", "parse-rate"),
        *("parse_rate src/throttle.py", "throttle.parse_rate", "where is parse_rate called", "what is `parse_rate`"),
        *("parse_rateの定義はどこ", "`parse_rate` はどこから呼ばれる", "where is the throttle rate parsed"),
    ],
)
def test_a_function_is_first_however_its_name_is_written(project: Project, question: str):
    assert places(project, question)[0] == ("src/throttle.py", "parse_rate")


@for_each("question", ["ThrottleRate", "class ThrottleRate", "what does ThrottleRate hold", "throttle_rate"])
def test_a_type_is_before_its_methods_and_before_a_file_full_of_its_name(project: Project, question: str):
    first = project.search(question).forest_hits[0]
    assert (first.path, first.symbol, first.match_line) == ("src/throttle.py", "ThrottleRate", 6)


def test_an_interface_is_before_the_lines_that_use_it(project: Project):
    result = project.search("ConfigEnv")
    first = result.forest_hits[0]
    assert (first.path, first.start_line <= 2 <= first.end_line) == ("src/state.ts", True)
    assert result.answer == Answer.FOUND


def test_of_several_definitions_all_are_shown_and_the_public_one_is_first(project: Project):
    assert places(project, "reset_rates")[:2] == [
        ("src/rates.py", "reset_rates"),
        ("src/_internal/rates.py", "reset_rates"),
    ]


@for_each(
    ("question", "path"),
    [("ENGINE_STATE", "src/state.ts"), ("parse_unit", "tests/test_rates.py"), ("reset_rate", "src/rates.py")],
)
def test_the_head_or_tail_of_a_longer_name_leads_to_it_when_nothing_else_has_the_name(
    project: Project, question: str, path: str
):
    assert places(project, question)[0][0] == path


def test_imports_and_the_docstring_of_a_module_do_not_stand_for_it(project: Project):
    assert ("src/throttle.py", "") not in places(project, "throttles requests")[:1]


def test_the_points_of_a_definition_add_up_to_its_score(project: Project):
    first = project.search("parse_rate").forest_hits[0]
    assert any(reason.name == "name:parse_rate" for reason in first.why)
    assert sum(reason.points for reason in first.why) == pytest.approx(first.score, abs=1e-4)
