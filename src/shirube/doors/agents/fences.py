"""Keeps a block of text between two marks in a file that belongs to somebody else."""

import re

from shirube.doors.agents.jsonc import Broken
from shirube.messages import say

BEGIN, END = "<!-- shirube:begin -->", "<!-- shirube:end -->"
_BLOCK = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
_LINES = re.compile(
    r"(?:(?<=\n)\r?\n)?[ \t]*" + re.escape(BEGIN) + ".*?" + re.escape(END) + r"[ \t]*(?:\r?\n|\Z)", re.S
)


def put_block(text: str, body: str) -> str:
    """Return the text with the block: in its old place, or after an empty line at the end."""
    _check(text)
    end = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN}\n{body.strip()}\n{END}".replace("\n", end)
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block, text, count=1)
    gap = "" if not text.strip("\ufeff \t\r\n") else end if text.endswith("\n") else end * 2
    return text + gap + block + end


def has_block(text: str) -> bool:
    """Tell whether the block is there."""
    _check(text)
    return bool(_BLOCK.search(text))


def take_block(text: str) -> str:
    """Return the text without the block and the empty line before it."""
    _check(text)
    return _LINES.sub("", text)


def _check(text: str) -> None:
    if text.count(BEGIN) != text.count(END) or len(_BLOCK.findall(text)) != text.count(BEGIN):
        raise Broken(say("install.no_pair", begin=BEGIN, end=END))
    if text.count(BEGIN) > 1:
        raise Broken(say("install.many_blocks", count=text.count(BEGIN), begin=BEGIN, end=END))
