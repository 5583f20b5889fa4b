"""What a judge says: the names a program defines, where each is used, and which file an import means."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

HERE = Path(__file__).parent
BATCH = 75
"""Names whose uses are asked for before the answers are kept."""
SECONDS = 600
"""How long a program may think about one question."""


class Place(NamedTuple):
    """A path below the root, line and column from 1."""

    file: str
    line: int
    column: int


class Named(NamedTuple):
    """A name where it is defined."""

    place: Place
    name: str
    kind: str


class Judge(Protocol):
    """An independent authority on one language."""

    name: str
    endings: tuple[str, ...]
    sees_inside: bool
    """Whether it tells what is defined inside functions."""

    def symbols(self, files: Sequence[str]) -> list[Named]:
        """Return what these files define."""

    def unread(self, files: Sequence[str]) -> dict[str, list[int]]:
        """Return the lines about which it has nothing to say: those for another system."""

    def references(self, wanted: Sequence[Place]) -> list[set[Place]]:
        """Return where each of these names is used, its definition left out."""

    def edges(self, files: Sequence[str]) -> set[tuple[str, str]]:
        """Return which of the project's files each file imports."""

    def declared(self, files: Sequence[str]) -> list[Named]:
        """Return further true definitions that ``symbols`` leaves out: overloads, code for another platform."""


@dataclass
class ScriptJudge:
    """A program that answers one JSON question on stdin with one JSON answer."""

    name: str
    endings: tuple[str, ...]
    command: Sequence[str]
    root: Path
    environment: dict[str, str]
    tells_declared: bool = False
    sees_inside: bool = True

    def unread(self, files: Sequence[str]) -> dict[str, list[int]]:
        """Return nothing: every line is read."""
        return {file: [] for file in files[:0]}

    def symbols(self, files: Sequence[str]) -> list[Named]:
        """Return what these files define."""
        told = self._ask("symbols", files=list(files))
        return [Named(Place(*place), name, kind) for *place, name, kind in told]

    def references(self, wanted: Sequence[Place]) -> list[set[Place]]:
        """Return where each of these names is used."""
        told = self._ask("references", places=[list(place) for place in wanted])
        return [{Place(*place) for place in one} for one in told]

    def edges(self, files: Sequence[str]) -> set[tuple[str, str]]:
        """Return which of the project's files each file imports."""
        return {(source, target) for source, target in self._ask("edges", files=list(files))}

    def declared(self, files: Sequence[str]) -> list[Named]:
        """Return what else gets a name, where the program tells it."""
        told = self._ask("declared", files=list(files)) if self.tells_declared else []
        return [Named(Place(*place), name, kind) for *place, name, kind in told]

    def _ask(self, what: str, **question: Any) -> Any:
        ran = subprocess.run(
            self.command,
            input=json.dumps({"what": what, "root": str(self.root), **question}),
            capture_output=True,
            text=True,
            cwd=self.root,
            env=self.environment,
            check=False,
            timeout=SECONDS,
        )
        if ran.returncode:
            raise SystemExit(f"{self.name} failed: {ran.stderr[-2000:]}")
        return json.loads(ran.stdout)


class Remembered:
    """A judge whose answers are kept in a file: it takes minutes, and says the same every time."""

    def __init__(self, judge: Judge, path: Path) -> None:
        self.name, self.endings, self.sees_inside = judge.name, judge.endings, judge.sees_inside
        self._judge, self._path = judge, path
        self._kept: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}

    def symbols(self, files: Sequence[str]) -> list[Named]:
        """Return what these files define."""
        if "symbols" not in self._kept:
            self._keep("symbols", [[*one.place, one.name, one.kind] for one in self._judge.symbols(files)])
        return [Named(Place(*place), name, kind) for *place, name, kind in self._kept["symbols"]]

    def unread(self, files: Sequence[str]) -> dict[str, list[int]]:
        """Return the lines that are not read."""
        if "unread" not in self._kept:
            self._keep("unread", self._judge.unread(files))
        return dict(self._kept["unread"])

    def references(self, wanted: Sequence[Place]) -> list[set[Place]]:
        """Return where each of these names is used."""
        known = self._kept.get("references", {})
        left = [place for place in wanted if _key(place) not in known]
        for start in range(0, len(left), BATCH):
            part = left[start : start + BATCH]
            for place, found in zip(part, self._judge.references(part), strict=True):
                known[_key(place)] = sorted(map(list, found))
            self._keep("references", known)
        return [{Place(*one) for one in known[_key(place)]} for place in wanted]

    def edges(self, files: Sequence[str]) -> set[tuple[str, str]]:
        """Return which of the project's files each file imports."""
        if "edges" not in self._kept:
            self._keep("edges", sorted(map(list, self._judge.edges(files))))
        return {(source, target) for source, target in self._kept["edges"]}

    def declared(self, files: Sequence[str]) -> list[Named]:
        """Return further true definitions."""
        if "declared" not in self._kept:
            self._keep("declared", [[*one.place, one.name, one.kind] for one in self._judge.declared(files)])
        return [Named(Place(*place), name, kind) for *place, name, kind in self._kept["declared"]]

    def _keep(self, what: str, value: Any) -> None:
        self._kept[what] = value
        self._path.write_text(json.dumps(self._kept), "utf-8")


def _key(place: Place) -> str:
    return f"{place.file}:{place.line}:{place.column}"


def within(root: Path, path: str) -> str:
    """Return a path below the root, or nothing."""
    try:
        return Path(path).resolve().relative_to(root).as_posix()
    except ValueError:
        return ""
