"""Reads the subset of YAML that profiles and front matter use, with PyYAML.

Values are text, true, false or null: ``no``, ``1e3`` and dates stay text. Anchors, aliases, tags and several documents
are refused, with the line number. The reader works on parser events, so it never builds a value that it refuses.
"""

import re
from itertools import takewhile
from typing import Any

from shirube.messages import say, verbatim

DEEPEST = 20
MOST_PARSED = 2_000_000
"""The limit on characters parsed in all: a text is parsed again after each value that needs quotes."""
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_FOREIGN = dict.fromkeys("@`%", "commands.yaml_beyond") | {"\t": "commands.yaml_tab"}
"""Characters that cannot begin a value or a line, with the message for each."""
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_PAIR = re.compile(r"""(.*?:\s+)([^\s#&*!|>%@`"'\[\]{}].*)""")


class NotYaml(ValueError):
    """A text that is not the YAML we read, with the line."""

    def __init__(self, text: str, at: int, code: str, **values: Any) -> None:
        here = repr(text[at : at + 20].partition("\n")[0].rstrip())
        line = text.count("\n", 0, at) + 1
        self.why = say("commands.yaml_line", line=line, why=say(code, text=here, **values))
        super().__init__(self.why)


def split_front(text: str) -> tuple[str, str]:
    """Split a text into its leading front matter, without the lines of dashes, and the rest."""
    front = _FRONT.match(text)
    return (front[1], text[front.end() :]) if front else ("", text.removeprefix("\ufeff"))


def read_yaml(text: str) -> Any:
    """Return the value of a text, or raise ``NotYaml``."""
    from yaml import MarkedYAMLError
    from yaml.reader import Reader
    from yaml.scanner import ScannerError

    text = text.removeprefix("\ufeff")
    if odd := Reader.NON_PRINTABLE.search(text):
        raise NotYaml(text, odd.start(), "commands.yaml_character", character=f"U+{ord(odd[0]):04X}")
    more = MOST_PARSED // (len(text) + 1)
    while True:
        try:
            return _Reader(text).document()
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            mended = _quoted(text, mark.index) if more > 0 and isinstance(error, ScannerError) else text
            if mended == text:
                code = _FOREIGN.get(text[mark.index : mark.index + 1], "commands.yaml_broken")
                raise NotYaml(text, mark.index, code, problem=verbatim(error.problem)) from None
            text, more = mended, more - 1


class _Reader:
    """Builds a value from the parser's events."""

    def __init__(self, text: str) -> None:
        import yaml

        self._yaml = yaml
        self._text = text
        self._events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))

    def document(self) -> Any:
        """Return the value of the only document; None when there is none."""
        next(self._events)
        if isinstance(next(self._events), self._yaml.StreamEndEvent):
            return None
        first = next(self._events)
        value = self._value(first, 0)
        if isinstance(value, str | bool):
            raise self._refuse(first, "commands.yaml_pair")
        for event in self._events:
            if isinstance(event, self._yaml.DocumentStartEvent):
                raise self._refuse(event, "commands.yaml_beyond")
        return value

    def _value(self, event: Any, depth: int) -> Any:
        if isinstance(event, self._yaml.AliasEvent) or event.anchor or event.tag:
            raise self._refuse(event, "commands.yaml_beyond")
        if isinstance(event, self._yaml.ScalarEvent):
            return event.value if event.style else _WORDS.get(event.value.lower(), event.value)
        if depth > DEEPEST:
            raise self._refuse(event, "commands.yaml_deep", most=DEEPEST)
        inside = takewhile(lambda inner: not isinstance(inner, self._yaml.CollectionEndEvent), self._events)
        if isinstance(event, self._yaml.SequenceStartEvent):
            return [self._value(item, depth + 1) for item in inside]
        found: dict[str, Any] = {}
        for key in inside:
            if not isinstance(key, self._yaml.ScalarEvent) or key.anchor or key.tag:
                raise self._refuse(key, "commands.yaml_beyond")
            name = str(key.value)
            if name in found:
                raise self._refuse(key, "commands.yaml_twice", key=name)
            given = next(self._events)
            found[name] = self._value(given, depth + 1)
            if event.flow_style and found[name] is None and given.start_mark.index == given.end_mark.index:
                raise self._refuse(key, "commands.yaml_pair_braces")
        return found

    def _refuse(self, event: Any, code: str, **values: Any) -> NotYaml:
        return NotYaml(self._text, event.start_mark.index, code, **values)


def _quoted(text: str, at: int) -> str:
    """Return a text with quotes around the value on the line of ``at``, where a colon keeps it from being YAML.

    People write ``title: one: two``.
    """
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    pair = _PAIR.match(text, start, end if end >= 0 else len(text))
    if pair is None or at < pair.start(2) or not text.startswith(":", at):
        return text
    value = re.split(r"\s#", pair[2], maxsplit=1)[0].rstrip()
    rest = text[pair.start(2) + len(value) :]
    return text[: pair.start(2)] + "'" + value.replace("'", "''") + "'" + rest
