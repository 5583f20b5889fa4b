"""Amounts as people read them."""

from tests.cases import for_each

from shirube.engine.text.budget import size


@for_each(
    ("count", "wanted"),
    [
        (0, "0 B"),
        (10, "10 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (5 << 20, "5.0 MiB"),
        (5 << 30, "5.0 GiB"),
        (3 << 40, "3072.0 GiB"),
    ],
)
def test_a_number_of_bytes_is_written_for_people(count: int, wanted: str):
    assert size(count) == wanted
