"""Building the lexical index anew: when, beside whom, and what is left when it ends in the middle."""

import json
import shutil
from contextlib import suppress
from math import inf
from pathlib import Path

import pytest
from tests.contracts.test_store import EMBEDDER, entry, publish, words, write
from tests.stores import embedded_store

import shirube.engine.store.projection as projection_module
from shirube.deadline import Deadline
from shirube.engine.embed.quantize import to_int8
from shirube.engine.store.disk import locked
from shirube.engine.store.port import Ask, StoreChange
from shirube.engine.store.projection import DIRECTORY, DRAFT, DRAFT_LOCK
from shirube.engine.store.store import Store
from shirube.engine.store.tantivy import TantivyLexical
from shirube.errors import Cancelled
from shirube.messages import Message

FILES = [f"{number}.py" for number in range(20)]


def own(path: str) -> str:
    """Return a word that one file alone has."""
    return "xyz"[int(path[:-3]) % 3] * (3 + int(path[:-3]))


class Killed(BaseException):
    """What stands for the end of the process."""


@pytest.fixture(autouse=True)
def _talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few dead chunks be worth a word, and let nobody step aside: every question here has been answered."""
    monkeypatch.setattr(projection_module, "WORTH_SAYING", 1)
    monkeypatch.setattr(projection_module, "AFTER_QUESTION", 0.0)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def store(place: Path):
    """A store with twenty files, five of which have changed since."""
    made = embedded_store(place, 256, 0.05)
    write(made, *(entry(path, f"alpha {own(path)}") for path in FILES))
    write(made, *(entry(path, f"alpha beta {own(path)}") for path in FILES[:5]))
    assert made.totals().dead == 5
    yield made
    made.close()


def counts_of(said: Message) -> tuple[int, int]:
    return said.values["why"].values["count"], said.values["why"].values["total"]


def scores(store: Store) -> dict[str, float]:
    found = store.candidates(Ask({"content": {"alpha": 1.0, "beta": 1.0}}))
    assert found.degraded == ()
    return {item.path: item.lexical for item in found.items}


def fresh_scores(place: Path) -> dict[str, float]:
    fresh = embedded_store(place, 256)
    write(fresh, *(entry(path, f"alpha beta {own(path)}") for path in FILES[:5]))
    write(fresh, *(entry(path, f"alpha {own(path)}") for path in FILES[5:]))
    try:
        return scores(fresh)
    finally:
        fresh.close()


def segments(place: Path) -> set[str]:
    return {file.name.partition(".")[0] for file in (place / DIRECTORY).iterdir()} - {"", "meta"}


def test_dead_chunks_are_thrown_out_when_they_are_too_many(store: Store, place: Path, tmp_path: Path):
    wanted = fresh_scores(tmp_path / "fresh")
    assert scores(store) != wanted, "the dead ones count"
    assert store.compact(0.25) == ""
    assert store.totals().dead == 5
    why = store.compact(0.24)
    assert (why.values["why"].code, *counts_of(why)) == ("store.dead", 5, 20)
    assert scores(store) == wanted
    assert store.totals().dead == 0
    assert store.check() == ()
    living = json.loads((place / DIRECTORY / "meta.json").read_text())["segments"]
    assert segments(place) == {one["segment_id"].replace("-", "") for one in living}, "nothing old is left on the disk"
    assert not (place / DRAFT).exists()


def test_an_index_that_lost_a_chunk_is_repaired_and_says_so(store: Store, place: Path):
    broken = TantivyLexical(place / DIRECTORY)
    broken.replace(20, "", ())
    broken.commit()
    assert words(store, own("19.py")) == []
    why = store.compact(inf)
    assert (why.values["why"].code, *counts_of(why)) == ("store.counts", 19, 20)
    assert words(store, own("19.py")) == ["19.py:1"]
    assert store.compact(inf) == ""
    assert store.check() == ()


def test_what_a_killed_writer_left_in_the_outbox_is_no_loss(store: Store):
    store.write(StoreChange(entries=(entry("late.py", "late"),)))
    assert store.compact(inf) == ""
    assert store.totals().waiting == 0
    assert words(store, "late") == ["late.py:1"]


def test_others_read_the_old_index_and_write_while_a_new_one_is_built(store: Store, place: Path, monkeypatch):
    other, honest, seen = embedded_store(place, 256, 0.05), TantivyLexical.commit, []

    def commit(index: TantivyLexical, *, wait: bool = False) -> None:
        if wait and not seen:
            seen.append(scores(other))
            write(other, entry("new.py", "alpha beta gamma"), removed=("7.py",))
            assert words(other, "gamma") == ["new.py:1"], "nobody waits for the new one"
        honest(index, wait=wait)

    before = scores(store)
    monkeypatch.setattr(TantivyLexical, "commit", commit)
    assert store.compact().code == "store.rebuilt"
    monkeypatch.undo()
    assert seen == [before]
    for reader in (store, other):
        assert words(reader, "gamma") == ["new.py:1"]
        assert set(scores(reader)) == {*FILES, "new.py"} - {"7.py"}
        assert reader.check() == ()
    other.close()


def test_only_one_at_a_time_builds_it_anew(store: Store, place: Path):
    with locked(place / DRAFT_LOCK):
        assert store.compact(0.1) == ""
        assert store.compact() == ""
    assert store.totals().dead == 5
    assert store.compact(0.1).code == "store.rebuilt"


def test_who_gives_up_leaves_the_old_index(store: Store, place: Path):
    deadline = Deadline()
    deadline.cancel()
    before = scores(store)
    with deadline.governing(), pytest.raises(Cancelled):
        store.compact()
    assert scores(store) == before
    assert not (place / DRAFT).exists()


def die_at(number: int, patch: pytest.MonkeyPatch) -> list[str]:
    """Let this process end at so many steps, and do nothing after that; return the steps it takes until then."""
    taken: list[str] = []

    def mortal(honest):
        def step(*args, **options):
            if len(taken) == number:
                raise Killed
            taken.append(honest.__qualname__)
            return honest(*args, **options)

        return step

    for owner, name in (
        (Path, "replace"),
        (Path, "unlink"),
        (TantivyLexical, "commit"),
        (projection_module.Projection, "_delivered"),
        (projection_module, "remove_projection"),
    ):
        patch.setattr(owner, name, mortal(getattr(owner, name)))
    return taken


def test_killed_at_any_step_a_whole_index_is_left(store: Store, place: Path, tmp_path: Path):
    store.write(StoreChange(entries=(entry("late.py", "late"),)))  # still in the outbox
    wanted, number, steps = fresh_scores(tmp_path / "fresh"), 0, [""]
    while len(steps) >= number - 1:
        here = tmp_path / f"killed after {number}"
        shutil.copytree(place, here)
        dying, reader = embedded_store(here, 256, 0.05), embedded_store(here, 256, 0.05)
        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            steps = die_at(number, patch)
            dying.compact()
        next_one = embedded_store(here, 256, 0.05)
        for left in (reader, next_one):
            assert words(left, "late") == ["late.py:1"], f"killed after {steps}"
            assert set(scores(left)) == set(FILES), f"killed after {steps}"
            assert left.check() == (), f"killed after {steps}"
        if number % 4 == 0:
            write(next_one, removed=("late.py",))
            next_one.compact()
            assert scores(next_one) == scores(reader) == wanted
        for made in (dying, reader, next_one):
            made.close()
        number += 1
    assert {"Path.replace", "Path.unlink", "TantivyLexical.commit", "Projection._delivered"} <= set(steps)


@pytest.mark.parametrize("leg", ["words", "path", "phrase", "vector"])
def test_of_equal_chunks_the_first_paths_are_found_however_the_index_was_made(place: Path, tmp_path: Path, leg: str):
    entries = [entry(f"same/{number:02}.py", "alpha beta") for number in range(30)]
    vector = to_int8(EMBEDDER.place(EMBEDDER.contents(["alpha beta"]), "same/00.py")).tobytes()
    entries = [type(one)(one.record, one.body, one.pieces, one.symbols, one.imports, vector) for one in entries]
    ask = {
        "words": Ask({"content": {"alpha": 1.0}}, limit=5),
        "path": Ask({"path": {"same": 1.0}}, limit=20),
        "phrase": Ask(phrases=(("alpha", "beta"),)),
        "vector": Ask(vector=vector, limit=5),
    }[leg]
    fresh, followed = embedded_store(place, 256), embedded_store(tmp_path / "followed", 256)
    write(fresh, *entries)
    for one in reversed(entries):
        followed.write(StoreChange(entries=(one,)))
    publish(followed)
    found = [[item.path for item in store.candidates(ask).items] for store in (fresh, followed)]
    assert found[0] == found[1] == [one.record.path for one in entries][: 30 if leg == "phrase" else 5]
    for store in (fresh, followed):
        store.close()
