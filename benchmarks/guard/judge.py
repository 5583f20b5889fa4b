"""Is a refusal true? What its sentence says about files and symbols is held against the repository and the replies.

Only what can be checked without the server's own rules is checked: that a file or a symbol is not there, and that
nothing has shown a file. Every other sentence is listed, to be read.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.guard.changes import Target
from benchmarks.guard.conversation import Conversation, Exchange
from shirube.errors import ShirubeError
from shirube.messages import Message

MISSING = re.compile(r"no such|does not exist|knows no|does not know|nothing .* defines|has this name|is not there")
UNSEEN = re.compile(r"not (?:been )?(?:looked|shown|returned|seen)|no call of this session returned|has shown it")
NAMES = ("path", "name", "names", "symbol", "file", "files", "target")
_WORD = re.compile(r"[\w.-]+(?:/[\w.-]+)+|\w[\w.]*\.\w+|\w+")


@dataclass(frozen=True)
class Refusal:
    """A sentence that says no."""

    change: str
    tool: str
    sentence: str
    told: str
    """The whole reply, as it was sent."""
    verdict: str
    """``untrue: …``, ``true``, or ``read``: by eye."""


def refusals(talk: Conversation, name: str) -> Iterator[Refusal]:
    """Yield every sentence of a conversation that refuses something."""
    for at, exchange in enumerate(talk.exchanges):
        for message in refusing(exchange):
            verdict = judge(message, talk, at)
            yield Refusal(name, exchange.tool, str(message), exchange.reply.text, verdict)
        for symbol, why in _unconfirmed(exchange):
            yield Refusal(name, exchange.tool, f"{symbol}: {why}", exchange.reply.text, _quoted(exchange, symbol, talk))


def refusing(exchange: Exchange) -> Iterator[Message]:
    """Yield the messages by which a result refuses."""
    result = exchange.result
    if isinstance(result, ShirubeError):
        yield result.message
        return
    rows = getattr(result, "files", ()) or ()
    for row in rows if isinstance(rows, tuple) else ():
        if not getattr(row, "allowed", True) and isinstance(row.reason, Message):
            yield row.reason
    if rows or (getattr(result, "accepted", True) and getattr(result, "allowed", True)):
        return
    yield from (error for error in getattr(result, "errors", ()) if isinstance(error, Message))
    if isinstance(result.message, Message) and (not getattr(result, "errors", ())):
        yield result.message


def _unconfirmed(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """Yield the symbols that were not taken for the meaning of the request, and why."""
    for row in getattr(exchange.result, "refused", ()) if exchange.tool == "confirm_symbol_relevance" else ():
        yield row.symbol, str(row.why)


def _quoted(exchange: Exchange, symbol: str, talk: Conversation) -> str:
    """Return a verdict on a refusal that asks for a quote: untrue where one was given that stands in the code."""
    quote = str(exchange.arguments.get("code_evidence", "")).strip("`")
    asks = re.search(r"quote|引用", exchange.reply.text)
    for path in talk.named():
        found = [one for one in talk.server.store.symbols(path) if symbol in (one.name, one.qualified)]
        lines = [line.strip() for one in found for line in talk.server.lines(Target(path, one.qualified))]
        if asks and quote in lines:
            return f"untrue: the quote that it asks for was given, it stands in {path}"
    return "read"


def judge(message: Message, talk: Conversation, at: int) -> str:
    """Return whether a sentence is true, as far as that can be checked."""
    missing, unseen = MISSING.search(message), UNSEEN.search(message)
    if not missing and not unseen:
        return "read"
    said = list(dict.fromkeys(_names(message)))
    if not said:
        return "read"
    for name in said:
        if missing and (where := _exists(name, talk)):
            return f"untrue: {name} is there: {where}"
        if unseen and name in _shown(talk, at):
            return f"untrue: {name} was shown"
    return "true"


def _names(message: Message) -> Iterator[str]:
    """Yield what a message names."""
    symbol = message.values.get("name")
    for key, value in message.values.items():
        if isinstance(value, Message):
            yield from _names(value)
        elif key in NAMES and not (key == "path" and symbol):  # the path tells where the symbol is
            yield from (str(one) for one in (value if isinstance(value, list | tuple) else [value]))


def _exists(name: str, talk: Conversation) -> str:
    """Return where a file or a symbol of this name is, by its whole name or by its end."""
    files = talk.server.files
    plain = name.strip("`'\"()").partition(":")[0]
    if plain in files or (talk.server.root / plain).is_file():
        return plain
    if "/" in plain or "." in plain:
        ends = [path for path in files if path.endswith(f"/{plain}")]
        if ends:
            return ends[0]
    last = re.split(r"[.:#]+", plain)[-1]
    if not last.isidentifier():
        return ""
    found = [path for path in files for one in talk.server.store.symbols(path) if plain in (one.qualified, one.name)]
    return found[0] if found else ""


def _shown(talk: Conversation, at: int) -> set[str]:
    """Return the files of which a reply of this session gave a line, and the symbols that began there."""
    begun = max((number for number in range(at) if talk.exchanges[number].tool == "start_session"), default=-1)
    looked = talk.exchanges[begun + 1 : at]  # the places in the reply of start_session are named, not shown
    return {name for place in Conversation(talk.server, "", exchanges=looked).places() for name in place if name}


def foreign_words(talk: Conversation) -> list[str]:
    """Return what a reply to a Japanese request says in English: gaps to be filled in, and reasons of proposals."""
    found = []
    for exchange in talk.exchanges:
        for one in exchange.reply.next:
            texts = [*re.findall(r"<[^<>]+>", json.dumps(one.arguments, ensure_ascii=False)), one.why]
            found += [text for text in texts if _is_english(text)]
    return list(dict.fromkeys(found))


def _is_english(text: str) -> bool:
    return len(re.findall(r"[A-Za-z]{2,}", text)) > 2 and not re.search("[\u3040-\u30ff\u3400-\u9fff]", text)


def summary(found: list[Refusal]) -> Mapping[str, Any]:
    """Count the refusals by verdict."""
    kinds = [one.verdict.partition(":")[0] for one in found]
    return {kind: kinds.count(kind) for kind in ("true", "untrue", "read")}
