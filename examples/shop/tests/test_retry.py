from shop.retry import backoff_seconds


def test_each_wait_is_twice_as_long():
    assert backoff_seconds(1) == 2 * backoff_seconds(0)
