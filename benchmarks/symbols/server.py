"""Language servers as judges: pyright for Python; clangd builds on it."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any
from urllib.parse import quote, unquote, urlparse

from benchmarks.symbols.judge import Named, Place, within

KINDS = {
    **{2: "module", 3: "namespace", 5: "class", 6: "method", 7: "property", 8: "field", 9: "constructor"},
    **{10: "enum", 11: "interface", 12: "function", 13: "variable", 14: "constant", 22: "constant", 23: "struct"},
}
"""The protocol's numbers."""
SECONDS = 60
"""How long one answer may take, …"""
INDEX_SECONDS = 600
"""… and the index that clangd makes first."""
QUIET_SECONDS = 10
"""A server that did nothing for so long has nothing to do."""
INSIDE = frozenset({"function", "method", "constructor"})


class Server:
    """A client of one language server over stdio."""

    def __init__(self, command: Sequence[str], root: Path, environment: dict[str, str], settings: Any) -> None:
        self._root = root
        self._settings = settings
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self._last = self.late = 0
        self._indexed = False
        self._told: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        Thread(target=self._listen, daemon=True).start()
        self._opened: set[str] = set()
        capabilities = {
            "textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}, "references": {}},
            "workspace": {"configuration": True, "workspaceFolders": True},
            "window": {"workDoneProgress": True},
        }
        folder = {"uri": root.as_uri(), "name": root.name}
        told = self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": root.as_uri(),
                "capabilities": capabilities,
                "workspaceFolders": [folder],
            },
        )
        tokens = told["capabilities"].get("semanticTokensProvider", {})
        self.legend: list[str] = tokens.get("legend", {}).get("tokenTypes", [])
        """What the numbers of tokens mean."""
        self.tell("initialized", {})

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and return its result, or None when it takes too long; count those."""
        self._last += 1
        number = self._last
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        told = self._until(lambda told: told.get("id") == number and "method" not in told, SECONDS)
        if told is None:
            self.late += 1
            print(f"no answer in {SECONDS} s: {method} {params}", file=sys.stderr)
            self.tell("$/cancelRequest", {"id": number})
            return None
        return told.get("result")

    def settle(self) -> None:
        """Wait until the server says that its index is made; one that lies on disk is read without a word."""
        end, before = monotonic() + INDEX_SECONDS, ""
        while not self._indexed and monotonic() < end and before != (before := self._used()):
            for _ in range(QUIET_SECONDS):
                self._hurry()
                self._until(_is_end, 1.0)

    def _used(self) -> str:
        """Return how much time the server has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text("utf-8").split()
        return " ".join(fields[13:15])

    def _hurry(self) -> None:
        """Take clangd's workers out of the class that runs only when nothing else does: they would wait for ever."""
        for task in Path(f"/proc/{self._process.pid}/task").glob("*"):
            with suppress(OSError):
                os.sched_setscheduler(int(task.name), os.SCHED_OTHER, os.sched_param(0))

    def _until(self, is_it: Callable[[dict[str, Any]], bool], seconds: float) -> dict[str, Any] | None:
        """Return the first message of a kind; what the server asks meanwhile is answered."""
        end = monotonic() + seconds
        while True:
            try:
                told = self._told.get(timeout=max(0.0, end - monotonic()))
            except Empty:
                return None
            self._indexed = self._indexed or (told is not None and _is_end(told))
            if told is None:
                raise SystemExit("the language server is gone")
            if is_it(told):
                return told
            if "id" in told and "method" in told:
                self._send({"jsonrpc": "2.0", "id": told["id"], "result": self._answer(told)})

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def open(self, file: str, language: str) -> str:
        """Open a file of the project, once, and return its address."""
        uri = f"{self._root.as_uri()}/{quote(file)}"
        if file not in self._opened:
            self._opened.add(file)
            text = (self._root / file).read_text("utf-8", "replace")
            item = {"uri": uri, "languageId": language, "version": 1, "text": text}
            self.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def shut(self, file: str) -> None:
        """Close a file again, so that the server need not keep it."""
        if file in self._opened:
            self._opened.remove(file)
            self.tell("textDocument/didClose", {"textDocument": {"uri": f"{self._root.as_uri()}/{quote(file)}"}})

    def close(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait()

    def _answer(self, told: dict[str, Any]) -> Any:
        if told["method"] == "workspace/configuration":
            return [self._settings for _ in told["params"]["items"]]
        return None

    def _send(self, message: Any) -> None:
        data = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _listen(self) -> None:
        """Take in what the server says until it is gone."""
        assert self._process.stdout is not None
        while True:
            length = 0
            while line := self._process.stdout.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if not length:
                self._told.put(None)
                return
            self._told.put(json.loads(self._process.stdout.read(length)))


def _is_end(told: dict[str, Any]) -> bool:
    """Tell the message that a long work of the server is done."""
    params = told.get("params")
    value = params.get("value") if isinstance(params, dict) else None
    return isinstance(value, dict) and value.get("kind") == "end"


class ServerJudge:
    """A language server, asked for symbols and references."""

    sees_inside = True

    def __init__(self, name: str, server: Server, root: Path, language: str, endings: tuple[str, ...]) -> None:
        self.name, self.endings = name, endings
        self._server, self._root, self._language = server, root, language
        self._settled = False

    def symbols(self, files: Sequence[str]) -> list[Named]:
        """Return what these files define; what is inside functions only as far as it is a function or class."""
        found: list[Named] = []
        for file in files:
            uri = self._server.open(file, self._language)
            told = self._server.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) or []
            found += self._flat(file, told, ())
            if self._language != "python":  # each open file costs clangd a whole translation unit
                self._server.shut(file)
        return found

    def _flat(self, file: str, told: list[Any], outer: tuple[str, ...]) -> Iterator[Named]:
        for one in told:
            kind = KINDS.get(one["kind"], "other")
            local = bool(outer) and outer[-1] in INSIDE and kind not in (*INSIDE, "class")
            start = one["selectionRange"]["start"]
            if not local and not self._is_attribute(file, start):
                yield Named(Place(file, start["line"] + 1, start["character"] + 1), one["name"], kind)
            yield from self._flat(file, one.get("children") or [], (*outer, kind))

    def _is_attribute(self, file: str, start: Any) -> bool:
        """Tell ``self.x = 1``, which pyright lists and we do not index."""
        if self._language != "python":
            return False
        line: str = (self._root / file).read_text("utf-8", "replace").splitlines()[start["line"]]
        return line[: start["character"]].rstrip().endswith(".")

    def declared(self, files: Sequence[str]) -> list[Named]:
        """Return what Python's own parser finds: pyright leaves out overloads and what cannot run on this platform."""
        return [one for file in files for one in python_names(self._root, file)] if self._language == "python" else []

    def unread(self, files: Sequence[str]) -> dict[str, list[int]]:
        """Return nothing: every line is read."""
        return {file: [] for file in files[:0]}

    def references(self, wanted: Sequence[Place]) -> list[set[Place]]:
        """Return where each of these names is used."""
        found = []
        if self._language != "python" and not self._settled:
            self._server.open(wanted[0].file, self._language)
            self._server.settle()
            self._settled = True
        for place in wanted:
            uri = self._server.open(place.file, self._language)
            params = {
                "textDocument": {"uri": uri},
                "position": {"line": place.line - 1, "character": place.column - 1},
                "context": {"includeDeclaration": False},
            }
            told = self._server.ask("textDocument/references", params) or []
            found.append({one for one in map(self._place, told) if one.file and one != place})
            if self._language != "python":
                self._server.shut(place.file)
        return found

    def _place(self, told: Any) -> Place:
        file = within(self._root, unquote(urlparse(told["uri"]).path))
        start = told["range"]["start"]
        return Place(file, start["line"] + 1, start["character"] + 1)

    def edges(self, files: Sequence[str]) -> set[tuple[str, str]]:
        """Return what Python's own finder resolves, or what the compiler says it includes."""
        if self._language == "python":
            return set(python_edges(self._root, files))
        return set(include_edges(self._root, files))


def python_names(root: Path, file: str) -> Iterator[Named]:
    """Return the functions, classes and names of modules and classes that Python's own parser sees."""
    try:
        text = (root / file).read_text("utf-8")
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = text.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            column = lines[node.lineno - 1].find(node.name, node.col_offset) + 1
            yield Named(Place(file, node.lineno, column), node.name, "function")
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        yield Named(Place(file, name.lineno, name.col_offset + 1), name.id, "variable")


def python_edges(root: Path, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Resolve every import with importlib's path finder, without running anything."""
    from importlib.machinery import PathFinder

    bases = [str(root), *(str(root / name) for name in ("src", "lib") if (root / name).is_dir())]

    @cache
    def find(name: str) -> str:
        path: list[str] | None = bases
        spec = None
        for part in name.split("."):  # one by one: a dotted name makes the finder look among loaded modules
            spec = PathFinder.find_spec(part, path)
            if spec is None:
                return ""
            path = list(spec.submodule_search_locations or [])
        return within(root, spec.origin) if spec and spec.origin else ""

    for file in files:
        try:
            tree = ast.parse((root / file).read_text("utf-8"))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            for name in _modules(root, file, node, bases):
                if (target := find(name)) and target != file:
                    yield file, target


def _modules(root: Path, file: str, node: ast.AST, bases: list[str]) -> Iterator[str]:
    """Return the modules a statement may load; ``from a import b`` loads a, and a.b where that is a module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            own = next(
                Path(root / file).relative_to(start).parts for start in reversed(bases) if _below(root / file, start)
            )
            above = own[: len(own) - node.level]
            base = ".".join([*above, *([base] if base else [])])
        yield from [base, *(f"{base}.{alias.name}" for alias in node.names)] if base else []


def _below(path: Path, start: str) -> bool:
    return path.is_relative_to(start)


def include_edges(root: Path, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Ask the compiler which files it includes directly, with the include directories people give it."""
    options = [f"-I{root / name}" for name in ("include", "src", "deps", ".") if (root / name).is_dir()]
    for file in files:
        if not file.endswith((".c", ".cc", ".cpp")):
            continue
        ran = subprocess.run(
            ["gcc", "-H", "-fsyntax-only", "-w", *options, str(root / file)],
            capture_output=True,
            text=True,
            check=False,
        )
        for line in ran.stderr.splitlines():
            if line.startswith(". ") and (target := within(root, line[2:])):
                yield file, target


def pyright(root: Path, program: Path, python: Path) -> ServerJudge:
    """Start pyright from a directory of npm packages; what the project depends on is installed for ``python``."""
    command = ["node", str(program / "node_modules/pyright/langserver.index.js"), "--stdio"]
    settings = {"analysis": {"diagnosticMode": "openFilesOnly", "autoSearchPaths": True}, "pythonPath": str(python)}
    server = Server(command, root, dict(os.environ), settings)
    return ServerJudge("pyright", server, root, "python", (".py",))
