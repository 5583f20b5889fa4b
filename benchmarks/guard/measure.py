"""Plays all agents on all changes, one repository after the other."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from unittest.mock import patch

from benchmarks.guard.agents import Follower, Outcome, hasty
from benchmarks.guard.changes import SEED, Change, Picked, change_of
from benchmarks.guard.conversation import Conversation, Server
from benchmarks.guard.judge import Refusal, foreign_words, refusals
from benchmarks.guard.lies import LIES, tell
from benchmarks.guard.wrong import wrong_files

LIES_EACH = 7
"""How many lies are told about each change; the kinds take turns."""
OLD_LIES = ("flask", "click", "gson", "axum")
"""Where the lies of ``benchmarks.sessions`` were told before."""


@dataclass
class Played:
    """What all agents did."""

    careful: list[Outcome] = field(default_factory=list)
    hasty: list[Outcome] = field(default_factory=list)
    lost: list[Outcome] = field(default_factory=list)
    lies: list[tuple[str, str, bool]] = field(default_factory=list)
    """Which lie, about which change, and whether it was believed."""
    old_lies: list[tuple[str, str, bool]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    foreign: dict[str, list[str]] = field(default_factory=dict)
    """Change → what a Japanese conversation was told in English."""


class Player:
    """Plays changes, and keeps the transcripts where they are wanted."""

    def __init__(self, transcripts: Path | None = None) -> None:
        self.played, self._folder = Played(), transcripts

    def play(self, picked: Sequence[Picked], careful_only: bool = False, lies_each: int = LIES_EACH) -> None:
        """Play changes with all agents, or with the careful one alone."""
        ordered = sorted(picked, key=lambda one: one.repository.name)
        for name, group in groupby(ordered, key=lambda one: one.repository.name):
            print(name, flush=True)
            mine = list(group)
            server = Server(mine[0].repository.root.resolve())
            try:
                for one in mine:
                    self._careful(server, change_of(one, server.store))
                for one in mine if not careful_only else ():
                    unrelated = one.repository.questions[(one.question.number + 37) % len(one.repository.questions)]
                    self._others(server, change_of(one, server.store), unrelated.text)
                    self._lies(server, change_of(one, server.store), lies_each)
            finally:
                server.close()

    def _careful(self, server: Server, change: Change) -> None:
        outcome = Follower("careful", server, change, change.targets).play()
        self.played.careful.append(outcome)
        self.played.refusals += refusals(outcome.talk, change.name)
        if change.japanese and (words := foreign_words(outcome.talk)):
            self.played.foreign[change.name] = words
        self._keep("careful", change.name, outcome.talk)

    def _others(self, server: Server, change: Change, unrelated: str) -> None:
        wrongs = list(wrong_files(server, change, unrelated))
        for begins in (False, True) if wrongs else ():
            self.played.hasty += hasty(server, change, wrongs[0].target, begins)
        for wrong in wrongs:
            outcome = Follower(f"lost, {wrong.kind}", server, change, (wrong.target,)).play(wrong.look)
            self.played.lost.append(outcome)
            self._keep("lost", f"{change.name}-{wrong.kind.replace(' ', '_')}", outcome.talk)

    def _lies(self, server: Server, change: Change, count: int) -> None:
        names = list(LIES)
        for _ in range(count):
            what = names[len(self.played.lies) % len(names)]
            believed, talk = tell(server, change, what)
            self.played.lies.append((what, change.name, believed))
            if believed:
                self._keep("lies-believed", f"{change.name}-{what.replace(' ', '_')}", talk)

    def _keep(self, agent: str, name: str, talk: Conversation) -> None:
        if self._folder:
            folder = self._folder / agent
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.txt").write_text(talk.transcript(), "utf-8")


def tell_old_lies(repositories: Sequence[tuple[str, Path]], each: int = 2) -> Iterator[tuple[str, str, bool]]:
    """Tell the thirty lies of ``benchmarks.sessions`` as they were told before, with every count of the seeds."""
    from benchmarks.sessions.lies import LIES as OLD
    from benchmarks.sessions.scenes import Agent, scenes
    from shirube import open_workspace

    for name, root in repositories:
        with patch.dict(os.environ, {"SHIRUBE_GUARD_EVIDENCE": "seed"}), open_workspace(root) as project:
            project.sync_index()
            for scene in scenes(project, each, SEED):
                for what, lie in OLD.items():
                    yield what, name, lie(Agent(project, scene))
