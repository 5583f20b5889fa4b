import pytest

from shirube.operations.coverage import Covered, coverage, judge, scope_of
from shirube.types import Answer, Scope


@pytest.mark.parametrize(
    ("building", "notes", "files", "found", "answer"),
    [
        (False, (), 3, True, Answer.FOUND),
        (False, (), 3, False, Answer.NONE),
        (False, ("late",), 3, False, Answer.UNKNOWN),
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
