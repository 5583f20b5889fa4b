"""Turn the bytes of a file into text: is it text at all, and in which encoding?"""

import codecs
import re

from msgspec import Struct

from shirube.messages import NOTHING, Message, say

_SNIFF_BYTES = 32_768
_MAX_CONTROL_SHARE = 0.1
# Controls that occur in text: BEL, BS, TAB, LF, VT, FF, CR and ESC (ISO-2022-JP, terminal colours).
_TEXT_CONTROLS = b"\x07\x08\t\n\x0b\x0c\r\x1b"
_TEXT_BYTES = bytes(code for code in range(256) if (code >= 32 and code != 127) or code in _TEXT_CONTROLS)

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ISO_2022 = (b"\x1b$B", b"\x1b$@")
_JAPANESE = ("cp932", "euc-jp")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fc]")
_WIDE_RUN = re.compile("[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]{2,}")
_FOREIGN = re.compile("[^\x00-\x7f]")
_MIN_WIDE_SHARE = 0.7
# Chinese in the old double-byte encodings also decodes, as a long text without a single kana.
_MAX_WITHOUT_KANA = 40


class Decoded(Struct, frozen=True):
    """The text of a file, with no lone surrogates in it."""

    text: str
    encoding: str
    note: Message = NOTHING
    """What was lost, in words; empty when nothing was."""


def is_binary(data: bytes) -> bool:
    """Say whether the bytes are no text: a NUL (unless marked as UTF-16 or 32) or many control characters."""
    sample = data[:_SNIFF_BYTES]
    if _mark(data) is not None:
        return False
    if b"\0" in sample:
        return True
    return len(sample.translate(None, _TEXT_BYTES)) > _MAX_CONTROL_SHARE * len(sample)


def decode(data: bytes) -> Decoded:
    """Decode by byte order mark, as UTF-8, or as one of the Japanese encodings; else mark what is unknown."""
    mark = _mark(data)
    if mark is not None:
        return _decode_marked(data[len(mark[0]) :], mark[1])
    if any(escape in data for escape in _ISO_2022) and (text := _strict(data, "iso2022_jp")):
        return Decoded(text, "iso-2022-jp")
    text = _strict(data, "utf-8")
    if text is not None:
        return Decoded(text, "utf-8")
    return _decode_japanese(data) or Decoded(data.decode("utf-8", "replace"), "utf-8", say("repo.not_utf8"))


def _mark(data: bytes) -> tuple[bytes, str] | None:
    return next((mark for mark in _MARKS if data.startswith(mark[0])), None)


def _decode_marked(body: bytes, encoding: str) -> Decoded:
    text = _strict(body, encoding)
    if text is not None:
        return Decoded(text, encoding)
    return Decoded(body.decode(encoding, "replace"), encoding, say("repo.not_valid", encoding=encoding.upper()))


def _decode_japanese(data: bytes) -> Decoded | None:
    found = [(text, name) for name in _JAPANESE if (text := _strict(data, name)) is not None]
    best = max(((_japanese_share(text), text, name) for text, name in found), default=(0.0, "", ""))
    return Decoded(best[1], best[2]) if best[0] >= _MIN_WIDE_SHARE else None


def _japanese_share(text: str) -> float:
    """Return how much of what is not ASCII stands in runs of full-width Japanese characters."""
    wide = "".join(_WIDE_RUN.findall(text))
    if not wide or (len(wide) > _MAX_WITHOUT_KANA and not _KANA.search(wide)):
        return 0.0
    share = len(wide) / len(_FOREIGN.findall(text))
    return share + len(_KANA.findall(wide)) / len(wide)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
