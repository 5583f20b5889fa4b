"""What a look asks for, and what is tried again."""

from shirube.engine.store.team_records import COMPLETE, DEAD, DROP, INDEX, WAITING, TeamRef
from shirube.errors import BadArgument, IndexBusy, RemoteAway, TeamFault
from shirube.features.team.rules import MOST_SECONDS, is_passing, wait_seconds, wishes


def wanted(*known: TeamRef, form: str = "1", **commits: str) -> list[tuple[str, str]]:
    return [(job.kind, job.ref) for job in wishes("r", commits, known, form)]


def test_new_and_moved_branches_are_indexed_and_those_that_went_are_dropped():
    done = TeamRef("r", "main", COMPLETE, commit="a", form="1")
    assert wanted(main="a") == [(INDEX, "main")]
    assert wanted(done, main="a") == []
    assert wanted(done, main="b") == [(INDEX, "main")]
    assert wanted(done, main="a", form="2") == [(INDEX, "main")]
    assert wanted(done, dev="a") == [(INDEX, "dev"), (DROP, "main")]


def test_what_waits_is_asked_for_again_in_case_that_its_job_was_lost():
    assert wanted(TeamRef("r", "main", WAITING, wanted="a"), main="a") == [(INDEX, "main")]


def test_a_dead_branch_is_tried_again_when_that_may_help():
    lasting = TeamRef("r", "main", DEAD, wanted="a", lasting=True)
    assert wanted(lasting, main="a") == []
    assert wanted(lasting, main="b") == [(INDEX, "main")]
    assert wanted(TeamRef("r", "main", DEAD, wanted="a"), main="a") == [(INDEX, "main")]


def test_what_passes_is_told_from_what_lasts():
    assert is_passing(RemoteAway("team.remote_away", error="x"))
    assert is_passing(IndexBusy("store.written_elsewhere"))
    assert not is_passing(TeamFault("team.no_rights", error="x"))
    assert not is_passing(BadArgument("team.bad_branch"))


def test_each_try_waits_twice_as_long_up_to_a_limit():
    assert [wait_seconds(attempt) for attempt in (0, 1, 2, 30)] == [10, 20, 40, MOST_SECONDS]
