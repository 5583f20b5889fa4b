"""Tokens: how they look, and what is kept of them. The secret is shown once; only its hash is stored."""

import secrets
from hashlib import sha256
from urllib.parse import SplitResult
from zlib import crc32

PREFIX = "shirube_"
"""What scanners for secrets look for."""
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SECRET_BYTES = 32
SECRET_LETTERS, CHECK_LETTERS = 43, 6
"""How many letters 256 bits and a checksum of 32 bits take."""
NAME_BYTES = 4
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def new_secret() -> str:
    """Return a fresh token: the prefix, 256 random bits, and a checksum by which scanners tell it from other text."""
    return _sealed(_spelled(int.from_bytes(secrets.token_bytes(SECRET_BYTES)), SECRET_LETTERS))


def new_name() -> str:
    """Return a fresh name for a token, which lists and logs show."""
    return secrets.token_hex(NAME_BYTES)


def is_secret(text: str) -> bool:
    """Tell whether a text may be a token: refuses most forgeries without asking anybody."""
    body = text.removeprefix(PREFIX)[:SECRET_LETTERS]
    return len(body) == SECRET_LETTERS and text.isascii() and text == _sealed(body)


def is_safe_for(address: SplitResult) -> bool:
    """Tell whether nobody on the way can read a token that is sent there, nor give another answer."""
    return address.scheme == "https" or (address.scheme == "http" and address.hostname in LOOPBACK)


def hash_of(secret: str) -> bytes:
    """Return what is stored of a token."""
    return sha256(secret.encode()).digest()


def _sealed(body: str) -> str:
    return PREFIX + body + _spelled(crc32(body.encode()), CHECK_LETTERS)


def _spelled(number: int, letters: int) -> str:
    text = ""
    for _ in range(letters):
        number, digit = divmod(number, len(DIGITS))
        text += DIGITS[digit]
    return text
