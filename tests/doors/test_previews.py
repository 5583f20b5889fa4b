"""What people see of code: with its indentation, and of a long function what is around the line they name."""

import re
from pathlib import Path

import pytest

from shirube import open_workspace
from tests.doors.conftest import Runner
from tests.doors.web.conftest import make_site

NAMES = ("tram", "bridge", "harbour", "station")
BODY = "".join(f"        self.total_{at} = compute_from(previous={at}, scale=2)\n" for at in range(12))
SEVERAL = "class City:\n" + "".join(f"    def visit_{name}(self):\n{BODY}\n" for name in NAMES)
LONG = "def run(argument):\n" + "".join(f"    total_{at} = {at}\n" for at in range(2, 900)) + "    return total_2\n"


@pytest.fixture
def town(sample_repo: Path) -> Path:
    (sample_repo / "city.py").write_text(SEVERAL)
    (sample_repo / "long.py").write_text(LONG)
    return sample_repo


def test_the_first_line_of_a_preview_keeps_its_indentation(town: Path, tmp_path: Path):
    with open_workspace(town) as project:
        first, *_ = project.search("visit the harbour", path="city.py").forest_hits
        assert first.preview.startswith("    def visit_harbour(self):\n        self.total_0")
        page = make_site(project, tmp_path).get("/search?q=visit+the+harbour").text
    code = re.sub(r"<[^>]+>", "", page)
    assert "    def visit_harbour(self):" in code


def test_a_terminal_shows_it_with_its_indentation_too(town: Path, fresh_cli: Runner):
    assert re.search(r"^    def visit_harbour", fresh_cli("search", "visit the harbour").out, re.M)


def test_at_shows_a_line_at_the_end_of_a_long_function(town: Path, fresh_cli: Runner):
    head, above, *lines = fresh_cli("at", "long.py:880").out.splitlines()
    assert head == "long.py:1-900 function run"
    assert re.fullmatch(r"  … 1-\d+", above)
    assert "> 880      total_880 = 880" in lines
    assert len(lines) == 400


def test_at_says_what_is_below(town: Path, fresh_cli: Runner):
    assert re.fullmatch(r"  … \d+-900", fresh_cli("at", "long.py:20").out.splitlines()[-1])
