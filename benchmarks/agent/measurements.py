"""Plays every task with every agent, and sums up what it took."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from benchmarks.agent import grep, ours, semble
from benchmarks.agent.ours import Shirube
from benchmarks.agent.play import Outcome, Round, beginning, everything, in_view, play
from benchmarks.agent.tasks import Task
from benchmarks.agent.tree import Tree
from benchmarks.quality.data import Repository
from benchmarks.quality.peers import semble_index

GREP, SEMBLE, OURS = "grep and read", "semble 0.7, words and ranking", "shirube"
MORE = {SEMBLE: "semble, then whole results", OURS: "shirube, then more text"}
IN_ORDER, PICKS, STRAIGHT = "in order", "picks", "picks, then the file"
READINGS = (IN_ORDER, PICKS, STRAIGHT)
BUDGETS = (250, 500, 1000, 2000, 4000)
SIZES = {tokens: f"shirube, {tokens:,} tokens" for tokens in (400, 600, 800, 1000, 1200, 1600)}
"""Sizes of the first reply to choose the default from, and the names of agents that ask for them."""
ROUNDS = 2000
Curve = dict[int, bool]
"""Tokens → whether the line is in view within them."""


@dataclass
class Played:
    """What all agents did."""

    tasks: list[Task] = field(default_factory=list)
    outcomes: dict[tuple[str, str], dict[Task, Outcome]] = field(default_factory=dict)
    """Agent and reading → task → outcome."""
    curves: dict[str, dict[Task, Curve]] = field(default_factory=dict)


class Agents:
    """The agents in one repository."""

    def __init__(self, repository: Repository) -> None:
        root = repository.root.resolve()
        self.tree = Tree(root)
        self.semble = semble_index(root)
        self.shirube = Shirube(self.tree)

    def rounds(self, text: str) -> dict[str, list[Round]]:
        """Return what each agent does before it falls back to grep."""
        return {
            GREP: list(grep.rounds(self.tree, text)),
            SEMBLE: semble.rounds(self.semble, self.tree, text),
            OURS: ours.rounds(self.shirube, text),
            MORE[SEMBLE]: semble.rounds_with_more(self.semble, self.tree, text),
            MORE[OURS]: ours.rounds_with_more(self.shirube, text),
            **{name: ours.rounds(self.shirube, text, tokens) for tokens, name in SIZES.items()},
        }

    def play(self, task: Task) -> Iterator[tuple[str, str, Outcome]]:
        """Yield the outcome of a task for each agent and reading."""
        for name, own in self.rounds(task.text).items():
            then = [] if name == GREP else list(grep.rounds(self.tree, task.text))
            for reading in READINGS:
                rounds = own if reading == STRAIGHT else [*own, *then]
                yield name, reading, play(rounds, self._file_of(task), task.lines, reading != IN_ORDER)

    def _file_of(self, task: Task) -> Callable[[], Any]:
        return lambda: self.tree.whole(task.lines[0][0])

    def curves(self, task: Task) -> dict[str, Curve]:
        """Return within how many tokens each agent has the line in view."""
        lines, text = task.lines, task.text
        stream = list(everything(grep.rounds(self.tree, text, grep.TIRELESS)))
        return {
            GREP: {most: in_view(beginning(stream, most), lines) for most in BUDGETS},
            SEMBLE: {most: in_view(semble.search_within(self.semble, text, most, None), lines) for most in BUDGETS},
            OURS: {most: in_view(self.shirube.search(text, most), lines) for most in BUDGETS},
        }


def play_all(repositories: Sequence[Repository], tasks: Sequence[Task]) -> Played:
    """Play all tasks, one repository after the other."""
    played = Played(list(tasks))
    for repository in repositories:
        print(" ", repository.name, flush=True)
        agents = Agents(repository)
        for task in (one for one in tasks if one.repository == repository.name):
            for name, reading, outcome in agents.play(task):
                played.outcomes.setdefault((name, reading), {})[task] = outcome
            for name, curve in agents.curves(task).items():
                played.curves.setdefault(name, {})[task] = curve
        agents.shirube.close()
    return played


def parts(tasks: Sequence[Task]) -> dict[str, list[Task]]:
    """Return the tasks to report together."""
    found: dict[str, list[Task]] = {"all": list(tasks)}
    for task in tasks:
        found.setdefault(task.group, []).append(task)
    for task in tasks:
        found.setdefault(f"{task.group}, {'Japanese' if task.kind.endswith('ja') else 'English'}", []).append(task)
    return found


def results_of(played: Played) -> dict[str, Any]:
    """Sum up."""
    return {name: _part(played, some) for name, some in parts(played.tasks).items()}


def _part(played: Played, tasks: list[Task]) -> dict[str, Any]:
    agents: dict[str, dict[str, Any]] = {}
    for (name, reading), outcomes in played.outcomes.items():
        agents.setdefault(name, {})[reading] = _sums([outcomes[task] for task in tasks])
    ratios = {
        reading: {
            peer: {
                what: ratio(tasks, played.outcomes[OURS, reading], played.outcomes[peer, reading], what)
                for what in ("tokens", "calls")
            }
            for peer in (GREP, SEMBLE)
        }
        for reading in READINGS
    }
    curves = {
        name: {str(most): fmean(known[task][most] for task in tasks) for most in BUDGETS}
        for name, known in played.curves.items()
    }
    names = {task.repository for task in tasks}
    return {"tasks": len(tasks), "repositories": len(names), "agents": agents, "ratios": ratios, "curve": curves}


def _sums(outcomes: Sequence[Outcome]) -> dict[str, float]:
    return {
        "tokens": fmean(one.tokens for one in outcomes),
        "median tokens": median(one.tokens for one in outcomes),
        "estimated tokens": fmean(one.estimate for one in outcomes),
        "calls": fmean(one.calls for one in outcomes),
        "success": fmean(one.success for one in outcomes),
        "first reply": fmean(one.first for one in outcomes),
    }


def ratio(
    tasks: Sequence[Task], own: Mapping[Task, Outcome], other: Mapping[Task, Outcome], what: str, rounds: int = ROUNDS
) -> tuple[float, float, float]:
    """Return ours ÷ theirs with its paired bootstrap interval (95 %): repositories, then tasks within them."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for task in tasks:
        pairs.setdefault(task.repository, []).append((getattr(own[task], what), getattr(other[task], what)))
    names = sorted(pairs)
    chance = random.Random(0)
    drawn = sorted(
        _quotient([pair for name in chance.choices(names, k=len(names)) for pair in _again(chance, pairs[name])])
        for _ in range(rounds)
    )
    whole = _quotient([pair for name in names for pair in pairs[name]])
    return whole, drawn[int(0.025 * rounds)], drawn[int(0.975 * rounds)]


def _again(chance: random.Random, pairs: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return chance.choices(pairs, k=len(pairs))


def _quotient(pairs: Sequence[tuple[float, float]]) -> float:
    return sum(one for one, _ in pairs) / sum(other for _, other in pairs)
