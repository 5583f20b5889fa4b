"""The port and its words."""

from shirube.engine.store.embedded import EmbeddedStore
from shirube.engine.store.memory import MemoryStore
from shirube.engine.store.port import Candidate, Store


def test_every_implementation_has_every_method_of_the_port():
    wanted = {name for name in vars(Store) if not name.startswith("_")}
    for kind in (EmbeddedStore, MemoryStore):
        assert wanted <= set(dir(kind)), kind


def test_a_chunk_is_named_by_path_qualified_name_and_span():
    one = Candidate(1, "a.py", 3, 9, "Foo.run", "method", "python")
    two = Candidate(2, "a.py", 12, 20, "Bar.run", "method", "python")
    assert one.chunk_id == "a.py:Foo.run:3-9"
    assert one.chunk_id != two.chunk_id
