"""Remembers in the state directory what was put into which file, and keeps the file as it was before."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct

from shirube.codec.records import replace
from shirube.codec.wire import pack
from shirube.doors.agents.disk import digest
from shirube.engine.store.lock import locked
from shirube.errors import NotWritable, StateFault

LOCK_SECONDS = 10.0


class Edit(Struct, frozen=True):
    """One thing that was put in: for which agents, what, and how many containers were made for it."""

    agents: tuple[str, ...]
    value: Any
    made: int = 0


class Receipt(Struct, frozen=True):
    """What was done to one file."""

    path: str
    after: str
    """The digest of the file when it was left."""
    existed: bool
    whole: bool = True
    """Nobody else changed the file between our edits, so that it can be put back as it was."""
    edits: Mapping[str, Edit] = {}


class Receipts:
    """The receipts of this user, one small file each, with the original beside it."""

    def __init__(self, state_dir: Path) -> None:
        self._home = state_dir / "agents"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other installers out."""
        try:
            self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise NotWritable("install.state_dir", path=str(self._home), error=error.strerror) from None
        with locked(self._home / "lock", LOCK_SECONDS) as mine:
            if not mine:
                raise StateFault("install.busy")
            yield

    def get(self, path: Path) -> Receipt | None:
        """Return the receipt of a file."""
        place = self._place(path, ".json")
        if not place.is_file():
            return None
        try:
            found = json.loads(place.read_text("utf-8"))
            edits = {
                key: Edit(tuple(edit["agents"]), edit["value"], edit["made"]) for key, edit in found["edits"].items()
            }
            return Receipt(**{**found, "edits": edits})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StateFault("install.receipt", path=str(place), error=str(error)) from None

    def has(self, path: Path) -> bool:
        """Tell whether anything was put into a file."""
        return self._place(path, ".json").is_file()

    def original(self, receipt: Receipt, now: bytes | None) -> tuple[bool, bytes | None]:
        """Return whether a file can be put back as it was, and as what (None: it was not there)."""
        place = self._place(Path(receipt.path), ".original")
        if not receipt.whole or digest(now) != receipt.after or (receipt.existed and not place.is_file()):
            return False, None
        return True, place.read_bytes() if receipt.existed else None

    def keep(self, path: Path, before: bytes | None) -> None:
        """Keep a file as it is before the first edit; only its owner may read the copy."""
        if before is not None:
            self._write(self._place(path, ".original"), before)

    def put(self, receipt: Receipt) -> None:
        """Write a receipt."""
        self._write(self._place(Path(receipt.path), ".json"), json.dumps(pack(receipt), indent=1).encode())

    def drop(self, path: Path) -> None:
        """Forget a file."""
        for ending in (".json", ".original"):
            self._place(path, ending).unlink(missing_ok=True)

    def directories(self) -> list[Path]:
        """Return the directories that were made for files of ours and are still there."""
        place = self._home / "directories"
        names = place.read_text("utf-8", "surrogateescape").splitlines() if place.is_file() else []
        return [Path(name) for name in names if Path(name).is_dir()]

    def put_directories(self, directories: list[Path]) -> None:
        """Remember which directories were made."""
        names = "".join(f"{directory}\n" for directory in dict.fromkeys(directories) if directory.is_dir())
        self._write(self._home / "directories", names.encode("utf-8", "surrogateescape"))

    def _place(self, path: Path, ending: str) -> Path:
        return self._home / (sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:24] + ending)

    def _write(self, place: Path, data: bytes) -> None:
        fresh = place.with_name(f"{place.name}.fresh")
        fresh.touch(mode=0o600)
        fresh.write_bytes(data)
        fresh.replace(place)


def owners(edit: Edit | None, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return for whom an edit is there, with some more."""
    return tuple(dict.fromkeys([*(edit.agents if edit else ()), *more]))


def without(edit: Edit, agents: tuple[str, ...]) -> Edit | None:
    """Return an edit without some of its agents, or None when none is left."""
    left = tuple(agent for agent in edit.agents if agent not in agents)
    return replace(edit, agents=left) if left else None
