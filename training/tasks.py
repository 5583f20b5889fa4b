"""What is asked of the table: which texts of the packed file belong together.

Questions are made from docs: their words, or a third of them, with the words of questions mixed in. A passage is code
and a part of its doc, since real chunks carry their docs. Japanese comes as translated strings, as the words of the
glossary, and as docs and names whose words were looked up there, which go straight to code and to names.
"""

import json
import lzma
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
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
"""How many words that the glossary does not know stay as they are; one Japanese question in four has such a word."""
LONGEST_PHRASE = 3
SHORT_STRING = 4
"""Words of a string that could be a name."""
GRAMMAR = {
    "is": "かどうか 判定 であるか",
    "has": "があるか 持つか 有無",
    "can": "できるか 可否",
    "should": "すべきか",
    "to": "への変換 に変換",
    "from": "から",
    "by": "による で",
    "with": "付き",
    "without": "なし",
    "not": "でない しない",
    "on": "したとき 時の処理 際",
    "before": "前 事前",
    "after": "後 事後",
    "get": "取得 を得る 取り出す",
    "set": "設定 セット",
    "add": "追加 足す 登録",
    "remove": "削除 除去 取り除く",
    "make": "作成 作る",
    "create": "作成 生成 作る",
    "find": "検索 探す",
    "all": "すべて 全部 全",
    "max": "最大 上限",
    "min": "最小 下限",
    "num": "数 個数",
    "count": "件数 数 数える",
    "init": "初期化",
    "read": "読み込み 読む",
    "write": "書き込み 書き出す 書く",
    "parse": "解析 パース",
    "print": "表示 出力",
    "show": "表示",
    "update": "更新",
    "free": "解放",
    "impl": "実装",
}
"""The small words of names, which no glossary has; in Japanese they are endings and verbs."""


@dataclass(frozen=True, slots=True)
class Shares:
    """How often each kind of pair is drawn, and what goes into it."""

    code: float = 1.0
    name: float = 0.3
    japanese: float = 0.6
    dictionary: float = 0.1
    glossary: float = 0.05
    short: float = 0.3
    japanese_code: float = 0.3
    japanese_name: float = 0.3
    block: int = 128
    doc_in_passage: float = 0.6
    keywords: float = 0.3


@dataclass(slots=True)
class Texts:
    """The packed rows, by kind."""

    code: list[dict[str, str]] = field(default_factory=list)
    strings: list[dict[str, str]] = field(default_factory=list)
    dictionary: list[dict[str, str]] = field(default_factory=list)
    glossary: list[dict[str, str]] = field(default_factory=list)


def read_texts(packed: Path, limit: int = 0) -> Texts:
    """Read the packed file and the package's own glossary."""
    texts = Texts(glossary=glossary())
    with lzma.open(packed, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            kind = texts.code if "c" in row else texts.dictionary if _is_dictionary(row["s"]) else texts.strings
            if not limit or len(kind) < limit:
                kind.append(row)
    return texts


def _is_dictionary(source: str) -> bool:
    return any(name in source for name in ("edict", "unidic", "compdic"))


def glossary() -> list[dict[str, str]]:
    """Return the pairs of the package's word list."""
    lines = resources.files("shirube.engine.text").joinpath("japanese.tsv").read_text("utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if line)
    return [{"j": japanese, "e": word} for japanese, english in pairs for word in english.split(", ")]


def learn_vocabulary(texts: Texts, sizes: tuple[int, int]) -> list[str]:
    """Return the terms that get a row."""
    codes = [f"{row['c']} {row['n']}" for row in texts.code]
    read = [row["q"] for row in texts.code]
    for row in (*texts.strings, *texts.dictionary):
        read += [row["e"], row["j"]]
    words = [row["j"] for row in texts.glossary]
    return learn(codes, read + 3 * words, [row["j"] for row in texts.dictionary] + words, sizes)


class Builder:
    """Cuts the texts once and makes tasks of them."""

    def __init__(self, texts: Texts, vocabulary: Vocabulary, workers: int = 1) -> None:
        self.texts, self.vocabulary, self.workers = texts, vocabulary, workers
        self.cut: dict[str, tuple[Bags, np.ndarray]] = {}
        self.docs: list[str] = []
        self.names: list[dict[str, str]] = []

    def tasks(self, shares: Shares) -> list[Task]:
        """Return the tasks that have a share and texts."""
        code, strings, words, own = self.texts.code, self.texts.strings, self.texts.dictionary, self.texts.glossary
        q, c = self._side("q", code, "q"), self._side("c", code, "c")
        passage = (Part(c[0]), Part(q[0], shares.doc_in_passage)) if shares.doc_in_passage else (Part(c[0]),)
        english, japanese = self._rows_of(ENGLISH_FILLERS), self._rows_of(JAPANESE_FILLERS)
        doc = (Part(q[0], few=shares.keywords),)
        n = self._side("n", code, "n")
        tasks = [
            Task("doc-code", doc, passage, q[1], c[1], shares.code, shares.block, english),
            Task("name-doc", (Part(n[0]),), (Part(q[0]),), n[1], q[1], shares.name, shares.block),
            self._plain("strings", strings, shares.japanese, japanese),
            self._plain("dictionary", words, shares.dictionary, ()),
            self._plain("glossary", own, shares.glossary, japanese),
            self._plain("short", [row for row in strings if _is_short(row["e"])], shares.short, japanese),
            *self._looked_up(shares, japanese),
        ]
        return [task for task in tasks if task.share and len(task)]

    def _looked_up(self, shares: Shares, fillers: tuple[int, ...]) -> list[Task]:
        """Return the tasks whose Japanese comes from the glossary, word by word."""
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
    own = {(stem(english),): japanese.split() for english, japanese in GRAMMAR.items()}
    translate = Translator({**words, **own}, frozenset(), stays=0.5)
    names = sorted({row["n"].split(".")[-1] for row in rows})
    made = ({"n": name, "u": translate(" ".join(split_identifier(name)))} for name in names)
    return [row for row in made if row["u"]]


Lexicon = dict[tuple[str, ...], list[str]]
"""Japanese for the stems of English words and phrases."""


def lexicon(texts: Texts) -> Lexicon:
    """Return the Japanese for English words and short phrases, by their stems."""
    found: Lexicon = {}
    short = [row for row in texts.strings if len(row["e"].split()) <= 2 and len(row["j"]) <= 10 and _is_cjk(row["j"])]
    for row in (*texts.glossary, *short):
        words = tuple(map(stem, row["e"].lower().split()))
        known = found.setdefault(words, [])
        if row["j"] not in known:
            known.append(row["j"])
    return found


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
                out.append(random.choice(self.words[tuple(stems[place : place + length])][:6]))
                known += 1
            elif random.random() < self.stays:
                out.append(plain[place])
            place += length or 1
        return " ".join(out) if known > 1 else ""
