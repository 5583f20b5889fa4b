"""Finds the code in single-file components (Vue, Svelte): scripts, and expressions in the markup."""

import re

from shirube.engine.parse.languages import language_row

_SCRIPT = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|^(?:\xef\xbb\xbf)?<script(?=[\s>])(?P<attributes>(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)(?<!/)>"
    rb"(?P<code>.*?)(?:</script|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""Only at the start of a line: a ``<script`` that is indented stands in a template or a string."""
_LANG = re.compile(rb"\slang\s*=\s*[\"']?(\w+)")
_LANGUAGES = {b"js": "javascript", b"jsx": "javascript", b"ts": "typescript", b"tsx": "tsx"}
_BLANK = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))

_EXPRESSION = re.compile(
    r"<!--.*?(?:-->|\Z)|<style\b.*?(?:</style|\Z)"
    r"|(?P<tag></?[A-Z][\w.]*+(?!-))|(?P<braces>\{(?:[^{}]++|\{[^{}]*+\})*+\})"
    r"|\s(?:[:@#]|v-)[^\s=<>\"']*=(?P<value>\"[^\"]*\"|'[^']*')",
    re.DOTALL,
)


def code_in(text: bytes, language: str) -> tuple[bytes, str]:
    """Return the code of a text and its language. All but scripts is blanked, so that every byte keeps its place.

    >>> code_in(b'<p/>\\n<script lang="ts">\\nlet a\\n</script>', "vue")
    (b'    \\n                  \\nlet a\\n         ', 'typescript')
    """
    if not language_row(language).scripts:
        return text, language
    code, languages = bytearray(text.translate(_BLANK)), {"javascript"}
    for script in _SCRIPT.finditer(text):
        lang = _LANG.search(script["attributes"] or b"")
        inner = _LANGUAGES.get(lang[1].lower()) if lang else "javascript"
        if script["code"] and inner:
            code[slice(*script.span("code"))] = script["code"]
            languages.add(inner)
    return bytes(code), max(languages)  # TypeScript comes last by name, and reads JavaScript too


def expressions_in(text: str) -> bytes:
    """Return a 1 for every character that is code in the markup: ``{{ a }}``, ``{a}``, ``<Tag``, ``:a="b"``."""
    mask = bytearray(len(text))
    for match in _EXPRESSION.finditer(text):
        if match.lastgroup:
            start, end = match.span(match.lastgroup)
            mask[start:end] = b"\1" * (end - start)
    return bytes(mask)
