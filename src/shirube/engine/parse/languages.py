"""Recognises the language of a file, and describes every language."""

import re
from functools import cache

from msgspec import Struct

from shirube.codec import packaged

CLASS_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "impl", "protocol", "object", "record"})
"""Kinds whose functions are methods."""

CONTAINER_KINDS = CLASS_KINDS | {"module", "namespace", "section", "component", "directive", "at_rule", "element"}
"""Kinds that are cut into a header and a chunk for each member."""


class Language(Struct, frozen=True):
    """A row of ``languages.toml``: how to recognise a language and how to read it."""

    name: str
    extensions: str = ""
    """File name endings without the dot, separated by spaces."""
    filenames: str = ""
    """Whole file names in lower case, separated by spaces."""
    shebangs: str = ""
    """Interpreter names, separated by spaces."""
    grammar: str = ""
    """``module:function`` of the grammar wheel; empty when the language is cut by lines."""
    query: str = ""
    """Name of the query file; the language's own name when empty."""
    joiner: str = ""
    """A pattern that splits a written name into scopes and name: ``Foo::bar``."""
    constructors: str = ""
    """Names of constructors, separated by spaces."""
    depth: int = 0
    """How deep in the tree a definition may begin; 0 means anywhere. A limit saves half of the query's time."""
    shouts: bool = False
    """Whether a variable in capitals is a constant."""
    joins: bool = False
    """Whether adjacent definitions of the same name are clauses of one definition."""
    macros: bool = False
    """Whether the language has a preprocessor, whose macros must be blanked before parsing."""
    lines: str = ""
    """A pattern of lines that declare (``indent``, ``kind``, ``name``), for where the grammar sees no definitions."""
    scripts: bool = False
    """Whether the code is in ``<script>`` elements, and all else must be blanked before parsing."""


_CPP_ONLY = re.compile(
    rb"^[ \t]*+(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected)\s*:"
    rb"|#[ \t]*+include[ \t]*+<(?:string|vector|memory|map|iostream|cstd\w+|utility|functional)>)",
    re.MULTILINE,
)
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?env\s+(?:-\S+\s+)*(?:\S*/)?([\w.+-]+)|#!\s*(?:\S*/)?([\w.+-]+)")
SHEBANG_BYTES = 4_096
_VERSION = re.compile(r"[\d.]+$")


def language_of(path: str, text: bytes = b"") -> str:
    """Return the language of a file by its name, its ending or its first line.

    >>> language_of("src/app.py"), language_of("bin/tool", b"#!/usr/bin/env python3")
    ('python', 'python')
    """
    filename = path.rsplit("/", 1)[-1].lower()
    endings, ending = _claims("extensions"), filename
    language = _claims("filenames").get(filename, "")
    while not language and (ending := ending.partition(".")[2]):  # the longest first: a.blade.php is not PHP
        language = endings.get(ending, "")
    if language == "c" and filename.endswith(".h") and _CPP_ONLY.search(text):
        return "cpp"
    if language:
        return language
    if shebang := _SHEBANG.match(text, 0, SHEBANG_BYTES):
        word = (shebang[1] or shebang[2]).decode("ascii", "replace").lower()
        return _claims("shebangs").get(word) or _claims("shebangs").get(_VERSION.sub("", word)) or "text"
    return "dockerfile" if filename.startswith("dockerfile") else "text"


def known_languages() -> tuple[str, ...]:
    """Return the name of every language in the table, ``text`` last."""
    return tuple(languages())


def language_row(name: str) -> Language:
    """Return the row of a language; an unknown name is plain text."""
    return languages().get(name, languages()["text"])


@cache
def languages() -> dict[str, Language]:
    """Read ``languages.toml``: every language by its name."""
    rows = packaged("shirube.engine.parse", "languages.toml")
    return {name: Language(name, **row) for name, row in rows.items()}


@cache
def _claims(column: str) -> dict[str, str]:
    """Return every word in a column of the table with the first language that claims it."""
    claims: dict[str, str] = {}
    for row in languages().values():
        for word in getattr(row, column).split():
            claims.setdefault(word, row.name)
    return claims
