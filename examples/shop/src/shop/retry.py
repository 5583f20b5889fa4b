"""Trying again."""

from collections.abc import Callable
from time import sleep
from typing import TypeVar

Result = TypeVar("Result")
ATTEMPTS = 3


def with_retries(action: Callable[[], Result]) -> Result:
    """Call the action until it works, at most three times."""
    for attempt in range(ATTEMPTS):
        try:
            return action()
        except OSError:
            if attempt == ATTEMPTS - 1:
                raise
            sleep(backoff_seconds(attempt))
    raise AssertionError("unreachable")


def backoff_seconds(attempt: int) -> float:
    """Return how long to wait: 0.1 s, then twice as long each time."""
    return 0.1 * 2**attempt
