"""Would past requests find their files sooner with what was learnt? Each is asked again by what was known then. Pure.

A request must not be judged by its own outcome: the prior is made of the outcomes told earlier, as it would have been
on that day. Only requests that ended well and wrote files can tell, because only there it is known what was meant.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from shirube.features.map.learning import learn
from shirube.features.map.records import Effect, Outcome, Replay, Result

Rank = Callable[[str, Mapping[str, float]], Sequence[str]]
"""Returns the files for a question, best first, with what was learnt about files counted in."""


class Trial(Struct, frozen=True):
    """How learning is tried: how far it may move a score, from how many outcomes on, on how many requests."""

    bound: float
    least: int
    requests: int


def replays(outcomes: Sequence[Outcome], kept: Sequence[bool], rank: Rank, trial: Trial) -> tuple[Replay, ...]:
    """Ask the last requests that can tell again; ``kept`` says of which outcomes the files are still there."""
    telling = [number for number, one in enumerate(outcomes) if _can_tell(one) and kept[number]]
    found = []
    for number in telling[-trial.requests :]:
        one, prior = outcomes[number], learn(outcomes[:number], trial.bound, trial.least, kept[:number])
        if prior.lessons:
            files, shares = {file.path for file in one.files}, prior.shares(one.request)
            path, before = _place(rank(one.request, {}), files)
            named, after = _place(rank(one.request, shares), files) if shares else (path, before)
            found.append(Replay(one.session_id, one.request, named or path or min(files), before, after))
    return tuple(found)


def _can_tell(outcome: Outcome) -> bool:
    return outcome.outcome == Result.SUCCESS and bool(outcome.files) and bool(outcome.request.strip())


def _place(ranked: Sequence[str], files: set[str]) -> tuple[str, int]:
    return next(((path, number) for number, path in enumerate(ranked, 1) if path in files), ("", 0))


def effect(found: Sequence[Replay]) -> Effect:
    """Count what was learnt for."""
    if not found:
        return Effect()
    gains = [_worth(one.rank_with) - _worth(one.rank_without) for one in found]
    ranks = [(one.rank_without, one.rank_with) for one in found]
    firsts, means = (
        [round(sum(map(value, column)) / len(found), 3) for column in zip(*ranks, strict=True)]
        for value in (_is_first, _worth)
    )
    return Effect(len(found), sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains), *firsts, *means)


def _is_first(rank: int) -> float:
    return float(rank == 1)


def _worth(rank: int) -> float:
    return 1 / rank if rank else 0.0
