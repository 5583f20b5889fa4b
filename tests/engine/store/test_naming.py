"""Where what is recorded lies."""

from pathlib import Path

from shirube.engine.store.disk import own_name, project_directory, stream_of


def test_a_work_tree_has_a_readable_name_of_its_own():
    one, other = Path("/a/店 shop"), Path("/b/店 shop")
    assert own_name(one) != own_name(other)
    assert own_name(one).startswith("店-shop-")
    assert len(own_name(Path("/" + "x" * 300))) < 60
    assert project_directory(Path("/state"), one) == Path("/state/projects") / own_name(one)


def test_a_session_has_a_stream_of_its_own():
    assert stream_of("s_1") == "session:s_1"
