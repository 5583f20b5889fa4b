"""What one file says by itself: what it imports under which name, and of which class a variable is."""

import re
from collections.abc import Iterator, Sequence

from shirube.engine.parse.mentions import Mention
from shirube.types import Symbol

CALLED = frozenset({"function", "method", "constructor", "test"})
"""What has names of its own inside."""
_BROUGHT_IN = re.compile(r"\b(?:import|use|using|require|from)\b|[\"'(/]")
"""What stands before the name of a module in its statement."""


class File:
    """One file while it is looked at."""

    def __init__(self, path: str, language: str, text: str, symbols: tuple[Symbol, ...]) -> None:
        self.path, self.language, self.text, self.symbols = path, language, text, symbols
        self._asked: dict[tuple[str, str], bool] = {}
        self._bound: dict[str, frozenset[str]] = {}

    def imports(self, receiver: str, modules: frozenset[str]) -> bool:
        """Tell whether a name before a dot is one of the modules, or what an import here calls one of them."""
        if not receiver.isidentifier():
            return False
        name = re.escape(receiver)
        if receiver in modules:
            key = (receiver, "")
            if key not in self._asked:
                self._asked[key] = any(map(_BROUGHT_IN.search, self._before(name)))
            return self._asked[key]
        if receiver not in self._bound:
            self._bound[receiver] = self._bound_to(name)
        return not self._bound[receiver].isdisjoint(modules)

    def _before(self, name: str) -> Iterator[str]:
        """Yield what stands before each place of a name, from the beginning of its line or statement."""
        for found in re.finditer(rf"\b{name}\b", self.text):
            line = self.text[self.text.rfind("\n", 0, found.start()) + 1 : found.start()]
            yield line.rpartition(";")[2]

    def _bound_to(self, name: str) -> frozenset[str]:
        """Return the modules that an import here may call by a name."""
        found = re.search(rf"(?<![\w-])(\*|[\w-]+)\s+as\s+{name}\b(?:\s+from\s+[\"']([^\"'\n]+))?", self.text)
        found = found or re.search(rf"(\b){name}\s*(?:=\s*require\(|)\s*[\"']([^\"'\n]+)[\"']", self.text)
        return frozenset({found[1], _module_name(found[2] or "")}) if found else frozenset()

    def holds(self, mention: Mention, kind: str) -> bool:
        """Tell whether a variable is said to be of a class: ``x = C(``, ``x: C``, ``C x``, ``new C``.

        The last line before the place that binds the variable in its function decides, else the file.
        """
        if not mention.receiver.isidentifier():
            return False
        name, of = re.escape(mention.receiver), re.escape(kind)
        forms = (
            rf"\b{name}\s*(?::=|=)\s*(?:await\s+)?(?:new\s+|&\s*)?(?:\w+(?:\.|::))*{of}\s*[({{<]",
            rf"\b{name}\s*[?!]?\s*:\s*(?:readonly\s+|&\s*|mut\s+|\"|'|Optional\[)*(?:\w+(?:\.|::))*{of}\b",
            rf"\b{of}(?:<[^<>\n]*>)?\s*[*&]*\s+[*&]*{name}\b",
            rf"\b{name}\s+[*&]*(?:\w+\.)?{of}\b",
        )
        pattern = "|".join(forms)
        around = [one for one in self.symbols if one.kind in CALLED and one.start_line <= mention.line <= one.end_line]
        if around:
            before = self.text[: mention.start].split("\n")[min(one.start_line for one in around) - 1 :]
            bound = re.compile(rf"(?<![\w.]){name}\s*(?::=|=(?!=)|:|\s[*&]*[\w.]+\s*[,)])")
            if last := next((line for line in reversed(before) if bound.search(line)), ""):
                return re.search(pattern, last) is not None
            if any(re.search(rf"[(,]\s*{name}\s*[,)]", one.signature) for one in around):
                return False  # a parameter of which nothing is said
        return self._ask(mention.receiver, kind, pattern)

    def _ask(self, receiver: str, about: str, pattern: str) -> bool:
        key = (receiver, about)
        if key not in self._asked:
            self._asked[key] = re.search(pattern, self.text, re.MULTILINE) is not None
        return self._asked[key]


def _module_name(written: str) -> str:
    """Return what a module written as a path is called: ``./lib/core.js`` → ``core``, ``./lib/`` → ``lib``."""
    parts = [part for part in written.split("/") if part.strip(".")]
    return parts[-1].partition(".")[0] if parts else ""


def enclosing(symbols: Sequence[Symbol], line: int) -> str:
    """Return the innermost symbol around a line, by its qualified name."""
    around = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return max(around, key=lambda symbol: (symbol.start_line, -symbol.end_line)).qualified if around else ""
