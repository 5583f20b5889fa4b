"""The tokeniser, for both documents and queries.

Text is normalised, cut, and only then lower-cased, because the capitals of ``getUser`` show where to cut.
A token contains only letters, digits, ``_`` and ``-``, so any index can take tokens joined by spaces.
"""

import re
import unicodedata
from collections.abc import Callable
from enum import StrEnum
from itertools import chain

from shirube.engine.text.stems import stem

# The characters of each script, as bodies of character classes: write them between square brackets.
KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
CJK = KANJI + KANA + HANGUL
"""Scripts without spaces between words (Hangul attaches its particles to them); they are cut into bigrams."""

_CASED = tuple(map(chr, range(0xC0, 0x530)))  # accented Latin, Greek, Cyrillic: the scripts that have case
UPPER = "A-Z" + "".join(filter(str.isupper, _CASED))
LOWER = "a-z" + "".join(filter(str.islower, _CASED))

WORD = rf"[^\W{CJK}]"
"""One character of a word that is not CJK: a letter, a digit or an underscore (a whole class, not a body)."""


def normalise(text: str) -> str:
    """Give every spelling of a character one form: ``"ｶﾞｲﾄﾞ ＡＢＣ"`` → ``"ガイド ABC"``.

    NFKC, and typographic hyphens become the one on the keyboard (NFKC turns the no-break one into U+2010).
    """
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("\u2010", "-")


def folded(text: str) -> str:
    """Return a text in the form used for comparison: normalised, in lower case, with single spaces."""
    return " ".join(normalise(text).lower().split())


NAMES = (
    "BitBucket|CoffeeScript|DevOps|DynamoDB|ElasticSearch|FastAPI|GitHub|GitLab|GraphiQL|GraphQL|iOS|"
    "iPad|iPhone|IPv|JavaScript|jQuery|JUnit|LaTeX|LinkedIn|macOS|MacOS|MariaDB|MongoDB|MySQL|NoSQL|"
    "NumPy|OAuth|OpenAI|OpenAPI|OpenID|PayPal|PostgreSQL|PostScript|PowerShell|PyPI|PySpark|PyTorch|"
    "RabbitMQ|RocksDB|SQLAlchemy|SQLite|TensorFlow|TypeScript|WebAssembly|WebGL|WebRTC|WebSocket|"
    "YouTube"
)
"""Words with capitals inside that are not cut: everybody searches for ``oauth``, nobody for ``o`` and ``auth``."""

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


LONGEST_TOKEN = 64
"""Longer tokens are dropped, because nobody types them and encoded data would fill the index; their words stay."""

_SHORTEST_NOISE = 16
_NOISE_WORD_LENGTH = 2.5
"""Names whose words are shorter on average are hashes or base64; 99.5 % of 101,060 names in six projects are not."""

_MEMORY_SIZE = 1 << 17
"""Distinct pieces cached per process, about 50 MB when full; a middle-sized project has 80,000 to 160,000."""

_UNIT = re.compile(rf"[{CJK}]+|{WORD}+(?:-{WORD}+)*")
CJK_LETTER, CJK_RUN = re.compile(rf"[{CJK}]"), re.compile(rf"[{CJK}]+")
_LONE_KANJI = re.compile(rf"(?<![{KANJI}])[{KANJI}](?![{KANJI}])")
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}")
_INNER = re.compile(r"[^_]_+[^_]")
_HEX = re.compile(r"[0-9a-f]+")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BLANK = bytes(c if chr(c).isalnum() or chr(c) in "_-" else ord(" ") for c in range(128)) + b" " * 128


class Strategy(StrEnum):
    """How a query is cut: keep compounds, cut them, or both."""

    PHRASE_AWARE = "phrase-aware"
    LEGACY = "legacy"
    HYBRID = "hybrid"


def index_tokens(text: str) -> list[str]:
    """Cut a document into index tokens: ``"getUser 検索"`` → ``["getuser", "get", "user", "検索"]``.

    A name gives itself, then its words; Japanese gives overlapping bigrams, then kanji without a kanji beside them
    (5 % more tokens; every kanji would be 25 % more, and 列 would find all of 配列).
    """
    return list(chain.from_iterable(map(_tokens_seen.__getitem__, _pieces(text))))


def index_terms(text: str) -> list[str]:
    """Cut a document into the stems of its tokens, for the index: ``"getUsers"`` → ``["getus", "get", "user"]``."""
    return list(chain.from_iterable(map(_terms_seen.__getitem__, _pieces(text))))


def tokenize(text: str, strategy: Strategy = Strategy.PHRASE_AWARE) -> list[str]:
    """Cut a query: ``"page-agent"`` → ``["page-agent"]``, legacy ``["page", "agent"]``, hybrid all three.

    Compounds are joined by hyphens or underscores. camelCase is not a compound: ``phrase-aware`` gives the
    whole and its words, because the same name is spelled ``get_user`` in the file next door. Every token of
    every strategy is among the ``index_tokens`` of the same text.
    """
    return [token for unit in _UNIT.findall(normalise(text)) for token in _cut(unit, strategy)]


def is_compound(term: str) -> bool:
    """Tell hyphenated words from arithmetic: ``"page-agent"`` → ``True``, ``"x-1"`` → ``False``."""
    return (
        "-" in term
        and len(term) <= LONGEST_TOKEN
        and not term[0].isdigit()
        and _TWO_LETTERS.search(term) is not None
        and not any(map(_is_noise, term.split("-")))
    )


def _pieces(text: str) -> list[str]:
    """Cut at white space and punctuation; stray hyphens are removed later, once per distinct piece."""
    if text.isascii():
        return text.encode().translate(_BLANK).decode().split()
    return _UNIT.findall(normalise(text))


def _cut(unit: str, strategy: Strategy) -> list[str]:
    if CJK_LETTER.match(unit):  # overlapping bigrams and lone kanji: "型を検索" → ["型を", "を検", "検索", "型"]
        return [unit[i : i + 2] for i in range(len(unit) - 1)] + _LONE_KANJI.findall(unit) if unit[1:] else [unit]
    lower = unit.strip("_").lower()
    if _UUID.fullmatch(lower):
        return [lower]
    compound = is_compound(unit)
    if compound and strategy is Strategy.PHRASE_AWARE:
        return [lower]
    tokens = [lower] if compound and strategy is Strategy.HYBRID else []
    for word in unit.split("-"):
        tokens += _CHOICES[strategy](*_name(word))
    return tokens


def _name(word: str) -> tuple[list[str], list[str]]:
    """Return the whole forms of a name and its words: ``"_toX"`` → ``["_tox", "tox"]``, ``["to", "x"]``."""
    bare = word.strip("_").lower()
    if not bare:
        return [], []
    if _is_noise(word):
        return ([bare] if _HEX.fullmatch(bare) and len(bare) <= LONGEST_TOKEN else []), []
    wholes = dict.fromkeys(whole for whole in (word.lower(), bare) if len(whole) <= LONGEST_TOKEN)
    words = identifier_words(word)
    return list(wholes), [part for part in words if part != bare and len(part) <= LONGEST_TOKEN]


def _is_noise(word: str) -> bool:
    """Recognise hashes and encoded bytes, which change class at every second character."""
    if len(word) < _SHORTEST_NOISE or "_" in word.strip("_"):
        return False
    return len(word) < _NOISE_WORD_LENGTH * len(split_identifier(word))


_CHOICES: dict[Strategy, Callable[[list[str], list[str]], list[str]]] = {
    Strategy.PHRASE_AWARE: lambda wholes, words: wholes if any(map(_INNER.search, wholes)) else wholes + words,
    Strategy.LEGACY: lambda wholes, words: words or wholes[-1:],
    Strategy.HYBRID: lambda wholes, words: wholes + words,
}


class _Memory(dict[str, tuple[str, ...]]):
    """A cache of the tokens of every piece: most names repeat, so each is cut only once.

    Unlike ``lru_cache`` it does not store long pieces, and it is a sixth faster; when it is full, it is cleared.
    """

    def __init__(self, make: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, piece: str) -> tuple[str, ...]:
        tokens = self._make(piece)
        if len(piece) <= LONGEST_TOKEN:
            if len(self) >= _MEMORY_SIZE:
                self.clear()
            self[piece] = tokens
        return tokens


def _tokens_of(piece: str) -> tuple[str, ...]:
    if piece.isascii() and len(piece) <= LONGEST_TOKEN and (plain := _plain(piece)):
        return plain
    return tuple(token for unit in _UNIT.findall(piece) for token in _cut(unit, Strategy.HYBRID))


def _plain(piece: str) -> tuple[str, ...]:
    """Return the tokens of simple names fast (``word``, ``Word``, ``snake_case``, ``MAX``); empty for all others."""
    if piece.isalpha():
        return (piece.lower(),) if piece[1:].islower() or len(piece) == 1 else ()
    if piece[0] == "_" or piece[-1] == "_" or not piece.replace("_", "a").isalpha():
        return ()
    if not piece.islower() and not piece.isupper():
        return ()
    lower = piece.lower()
    return (lower, *filter(None, lower.split("_")))


_tokens_seen = _Memory(_tokens_of)
_terms_seen = _Memory(lambda piece: tuple(map(stem, _tokens_of(piece))))
