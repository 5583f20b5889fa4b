"""Making the vectors that are missing."""

from pathlib import Path

import numpy as np
import pytest
from tests.engine.index.conftest import Tree
from tests.stores import embedded_store

from shirube.deadline import Deadline
from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.index import sync as embedding
from shirube.engine.index.reading import Reader, Setup
from shirube.engine.index.sync import embed_missing
from shirube.errors import Cancelled


class Slow(HashedEmbedder):
    """A model that counts what it is given, and is not run by workers."""

    name = "slow-256-1"

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.symbols: list[str] = []

    def contents(self, texts, tokens=None, symbols=None):
        if symbols is not None:  # a content, not the path it is placed at
            self.texts += texts
            self.symbols += symbols
        return super().contents(texts, tokens)


@pytest.fixture
def tree(tmp_path: Path):
    made = Tree(tmp_path / "project", tmp_path / "state", embedded_store(tmp_path / "index", 256, model=Slow.name))

    def read(tasks):
        made.tasks = list(tasks)
        reader = Reader(Setup(str(made.root), str(made.state / "parsed.sqlite"), 1 << 20, ""))
        return [reader.read(task) for task in made.tasks]

    made.read = read
    yield made
    made.close()


def embed(tree, embedder, deadline: Deadline | None = None, progress=lambda *step: None) -> None:
    embed_missing(tree.sources(), embedder, progress, deadline or Deadline())


def test_every_file_gets_the_vectors_it_would_have_got_at_once(tree):
    tree.put("a.py", "def alpha():\n    return 1\n\n\ndef beta():\n    return 2\n")
    tree.put("b.md", "# ログ\n\nlog\n")
    tree.put("empty.py", "")
    tree.sync()
    assert tree.store.coverage() == (0, 3)
    model, steps = Slow(), []
    embed(tree, model, progress=lambda *step: steps.append(step))
    assert tree.store.coverage() == (3, 3)
    assert steps == [("embedding", 0, 3), ("embedding", 3, 3)]
    reader = Reader(Setup(str(tree.root), str(tree.state / "none"), 1 << 20, "hashed"))
    for task in tree.tasks:
        now = np.frombuffer(reader.read(task).vectors, dtype=np.int8).astype(int)
        later = np.frombuffer(tree.store.vectors(task.path), dtype=np.int8).astype(int)
        assert np.abs(now - later).max(initial=0) <= 1, task.path
    assert "alpha" in model.symbols


def test_what_was_said_of_a_content_is_not_asked_for_again(tree):
    tree.put("a.py", "def alpha(): pass\n")
    tree.sync()
    embed(tree, Slow())
    (tree.root / "a.py").rename(tree.root / "new.py")
    tree.sync()
    model = Slow()
    embed(tree, model)
    assert model.texts == []
    assert tree.store.coverage() == (1, 1)
    assert tree.store.vectors("new.py")


def test_giving_up_keeps_what_is_done_and_going_on_begins_there(tree, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedding, "GROUP_FILES", 2)
    for number in range(6):
        tree.put(f"f{number}.py", f"def alpha_{number}(): pass\n")
    tree.sync()
    deadline, model = Deadline(), Slow()

    def progress(what: str, done: int, total: int) -> None:
        if done == 2:
            deadline.cancel()

    with pytest.raises(Cancelled):
        embed(tree, model, deadline, progress)
    assert tree.store.coverage() == (2, 6)
    again = Slow()
    embed(tree, again)
    assert tree.store.coverage() == (6, 6)
    assert len(again.texts) == 4
    assert not set(model.texts) & set(again.texts)


def test_a_file_of_many_pieces_can_be_given_up_in_the_middle(tree, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedding, "SLICE_TEXTS", 2)
    tree.put("a.py", "\n\n".join(f"def alpha_{number}():\n    return {number}\n" * 30 for number in range(9)))
    tree.sync()
    deadline, model = Deadline(), Slow()
    (file,) = tree.store.unembedded(0, 1)
    assert len(file.texts) > 4
    first = model.contents

    def contents(*given, **named):
        deadline.cancel()
        return first(*given, **named)

    model.contents = contents
    with pytest.raises(Cancelled):
        embed(tree, model, deadline)
    assert len(model.texts) == 2
    assert tree.store.coverage() == (0, 1)


def test_a_file_that_comes_meanwhile_is_taken_along(tree, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedding, "GROUP_FILES", 1)
    tree.put("a.py", "alpha\n")
    tree.sync()

    def progress(what: str, done: int, total: int) -> None:
        if (done, total) == (1, 1):
            tree.put("b.py", "beta\n")
            tree.sync()

    embed(tree, Slow(), progress=progress)
    assert tree.store.coverage() == (2, 2)


def test_pieces_that_another_version_cut_are_left_alone(tree):
    tree.put("a.py", "alpha\n")
    tree.sync()
    tree.store.note("fingerprint", "another")
    model = Slow()
    embed(tree, model)
    assert model.texts == []
    assert tree.store.coverage() == (0, 1)
