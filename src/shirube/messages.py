"""Every sentence the program prints: looked up by its code, in English or Japanese, in one table.

Features return ``Message``s; a door renders them in its reader's language, and writes operations and arguments in its
own syntax. In a template of ``messages.toml``

* ``{name}`` is a value: text, a number, another message, a ``NextStep``, an ``Argument``, or a list of these;
* ``{count|file|files}`` is a number with the word that fits it: ``1 file``, ``1,200 files``;
* ``{@sync_index}`` is an operation, ``{-limit}`` an argument and ``{-regex=true}`` one with its value, as the reader's
  door writes them.

A row holds the English and the Japanese text; the row of an error also holds its hint in both.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

LANGUAGES = ("en", "ja")
COMMAS = {"en": ", ", "ja": "、"}
_GAP = re.compile(r"\{([@-]?)(\w+)(?:=(\w+))?(?:\|([^|{}]*)\|([^|{}]*))?\}")
_CODE = re.compile(r"([a-z_]+)\.([a-z0-9_]+)")
_SIMPLE = re.compile(r"[\w./:*?+-]+")
_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")


class Message(str):
    """A sentence. The text is the English that an agent reads; code and values let a door render it differently."""

    __slots__ = ("code", "values")
    code: str
    values: Mapping[str, Any]

    def __new__(cls, text: str = "", code: str = "", values: Mapping[str, Any] | None = None) -> "Message":
        """Make a message; one without a code holds foreign text, which no door changes."""
        message = super().__new__(cls, text)
        message.code, message.values = code, values or {}
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (str(self), self.code, dict(self.values))


NOTHING = Message()
"""No sentence."""


class NextStep(NamedTuple):
    """A call that a message proposes."""

    operation: str
    arguments: Mapping[str, Any]


class Argument(NamedTuple):
    """An argument that a message mentions, perhaps with a value."""

    name: str
    value: str | int = ""


def step(operation: str, **arguments: Any) -> NextStep:
    """Return a call to propose: ``step("sync_index", full=True)``."""
    return NextStep(operation, arguments)


def _call(operation: str, arguments: Mapping[str, Any]) -> str:
    return " ".join([operation, *(f"{name}={_argument(value)}" for name, value in arguments.items())])


def _argument(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_argument, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name}: {_argument(inner)}' for name, inner in value.items())}}}"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if _SIMPLE.fullmatch(text) else repr(text)


def _setting(name: str, value: str | int) -> str:
    return f"{name}={value}" if value != "" else name


class Speech(NamedTuple):
    """How a door writes messages: its language, and its syntax for operations and arguments."""

    language: str = "en"
    operation: Callable[[str, Mapping[str, Any]], str] = _call
    argument: Callable[[str, str | int], str] = _setting
    longest: int = 0
    """How many characters of a value are written; 0: all."""
    listed: int = 0
    """How many items of a list are written; 0: all."""


AGENT = Speech()
"""For agents: English, with operations and arguments under their own names."""


def say(code: str, /, **values: Any) -> Message:
    """Return the message of a code: ``say("search.no_words", unread=3)``."""
    return Message(_filled(row(code)[0], values, AGENT), code, values)


def verbatim(text: str) -> Message:
    """Return foreign text (from the system, a library, an older record) as a message."""
    return text if isinstance(text, Message) else Message(text)


def render(text: str, speech: Speech) -> str:
    """Return a message as a door writes it; other text stays as it is."""
    if not isinstance(text, Message) or not text.code or speech is AGENT:
        return str(text)
    return _filled(row(text.code)[LANGUAGES.index(speech.language)], text.values, speech)


def language_of(text: str) -> str:
    """Return the language of a text, one of ``LANGUAGES``."""
    return "ja" if _JAPANESE.search(text) else "en"


def speech_of(text: str) -> Speech:
    """Return the speech for answering an agent that wrote this text: in its language."""
    return AGENT if language_of(text) == AGENT.language else Speech(language_of(text))


def spoken(message: Message, language: str) -> Message:
    """Return a message whose text is in this language even for agents; a door can still render it differently."""
    return Message(render(message, Speech(language)), message.code, message.values)


def is_code(text: str) -> bool:
    """Tell whether a text is a code of the table; sentences are not, nor file names that look like codes."""
    match = None if isinstance(text, Message) else _CODE.fullmatch(text)
    return match is not None and match[1] in _sections() and match[2] in section(match[1])


def hint_of(code: str, values: Mapping[str, Any]) -> Message:
    """Return the hint of an error's message; empty when it has none."""
    hint_code = f"{code}.hint"
    return Message(_filled(row(hint_code)[0], values, AGENT), hint_code, values) if len(row(code)) > 2 else NOTHING


def row(code: str) -> tuple[str, ...]:
    """Return the templates of a code in the order of ``LANGUAGES``; ``x.y.hint`` is the second half of the row x.y."""
    group, name, *hint = code.split(".")
    if group not in _sections() or name not in section(group):
        raise KeyError(f"messages.toml has no row '{name}' in [{group}]")
    templates = section(group)[name]
    return tuple(templates[2:] if hint else templates)


@cache
def section(group: str) -> Mapping[str, list[str]]:
    """Return the rows of one group. Each group is parsed only when needed: most processes print few messages."""
    import tomllib  # a hook that has nothing to say should not wait for it

    return tomllib.loads(_sections()[group])


@cache
def _sections() -> Mapping[str, str]:
    text = Path(__file__).with_name("messages.toml").read_text("utf-8")
    parts = re.split(r"^\[(\w+)\]$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def groups() -> tuple[str, ...]:
    """Return the names of all groups of the table."""
    return tuple(_sections())


def _filled(template: str, values: Mapping[str, Any], speech: Speech) -> str:
    def fill_gap(match: re.Match[str]) -> str:
        mark, name, setting, singular, plural = match.groups()
        if mark:
            return speech.operation(name, {}) if mark == "@" else speech.argument(name, setting or "")
        value = values[name]
        return f"{value:,} {singular if value == 1 else plural}" if singular is not None else _rendered(value, speech)

    return _GAP.sub(fill_gap, template)


def _rendered(value: Any, speech: Speech) -> str:
    if isinstance(value, Message) and value.code:
        return render(value, speech)
    if isinstance(value, str):
        return shortened(value, speech.longest)
    if isinstance(value, NextStep):
        kept = {name: one for name, one in value.arguments.items() if not 0 < speech.longest < len(str(one))}
        return speech.operation(value.operation, kept)
    if isinstance(value, Argument):
        return speech.argument(*value)
    if isinstance(value, list | tuple):
        shown = [_rendered(item, speech) for item in value[: speech.listed or None]]
        more = [f"… +{len(value) - len(shown)}"] if len(value) > len(shown) else []
        return COMMAS[speech.language].join([*shown, *more])
    return str(value)


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters (0: any), without its middle: a path tells most at its end."""
    if not most or len(text) <= most:
        return str(text)
    begin = (most - 1) // 3
    return f"{text[:begin]}…{text[len(text) - (most - 1 - begin) :]}"


def pack_message(message: Message) -> Any:
    """Return a message as JSON for storing: plain text when it has no code."""
    if not message.code:
        return str(message)
    return {"code": message.code, "values": {name: _packed(value) for name, value in message.values.items()}}


def _packed(value: Any) -> Any:
    if isinstance(value, Message):
        return pack_message(value)
    if isinstance(value, NextStep):
        return {"operation": value.operation, "arguments": dict(value.arguments)}
    if isinstance(value, Argument):
        return {"argument": value.name, "value": value.value}
    return [_packed(item) for item in value] if isinstance(value, list | tuple) else value


def unpack_message(packed: Any) -> Message:
    """Return a stored message; plain text of an earlier version is kept as it is. Raises ``ValueError``."""
    if isinstance(packed, str):
        return Message(packed)
    try:
        return say(packed["code"], **{name: _unpacked(value) for name, value in packed["values"].items()})
    except KeyError:  # written by another version, with a code or value we do not have
        return Message(str(packed.get("code", "")))
    except (AttributeError, TypeError):
        raise ValueError("this is no message") from None


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict) and "argument" in value:
        return Argument(value["argument"], value.get("value", ""))
    if isinstance(value, dict):
        return NextStep(value["operation"], value["arguments"]) if "operation" in value else unpack_message(value)
    return tuple(_unpacked(item) for item in value) if isinstance(value, list) else value
