"""Tells what stands above the code of a file: licences, comments, imports, the docstring of a module."""

import re

_COMMENT = re.compile(r"(#(?!\[|define)|//|/\*|\*|--|;|%|<!--|@file\b|#!\[)")
_IMPORT = re.compile(
    r"(?:pub(?:\([\w ]+\))? )?(?:import|from|use|using|require(?:_once|_relative)?|include|extern crate|package|open)\b"
    r"|(?:mod|namespace|module) [\w.:\\]+;|(?:const|let|var) .*= ?require\(|export (?:\*|(?:type )?\{)"
    r"|<\?php|declare\(strict_types|if (?:typing\.)?TYPE_CHECKING:|try:|except ImportError|library\(|@import|alias "
    r"""|["']use \w+["'];?$"""
)
_DOCSTRING = re.compile(r'[rRuU]?("""|\'\'\')')


def is_head(text: str) -> bool:
    """Tell whether a text has imports, comments and docstrings but no code: ``import os`` → true, ``x = 1`` → false."""
    depth, closing, continued = 0, "", False
    for line in map(str.strip, text.splitlines()):
        if closing:
            closing = "" if closing in line else closing
        elif depth > 0 or continued:
            depth += _opened(line)
            continued = line.endswith(("\\", ","))
        elif quote := _DOCSTRING.match(line):
            closing = "" if quote[1] in line[quote.end() :] else quote[1]
        elif line.startswith("/*") or _COMMENT.match(line):
            closing = "*/" if line.startswith("/*") and "*/" not in line else ""
        elif _IMPORT.match(line):
            depth, continued = _opened(line), line.endswith(("\\", ","))
        elif line:
            return False
    return True


def _opened(line: str) -> int:
    """Return how many brackets a line leaves open."""
    return sum(map(line.count, "({[")) - sum(map(line.count, ")}]"))
