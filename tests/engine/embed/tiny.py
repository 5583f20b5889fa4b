"""A model of the E5 family small enough to be written by a test: real files, read by the real libraries.

Words of one meaning share a direction, in both languages, and all words share another, so that unrelated texts have a
cosine of 0.8 as they have with the large ones. The padding's vector is huge: where it leaks in, it shows.
"""

import json
from pathlib import Path

import numpy as np

DIMENSIONS = 16
MEANINGS = (
    ("login", "signin", "ログイン"),
    ("cart", "basket", "カート"),
    ("price", "cost", "金額"),
    ("payment", "checkout", "決済"),
    ("retry", "again", "再試行"),
)
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>", "query", "passage", ":")
WORDS = (*SPECIAL, *(word for words in MEANINGS for word in words))
COMMON, OWN, QUERY_AXIS, PASSAGE_AXIS = 2.0, 1.0, 14, 15
PAD = 1000.0


def write_model(
    folder: Path, *, graph: str = "onnx/model.onnx", types: bool = True, shift: float = 0.0, hidden: int = DIMENSIONS
) -> Path:
    """Write a whole model into a directory; ``shift`` makes it another one, ``types`` gives it a third input."""
    place = folder / graph
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(_model(table() + np.float32(shift), types))
    (folder / "config.json").write_text(json.dumps({"hidden_size": hidden, "pad_token_id": 0}))
    _write_tokenizer(folder / "tokenizer.json")
    return folder


def table() -> np.ndarray:
    """Return the vector of each word."""
    rows = np.zeros((len(WORDS), DIMENSIONS), dtype=np.float32)
    rows[:, 0] = COMMON
    rows[0] = PAD
    for axis, words in enumerate(MEANINGS, 1):
        rows[[WORDS.index(word) for word in words], axis] = OWN * 4
    rows[WORDS.index("query"), QUERY_AXIS] = OWN
    rows[WORDS.index("passage"), PASSAGE_AXIS] = OWN
    return rows


def expected(*words: str) -> np.ndarray:
    """Return the unit row of these tokens between the marks of beginning and end, worked out by hand."""
    ids = [WORDS.index(word) if word in WORDS else WORDS.index("<unk>") for word in ("<s>", *words, "</s>")]
    mean = table()[ids].mean(axis=0)
    return mean / np.linalg.norm(mean)


def _write_tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: number for number, word in enumerate(WORDS)}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation()])
    ends = [(mark, vocabulary[mark]) for mark in ("<s>", "</s>")]
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    made.save(str(path))


# --- ONNX by hand: a message is fields, a field is a tag and a number or a length and bytes -----------------------


def _model(rows: np.ndarray, types: bool) -> bytes:
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    nodes = [_node("Gather", ["table", "input_ids"], "said" if types else "last_hidden_state")]
    if types:
        nodes.append(_node("Gather", ["kinds", "token_type_ids"], "kind"))
        nodes.append(_node("Add", ["said", "kind"], "last_hidden_state"))
    graph = b"".join(
        [
            *(_bytes(1, node) for node in nodes),
            _bytes(2, b"tiny"),
            _bytes(5, _tensor("table", rows)),
            *([_bytes(5, _tensor("kinds", np.outer([0.0, PAD], rows[1])))] * types),
            *(_bytes(11, _value(name, 7, [b"batch", b"length"])) for name in names),
            _bytes(12, _value("last_hidden_state", 1, [b"batch", b"length", rows.shape[1]])),
        ]
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _number(2, 15))


def _node(kind: str, given: list[str], made: str) -> bytes:
    return b"".join(_bytes(1, name.encode()) for name in given) + _bytes(2, made.encode()) + _bytes(4, kind.encode())


def _tensor(name: str, values: np.ndarray) -> bytes:
    shape = b"".join(_number(1, length) for length in values.shape)
    return shape + _number(2, 1) + _bytes(8, name.encode()) + _bytes(9, values.astype("<f4").tobytes())


def _value(name: str, kind: int, shape: list[bytes | int]) -> bytes:
    sizes = (_bytes(1, _number(1, size) if isinstance(size, int) else _bytes(2, size)) for size in shape)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, b"".join(sizes))))


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])
