"""What is asked of the table: which texts of the packed file belong together.

Questions are made from docs: their words, or a third of them, with the words of questions mixed in. A passage is code
and a part of its doc, since real chunks carry their docs. Histories give messages and comments with the code, the name
and the path they were written for. Japanese also comes as translated strings, and as docs and names whose words were
looked up in the shortest of these, which go straight to code and to names.
"""

import json
import lzma
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import Pool
from pathlib import Path
from random import Random
from zlib import crc32

import numpy as np

from shirube.engine.embed.static import Vocabulary
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import CJK, split_identifier
from training.arrays import backend
from training.bags import Bags, encode
from training.train import Part, Task
from training.vocabulary import learn

ENGLISH_FILLERS = (
    "how is are does do the where what which of to code logic implement implementation handled handle work works for "
    "in that class function method used way"
)
JAPANESE_FILLERS = (
    "どこで どこ 仕組み 処理 方法 教えて 知りたい している されている 実装 する箇所 行う 使う ための "
    "はどうなっている ってある を探して 見せて 定義 されてる やっている 関数 クラス 部分 コード について 場所"
)
LATIN_STAYS = 0.15
"""How many words that nothing is known of stay as they are; one Japanese question in four has such a word."""
NAME_SCALE = PATH_SCALE = 1.5
"""How often a word of a name or a path counts beside the words of the code; at run time they have fixed shares."""
LONGEST_PHRASE = 3
SHORT_STRING = 4
"""Words of a string that could be a name."""
MEANINGS = 4
"""The most common translations of a word that are used."""


@dataclass(frozen=True, slots=True)
class Shares:
    """How often each kind of pair is drawn, and what goes into it."""

    code: float = 1.0
    name: float = 0.3
    japanese: float = 0.6
    short: float = 0.3
    japanese_code: float = 0.3
    japanese_name: float = 0.3
    histories: dict[str, float] = field(default_factory=dict)
    """The shares of the kinds of history rows: messages and comments, in each language."""
    block: int = 128
    doc_in_passage: float = 0.6
    keywords: float = 0.3


@dataclass(slots=True)
class Texts:
    """The packed rows, by kind."""

    code: list[dict[str, str]] = field(default_factory=list)
    strings: list[dict[str, str]] = field(default_factory=list)
    histories: dict[str, list[dict[str, str]]] = field(default_factory=dict)


def read_texts(packed: Path, limit: int = 0) -> Texts:
    """Read the packed file."""
    texts = Texts()
    with lzma.open(packed, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            kind = texts.strings if "j" in row else texts.code
            if "k" in row:
                kind = texts.histories.setdefault(row["k"], [])
            if not limit or len(kind) < limit:
                kind.append(row)
    return texts


def learn_vocabulary(texts: Texts, sizes: tuple[int, int]) -> list[str]:
    """Return the terms that get a row."""
    told = [*texts.code, *(row for rows in texts.histories.values() for row in rows)]
    codes = [f"{row['c']} {row['n']}" for row in told]
    read = [row["q"] for row in told]
    for row in texts.strings:
        read += [row["e"], row["j"]]
    return learn(codes, read, sizes)


class Builder:
    """Cuts the texts once and makes tasks of them."""

    def __init__(self, texts: Texts, vocabulary: Vocabulary, workers: int = 1) -> None:
        self.texts, self.vocabulary, self.workers = texts, vocabulary, workers
        self.cut: dict[str, tuple[Bags, np.ndarray]] = {}
        self.docs: list[str] = []
        self.names: list[dict[str, str]] = []

    def tasks(self, shares: Shares) -> list[Task]:
        """Return the tasks that have a share and texts."""
        code, strings = self.texts.code, self.texts.strings
        q, c = self._side("q", code, "q"), self._side("c", code, "c")
        passage = (Part(c[0]), Part(q[0], shares.doc_in_passage)) if shares.doc_in_passage else (Part(c[0]),)
        english, japanese = self._rows_of(ENGLISH_FILLERS), self._rows_of(JAPANESE_FILLERS)
        doc = (Part(q[0], few=shares.keywords),)
        n = self._side("n", code, "n")
        tasks = [
            Task("doc-code", doc, passage, q[1], c[1], shares.code, shares.block, english),
            Task("name-doc", (Part(n[0]),), (Part(q[0]),), n[1], q[1], shares.name, shares.block),
            self._plain("strings", strings, shares.japanese, japanese),
            self._plain("short", [row for row in strings if _is_short(row["e"])], shares.short, japanese),
            *self._looked_up(shares, japanese),
            *(self._history(kind, rows, shares) for kind, rows in self.texts.histories.items()),
        ]
        return [task for task in tasks if task.share and len(task)]

    def _history(self, kind: str, rows: list[dict[str, str]], shares: Shares) -> Task:
        """Return the task of finding what a message or a comment was written for, by code, name and path."""
        q, c, n, p = (self._side(f"{kind} {key}", rows, key) for key in "qcnp")
        passage = (Part(c[0]), Part(n[0], scale=NAME_SCALE), Part(p[0], scale=PATH_SCALE))
        left = (Part(q[0], few=shares.keywords),)
        return Task(kind, left, passage, q[1], c[1], shares.histories.get(kind, 0.0), shares.block)

    def _looked_up(self, shares: Shares, fillers: tuple[int, ...]) -> list[Task]:
        """Return the tasks whose Japanese comes from short strings, word by word."""
        if not shares.japanese_code and not shares.japanese_name:
            return []
        if not self.names:
            words = lexicon(self.texts)
            self.docs = _translated_docs(words, self.texts.code, self.workers)
            self.names = _translated_names(words, self.texts.code)
        chosen = backend().asarray(np.flatnonzero([bool(doc) for doc in self.docs]))
        t, c, q = self._side("docs", [{"t": doc} for doc in self.docs], "t"), self.cut["c"], self.cut["q"]
        left = (Part(t[0].take(chosen), few=shares.keywords),)
        right = (Part(c[0].take(chosen)), Part(q[0].take(chosen), shares.doc_in_passage))
        same = t[1][chosen], c[1][chosen]
        u, n = (self._side("names " + key, self.names, key) for key in "un")
        return [
            Task("ja-code", left, right, *same, shares.japanese_code, 1, fillers),
            Task("ja-name", (Part(u[0], 1.0),), (Part(n[0], 1.0),), u[1], n[1], shares.japanese_name, 1, fillers),
        ]

    def _plain(self, name: str, rows: list[dict[str, str]], share: float, fillers: tuple[int, ...]) -> Task:
        j, e = self._side(name + " j", rows, "j"), self._side(name + " e", rows, "e")
        keep = 0.85 if name == "strings" else 1.0
        return Task(name, (Part(j[0], keep),), (Part(e[0], keep),), j[1], e[1], share, 1, fillers)

    def _side(self, key: str, rows: Sequence[dict[str, str]], name: str) -> tuple[Bags, np.ndarray]:
        if key not in self.cut:
            texts = [row[name] for row in rows]
            same = np.array([crc32(text.lower().encode()) for text in texts], np.int64)
            self.cut[key] = encode(self.vocabulary, texts, self.workers).on_device(), backend().asarray(same)
        return self.cut[key]

    def _rows_of(self, words: str) -> tuple[int, ...]:
        bags = [self.vocabulary.bag(word) for word in words.split()]
        return tuple(sorted({row for bag in bags for row, _ in bag}))


def _is_short(text: str) -> bool:
    return len(text.split()) <= SHORT_STRING


def _translated_docs(words: "Lexicon", rows: list[dict[str, str]], workers: int) -> list[str]:
    translate = Translator(words, stop_words())
    docs = [row["q"].replace(",", " ").replace(".", " ") for row in rows]
    if workers < 2:
        return list(map(translate, docs))
    with Pool(workers) as pool:
        return pool.map(translate, docs, chunksize=4_000)


def _translated_names(words: "Lexicon", rows: list[dict[str, str]]) -> list[dict[str, str]]:
    translate = Translator(words, frozenset(), stays=0.5)
    names = sorted({row["n"].split(".")[-1] for row in rows})
    made = ({"n": name, "u": translate(" ".join(split_identifier(name)))} for name in names)
    return [row for row in made if row["u"]]


Lexicon = dict[tuple[str, ...], list[str]]
"""Japanese for the stems of English words and phrases."""


def lexicon(texts: Texts) -> Lexicon:
    """Return the Japanese for English words and short phrases, by their stems: what is said most, first."""
    found: dict[tuple[str, ...], Counter[str]] = {}
    for row in texts.strings:
        if len(row["e"].split()) <= 2 and len(row["j"]) <= 10 and _is_cjk(row["j"]):
            words = tuple(map(stem, row["e"].lower().split()))
            found.setdefault(words, Counter())[row["j"]] += 1
    return {words: [japanese for japanese, _ in counts.most_common(MEANINGS)] for words, counts in found.items()}


def _is_cjk(text: str) -> bool:
    return re.fullmatch(rf"[{CJK}]+", text) is not None


class Translator:
    """Looks words up, the longest phrase first; the same text always gives the same words."""

    def __init__(self, words: Lexicon, dropped: frozenset[str], stays: float = LATIN_STAYS) -> None:
        self.words, self.dropped, self.stays = words, dropped, stays

    def __call__(self, text: str) -> str:
        """Return the Japanese of the words that are known, or nothing if they are fewer than two."""
        random = Random(crc32(text.encode()))
        plain = [word for word in text.lower().split() if word not in self.dropped]
        stems = [stem(word) for word in plain]
        out: list[str] = []
        place = known = 0
        while place < len(plain):
            length = next((n for n in range(LONGEST_PHRASE, 0, -1) if tuple(stems[place : place + n]) in self.words), 0)
            if length:
                out.append(random.choice(self.words[tuple(stems[place : place + length])]))
                known += 1
            elif random.random() < self.stays:
                out.append(plain[place])
            place += length or 1
        return " ".join(out) if known > 1 else ""
