"""Tells lines that say nothing by themselves: imports, a licence, a module's docstring, a comment without its code."""

import re

from shirube.engine.parse.languages import language_row

_MARKUP = frozenset({"html", "css", "scss", "json", "yaml", "toml", "markdown", "blade", "sql"})
"""Languages with a grammar whose files are not code: a comment or an import there is text like any other."""
_BARE = re.compile(
    r"""/\*.*?\*/|\"""(?:\\.|(?!\""").)*+\"""|'''(?:\\.|(?!''').)*+'''|\{-.*?-\}|--\[\[.*?\]\]|<\?php
    |^[ \t]*+(?:
        \#(?!\s*(?:define|if|el|endif|undef|pragma))[^\n]*
        |(?://|--|;;|!)[^\n]*
        |(?:package|namespace|(?:pub[ ])?mod|module)[ ][^{}()=\n]*$
        |(?:pub(?:\([^)]*\))?[ ])?(?:use|using|extern[ ]crate)[ ][^;=]*(?:;|$)
        |from[ ]\S+[ ]import\b(?:[ ]*\([^()]*\)|[^\n]*\\\n)*[^\n]*
        |(?:import|export)(?:[ ]type)?[ ]?(?:\{[^{}]*\}|\([^()]*\)$|\*|(?<=import)[ ])[^\n]*
        |(?:require\w*|include|library|load)[ (]["'][^\n]*
        |(?:const|let|var|local)[ ][^=;]{1,500}=[ ]*require\b[^\n]*
        |["']use[ ]\w+["'];?$
    )""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


def is_bare(text: str, language: str) -> bool:
    """Tell whether some lines of code are only imports, comments and docstrings."""
    if not language_row(language).grammar or language in _MARKUP:
        return False
    return not re.search(r"\w", _BARE.sub("", text))
