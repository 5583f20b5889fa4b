"""The words of the port."""

from shirube.engine.store.port import Candidate


def test_a_chunk_is_named_by_path_qualified_name_and_span():
    one = Candidate(1, "a.py", 3, 9, "Foo.run", "method", "python")
    two = Candidate(2, "a.py", 12, 20, "Bar.run", "method", "python")
    assert one.chunk_id == "a.py:Foo.run:3-9"
    assert one.chunk_id != two.chunk_id
