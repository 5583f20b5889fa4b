"""An index that followed many changes gives the order of one that was made anew."""

import random
from functools import partialmethod
from pathlib import Path

from tests.conftest import quiet

from shirube.deadline import Deadline
from shirube.engine.index.keeper import MOST_DEAD
from shirube.engine.store.tantivy import TantivyLexical
from shirube.operation import Call
from shirube.operations import run
from shirube.workspace import Workspace, build_workspace

STEPS, FILES, QUESTIONS = 200, 40, 40
SYNC_EVERY, LAST = 16, 24
"""How many edits a sync sees, and the last one: enough that the dead chunks of that one are many."""
WORDS = (
    *("account", "balance", "charge", "refund", "receipt", "invoice", "order", "basket", "price", "discount", "stock"),
    *("export", "import", "parse", "render", "layout", "session", "token", "login", "retry", "timeout", "queue"),
)


def function(chance: random.Random) -> str:
    name, others = "_".join(chance.sample(WORDS, 2)), " ".join(chance.choices(WORDS, k=chance.randrange(4, 40)))
    return f"\n\ndef {name}(value):\n    # {others}\n    return value\n"


def edit(root: Path, chance: random.Random) -> None:
    """Do one of the things people do to a file: rewrite a function, add one, drop one, rename or remove the file."""
    files = sorted(root.rglob("*.py"))
    file = chance.choice(files)
    parts = file.read_text().split("\n\n\n")
    match chance.randrange(12):
        case 0 if len(files) > FILES // 2:
            file.unlink()
        case 1 | 2:
            file.rename(root / f"{'_'.join(chance.sample(WORDS, 2))}_{chance.randrange(10**6)}.py")
        case 3 | 4:
            (root / f"{'_'.join(chance.sample(WORDS, 2))}_{chance.randrange(10**6)}.py").write_text(function(chance))
        case 5 if len(parts) > 1:
            file.write_text("\n\n\n".join(parts[1:]))
        case _:
            parts[chance.randrange(len(parts))] = function(chance).strip("\n")
            file.write_text("\n\n\n".join(parts))


def answers(workspace: Workspace, questions: list[str]) -> list[list[tuple[str, int, float]]]:
    found = [run(workspace, "search", {"query": question, "limit": 10}, Call(passing=True)) for question in questions]
    return [[(hit.path, hit.start_line, hit.score) for hit in one.forest_hits] for one in found]


def synced(workspace: Workspace) -> None:
    job = workspace.keeper.start()
    job.wait(None)
    assert job.error is None


def test_after_two_hundred_edits_the_order_is_that_of_a_fresh_index(tmp_path: Path, state_dirs, monkeypatch, seed: int):
    # No merge ends by chance between the counting of what is dead and the questions.
    monkeypatch.setattr(TantivyLexical, "commit", partialmethod(TantivyLexical.commit, wait=True))
    chance, root = random.Random(seed), (tmp_path / "project").resolve()
    root.mkdir()
    for number in range(FILES):
        (root / f"{chance.choice(WORDS)}_{number}.py").write_text("".join(function(chance) for _ in range(6)))
    questions = [" ".join(chance.sample(WORDS, 3)) for _ in range(QUESTIONS)]
    followed = build_workspace(root)
    synced(followed)
    for step in range(STEPS):
        edit(root, chance)
        if step % SYNC_EVERY == 0 and step < STEPS - LAST:
            synced(followed)
    synced(followed)
    had = followed.store.totals()
    with_dead = answers(followed, questions)
    assert followed.keeper.sync(full=False, progress=quiet, deadline=Deadline()).error is None
    if had.dead > MOST_DEAD * had.chunks:
        assert followed.store.totals().dead == 0, "thrown out at the end of a sync that is waited for"
    followed.store.compact()
    renewed = answers(followed, questions)
    followed.close()
    monkeypatch.setenv("SHIRUBE_CACHE_DIR", str(tmp_path / "fresh"))
    fresh = build_workspace(root)
    synced(fresh)
    wanted = answers(fresh, questions)
    fresh.close()
    assert renewed == wanted, "places, order and scores"
    assert (with_dead == wanted) == (had.dead == 0), "dead chunks change scores"
