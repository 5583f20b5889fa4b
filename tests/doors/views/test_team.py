"""How the repositories of a team read."""

import pytest

from shirube.doors.views import team as views
from shirube.doors.views.screen import Paint, Screen
from shirube.features.team.results import BranchRow, RepositoryRow, TeamListing, TeamStatus
from shirube.messages import Speech, say

SHOP = RepositoryRow("git.test/shop", "https://git.test/shop", (), 300, 65.0)
WORKING = BranchRow("git.test/shop", "main", "working", "", 0, 1200, 4000, 9.5, 126.3, 1, "host:7", 9.5)
DONE = BranchRow("git.test/shop", "dev", "complete", "0123456789abcdef", 4000, 0, 0, 31.2, 128.2, 1, "host:7", 90_000.0)
DEAD = BranchRow("git.test/shop", "x", "dead", "", 0, 0, 0, 0.0, 0.0, 8, "host:7", 5.0, say("team.many_files", most=7))
STATUS = TeamStatus("db/shirube", 2, 3, 1, 1, 4000, 127.5, (SHOP,), (DONE, WORKING, DEAD))
ENGLISH = """\
db/shirube: 2 workers; jobs: 1 running, 3 waiting, 1 dead
4,000 files indexed, 127.5 files/s
git.test/shop  its own branch; looked at 1 min ago
  complete  dev  0123456789ab, 4,000 files, 31.2 s, 1 d ago
  working   main  1,200 of 4,000 files, host:7
  dead      x
    ! the branch has more than 7 files and directories"""


def screen(language: str = "en") -> Screen:
    return Screen(Paint(False), Speech(language))


def test_the_status_tells_who_works_and_how_far_each_branch_is():
    assert views.status(STATUS, screen()) == ENGLISH


def test_it_is_told_in_japanese_too():
    told = views.status(STATUS, screen("ja"))
    assert "既定のブランチ" in told
    assert "ブランチのファイルとディレクトリが 7 個を超えています" in told


@pytest.mark.parametrize(("seconds", "told"), [(0.4, "0 s"), (59, "59 s"), (60, "1 min"), (7200, "2 h"), (1e6, "11 d")])
def test_times_have_one_unit(seconds: float, told: str):
    row = RepositoryRow("r", "u", ("main",), 300, seconds)
    assert f"looked at {told} ago" in views.listing(TeamListing((row,)), screen())


def test_what_a_repository_is_called_cannot_steer_a_terminal():
    row = RepositoryRow("git.test/\x1b[2Jshop", "u", ("\x1b]0;x\x07",), 300, None)
    assert "\x1b" not in views.listing(TeamListing((row,)), screen())
