"""Parsed content by digest."""

from shirube.engine.store.cache import DAY_NS, CacheReader, ParsedCache


def test_what_is_put_is_read_by_another_connection_and_the_first_value_stays(tmp_path):
    cache = ParsedCache(tmp_path / "c" / "parsed.sqlite", 1.0)
    cache.put([("k", b"one"), ("l", b"two")], 0)
    cache.put([("k", b"other")], 0)
    reader = CacheReader(tmp_path / "c" / "parsed.sqlite")
    assert reader.get("k") == b"one"
    assert reader.get("none") is None
    assert (cache.get("k"), cache.get("none")) == (b"one", None)
    reader.close()
    cache.close()


def test_a_missing_or_damaged_cache_is_an_empty_one(tmp_path):
    assert CacheReader(tmp_path / "none.sqlite").get("k") is None
    (tmp_path / "bad.sqlite").write_bytes(b"garbage" * 1000)
    reader = CacheReader(tmp_path / "bad.sqlite")
    assert reader.get("k") is None
    reader.close()


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    cache = ParsedCache(tmp_path / "parsed.sqlite", 1.0)
    cache.put([(f"{number:04}", b"x" * 100) for number in range(1000)], 0)
    cache.used(["0001"], 5 * DAY_NS)
    assert cache.prune(60_000) == 500
    reader = CacheReader(tmp_path / "parsed.sqlite")
    assert reader.get("0001") == b"x" * 100
    assert reader.get("0000") is None
    assert cache.prune(1_000_000) == 0
    reader.close()
    cache.close()


def test_a_cache_that_cannot_be_made_keeps_and_gives_nothing(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = ParsedCache(tmp_path / "file" / "parsed.sqlite", 1.0)
    cache.put([("k", b"one")], 0)
    assert cache.get("k") is None
    cache.close()
