"""Whether learning helps, judged only by what was known before each request."""

from collections.abc import Mapping, Sequence

from shirube.features.map.learning import Trial, effect, replays
from shirube.features.map.records import Effect, Outcome, Replay, Result, WrittenFile

TRIAL = Trial(bound=0.2, least=2, requests=10)
FILES = ("a.py", "b.py", "c.py")


def done(number: int, request: str, path: str, result: Result = Result.SUCCESS) -> Outcome:
    return Outcome(f"s{number}", result, request=request, files=(WrittenFile(path),) if path else ())


def rank(question: str, learned: Mapping[str, float]) -> Sequence[str]:
    """Rank as a search that cannot tell the files apart but by what was learnt."""
    return sorted(FILES, key=lambda path: (-learned.get(path, 0.0), path))


def test_a_request_is_asked_again_with_what_was_known_before_it():
    told = [done(number, "retry the payment", "c.py") for number in range(4)]
    found = replays(told, [True] * 4, rank, TRIAL)
    assert found == (
        Replay("s2", "retry the payment", "c.py", 3, 1),
        Replay("s3", "retry the payment", "c.py", 3, 1),
    )
    assert replays(told, [True] * 4, rank, Trial(0.2, 2, 1)) == found[1:]


def test_only_what_ended_well_and_is_still_there_can_tell():
    told = [done(0, "retry", "a.py"), done(1, "retry", "a.py"), done(2, "retry", "a.py", Result.FAILURE)]
    told += [done(3, "retry", ""), done(4, " ", "a.py"), done(5, "retry", "a.py")]
    assert [one.session_id for one in replays(told, [True] * 5 + [False], rank, TRIAL)] == []
    assert [one.session_id for one in replays(told, [True] * 6, rank, TRIAL)] == ["s5"]


def test_a_request_about_something_else_stays_where_it_was():
    told = [done(0, "retry payment", "c.py"), done(1, "retry payment", "c.py"), done(2, "draw a map", "b.py")]
    assert replays(told, [True] * 3, rank, TRIAL) == (Replay("s2", "draw a map", "b.py", 2, 2),)


def test_what_is_not_found_at_all_has_no_rank():
    told = [done(0, "retry", "c.py"), done(1, "retry", "c.py"), done(2, "retry", "far.py")]
    assert replays(told, [True] * 3, rank, TRIAL) == (Replay("s2", "retry", "far.py", 0, 0),)


def test_the_effect_is_counted_and_nothing_is_not_zero():
    assert effect(()) == Effect()
    assert effect(()).first_with is None
    ranks = [(2, 1), (1, 2), (0, 4), (1, 1)]
    found = effect([Replay("s", "q", "f", *pair) for pair in ranks])
    assert (found.requests, found.better, found.worse) == (4, 2, 1)
    assert (found.first_without, found.first_with) == (0.5, 0.5)
    assert (found.reciprocal_without, found.reciprocal_with) == (0.625, 0.688)
