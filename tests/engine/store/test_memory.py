"""What only the memory store does."""

from tests.contracts.test_store import entry, words, write
from tests.stores import memory_store


def test_two_memory_stores_know_nothing_of_each_other():
    one, two = memory_store(256), memory_store(256)
    write(one, entry("a.py", "alpha"))
    assert words(two, "alpha") == []
    assert one.totals().lexical == "memory"
    assert one.check() == ()
