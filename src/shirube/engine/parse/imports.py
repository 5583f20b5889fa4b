"""Import statements become raw imports.

A query may say it all (``@module`` and ``@item``); where it captures only the statement, a small reader of that
language's statements does. What is taken out of a module goes to ``names`` as named there: ``default`` in JavaScript,
``*`` for ``export * from``, the last segments of a Rust path. Rust's ``mod a;`` is the module ``mod a``.
"""

import re
from typing import TYPE_CHECKING, TypeAlias

from shirube.engine.parse.trees import expand
from shirube.types import RawImport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node

    Taken: TypeAlias = tuple[str, tuple[str, ...]]
    """A module and what is taken out of it."""

STATEMENT_BYTES = 20_000
"""A longer statement is a generated list; its tail adds nothing."""

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|#[^\n]*", re.DOTALL)
_HASH = re.compile(r"#[^\n]*|\\\r?\n")
_STRING = re.compile(r"""["'`]([^"'`\n]+)["'`]""")
_FROM = re.compile(r"""(.*?)\bfrom\s*["']([^"'\n]+)["']""", re.DOTALL)
_KEYWORDS = re.compile(r"^\s*(?:import|export)\s+(?:(?:type|typeof)\s+(?=[\w$*{]))?")
_NAMESPACE = re.compile(r"\*\s*as\b")
_SCALA_ALL = frozenset({"_", "*", "given"})
_RENAMED = re.compile(r"\s+as\s+.*|\s*=>.*", re.DOTALL)


def imports_of(found: "list[tuple[int, dict[str, list[Node]]]]", text: bytes, language: str) -> tuple[RawImport, ...]:
    """Return the imports of a file in order."""
    grouped: dict[tuple[int, str], dict[str, None]] = {}
    for start, captures in found:
        for module, names in _taken(captures, text, language):
            if module:
                grouped.setdefault((start, module), {}).update(dict.fromkeys(names))
    line, place = 1, 0
    result = []
    for (start, module), items in sorted(grouped.items(), key=lambda entry: entry[0][0]):
        line += text.count(b"\n", place, start)
        place = start
        result.append(RawImport(module, line, tuple(items)))
    return tuple(result)


def _taken(captures: "dict[str, list[Node]]", text: bytes, language: str) -> "Iterator[Taken]":
    """Read one match, from its captures or from the statement's text."""
    if "module" in captures:
        names = tuple(_clean(text, node) for node in captures.get("item", ()))
        names = ("default",) if "whole" in captures else names  # const m = require('./m'): what the module is
        for node in captures["module"]:
            yield _clean(text, node), names
        return
    read = READERS.get(language)
    node = captures["import"][0]
    if read:
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
    found = _FROM.match(statement)
    if not found:
        lone = _STRING.search(statement)
        if lone:
            yield lone[1], ()
        return
    clause = _KEYWORDS.sub("", _COMMENT.sub(" ", found[1]))
    before, _, inside = clause.partition("{")
    parts = (part.strip() for part in before.split(","))
    # import * as a, export * as a: the module under a name, nothing out of it
    whole = ("*" if part == "*" else "default" for part in parts if part and not _NAMESPACE.match(part))
    yield found[2], (*whole, *_names(inside.partition("}")[0]))


def java_import(statement: str) -> "Iterator[Taken]":
    """Read ``import a.b.C;``, ``import a.b.*;`` and ``import static a.b.C.d;``."""
    words = _COMMENT.sub(" ", statement).strip().rstrip(";").split()
    static = "static" in words[:2]
    path = "".join(words[2 if static else 1 :])
    head, _, last = path.rpartition(".")
    if last == "*" or static:
        yield head, (last,)
    else:
        yield path, ()


def kotlin_import(statement: str) -> "Iterator[Taken]":
    """Read ``import a.b.C as D`` and ``import a.b.*``."""
    words = _COMMENT.sub(" ", statement).strip().rstrip(";").split()
    path = words[1] if len(words) > 1 else ""
    if path.endswith(".*"):
        yield path[:-2], ("*",)
    else:
        yield path, ()


def scala_import(statement: str) -> "Iterator[Taken]":
    """Read ``import a.b.{C => D, _}, e.F``."""
    listed = re.sub(r"^\s*import\s+", "", _COMMENT.sub(" ", statement))
    for path in expand(re.sub(r"\s*=>\s*[\w$]+", "", listed), "."):
        head, _, last = path.rpartition(".")
        grouped = "{" in listed and f"{head}.{{" in "".join(listed.split())
        if head and (grouped or last in _SCALA_ALL):
            yield head, ("*" if last == "_" else last,)
        else:
            yield path, ()


def csharp_import(statement: str) -> "Iterator[Taken]":
    """Read ``global using static A.B;`` and ``using X = A.B.C;``."""
    path = _COMMENT.sub(" ", statement).strip().rstrip(";").rpartition("=")[2].split()
    yield path[-1] if path else "", ()


def ruby_import(statement: str) -> "Iterator[Taken]":
    """Read ``require 'a'``, ``require_relative 'a'``, ``load 'a.rb'`` and ``autoload :A, 'a'``."""
    found = _STRING.search(statement)
    if found and "#{" not in found[1]:
        relative = statement.startswith("require_relative") and not found[1].startswith(".")
        yield ("./" if relative else "") + found[1], ()


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
        yield from _by_module(expand(rest, "::"), "::")


def php_import(statement: str) -> "Iterator[Taken]":
    """Read ``use A\\{B, C as D};`` and ``require __DIR__ . '/a.php';``."""
    word = statement.split(None, 1)[0].lower() if statement.strip() else ""
    if word.startswith(("require", "include")):
        found = _STRING.search(statement)
        if found and "$" not in statement:
            here = "__DIR__" in statement or "dirname(__FILE__)" in statement
            yield ("." if here and found[1].startswith("/") else "") + found[1], ()
        return
    bare = re.sub(r"^\s*use\s+(?:(?:function|const)\s+)?", "", _COMMENT.sub(" ", statement)).rstrip("; \n")
    for path in expand(bare, "\\"):
        yield re.sub(r"^(?:function|const)\s+", "", path).strip("\\"), ()


def _by_module(paths: "Iterator[str]", joiner: str) -> "Iterator[Taken]":
    """Part full paths into module and last name; a lone segment is a module."""
    for path in paths:
        module, _, last = path.rpartition(joiner)
        if module:
            yield module, (last,)
        else:
            yield path, ()


READERS: "dict[str, Callable[[str], Iterator[Taken]]]" = {
    "python": python_import,
    "javascript": script_import,
    "typescript": script_import,
    "tsx": script_import,
    "java": java_import,
    "kotlin": kotlin_import,
    "scala": scala_import,
    "csharp": csharp_import,
    "ruby": ruby_import,
    "rust": rust_import,
    "php": php_import,
}
"""Who reads a statement of which language."""
