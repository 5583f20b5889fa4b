"""What a test expects to be refused: by the code of the message, whatever its words are."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shirube.errors import ShirubeError, UnknownName


@contextmanager
def refusal(kind: type[ShirubeError], code: str) -> Iterator["pytest.ExceptionInfo[Any]"]:
    """Expect an error with the message of this code."""
    with pytest.raises(kind) as caught:
        yield caught
    assert caught.value.message.code == code, caught.value


@contextmanager
def misspelt(nearest: str) -> Iterator["pytest.ExceptionInfo[UnknownName]"]:
    """Expect that a name is unknown, and that this one is proposed."""
    with pytest.raises(UnknownName) as caught:
        yield caught
    assert caught.value.nearest == nearest, caught.value
