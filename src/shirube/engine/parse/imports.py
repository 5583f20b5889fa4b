"""Turns import statements into raw imports.

A query may capture everything (``@module`` and ``@item``). If it captures only the statement, a small reader for that
language parses it. ``names`` are the imported names as the module has them: ``default`` in JavaScript, ``*`` for
``export * from``, the last segments of a Rust path. Rust's ``mod a;`` is the module ``mod a``.
"""

import re
from typing import TYPE_CHECKING, TypeAlias

from shirube.engine.parse.chunks import Lines
from shirube.types import RawImport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node

    Taken: TypeAlias = tuple[str, tuple[str, ...]]
    """A module and the names imported from it."""

STATEMENT_BYTES = 20_000
"""The most bytes to read of one statement; a longer one is a generated list."""

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.DOTALL)
_HASH = re.compile(r"#[^\n]*|\\\r?\n")
_STRING = re.compile(r"""["'`]([^"'`\n]+)["'`]""")
_FROM = re.compile(r"""(.*?)\bfrom\s*["']([^"'\n]+)["']""", re.DOTALL)
_KEYWORDS = re.compile(r"^\s*(?:import|export)\s+(?:(?:type|typeof)\s+(?=[\w$*{]))?")
_NAMESPACE = re.compile(r"\*\s*as\b")
_SCALA_ALL = frozenset({"_", "*", "given"})
_RENAMED = re.compile(r"\s+as\s+.*|\s*=>.*", re.DOTALL)
_TOKEN = re.compile(r"[{},]|[^{},]+")
_ALIAS = re.compile(r"\s+as\s+.*", re.DOTALL | re.IGNORECASE)


def imports_of(matches: "list[tuple[int, dict[str, list[Node]]]]", text: bytes, language: str) -> tuple[RawImport, ...]:
    """Return the imports of a file in order."""
    grouped: dict[tuple[int, str], dict[str, None]] = {}
    for start, captures in matches:
        for module, names in _taken(captures, text, language):
            if module:
                grouped.setdefault((start, module), {}).update(dict.fromkeys(names))
    lines = Lines(text)
    ordered = sorted(grouped.items(), key=lambda entry: entry[0][0])
    return tuple(RawImport(module, lines.of(start, start)[0], tuple(items)) for (start, module), items in ordered)


def _taken(captures: "dict[str, list[Node]]", text: bytes, language: str) -> "Iterator[Taken]":
    """Read one match, from its captures or from the statement's text."""
    if "module" in captures:
        names = tuple(_clean(text, node) for node in captures.get("item", ()))
        names = ("default",) if "whole" in captures else names  # const m = require('./m'): what the module is
        for node in captures["module"]:
            yield _clean(text, node), names
        return
    if read := READERS.get(language):
        node = captures["import"][0]
        raw = text[node.start_byte : min(node.end_byte, node.start_byte + STATEMENT_BYTES)]
        yield from read(raw.decode("utf-8", "ignore"))


def _clean(text: bytes, node: "Node") -> str:
    """Return a written module name without quotes and white space."""
    return text[node.start_byte : node.end_byte].decode("utf-8", "ignore").strip().strip("\"'`")


def _names(listed: str) -> tuple[str, ...]:
    """Return the names of a comma list, each as it is named in its module."""
    bare = (_RENAMED.sub("", part.strip()).strip() for part in listed.split(","))
    return tuple(name.removeprefix("type ").strip("\"'") for name in bare if name)


def python_import(statement: str) -> "Iterator[Taken]":
    """Read ``import a, b.c as d`` and ``from ..a import (b as c, d)``."""
    if "#" in statement or "\\" in statement:
        statement = _HASH.sub(" ", statement)
    word, _, rest = statement.partition(" ")
    if word == "from":
        module, _, listed = rest.partition("import")
        if "import" in module.split(".") or listed[:1] not in " (*\n\t":
            module, _, listed = rest.partition(" import")
        yield "".join(module.split()), _names(listed.replace("(", " ").replace(")", " "))
        return
    for module in _names(rest):
        yield module, ()


def script_import(statement: str) -> "Iterator[Taken]":
    """Read ``import d, { a as b } from 'x'``, ``export * from 'x'`` and ``import x = require('x')``."""
    match = _FROM.match(statement)
    if not match:
        if lone := _STRING.search(statement):
            yield lone[1], ()
        return
    clause = _KEYWORDS.sub("", _COMMENT.sub(" ", match[1]))
    before, _, inside = clause.partition("{")
    parts = (part.strip() for part in before.split(","))
    # import * as a, export * as a: the whole module under a name, so no single names
    whole = ("*" if part == "*" else "default" for part in parts if part and not _NAMESPACE.match(part))
    yield match[2], (*whole, *_names(inside.partition("}")[0]))


def java_import(statement: str) -> "Iterator[Taken]":
    """Read ``import a.b.C;``, ``import a.b.*;`` and ``import static a.b.C.d;``."""
    words = _words(statement)
    static = "static" in words[:2]
    path = "".join(words[2 if static else 1 :])
    head, _, last = path.rpartition(".")
    yield (head, (last,)) if last == "*" or static else (path, ())


def kotlin_import(statement: str) -> "Iterator[Taken]":
    """Read ``import a.b.C as D`` and ``import a.b.*``."""
    path = [*_words(statement), "", ""][1]
    yield path.removesuffix(".*"), ("*",) if path.endswith(".*") else ()


def scala_import(statement: str) -> "Iterator[Taken]":
    """Read ``import a.b.{C => D, _}, e.F``."""
    listed = re.sub(r"^\s*import\s+", "", _COMMENT.sub(" ", statement))
    for path in expand(re.sub(r"\s*=>\s*[\w$]+", "", listed), "."):
        head, _, last = path.rpartition(".")
        grouped = "{" in listed and f"{head}.{{" in "".join(listed.split())
        is_inside = head and (grouped or last in _SCALA_ALL)
        yield (head, ("*" if last == "_" else last,)) if is_inside else (path, ())


def csharp_import(statement: str) -> "Iterator[Taken]":
    """Read ``global using static A.B;`` and ``using X = A.B.C;``."""
    yield ["", *" ".join(_words(statement)).rpartition("=")[2].split()][-1], ()


def ruby_import(statement: str) -> "Iterator[Taken]":
    """Read ``require 'a'``, ``require_relative 'a'``, ``load 'a.rb'`` and ``autoload :A, 'a'``."""
    match = _STRING.search(statement)
    if match and "#{" not in match[1]:
        relative = statement.startswith("require_relative") and not match[1].startswith(".")
        yield ("./" if relative else "") + match[1], ()


def rust_import(statement: str) -> "Iterator[Taken]":
    """Read ``use a::{self, b as c}``, ``mod a;`` and ``extern crate a``."""
    bare = " ".join(_COMMENT.sub(" ", re.sub(r"#!?\[[^\]]*\]", "", statement)).split()).rstrip("; ")
    bare = re.sub(r"^pub(?:\s*\([^)]*\))?\s+", "", bare)
    word, _, rest = bare.partition(" ")
    if word == "mod":
        yield f"mod {rest.strip()}", ()
    elif word == "extern":
        yield rest.removeprefix("crate ").partition(" as ")[0].strip(), ()
    else:
        for path in expand(rest, "::"):  # a lone segment is a module
            module, _, last = path.rpartition("::")
            yield (module, (last,)) if module else (path, ())


def php_import(statement: str) -> "Iterator[Taken]":
    """Read ``use A\\{B, C as D};`` and ``require __DIR__ . '/a.php';``."""
    word = statement.split(None, 1)[0].lower() if statement.strip() else ""
    if word.startswith(("require", "include")):
        match = _STRING.search(statement)
        if match and "$" not in statement:
            here = "__DIR__" in statement or "dirname(__FILE__)" in statement
            yield ("." if here and match[1].startswith("/") else "") + match[1], ()
        return
    bare = re.sub(r"^\s*use\s+(?:(?:function|const)\s+)?", "", _COMMENT.sub(" ", statement)).rstrip("; \n")
    for path in expand(bare, "\\"):
        yield re.sub(r"^(?:function|const)\s+", "", path).strip("\\"), ()


def _words(statement: str) -> list[str]:
    """Return the words of a statement without its comments and its end."""
    return _COMMENT.sub(" ", statement).strip().rstrip(";").split()


def expand(written: str, joiner: str) -> "Iterator[str]":
    """Return every path of a nested import, in order and without renames.

    >>> list(expand("a::{self, b as c}, d", "::"))
    ['a::self', 'a::b', 'd']
    """
    prefixes, current = [""], ""
    for token in [*_TOKEN.findall(written), ","]:
        if token == "{":
            bare = "".join(current.split())
            prefixes.append(prefixes[-1] + (bare if not bare or bare.endswith(joiner) else bare + joiner))
        elif token in {"}", ","}:
            if bare := _ALIAS.sub("", current.strip()).strip():
                yield (prefixes[-1] + bare).removeprefix(joiner)
            if token == "}" and len(prefixes) > 1:
                prefixes.pop()
        current = token if token not in {"{", "}", ","} else ""


READERS: "dict[str, Callable[[str], Iterator[Taken]]]" = {
    "python": python_import,
    **dict.fromkeys(("javascript", "typescript", "tsx"), script_import),
    "java": java_import,
    "kotlin": kotlin_import,
    "scala": scala_import,
    "csharp": csharp_import,
    "ruby": ruby_import,
    "rust": rust_import,
    "php": php_import,
}
"""The reader of import statements for each language."""
