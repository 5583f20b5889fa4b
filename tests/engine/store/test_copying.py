"""The index of a new work tree begins as a copy of another one's."""

from pathlib import Path

from tests.engine.index.conftest import Tree
from tests.engine.index.test_incremental import picture, rankings
from tests.stores import embedded_store

from shirube.engine.store.copying import copy_index
from shirube.engine.store.disk import locked
from shirube.engine.store.projection import LOCK


def indexed(place: Path, index: Path) -> Tree:
    return Tree(place, place.with_name(f"{place.name}-state"), embedded_store(index, 256))


def test_a_copy_answers_as_its_source_and_then_goes_its_own_way(tmp_path: Path):
    first = indexed(tmp_path / "one", tmp_path / "i1")
    first.put("a.py", "def alpha(): pass\n")
    first.put("b.py", "import a\n")
    first.sync()
    assert copy_index(tmp_path / "i1", tmp_path / "i2")
    second = indexed(tmp_path / "two", tmp_path / "i2")
    for path in ("a.py", "b.py"):
        second.put(path, (first.root / path).read_text())
    report = second.sync()
    assert (report.added, report.changed, report.parsed, report.reused) == ((), (), 0, 0), "nothing is parsed or cut"
    assert picture(second.store) == picture(first.store)
    assert rankings(second.store) == rankings(first.store)
    second.put("a.py", "def beta(): pass\n")
    second.sync()
    assert set(second.store.names("beta", 5)) == {"beta"}
    assert set(first.store.names("beta", 5)) == set()
    for tree in (first, second):
        tree.close()


def test_nothing_is_copied_over_an_index_or_from_none(tmp_path: Path):
    assert not copy_index(tmp_path / "none", tmp_path / "i2")
    first = indexed(tmp_path / "one", tmp_path / "i1")
    first.put("a.py", "def alpha(): pass\n")
    first.sync()
    own = embedded_store(tmp_path / "i2", 256)
    assert not copy_index(tmp_path / "i1", tmp_path / "i2")
    assert own.files() == {}
    with locked(tmp_path / "i1" / LOCK):
        assert not copy_index(tmp_path / "i1", tmp_path / "i3"), "somebody is publishing"
    assert copy_index(tmp_path / "i1", tmp_path / "i3")
    assert sorted(path.name for path in (tmp_path / "i3").iterdir()) == ["index.sqlite", LOCK, "tantivy-3"]
    own.close()
    first.close()
