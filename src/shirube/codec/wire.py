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
        raise _unwritten(other)

    return _rounded(msgspec.to_builtins(value, enc_hook=told, str_keys=True))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


def pack(value: Any) -> Any:
    """Return a value as plain JSON from which ``unpack`` makes it again."""

    def kept(other: Any) -> Any:
        if isinstance(other, Message):
            return pack_message(other)
        raise _unwritten(other)

    return msgspec.to_builtins(value, enc_hook=kept, str_keys=True)


def _unwritten(value: Any) -> TypeError:
    return TypeError(f"a {type(value).__name__} has no form in JSON")


def plain(value: Any) -> Any:
    """Return a value as plain JSON for a file that others read, too: messages as the English that agents read."""
    return msgspec.to_builtins(value, enc_hook=str)


def unpack(kind: type[Value], packed: Any) -> Value:
    """Return what was packed; what another version wrote beside it is left out. Raises ``ValueError`` otherwise."""

    def read(wanted: type, other: Any) -> Any:
        if wanted is Message:
            return unpack_message(other)
        raise TypeError(f"a {wanted.__name__} cannot be read from JSON")

    return msgspec.convert(packed, kind, strict=False, dec_hook=read)
