"""Reads a question: its index terms with weights, phrases, paths, and names that may be defined."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import sqrt

from msgspec import Struct

from shirube.engine.search.message import PLAIN, PRINTED, least_share, pieces_of, told_in, values_of
from shirube.engine.search.verbatim import MOST_WORDS, unwrapped, without_stamp, words_of
from shirube.engine.text.glossary import (
    JapaneseWord,
    in_japanese,
    is_hiragana,
    japanese_words,
    other_forms,
    stop_words,
    telling_words,
)
from shirube.engine.text.japanese import folded, with_long_vowels
from shirube.engine.text.query_terms import QueryTerms, Term, TermKind, read_query
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import LONGEST_TOKEN, Strategy, normalise, split_identifier, tokenize
from shirube.settings import SearchConfig

MOST_TERMS = 96
"""Terms used of a question. A longer one is pasted text: both ends are used, as a traceback has its message last."""
MOST_NAMES = 16
LONGEST_TITLE = 120
"""In characters; a longer question is no heading of a document."""
PARTLY_GRAMMAR = 0.6
"""What two letters count of which one is hiragana."""
_ENDS = "?？!！.。 "
_ABOUT = re.compile(
    r"(?:called?|callers?|calls|class|code|constant|contains?|declar\w+|defin\w+|enum|find|function|holds?|implement\w*"
    r"|interface|mean|method|referenced?|returns?|source|struct|trait|type|usages?|used|uses|variable|works?)"
)
"""Words that ask about a name and tell nothing else of it: where is it called, what does it hold."""
_ABOUT_IN_JAPANESE = re.compile(
    r"定義|宣言|実装|場所|呼び出し|呼|使|参照|利用|説明|処理|関数|クラス|型|中身|何|コード|[ぁ-ん、。？]"
)
_NAMED = re.compile(
    r"(?i:^where is|(?:definition|callers?) of) ([\w$]+)(?i:(?: called| defined| declared)?)\W*$"
    r"|^([A-Za-z_$][\w$]*?)(?=の定義|を呼|はどこ(?:で定義|で呼|から呼))"
)
"""How a question asks for a name that looks like a word: ``where is storage defined``, ``storageの定義はどこ``."""
_CALL = re.compile(r"\s*`?([\w$][\w.:#>-]*)\([^()]*\);?`?\s*")
_BACKTICKS = re.compile(r"`([\w$]+)(?:\(\))?`")
_KEYWORD = re.compile(
    r"(def|fn|func|fun|impl) \w.*"
    r"|(class|const|enum|function|interface|macro|method|module|struct|trait|type) (?=\w*[A-Z_])\w.*"
)
"""How a name looks together with the keyword before its definition, and not like prose: a ``type error`` is no name."""


class Phrase(Struct, frozen=True):
    """Words that must occur together: quoted, or a compound such as ``page-agent``."""

    text: str
    terms: tuple[str, ...]
    quoted: bool
    first: bool = False
    """Whether files with it come first: it is in double quotes. Prose puts names into single ones."""

    @property
    def is_snake(self) -> bool:
        """Tell whether it is a compound with an underscore inside: ``user_profile``."""
        return not self.quoted and "_" in self.text.strip("_")


class Question(Struct, frozen=True):
    """A question that has been read."""

    text: str
    """The question without its filters."""
    terms: Mapping[str, float] = {}
    """Index terms and their weights."""
    forms: Mapping[str, float] = {}
    """Other forms of the terms with their weights; searched in names and paths only."""
    translated: Mapping[str, float] = {}
    """Those of the terms that translate a Japanese word, and their weights in names and paths."""
    phrases: tuple[Phrase, ...] = ()
    paths: tuple[str, ...] = ()
    """Paths in the question, in lower case, without slashes at either end."""
    files: tuple[str, ...] = ()
    """Those of these paths that name a file with its directory: ``src/auth/login.py``."""
    segments: tuple[str, ...] = ()
    """The parts of these paths, in lower case."""
    names: Mapping[str, float] = {}
    """Names in lower case, and how likely each is meant as a name (1.0: certainly)."""
    spelled: Mapping[str, str] = {}
    """Name in lower case → the name as typed."""
    scopes: Mapping[str, str] = {}
    """Name → the scope written before it: ``Session.start`` gives ``start`` → ``session``."""
    bare: bool = False
    """Whether the question is just one name."""
    about_names: bool = False
    """Whether it asks for nothing but the names in it: ``where is parse_rate called``."""
    title: str = ""
    """The whole question in lower case, when it is plain words or Japanese and may be the heading of a document."""
    concepts: tuple[tuple[str, ...], ...] = ()
    """The things asked for: for each, all terms that mean it."""
    message: tuple[str, ...] = ()
    """Its words in order, without the wrapping of error output; empty for a bare name. It keeps the stop words."""
    string: float = PLAIN
    """How much of it a string has to be that of the message it is."""
    pieces: tuple[tuple[str, ...], ...] = ()
    """Of such a message, words that stand side by side in the string it was made from, it may be."""
    values: frozenset[str] = frozenset()
    """Words that are only in the values of such a message."""
    understood: float = 1.0
    """Which part of its Japanese words has English ones, from 0 to 1."""
    words: int = 1
    """How many words carry meaning: as in seed 001 each is worth a point, so this is the score of the best text."""

    @property
    def in_names(self) -> dict[str, float]:
        """Everything to look for in names and paths, and its weight there."""
        return {**self.forms, **self.terms, **self.translated}


def read_question(text: str, config: SearchConfig, printed: bool = False) -> Question:
    """Read a question, without using the index; ``printed``: it is what output says that was pasted."""
    bare_text, call = without_stamp(text), _CALL.fullmatch(text)
    read = read_query(f"{call[1]}()" if call else in_japanese(with_long_vowels(bare_text)))
    terms, concepts = _terms(read.text, config)
    english: dict[str, tuple[float, float]] = {}
    cut = japanese_words(read.text)
    if not read.text.isascii():
        terms = {**_terms(folded(read.text), config)[0], **terms}
        words = telling_words(cut)
        english = _translated(words, terms, config.signals.translation)
        # Without any translation, the original words are the concepts.
        concepts += tuple(dict.fromkeys(map(_concept, words))) or tuple((term,) for term in terms if not term.isascii())
        terms |= {term: in_text for term, (in_text, _) in english.items()}
    forms = {other: config.signals.other_forms * worth for term, worth in terms.items() for other in other_forms(term)}
    asked = _without_keyword(read.terms)
    only = [term for term in asked if term.kind in (TermKind.SYMBOL, TermKind.COMPOUND, TermKind.WORD)]
    bare = len(asked) == len(only) == 1
    code = frozenset(_BACKTICKS.findall(read.text))
    about = _about(read.terms, code | {name for pair in _NAMED.findall(read.text) for name in pair if name})
    names, spelled, scopes = _names(only, bare, code, about, config.signals.plain_definition)
    string = PRINTED if printed or bare_text != text else least_share(read.text)
    return Question(
        text=read.text,
        terms=terms,
        forms={form: worth for form, worth in forms.items() if form not in terms},
        translated={term: in_name for term, (_, in_name) in english.items()},
        phrases=tuple(one for one in _phrases(read) if one.quoted or Strategy(config.tokenization) != Strategy.LEGACY),
        paths=_paths(read),
        files=tuple(path.lower().strip("/") for path in read.of(TermKind.PATH) if "/" in path and "." in path),
        segments=tuple(dict.fromkeys(part.lower() for part in read.segments)),
        names=names,
        spelled=spelled,
        scopes=scopes,
        bare=bare,
        about_names=bare or bool(about),
        title="" if bare else _title(read),
        concepts=concepts,
        message=() if bare else _message(told_in(read.text) if string < PLAIN else unwrapped(read.text)),
        string=string,
        pieces=pieces_of(told_in(read.text)) if string < PLAIN and not bare else (),
        values=values_of(read.text) if string < PLAIN else frozenset(),
        understood=_understood(cut),
        words=max(1, len(concepts)),
    )


def _without_keyword(terms: Sequence[Term]) -> Sequence[Term]:
    """Leave out what may stand around a name that is the whole question: ``class Field``, ``get_rate src/a.py``."""
    rest = [term for term in terms if term.kind is not TermKind.PATH]
    if len(rest) == 2 and _KEYWORD.fullmatch(f"{rest[0].text} {rest[1].text}"):
        return rest[1:]
    is_file = any("/" in term.text and "." in term.text for term in terms if term.kind is TermKind.PATH)
    alone = len(rest) == 1 and (is_file or rest[0].kind in (TermKind.SYMBOL, TermKind.COMPOUND))
    return rest if alone else terms


def _message(text: str) -> tuple[str, ...]:
    """Return the words of a question in order; of pasted text both ends, as of its terms."""
    words = words_of(text)
    return tuple(words if len(words) <= MOST_WORDS else words[: MOST_WORDS // 2] + words[-MOST_WORDS // 2 :])


def _title(read: QueryTerms) -> str:
    """Return the question as a heading, or an empty text when it is too long or contains names or paths."""
    whole = " ".join(read.text.split()).rstrip(_ENDS).lower()
    plain = all(term.kind in (TermKind.WORD, TermKind.CJK) for term in read.terms)
    return whole if plain and len(whole) <= LONGEST_TITLE else ""


def _terms(text: str, config: SearchConfig) -> tuple[dict[str, float], tuple[tuple[str, ...], ...]]:
    """Return the index terms of a text with their weights, and those in Latin letters with their other forms."""
    tokens = list(dict.fromkeys(tokenize(text, Strategy(config.tokenization))))
    telling = [token for token in tokens if token not in stop_words()] or tokens
    if len(telling) > MOST_TERMS:
        telling = telling[: MOST_TERMS // 2] + telling[-MOST_TERMS // 2 :]
    latin = dict.fromkeys(stem(token) for token in telling if token.isascii())
    weights = {stem(token): worth for token in telling if (worth := _worth(token))}
    return weights or dict.fromkeys(map(stem, telling), 1.0), tuple((term, *other_forms(term)) for term in latin)


def _translated(words: Sequence[JapaneseWord], known: Collection[str], weight: float) -> dict[str, tuple[float, float]]:
    """Return the English terms of Japanese words with their weights in texts, and in names.

    In a name, a word that is said of everything (変更) counts little: that a file is called so is an accident.
    """
    found: dict[str, tuple[float, float]] = {}
    for word in words:
        for english, sure in word.meanings:
            worth = weight * sqrt(sure)
            for term in map(stem, english.split()):
                text, name = found.get(term, (0.0, 0.0))
                found[term] = max(text, worth), max(name, worth * word.weight)
    return {term: worth for term, worth in found.items() if term not in known}


def _concept(word: JapaneseWord) -> tuple[str, ...]:
    """Return a Japanese word and the terms that translate it."""
    return word.text, *(stem(part) for english, _ in word.meanings for part in english.split())


def _worth(token: str) -> float:
    """Return what a token counts: two letters of hiragana are nearly always grammar, one beside a kanji often is."""
    return (1.0, PARTLY_GRAMMAR, 0.0)[sum(map(is_hiragana, token))] if len(token) == 2 else 1.0


def _understood(words: Sequence[JapaneseWord]) -> float:
    """Return which part of a question's Japanese words the word table knows, from 0 to 1; surer meanings count more."""
    naming = [word for word in words if not is_hiragana(word.text[0]) or word.meanings]
    sure = sum(min(1.0, sum(share for _, share in word.meanings)) for word in naming)
    return sure / len(naming) if naming else 1.0


def _phrases(read: QueryTerms) -> Iterator[Phrase]:
    for term in dict.fromkeys(read.terms):
        if term.kind is TermKind.PHRASE:
            words = tuple(dict.fromkeys(map(stem, tokenize(term.text, Strategy.HYBRID))))
            if words:
                first = not any(f"{mark}{term.text}" in read.text for mark in "'‘")
                yield Phrase(normalise(term.text), words, True, first)
        elif term.kind is TermKind.COMPOUND and len(term.text) <= LONGEST_TOKEN:
            yield Phrase(term.text, tuple(map(stem, tokenize(term.text)[:1])), quoted=False)


def _paths(read: QueryTerms) -> tuple[str, ...]:
    """Return the paths in a question; a dotted name may also be one: ``django.template.loader``."""
    dotted = ("/".join(_parts(name)) for name in read.of(TermKind.SYMBOL))
    paths = (*read.of(TermKind.PATH), *(path for path in dotted if "/" in path))
    return tuple(dict.fromkeys(path.lower().strip("/") for path in paths))


def _about(terms: Sequence[Term], code: Collection[str]) -> frozenset[str]:
    """Return the names that a question asks about and nothing else: of a longer sentence none."""
    named = {term.text for term in terms if _is_code(term) or term.text in code}
    rest = [term for term in terms if term.text not in named and term.kind is not TermKind.PATH]
    rest = [term for term in rest if not (_ABOUT_IN_JAPANESE.sub("", term.text) == "" or _asks(term.text.lower()))]
    if not named and len(rest) == 1 < len(terms) and rest[0].text[0].isupper():
        inside = rest[0] != terms[0] or terms[1].kind is TermKind.CJK  # a sentence begins with a capital
        return frozenset({rest[0].text}) if inside else frozenset()
    return frozenset() if rest else frozenset(named)


def _is_code(term: Term) -> bool:
    return term.kind in (TermKind.SYMBOL, TermKind.COMPOUND)


def _asks(word: str) -> bool:
    return word in stop_words() or _ABOUT.fullmatch(word) is not None


def _names(
    terms: list[Term], bare: bool, code: Collection[str], about: Collection[str], plain: float
) -> tuple[dict[str, float], dict[str, str], dict[str, str]]:
    """Return the names with their worth, as they are spelled, and their scopes; ``code`` stands in backticks."""
    names: dict[str, float] = {}
    spelled: dict[str, str] = {}
    scopes: dict[str, str] = {}
    for term in terms:
        *outer, last = _parts(term.text)
        name = last.lower()
        if not name or name in stop_words() or len(names) >= MOST_NAMES:
            continue
        sure = bare or _is_code(term) or term.text in code or term.text in about
        for form in _spellings(name, last) if sure else (name,):
            names[form] = max(names.get(form, 0.0), 1.0 if sure else plain)
            spelled.setdefault(form, last)
            if outer:
                scopes[form] = outer[-1].lower()
    return names, spelled, scopes


def _spellings(lower: str, name: str) -> tuple[str, ...]:
    """Return a name as other naming conventions write it: ``getUser`` → ``getuser``, ``get_user``."""
    words = split_identifier(name)
    return tuple(dict.fromkeys((lower, "_".join(words), "".join(words)))) if len(words) > 1 else (lower,)


def _parts(name: str) -> list[str]:
    """Split a qualified name: ``foo::bar`` → ``["foo", "bar"]``."""
    for mark in ("::", "->", "#"):
        name = name.replace(mark, ".")
    return name.split(".")
