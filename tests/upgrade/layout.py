"""Lays out what release 0.1.0 left behind, at another place, as if it had been made there.

How 0.1.0 named things after paths is written down here once more, on purpose: a later release that names them otherwise
has to find them all the same.
"""

import json
import os
import tarfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

RELEASE = "0.1.0"
FIXTURE = Path(__file__).parent / f"fixture-{RELEASE}.tar.xz"
BASE, KEY = "@BASE@", "@KEY@"
"""What stands in the archive for the directory everything lay in, and for the name of the project's own directories."""


@dataclass(frozen=True)
class Laid:
    """What was laid out, and what a release has to find in it."""

    base: Path
    root: Path
    expected: dict[str, Any]

    def session(self, name: str) -> str:
        """Return the handle of a session by what it is for."""
        handle: str = self.expected["sessions"][name]["id"]
        return handle


def name_of(root: Path) -> str:
    """Return the name under which 0.1.0 keeps index and state of a work tree."""
    return f"{root.name}-{sha256(os.fsencode(root)).hexdigest()[:16]}"


def receipt_of(path: str) -> str:
    """Return the name under which 0.1.0 keeps the receipt of a file it installed something into."""
    return sha256(path.encode()).hexdigest()[:24]


def environment(base: Path) -> dict[str, str]:
    """Return the variables under which the fixture was made, and is used."""
    own = base / "own"
    return {
        "SHIRUBE_CACHE_DIR": str(own / "cache"),
        "SHIRUBE_STATE_DIR": str(own / "state"),
        "SHIRUBE_CONFIG_DIR": str(own / "config"),
        "HOME": str(own / "home"),
    }


def lay_out(base: Path) -> Laid:
    """Unpack the fixture below a directory."""
    base = base.resolve()
    with tarfile.open(FIXTURE) as archive:
        for entry in archive:
            held = archive.extractfile(entry)
            assert held is not None
            data = held.read()
            file = base / _placed(entry.name, base)
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file.write_bytes(data.replace(BASE.encode(), str(base).encode()))
            file.chmod(0o600)
    return Laid(base, base / "shop", json.loads((base / "expected.json").read_text("utf-8")))


def _placed(name: str, base: Path) -> str:
    folder, _, last = name.rpartition("/")
    if last.startswith(BASE):
        path, dot, ending = last.replace("%", "/").replace(BASE, str(base)).rpartition(".")
        return f"{folder}/{receipt_of(path)}{dot}{ending}"
    return name.replace(KEY, name_of(base / "shop"))
