"""Values as plain JSON: for readers at a door, and for files of our own."""

from typing import Any, TypeVar

import msgspec

from shirube.messages import AGENT, Message, Speech, pack_message, render, unpack_message

Value = TypeVar("Value")
DIGITS = 4
"""Places behind the point that a reader can use."""


def shown_json(value: Any, speech: Speech = AGENT) -> Any:
    """Return a result as a reader gets it: messages as text in their language, numbers without useless digits."""

    def told(other: Any) -> Any:
        if isinstance(other, Message):
            return render(other, speech)
        raise NotImplementedError

    return _rounded(msgspec.to_builtins(value, enc_hook=told))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list) else value


def pack(value: Any) -> Any:
    """Return a value as plain JSON from which ``unpack`` makes it again."""

    def kept(other: Any) -> Any:
        if isinstance(other, Message):
            return pack_message(other)
        raise NotImplementedError

    return msgspec.to_builtins(value, enc_hook=kept)


def unpack(kind: type[Value], packed: Any) -> Value:
    """Return what was packed; what another version wrote beside it is left out. Raises ``ValueError`` otherwise."""

    def read(wanted: type, other: Any) -> Any:
        if wanted is Message:
            return unpack_message(other)
        raise NotImplementedError

    return msgspec.convert(packed, kind, strict=False, dec_hook=read)
