"""Paths written as trees."""

from tests.cases import for_each

from shirube.engine.parse.imports import expand


@for_each(
    ("written", "joiner", "paths"),
    [
        ("a", "::", ["a"]),
        ("a::b", "::", ["a::b"]),
        ("a::{b, c}", "::", ["a::b", "a::c"]),
        ("a::{self, b::{c, d as e}, f::*}", "::", ["a::self", "a::b::c", "a::b::d", "a::f::*"]),
        ("::a::b", "::", ["a::b"]),
        ("{a, b::c}", "::", ["a", "b::c"]),
        ("A\\{B, C as D}, E", "\\", ["A\\B", "A\\C", "E"]),
        ("a::{b,}", "::", ["a::b"]),
        ("a::{b", "::", ["a::b"]),
        ("}}a", "::", ["a"]),
        ("", "::", []),
    ],
)
def test_a_tree_is_the_list_of_its_paths(written: str, joiner: str, paths: list[str]) -> None:
    assert list(expand(written, joiner)) == paths
