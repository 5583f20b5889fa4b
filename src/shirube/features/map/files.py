"""The map on disk; no other module of the map touches the disk.

Pages are read once and cached until the directory changes. An unreadable page is reported, and the other pages still
count. Nothing is written outside the project; only the extra maps that the user configured are read from outside.
"""

import os
import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.repo.read import resolve_inside
from shirube.engine.store.disk import write_whole
from shirube.errors import BadArgument, NoPermission, ShirubeError
from shirube.features.map.agreement import Agreement
from shirube.features.map.lookup import Index
from shirube.features.map.merge import is_bundle, read_bundle, versions_of
from shirube.features.map.page import from_page, to_page, with_files
from shirube.features.map.pairs import read_pairs
from shirube.messages import Message, say, verbatim

LONGEST = 50
"""The limit in characters for the term and for the symbol: 50 kanji are 150 bytes, and a file name may have 255."""
ENDING = ".md"
MARK = "~"
"""Precedes the digest in a file name, and appears nowhere else in it."""
RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10))}
HOME = ".shirube"
AGREEMENTS = f"{HOME}/agreements"
PAIRS = f"{HOME}/learned_pairs.json"
MAX_BYTES = 256_000
"""An agreement is one page of text; a larger file is something else."""
MAX_PAIRS_BYTES = 32_000_000
MOST_PAGES = 20_000


def file_name(nl_term: str, symbol: str) -> str:
    """Return ``{nl_term}_{symbol}.md``: ``("ログイン機能", "AuthService")`` → ``"ログイン機能_AuthService.md"``.

    Spaces in the term become hyphens. A digest of the pair is added where the name might be ambiguous: another
    character was replaced, a part was cut, or the term has hyphens or underscores of its own.
    """
    term, name = _safe(nl_term), _safe(symbol)
    plain = f"{term}_{name}" if symbol else term
    same = (term, name) == (nl_term.replace(" ", "-"), symbol) and not {"_", "-"} & set(nl_term)
    if same and plain.casefold() not in RESERVED:
        return plain + ENDING
    return with_digest(nl_term, symbol)


def with_digest(nl_term: str, symbol: str) -> str:
    """Return the longer name, for a pair whose plain name is taken."""
    plain = "_".join(part for part in (_safe(nl_term), _safe(symbol)) if part)
    digest = sha256(f"{nl_term}\0{symbol}".encode("utf-8", "replace")).hexdigest()[:8]
    return f"{plain}{MARK}{digest}{ENDING}"


def _safe(text: str) -> str:
    """Return text that is valid in file names on every system; other characters become hyphens."""
    composed = unicodedata.normalize("NFC", text)
    safe = (
        char if char.isalnum() or char in "_-." or unicodedata.category(char) in ("Mn", "Mc") else "-"
        for char in composed
    )
    return "".join(safe)[:LONGEST].strip("-. ")


class Loaded(Struct, frozen=True):
    """The map as it is on disk, and the problems found while reading it."""

    index: Index
    problems: tuple[Message, ...] = ()
    unread: frozenset[str] = frozenset()
    """Names of own pages that could not be read: their content is unknown, but not deleted."""

    @property
    def agreements(self) -> tuple[Agreement, ...]:
        """Every agreement, own ones first."""
        return self.index.agreements

    @property
    def own(self) -> tuple[Agreement, ...]:
        """The project's own agreements, without those of added maps."""
        return tuple(agreement for agreement in self.agreements if not agreement.origin)


@dataclass
class MapFolder:
    """The map of one project, with the read-only maps the user added."""

    root: Path
    extra: tuple[str, ...] = ()
    _loaded: Loaded = field(default_factory=lambda: Loaded(Index(())))
    _signature: tuple[object, ...] = ()

    @property
    def folder(self) -> Path:
        """The directory of the pages."""
        return self.root / AGREEMENTS

    def load(self) -> Loaded:
        """Return the map; it is read again only when a file changed. Without a map this costs one directory check."""
        signature = tuple(_signature(place) for place in (*self._places(), self.root / PAIRS))
        if not any(signature) and not self.extra:
            return Loaded(Index(()))
        if signature != self._signature:
            self._loaded, self._signature = self._read(), signature
        return self._loaded

    def save(self, agreement: Agreement) -> Agreement:
        """Write an agreement's page atomically, and return the agreement with the name of its file."""
        if agreement.origin:
            raise BadArgument("pages.comes_from", name=agreement.nl_term, origin=agreement.origin)
        listed = with_files(agreement, lambda path, line: self._place(agreement, path, line))
        name = agreement.file or file_name(agreement.nl_term, agreement.symbol)
        if not agreement.file and self.folder.is_dir():
            taken = {path.name.casefold() for path in _pages(self.folder)}  # names may differ only in case
            name = with_digest(agreement.nl_term, agreement.symbol) if name.casefold() in taken else name
        named = replace(listed, file=name)
        self.write(f"{AGREEMENTS}/{name}", to_page(named))
        return named

    def has(self, name: str) -> bool:
        """Tell whether a file or a directory of the project exists."""
        with suppress(ShirubeError):
            return (self.root / resolve_inside(self.root, name)).exists()
        return False

    def _place(self, agreement: Agreement, path: str, line: int) -> str:
        """Return a file with a line that names the symbol, or without when none does; nothing when it is gone."""
        if not self.has(path):
            return ""
        path = resolve_inside(self.root, path) if Path(path).is_absolute() else path
        if agreement.digest and path == agreement.path:
            return f"{path}:{agreement.line}"
        name = re.compile(rf"\b{re.escape(agreement.symbol.rpartition('.')[2])}\b", re.ASCII)
        lines = list[str]()
        with suppress(ShirubeError):  # it is not a text
            lines = self.text(path).split("\n")
        if not 0 < line <= len(lines) or not name.search(lines[line - 1]):
            line = next((number for number, text in enumerate(lines, 1) if name.search(text)), 0)
        return f"{path}:{line}" if line else path

    def remove(self, agreement: Agreement) -> None:
        """Delete an agreement's page."""
        with suppress(FileNotFoundError):
            self._inside(f"{AGREEMENTS}/{agreement.file}").unlink()

    def read_pairs(self) -> str:
        """Return the text of ``learned_pairs.json``; empty when there is none."""
        return self.text(PAIRS, MAX_PAIRS_BYTES)

    def write_pairs(self, text: str) -> None:
        """Write ``learned_pairs.json`` when it differs."""
        if self.read_pairs() != text:
            self.write(PAIRS, text)

    def text(self, name: str, most: int = MAX_PAIRS_BYTES) -> str:
        """Return a text file of the project; empty when there is none."""
        path = self._inside(name)
        try:
            return _text(path, most)
        except ShirubeError as error:
            raise type(error)(say("pages.at", where=name, why=error.message), error.hint) from None

    def pages(self, name: str) -> tuple[dict[str, str], tuple[Message, ...]]:
        """Return the Markdown files of a project directory by name, and which of them cannot be read."""
        folder, texts, problems = self._inside(name), dict[str, str](), list[Message]()
        for path in _pages(folder) if folder.is_dir() else ():
            try:
                texts[path.name] = _text(path, MAX_BYTES)
            except ShirubeError as error:
                problems.append(_fault(f"{name}/{path.name}", error))
        return texts, tuple(problems)

    def names(self, name: str) -> list[str]:
        """Return what a directory of the project holds, sorted by name."""
        return sorted(os.listdir(self._inside(name)))  # noqa: PTH208

    def write(self, name: str, text: str) -> None:
        """Write a text file of the project atomically: a reader sees either the old or the new content."""
        path = self._inside(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode(), 0o644)
        except OSError as error:
            raise NoPermission("pages.cannot_write", name=path.name, error=verbatim(error.strerror or "")) from error

    def _places(self) -> tuple[Path, ...]:
        added = [Path(place).expanduser() for place in self.extra]
        return (self.folder, *(one / "agreements" if (one / "agreements").is_dir() else one for one in added))

    def _read(self) -> Loaded:
        agreements: list[Agreement] = []
        problems: list[Message] = []
        unread: list[str] = []
        for number, place in enumerate(self._places()):
            found, faults, lost = _read_place(place, str(self.extra[number - 1]) if number else "")
            agreements += found
            problems += faults
            unread += [] if number else lost
        try:  # somebody must fix the pairs before ``sync_map`` can read them
            text = _text(self._inside(PAIRS), MAX_PAIRS_BYTES)
            problems += [say("pages.at", where=PAIRS, why=why) for why in read_pairs(text)[2]] if text else []
        except ShirubeError as error:
            problems.append(_fault(PAIRS, error))
        return Loaded(Index(agreements), tuple(problems), frozenset(unread))

    def _inside(self, name: str) -> Path:
        path = self.root / name
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.root)):
            raise BadArgument("pages.outside", name=name)
        return path


def _read_place(place: Path, origin: str) -> tuple[list[Agreement], list[Message], list[str]]:
    """Read a directory of pages or an exported map; return its agreements, its problems, and its unreadable files."""
    if origin and place.is_file():
        text = _text(place, MAX_PAIRS_BYTES)
        try:
            found, faults = read_bundle(text) if is_bundle(text) else ((), (say("pages.no_export"),))
        except ShirubeError as error:
            found, faults = (), (error.message,)
        problems = [say("pages.at", where=origin, why=why) for why in faults]
        return [replace(item, origin=origin) for item in found], problems, []
    agreements: dict[tuple[str, str], Agreement] = {}
    problems = []
    unread: list[str] = []
    if origin and not place.is_dir():
        problems.append(say("pages.at", where=origin, why=say("pages.no_map")))
    for path in _pages(place) if place.is_dir() else ():
        shown = f"{origin or AGREEMENTS}/{path.name}"
        try:
            text = _text(path, MAX_BYTES)
            if versions_of(text) is not None:
                raise BadArgument("pages.two_versions")
            read = from_page(text, path.name, origin)
        except ShirubeError as error:
            problems.append(_fault(shown, error))
            unread.append(path.name)
            continue
        for item in read:
            if item.key in agreements:
                problems.append(say("pages.same_pair", where=shown, other=agreements[item.key].file))
            agreements.setdefault(item.key, item)
    return list(agreements.values()), problems, unread


def _fault(where: str, error: ShirubeError) -> Message:
    return say("pages.fault", where=where, why=error.message, hint=error.hint)


def _pages(folder: Path) -> list[Path]:
    """Return the pages of a directory, sorted by name; links are not followed."""
    with os.scandir(folder) as entries:
        names = sorted(
            entry.name for entry in entries if entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False)
        )
    return [folder / name for name in names[:MOST_PAGES]]


def _signature(place: Path) -> object:
    """Return names, sizes and times, which reveal a change; empty when the place does not exist."""
    try:
        if place.is_file():
            status = place.stat()
            return (status.st_mtime_ns, status.st_size)
        with os.scandir(place) as entries:
            pages = [
                (entry.name, entry.stat(follow_symlinks=False)) for entry in entries if entry.name.endswith(ENDING)
            ]
    except OSError:
        return ()
    return tuple(sorted((name, status.st_mtime_ns, status.st_size, status.st_ino) for name, status in pages))


def _text(path: Path, most: int) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise NoPermission("pages.unreadable", error=verbatim(error.strerror or "")) from error
    if len(data) > most:
        raise BadArgument("pages.large", most=most)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadArgument("pages.not_utf8", number=line) from None
