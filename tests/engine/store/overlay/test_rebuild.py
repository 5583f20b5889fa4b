"""Whatever is done to a clone and to what it builds on, its index equals one that is made from scratch."""

import os
import random
from collections.abc import Callable
from contextlib import suppress

import pytest
from tests.engine.index.conftest import Tree
from tests.engine.index.test_incremental import edit, picture, rankings
from tests.engine.store.overlay.conftest import Clone, Team, near
from tests.stores import embedded_store

from shirube.deadline import Deadline
from shirube.engine.store.postgres import store as server_store
from shirube.engine.store.store import Store
from shirube.errors import MovedIndex

STEPS = int(os.environ.get("SOAK_STEPS", "25"))
BRANCHES = ("main", "feature")


def step_of_the_clone(clone: Clone, tree: Tree, chance: random.Random) -> str:
    """Do one random thing in the clone."""
    step = chance.choice(["edit", "edit", "edit", "commit", "switch", "rebase", "reset", "clean"])
    branch = chance.choice(BRANCHES)
    if step == "edit":
        for _ in range(chance.randrange(1, 4)):
            edit(tree, chance)
    elif step == "commit":
        clone.commit()
    elif step == "switch":
        clone.git("checkout", "-q", "-f", "-B", branch, f"origin/{branch}")
    elif step == "rebase":
        clone.commit()
        clone.git("fetch", "-q", "origin")
        clone.git("rebase", "-q", f"origin/{branch}") or clone.git("rebase", "--abort")
    elif step == "reset":
        clone.git("fetch", "-q", "origin")
        clone.git("reset", "-q", "--hard", f"origin/{branch}")
    else:
        clone.git("clean", "-q", "-ffdx")
    return step


def step_of_the_team(team: Team, chance: random.Random) -> str:
    """Let the base move: by a push, a forced push, layers that are made into one, a ref that is dropped and back."""
    step = chance.choice(["push", "push", "force", "merge", "drop"])
    branch = chance.choice(BRANCHES)
    team.clone.git("fetch", "-q", "origin")
    team.clone.git("checkout", "-q", "-f", "-B", branch, f"origin/{branch}")
    if step in ("push", "force"):
        if step == "force":
            team.clone.git("reset", "-q", "--hard", "HEAD~1")
        for _ in range(chance.randrange(1, 4)):
            edit(team.trees[branch], chance)
        team.push(branch, "--force")
    elif step == "merge":
        team.trees[branch].store.compact()
    else:
        team.trees["feature"].store.reset()
        team.trees["feature"].store.compact()
    return step


def followed(tree: Tree, look: Callable[[Store], object] = lambda store: None) -> object:
    """Return what is seen of the index once it is up to date; a base that was replaced is told in the middle."""
    for _ in range(5):
        with suppress(MovedIndex), Deadline().governing():
            tree.sync()
            return look(tree.store)
    raise AssertionError("the base was replaced again and again")


def is_alike(one: object, other: object) -> bool:
    """Compare, but for the last digit of rounded scores: single-precision sums in another order may differ there."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) < 2e-4
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(is_alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_alike(one[key], other[key]) for key in one)
    return one == other


def run(team: Team, seed: int, steps: int, every: int) -> None:
    chance = random.Random(seed)
    for branch in BRANCHES:
        for _ in range(6):
            edit(Tree(team.clone.root, team.place / "first"), chance)
        team.push(branch)
    with near(team) as (clone, tree):
        followed(tree)
        for number in range(steps):
            done = step_of_the_team(team, chance) if chance.random() < 0.3 else step_of_the_clone(clone, tree, chance)
            followed(tree)
            if number % every == every - 1 or number == steps - 1:
                fresh = Tree(tree.root, team.place / f"state{number}", embedded_store(team.place / f"i{number}", 256))
                fresh.sync()
                at = f"seed {seed}, step {number}: {done}"
                assert followed(tree, picture) == picture(fresh.store), at
                assert is_alike(followed(tree, rankings), rankings(fresh.store)), at
                assert tree.store.check() == ()
                fresh.close()


@pytest.mark.parametrize("number", range(2))
def test_following_a_clone_equals_indexing_it_anew(team: Team, number: int, seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server_store, "GRACE_SECONDS", 0)
    run(team, seed, STEPS, every=max(2, STEPS // 100))
