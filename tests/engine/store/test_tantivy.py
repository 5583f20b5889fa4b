"""The BM25 projection."""

import pytest

from shirube.engine.store.lexical import Where, file_of, key_of
from shirube.engine.store.port import Doc
from shirube.engine.store.tantivy import MANY_SEGMENTS, TantivyLexical, remove_projection


@pytest.fixture
def index(tmp_path):
    return TantivyLexical(tmp_path / "t")


def files(index, word, **where) -> list[int]:
    return [file_of(key) for key, _ in index.search({"content": {word: 1.0}}, Where(**where), 50)]


def test_nothing_is_visible_before_the_commit_and_everything_after(index):
    index.replace(1, "python", [Doc("alpha", "", "")])
    assert files(index, "alpha") == []
    index.commit()
    assert files(index, "alpha") == [1]


def test_what_is_abandoned_never_appears(index):
    index.replace(1, "python", [Doc("alpha", "", "")])
    index.abandon()
    index.replace(2, "python", [Doc("beta", "", "")])
    index.commit()
    assert files(index, "alpha") == []
    assert files(index, "beta") == [2]


def test_another_reader_sees_a_commit_without_being_told(index, tmp_path):
    other = TantivyLexical(tmp_path / "t")
    assert files(other, "alpha") == []
    index.replace(1, "python", [Doc("alpha", "", "")])
    index.commit()
    assert files(other, "alpha") == [1]


@pytest.mark.requirement("N001-STORE-02")
def test_replacing_feeds_the_same_file_twice_without_doubling_it(index):
    for _ in range(2):
        index.replace(1, "python", [Doc("alpha", "", "")])
    index.commit()
    assert files(index, "alpha") == [1]
    assert index.counts()[0] == 1


def test_many_small_commits_do_not_leave_many_segments(index):
    for number in range(3 * MANY_SEGMENTS):
        index.replace(number, "python", [Doc(f"word{number}", "", "")])
        index.commit()
    assert index._index.searcher().num_segments <= MANY_SEGMENTS + 1
    assert index.counts() == (3 * MANY_SEGMENTS, 0)


def test_removing_deletes_the_directory(index, tmp_path):
    remove_projection(tmp_path / "t")
    assert not (tmp_path / "t").exists()


def test_filters_do_not_change_scores(index):
    for number, language in enumerate(("python", "go")):
        index.replace(number, language, [Doc("alpha", "", "")])
    index.commit()
    alone = index.search({"content": {"alpha": 1.0}}, Where(languages=["go"]), 9)
    both = dict(index.search({"content": {"alpha": 1.0}}, Where(), 9))
    assert [file_of(key) for key, _ in alone] == [1]
    assert alone[0][1] == pytest.approx(both[alone[0][0]])


def test_what_is_worth_more_counts_for_more(index):
    index.replace(1, "python", [Doc("red", "", "")])
    index.replace(2, "python", [Doc("blue", "", "")])
    index.commit()
    scores = {file_of(key): score for key, score in index.search({"content": {"red": 3.0, "blue": 1.5}}, Where(), 9)}
    assert scores[1] == pytest.approx(2 * scores[2])


def test_terms_stand_together_in_the_content_of_one_document(index):
    index.replace(1, "python", [Doc("red green", "", ""), Doc("red", "green", "green")])
    index.replace(2, "go", [Doc("green red", "", "")])
    index.commit()
    assert {key for key, _ in index.together(["red", "green"], Where(), 9)} == {key_of(1, 0), key_of(2, 0)}
    assert [file_of(key) for key, _ in index.together(["red", "green"], Where(languages=["go"]), 9)] == [2]
    assert index.together([], Where(), 9) == []


def test_a_term_is_counted_by_field_and_another_reader_counts_what_was_committed(index, tmp_path):
    other = TantivyLexical(tmp_path / "t")
    index.replace(1, "python", [Doc("red red", "red", ""), Doc("red", "", "")])
    index.commit()
    for reader in (index, other):
        assert [reader.frequencies(field, ["red"])["red"] for field in ("content", "symbols", "path")] == [2, 1, 0]
