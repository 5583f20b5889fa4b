"""The project's code as the map sees it: what is defined where now, and what was defined there at a commit."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import commonprefix
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.engine.graph.definitions import unknown_symbol
from shirube.engine.store.port import Ask
from shirube.errors import BadArgument, ToolFailed, UnknownName
from shirube.features.map.agreement import Agreement
from shirube.features.map.check import body_of, fingerprint, is_named
from shirube.messages import say
from shirube.types import FileRecord, Symbol

if TYPE_CHECKING:
    from shirube.workspace import Workspace

MOST_DEFINITIONS = 1000
MOST_NAMED = 5
"""How many files that define a name are told."""
MOST_FILES = 200
"""How many files are searched for code that moved to another file under another name."""


class IndexedCode:
    """Answers from the index and from git; created for one call, and caches what it reads."""

    def __init__(self, workspace: "Workspace") -> None:
        self._workspace = workspace
        self._texts: dict[str, str] = {}
        self._named: dict[str, tuple[tuple[str, Symbol], ...]] = {}
        self._before: dict[tuple[str, str], frozenset[str] | None] = {}

    def named(self, name: str) -> Sequence[tuple[str, Symbol]]:
        """Return every definition whose last name is this one, with its path."""
        if name not in self._named:
            definitions = self._workspace.store.candidates(
                Ask(names=(name.lower(),), limit=MOST_DEFINITIONS)
            ).definitions
            self._named[name] = tuple((item.path, item.symbol) for item in definitions if item.symbol.name == name)
        return self._named[name]

    def symbols(self, path: str) -> Sequence[Symbol]:
        """Return the symbols of a file; none when there is no such file."""
        return self._workspace.store.symbols(path) if path in self._files else ()

    def text(self, path: str) -> str:
        """Return a file as indexed."""
        if path not in self._texts:
            self._texts[path] = self._workspace.store.text(path)
        return self._texts[path]

    def before(self, path: str, commit: str) -> frozenset[str] | None:
        """Return the qualified names a file had at a commit; None when that is unknown."""
        if (path, commit) not in self._before:
            record = self._files.get(path)
            self._before[path, commit] = _names_at(self._workspace, path, commit, record.language if record else "")
        return self._before[path, commit]

    def elsewhere(self, path: str) -> Iterator[str]:
        """Return other files of the same language, the nearest directories first."""
        record = self._files.get(path)
        ending, home = PurePosixPath(path).suffix, PurePosixPath(path).parent.parts
        alike = [
            other
            for other, entry in self._files.items()
            if other != path and (entry.language == record.language if record else other.endswith(ending or other))
        ]
        alike.sort(key=lambda other: (-len(commonprefix([home, PurePosixPath(other).parent.parts])), other))
        yield from alike[:MOST_FILES]

    @cached_property
    def _files(self) -> dict[str, FileRecord]:
        return self._workspace.store.files()


def definitions_of(code: IndexedCode, symbol: str, path: str = "") -> list[tuple[str, Symbol]]:
    """Return the definitions a name may mean, qualified or not, in one file or directory, or anywhere."""
    found = [(place, item) for place, item in code.named(symbol.rpartition(".")[2]) if is_named(item, symbol)]
    return [(place, item) for place, item in found if not path or PurePosixPath(place).is_relative_to(path)]


def bind(workspace: "Workspace", agreement: Agreement, code: IndexedCode) -> Agreement:
    """Return the agreement bound to the current code; refuse a symbol that is undefined or ambiguous."""
    if agreement.is_convention:
        return agreement
    found = definitions_of(code, agreement.symbol, agreement.path)
    if not found:
        what = say("terms.symbol_in", path=agreement.path) if agreement.path else "symbol"
        if agreement.path and (elsewhere := definitions_of(code, agreement.symbol)):
            files = list(dict.fromkeys(path for path, _ in elsewhere))[:MOST_NAMED]
            raise BadArgument("map.elsewhere", path=agreement.path, symbol=agreement.symbol, files=files)
        if agreement.path and (own := [symbol.qualified for symbol in code.symbols(agreement.path)]):
            raise UnknownName(what, agreement.symbol, own)
        raise unknown_symbol(workspace.store, agreement.symbol, what)
    places = sorted({path for path, _ in found})
    if len(places) > 1:
        raise BadArgument("map.defined_in", symbol=agreement.symbol, count=len(places), files=places[:MOST_NAMED])
    path, symbol = found[0]
    current = fingerprint(body_of(code.text(path), symbol), symbol.name)
    return replace(
        agreement,
        path=path,
        line=symbol.start_line,
        digest=current.digest,
        sketch=current.sketch,
        commit=workspace.head(),
    )


def _names_at(workspace: "Workspace", path: str, commit: str, language: str) -> frozenset[str] | None:
    from shirube.config import child_environment
    from shirube.engine.parse.file import parse_file
    from shirube.engine.parse.languages import language_of
    from shirube.engine.repo.git import run_git
    from shirube.engine.repo.process import Limits

    env, limits = child_environment(), Limits(5.0, workspace.config.index.max_file_bytes)
    if not commit.isalnum():  # people edit the page it comes from: it must not look like a git option
        return None
    try:
        listed = run_git(workspace.root, ["ls-tree", "--name-only", commit, "--", path], limits, env)
        if not listed.ok:
            return None
        if not listed.stdout.strip():
            return frozenset()
        shown = run_git(workspace.root, ["show", f"{commit}:./{path}"], limits, env)
    except ToolFailed:
        return None
    if not shown.ok:
        return None
    return frozenset(symbol.qualified for symbol in parse_file(shown.stdout, language or language_of(path)).symbols)
