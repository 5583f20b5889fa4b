"""What only the memory store does."""

from tests.contracts.test_store import entry, words, write

from shirube.engine.store.memory import MemoryStore


def test_two_memory_stores_know_nothing_of_each_other():
    one, two = MemoryStore(256), MemoryStore(256)
    write(one, entry("a.py", "alpha"))
    assert words(two, "alpha") == []
    assert one.totals().lexical == "memory"
    assert one.check() == ()
