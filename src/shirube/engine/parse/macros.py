"""Macros of C that stand where the grammar expects none, blanked out: what is left is what the compiler would read.

A grammar knows no macros: ``API int f(void);`` or a line ``COMMON_FIELDS`` in a struct is an error to it, and what
follows is misread. Blanks take the place of every byte, so that all places stay where they are.
"""

import re
from collections.abc import Iterable, Iterator

from shirube.engine.parse.forks import crooked

LOOK_BACK = 4_000
"""Bytes before a place in which the statement before it ends; comments are shorter."""

_PARTS = {
    "keyword": (
        r"(?:alignas|alignof|asm|auto|bool|break|case|catch|char|class|concept|const|consteval|constexpr|constinit|continue"
        r"|co_await|co_return|co_yield|decltype|default|delete|do|double|else|enum|explicit|export|extern|float|for|friend"
        r"|goto|if|inline|int|long|mutable|namespace|new|noexcept|nullptr|operator|private|protected|public|register"
        r"|requires|return|short|signed|sizeof|static|static_assert|struct|switch|template|this|throw|try|typedef|typeid"
        r"|typename|union|unsigned|using|virtual|void|volatile|wchar_t|while|_Bool|_Static_assert|__attribute__|__declspec"
        r"|__extension__|defined|import|module)\b"
    ),
    "word": r"[A-Za-z_]\w*+",
    "CAPITALS": r"[A-Z][A-Z0-9_]++(?!\w)",
    "arguments": r"\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\)",
    "qualifiers": (
        r"(?:(?:const|volatile|static|extern|inline|struct|enum|union|unsigned|signed|long|short|virtual|constexpr)\s++)*"
    ),
    "type": (
        r"<qualifiers>(?!(?:return|sizeof|else|goto|case|new|delete|throw|and|or|not|operator|in|const|volatile|static"
        r"|extern|inline|struct|enum|union|virtual|constexpr)\b)<word>(?:::\w+)*+"
        r"(?:\s++(?:const|int|char|long|short|double)\b)*[\s*&]++(?:const\s++)?"
    ),
    "name": r"(?:\(\s*+\**+<word>\s*+\)|<word>)",
    "comment": r"(?:/\*(?:[^*]++|\*(?!/))*+\*/|//[^\n]*+)",
    "begin": r"^[ \t]*+(?:(?:static|extern|inline|typedef)[ \t]++)*+",
}


def _pattern(written: str) -> re.Pattern[bytes]:
    """Compile a pattern in which parts stand by their names."""
    while (filled := re.sub(r"(?<!\?P)<(\w+)>", lambda part: _PARTS[part[1]], written)) != written:
        written = filled
    return re.compile(written.encode(), re.MULTILINE)


_WORDS = tuple(
    map(
        _pattern,
        (
            # API int f(   FORMAT(1, 2) static void f(
            r"<begin>((?!<keyword>)<word>(?:<arguments>(?=[ \t]))?)(?=\s++<type><name>\s*+[\[(;=,])",
            # void CALL f(   } PACKED name;
            r"(?:\b(?:void|int|char|long|short|unsigned|bool|double|float)\s++|\*\s*+)(<CAPITALS>)\s++<word>\s*+\(",
            r"\}\s*+(<CAPITALS>(?:<arguments>)?)\s++\**+<word>\s*+[;,\[=]",
            # int f(void) NOTHROW;
            r"<begin>(?:<CAPITALS>[ \t]++)?<type><name>\s*+<arguments>\s*+(<CAPITALS>(?:<arguments>)?)\s*+[;{]",
            # class API Name {
            r"\b(?:class|struct|union|enum)\s++(<CAPITALS>(?:<arguments>)?)\s++<word>\s*+(?:final\s*+)?[:{]",
            # LIST_HEAD(list, item) head;
            r"<begin><CAPITALS>(<arguments>)[ \t]++\**+(?!<keyword>)<word>\s*+[;=\[]",
            # what only C++ sees: extern "C" { and its other end
            r"^[ \t]*+#[ \t]*+if(?:def[ \t]++|[ \t]++defined[ \t]*+\(?[ \t]*+)__cplusplus\b[^\n]*+\n"
            r"((?:[ \t]*+(?:extern[ \t]++\"C\"[ \t]*+\{?|[{}])?[ \t]*+<comment>?\r?\n)++)[ \t]*+#[ \t]*+endif",
        ),
    )
)
"""Words too many; the first group is what has to go."""
_AROUND = _pattern(r"^(<CAPITALS>\()(?=<type><name>\s*+<arguments>\s*+(\))\s*+[;{])")
"""A macro around a whole declaration: ``HIDDEN(int f(void));``."""
_ALONE = _pattern(r"^[ \t]*+(<CAPITALS>(?:[ \t]*+<arguments>)?)[ \t]*+<comment>?\r?$")
"""One that has a line to itself: ``COMMON_FIELDS``."""
_NEXT = _pattern(
    r"(?:\s++|<comment>|#[^\n]*+)*+"
    r"(?P<next>\}|<word>(?:\s*+[*&]|\s++\w|(?P<item>\s*+[,=]))|<CAPITALS>\s*?(?:\n|\()|(?P<end>\Z))?"
)
_LIST = _pattern(r"(?:[=,({]\s*+|\benum\b[^;{}()=]*+)\{\Z")
"""A bracket with values or names in it."""
_BYTE = re.compile(rb"[^\\\r\n]")


def unmasked(text: bytes) -> bytes:
    """Return a text of C or C++ of the same length without the macros that hide what is declared."""
    text = _without(text, crooked(text))
    return _without(text, _masks(text))


def _without(text: bytes, spans: Iterable[tuple[int, int]]) -> bytes:
    parts, place = [], 0
    for start, end in sorted(spans):
        if end > place:
            parts += [text[place:start], _BYTE.sub(b" ", text[max(start, place) : end])]
            place = end
    return b"".join([*parts, text[place:]]) if parts else text


def _masks(text: bytes) -> Iterator[tuple[int, int]]:
    for pattern in _WORDS:
        yield from (found.span(1) for found in pattern.finditer(text))
    for found in _AROUND.finditer(text):
        yield from (found.span(1), found.span(2))
    last = -1
    for found in _ALONE.finditer(text):
        follows = last >= 0 and not text[last : found.start()].strip()
        if _begins_anew(text, found) and (follows or _has_ended(text, found.start())):
            last = found.end()
            yield found.span(1)


def _begins_anew(text: bytes, found: re.Match[bytes]) -> bool:
    """Tell whether what comes next is no part of it; else it is a value, a type or a name."""
    told = _NEXT.match(text, found.end())
    if told is None or told["next"] is None:
        return False
    return found[1].endswith(b")") or (told["item"] is None and told["end"] is None)


def _has_ended(text: bytes, at: int) -> bool:
    """Tell whether a statement may begin here."""
    while True:
        first = max(0, at - LOOK_BACK)
        before = text[first:at].rstrip()
        if not before:
            return True
        line = before[before.rfind(b"\n") + 1 :]
        if before.endswith(b"*/") and (start := before.rfind(b"/*")) >= 0:
            at = first + start
        elif b"//" in line and not line.lstrip().startswith(b"#"):
            at = first + before.rfind(b"//")
        elif before.endswith(b"{"):
            return not _LIST.search(before)
        else:
            return before.endswith((b";", b"}")) or (line.lstrip().startswith(b"#") and not before.endswith(b"\\"))
