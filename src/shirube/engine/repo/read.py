"""Reads files of the project, and only of the project.

Every directory of a path is opened from its parent without following links, so that a path cannot lead out even if it
changes meanwhile. Only regular files are read, and only up to a limit. ``is_binary`` tells whether the bytes are text,
and ``decode`` finds the encoding.
"""

import codecs
import errno
import os
import re
import stat
from pathlib import Path
from typing import NamedTuple, Self

from shirube.errors import BadArgument, NotReadable, OutsideRoot
from shirube.messages import NOTHING, Message, say, verbatim

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FILE_FLAGS = _FLAGS | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0)
_FOLDER_FLAGS = _FLAGS | _NOFOLLOW | getattr(os, "O_DIRECTORY", 0)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd
LONGEST_NAME = 255
"""The longest file name in bytes that common file systems allow."""
LONGEST_PATH = 4095
"""The longest path in bytes that common systems can open."""
_LINK_ERRORS = (errno.ELOOP, errno.EMLINK)
_SNIFF_BYTES = 32_768
_MAX_CONTROL_SHARE = 0.1
# Controls that occur in text: BEL, BS, TAB, LF, VT, FF, CR and ESC (ISO-2022-JP, terminal colours).
_TEXT_CONTROLS = b"\x07\x08\t\n\x0b\x0c\r\x1b"
_TEXT_BYTES = bytes(code for code in range(256) if (code >= 32 and code != 127) or code in _TEXT_CONTROLS)

# UTF-32 first: its little-endian mark begins with the mark of UTF-16.
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
# Chinese in old double-byte encodings also decodes as Japanese, but as a long text without any kana.
_MAX_WITHOUT_KANA = 40


def read_bytes(root: Path, path: str, max_bytes: int) -> bytes:
    """Return the bytes of a regular file below the root; no link is followed, so resolve the path first."""
    with FileReader(root) as reader:
        return reader.read(path, max_bytes)


class FileReader:
    """Reads many files in a row; directories stay open, so that files of the same directory cost less."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._parts: list[str] = []
        self._folders: list[int] = []
        """Descriptors of the root and of each directory in ``_parts``."""

    def read(self, path: str, max_bytes: int) -> bytes:
        """Return the bytes of a regular file below the root, as ``read_bytes`` does."""
        parts = path.split("/")
        if not path or "\0" in path or any(part in ("", ".", "..") for part in parts):
            raise OutsideRoot("repo.not_plain", path=repr(path))
        try:
            return slurp(self._open(parts), max_bytes)
        except NotReadable as error:
            raise NotReadable(path, error.reason, error.detail) from None
        except OSError as error:
            reason = "outside_link" if error.errno in _LINK_ERRORS else "unreadable"
            raise NotReadable(path, reason, verbatim(error.strerror or "")) from error
        except ValueError as error:
            raise NotReadable(path, "odd_name", say("repo.no_name")) from error

    def close(self) -> None:
        """Close the directories."""
        while self._folders:
            os.close(self._folders.pop())
        self._parts = []

    def _open(self, parts: list[str]) -> int:
        if _BY_DESCRIPTOR:
            return os.open(parts[-1], _FILE_FLAGS, dir_fd=self._folder(parts[:-1]))
        path = "/".join(parts)  # on systems without directory descriptors, after comparing its real path
        if resolve_inside(self._root, path) != path:
            raise NotReadable(path, "outside_link", say("repo.link"))
        return os.open(self._root / path, _FILE_FLAGS)

    def _folder(self, parts: list[str]) -> int:
        """Return the descriptor of a directory, opened from the nearest one above that is open."""
        if not self._folders:
            self._folders.append(os.open(self._root, _FLAGS | getattr(os, "O_DIRECTORY", 0)))
        if parts != self._parts:
            same = 0
            while same < min(len(parts), len(self._parts)) and parts[same] == self._parts[same]:
                same += 1
            while len(self._parts) > same:
                os.close(self._folders.pop())
                self._parts.pop()
            for part in parts[same:]:
                self._folders.append(os.open(part, _FOLDER_FLAGS, dir_fd=self._folders[-1]))
                self._parts.append(part)
        return self._folders[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def resolve_inside(root: Path, path: str) -> str:
    """Return the path of a file relative to the root, with links resolved, for a path that somebody typed.

    ``"src/../a.py"`` and ``"/project/a.py"`` become ``"a.py"``, the root itself ``"."``. The file need not
    exist. A path that leaves the root, by ``..``, as an absolute path or through a link, is refused.
    """
    if not path or "\0" in path:
        raise BadArgument("repo.no_path")
    try:
        home = Path(os.path.realpath(root))
        encoded = path.encode("utf-8")
        if len(os.fsencode(home)) + len(encoded) >= LONGEST_PATH or max(map(len, encoded.split(b"/"))) > LONGEST_NAME:
            raise BadArgument("repo.long_path")
        real = Path(os.path.realpath(home / path))
    except (OSError, ValueError) as error:
        raise BadArgument("repo.no_use") from error
    if not real.is_relative_to(home):
        raise OutsideRoot("repo.outside", path=repr(path), root=str(home))
    return real.relative_to(home).as_posix()


def slurp(handle: int, max_bytes: int) -> bytes:
    """Read an open descriptor to its end and close it; special and too large files are refused."""
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotReadable("", "special", say("repo.not_regular"))
        if status.st_size > max_bytes:
            raise NotReadable("", "too_large", say("repo.bytes", count=status.st_size))
        data = b""
        # one byte more than expected, so that the second read is empty and shows the end
        while more := os.read(handle, min(status.st_size, max_bytes - len(data)) + 1):
            data += more
            if len(data) > max_bytes:
                raise NotReadable("", "too_large", say("repo.grew"))
        return data
    finally:
        os.close(handle)


class Decoded(NamedTuple):
    """The text of a file, with no lone surrogates in it."""

    text: str
    encoding: str
    note: Message = NOTHING
    """What was lost in decoding; empty when nothing was."""


def is_binary(data: bytes) -> bool:
    """Tell whether the bytes are not text: they have a NUL (without a UTF-16 or 32 mark) or many control characters."""
    sample = data[:_SNIFF_BYTES]
    if _mark(data) is not None:
        return False
    if b"\0" in sample:
        return True
    return len(sample.translate(None, _TEXT_BYTES)) > _MAX_CONTROL_SHARE * len(sample)


def decode(data: bytes) -> Decoded:
    """Decode by byte order mark, as UTF-8, or in a Japanese encoding; else as UTF-8 with replacement characters."""
    if mark := _mark(data):
        body, encoding = data[len(mark[0]) :], mark[1]
        if (text := _strict(body, encoding)) is not None:
            return Decoded(text, encoding)
        return Decoded(body.decode(encoding, "replace"), encoding, say("repo.not_valid", encoding=encoding.upper()))
    if any(escape in data for escape in _ISO_2022) and (text := _strict(data, "iso2022_jp")):
        return Decoded(text, "iso-2022-jp")
    if (text := _strict(data, "utf-8")) is not None:
        return Decoded(text, "utf-8")
    readings = [(reading, name) for name in _JAPANESE if (reading := _strict(data, name)) is not None]
    share, best, name = max(((_japanese_share(text), text, name) for text, name in readings), default=(0.0, "", ""))
    if share >= _MIN_WIDE_SHARE:
        return Decoded(best, name)
    return Decoded(data.decode("utf-8", "replace"), "utf-8", say("repo.not_utf8"))


def _mark(data: bytes) -> tuple[bytes, str] | None:
    return next((mark for mark in _MARKS if data.startswith(mark[0])), None)


def _japanese_share(text: str) -> float:
    """Return the share of non-ASCII characters in runs of full-width Japanese, plus a bonus for kana."""
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
