"""What is copied is found, edited or not; what is only alike is left alone."""

from pathlib import Path

import numpy as np

from training import overlap

CODE = "def send(self, request, *, stream=False): response = self.transport.handle(request); return response.read()"


def test_an_edited_copy_is_found_and_other_code_is_not() -> None:
    known = overlap.reference([CODE + " # and more that only the original has"])
    edited = CODE.replace("response.read()", "response")
    other = "class Tree: def insert(self, key): node = self.root; while node: node = node.child(key)"
    assert overlap.copied([CODE, edited, other, "short"], known).tolist() == [True, True, False, False]


def test_a_source_bears_a_repositorys_name_by_whole_words() -> None:
    names = ["serde-rs/serde", "FasterXML/jackson-databind", "rack/rack"]
    assert overlap.named("librust-serde-json-dev", names)
    assert overlap.named("libjackson2-databind-java", ["FasterXML/databind"])
    assert not overlap.named("pypi:tracker", names)


def test_a_source_with_many_copies_is_dropped_whole() -> None:
    sources = ["bundle"] * 10 + ["clean"] * 200
    flags = np.array([True] * 4 + [False] * 205 + [True])
    assert overlap.sources_to_drop(sources, flags) == {"bundle"}


def test_a_japanese_question_is_known_by_its_letters() -> None:
    asked = ["コネクションプールとTCPコネクタ"]
    texts = ["コネクションプールと ＴＣＰコネクタ", "コネクションプール", ""]
    assert overlap.like_questions(texts, asked).tolist() == [True, False, False]


def test_trees_are_read_without_binaries(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    (tmp_path / "b.bin").write_bytes(b"\0\1")
    assert list(overlap.tree_texts([tmp_path])) == ["x = 1"]
