"""Cutting a name into the words it was made from, whatever the convention."""

import re

from shirube.engine.text.scripts import CJK, LOWER, UPPER, WORD

NAMES = (
    "BitBucket|CoffeeScript|DevOps|DynamoDB|ElasticSearch|FastAPI|GitHub|GitLab|GraphiQL|GraphQL|iOS|"
    "iPad|iPhone|IPv|JavaScript|jQuery|JUnit|LaTeX|LinkedIn|macOS|MacOS|MariaDB|MongoDB|MySQL|NoSQL|"
    "NumPy|OAuth|OpenAI|OpenAPI|OpenID|PayPal|PostgreSQL|PostScript|PowerShell|PyPI|PySpark|PyTorch|"
    "RabbitMQ|RocksDB|SQLAlchemy|SQLite|TensorFlow|TypeScript|WebAssembly|WebGL|WebRTC|WebSocket|"
    "YouTube"
)
"""Words with capitals of their own: everybody searches for ``oauth``, nobody for ``o`` and ``auth``."""

_PIECE = re.compile(
    rf"(?P<digits>\d+)"
    rf"|(?:{NAMES})(?![{LOWER}])"
    rf"|[{UPPER}]{{2,}}s(?![{LOWER}])"  # plural acronyms: URLs, IDs
    rf"|[{UPPER}]+(?![{LOWER}])"  # HTTP in HTTPServer
    rf"|[{UPPER}]?[{LOWER}]+"
    rf"|[{CJK}]+"
    rf"|[^\W\d_{UPPER}{LOWER}{CJK}]+"  # scripts without case
)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|\d+[eE]\d+|\d+[^\W\d_]{0,3}")
_RUN = re.compile(rf"[{CJK}]+|{WORD}+")


def split_identifier(name: str) -> tuple[str, ...]:
    """Cut a name into lower-case words: ``"getHTTPServer2"`` → ``("get", "http", "server", "2")``.

    Digits are a word of their own (``utf8`` → ``utf``, ``8``); ``identifier_words`` gives ``utf8`` besides,
    because that is what people type. Numbers with a unit or a base stay whole (``10px``, ``0xFF``).
    """
    return tuple(piece for word in _RUN.findall(name) for group in _groups(word) for piece in group)


def identifier_words(name: str) -> tuple[str, ...]:
    """List the words by which a name can be found: ``"toUtf8"`` → ``("to", "utf8", "utf", "8")``."""
    words: list[str] = []
    for word in _RUN.findall(name):
        for group in _groups(word):
            words += ["".join(group), *group] if len(group) > 1 else group
    return tuple(words)


def unglue(text: str) -> tuple[str, ...]:
    """Separate Latin names from the Japanese they touch: ``"getUserの処理"`` → ``("getUser", "の処理")``."""
    return tuple(_RUN.findall(text))


def _groups(word: str) -> list[list[str]]:
    """Gather each word with the digits that follow it: ``"toUtf8"`` → ``[["to"], ["utf", "8"]]``."""
    if _NUMBER.fullmatch(word):
        return [[word.lower()]]
    groups: list[list[str]] = []
    end = -1
    for match in _PIECE.finditer(word):
        piece = match.group().lower()
        if match.lastgroup == "digits" and match.start() == end:
            groups[-1].append(piece)
        else:
            groups.append([piece])
        end = match.end()
    return groups
