"""What is in this file?

Bytes and a language go in; pieces, symbols and raw imports come out, the same for the same bytes every time.
Grammars are loaded when the first file needs them, and a file that cannot be parsed is cut by lines and says so.
"""

from shirube.engine.parse.file import parse_file
from shirube.engine.parse.languages import known_languages, language_of

PARSER_VERSION = 5
"""Part of every cache key: raise it whenever the output for some file changes."""

__all__ = ["PARSER_VERSION", "known_languages", "language_of", "parse_file"]
