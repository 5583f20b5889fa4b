"""Texts that a machine wrote on a few endless lines."""

MINIFIED_BYTES = 20_000
MINIFIED_LINE = 500
"""A text above the first number whose mean line is longer than the second was made by a machine."""


def is_minified(text: bytes) -> bool:
    """Tell whether nobody wrote this by hand: it names nothing, and may stall or crash a parser."""
    return len(text) > MINIFIED_BYTES and (text.count(b"\n") + 1) * MINIFIED_LINE < len(text)
