"""Random sequences of what people do with git; after each step the store knows the same as a new one."""

import random
from pathlib import Path

import pytest

from tests.engine.history.repository import HOUR, Repository
from tests.stores import embedded_store

STEPS = 14
FILES = [f"{folder}{name}.py" for folder in ("", "src/") for name in "abcd"]


class Person:
    """Does things to a repository, by dice."""

    def __init__(self, repository: Repository, dice: random.Random) -> None:
        self.repository, self.dice = repository, dice
        self.branches = ["main"]

    def act(self) -> str:
        actions = [self.edit, self.edit, self.edit, self.rename, self.remove, self.branch, self.switch, self.merge]
        action = self.dice.choice(
            [*actions, self.amend, self.back, self.rebase, self.detach, self.odd_clock, self.pack]
        )
        action()
        return action.__name__

    def edit(self) -> None:
        names = self.dice.sample(FILES, self.dice.randint(1, 3))
        words = self.dice.sample(["fix", "add", "parser", "side", "解析", "rename", "file"], 3)
        text = "".join(f"def f{number}():\n    return {number}\n" for number in range(self.dice.randint(5, 9)))
        self.repository.commit(" ".join(words), {name: f"# {name}\n{text}" for name in names})

    def rename(self) -> None:
        tracked, free = self._tracked(), [name for name in FILES if not (self.repository.root / name).exists()]
        if tracked and free:
            target = self.dice.choice(free)
            (self.repository.root / target).parent.mkdir(exist_ok=True)
            self.repository.git("mv", self.dice.choice(tracked), target)
            self.repository.commit("rename a file")

    def remove(self) -> None:
        if tracked := self._tracked():
            self.repository.commit("remove", {self.dice.choice(tracked): None})

    def branch(self) -> None:
        name = f"b{len(self.branches)}"
        self.repository.git("checkout", "-q", "-b", name, self._some_commit())
        self.branches.append(name)

    def switch(self) -> None:
        self.repository.git("checkout", "-q", self.dice.choice(self.branches))

    def merge(self) -> None:
        self.repository.now += HOUR
        other = self.dice.choice(self.branches)
        self.repository.git("merge", "-q", "--no-ff", "-X", "theirs", "-s", "ort", "-m", "merge", other, may_fail=True)
        self.repository.git("merge", "--abort", may_fail=True)

    def amend(self) -> None:
        self.repository.now += HOUR
        self.repository.git("commit", "-q", "--amend", "--allow-empty", "-m", "amended parser")

    def back(self) -> None:
        self.repository.git("reset", "-q", "--hard", self._some_commit())

    def rebase(self) -> None:
        self.repository.now += HOUR
        self.repository.git("rebase", "-q", "-X", "theirs", self.dice.choice(self.branches), may_fail=True)
        self.repository.git("rebase", "--abort", may_fail=True)

    def detach(self) -> None:
        self.repository.git("checkout", "-q", "--detach", self._some_commit())

    def odd_clock(self) -> None:
        self.repository.now += self.dice.choice([-50, -1, 0, 100]) * HOUR

    def pack(self) -> None:
        self.repository.git("reflog", "expire", "--expire=now", "--all")
        self.repository.git("gc", "-q", "--prune=now")

    def _tracked(self) -> list[str]:
        return self.repository.git("ls-files").split()

    def _some_commit(self) -> str:
        return self.dice.choice(self.repository.git("rev-list", "HEAD").split())


@pytest.mark.parametrize("game", range(6))
def test_after_any_step_the_store_is_like_a_new_one(repository: Repository, tmp_path: Path, seed: int, game: int):
    person = Person(repository, random.Random(f"{seed} {game}"))
    whole, few = (embedded_store(tmp_path / name, 256) for name in ("whole", "few"))
    repository.commit("begin", dict.fromkeys(FILES[:3], "x = 1\n" * 9))
    done = []
    for _ in range(STEPS):
        done.append(person.act())
        if person.dice.random() < 0.7:
            print(game, done)
            repository.assert_like_rebuilt(whole)
            repository.assert_like_rebuilt(few, repository.root / "src", commits=4, years=0.005)
    repository.assert_like_rebuilt(whole)
    whole.close()
    few.close()
