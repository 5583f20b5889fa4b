from pathlib import Path

from shirube import Project, open_workspace
from shirube.features.lookup.coverage import Covered, coverage, judge, scope_of
from shirube.messages import say
from shirube.types import Answer, Scope
from tests.cases import for_each


@for_each(
    ("building", "notes", "files", "found", "answer"),
    [
        (False, (), 3, True, Answer.FOUND),
        (False, (), 3, False, Answer.NONE),
        (False, (say("index.behind", what="late"),), 3, False, Answer.UNKNOWN),
        (False, (), 0, False, Answer.UNKNOWN),
        (True, (), 3, True, Answer.PARTIAL),
        (True, (), 3, False, Answer.UNKNOWN),
    ],
)
def test_none_is_said_only_where_the_index_covers_it(building, notes, files, found, answer):
    assert judge(Covered(Scope(), notes, building, files, {}), found, "advice")[0] == answer


def test_coverage_counts_what_was_left_out(shop):
    covered = coverage(shop.workspace, Scope(), ())
    assert covered.not_searched == {"secret": 1}
    assert coverage(shop.workspace, Scope("src"), ()).not_searched == {}
    assert coverage(shop.workspace, Scope("src"), ()).files == 3


def test_a_dot_is_the_whole_project(shop):
    assert scope_of(shop.workspace, ".", ("py",)) == Scope("", ("python",))


def test_a_file_that_was_not_read_keeps_an_absence_unknown_and_is_named(sample_repo: Path):
    (sample_repo / "src/shop/huge.py").write_text("x = 1\n" * 300_000)
    (sample_repo / "data.json").write_text("[" + "1," * 600_000 + "1]")
    with open_workspace(sample_repo) as project:
        for answer, what in (
            (project.find_definitions("zyzzyva"), "src/shop/huge.py (too large)"),
            (project.find_references("zyzzyva"), "data.json (too large), src/shop/huge.py (too large)"),
        ):
            assert answer.answer == Answer.UNKNOWN
            assert answer.next.endswith(f"not read, so it may be there: {what}")
        assert project.find_definitions("zyzzyva", path="web").answer == Answer.NONE


def test_what_is_left_out_on_purpose_is_told_beside_an_absence(shop: Project):
    answer = shop.find_definitions("zyzzyva")
    assert answer.answer == Answer.NONE
    assert "not searched: 1 secret" in answer.next
