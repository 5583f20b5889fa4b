"""The default: words and the bundled model together."""

import os
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.types import Answer
from tests.conftest import write_sample


@pytest.fixture
def project(tmp_path: Path, state_dirs, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SHIRUBE_EMBED_MODEL")
    assert "SHIRUBE_EMBED_MODEL" not in os.environ
    root = tmp_path / "shop"
    write_sample(root)
    with open_workspace(root) as opened:
        opened.sync_index()
        yield opened


def test_the_bundled_model_is_the_default(project: Project):
    assert project.index_status().model.startswith("static-")


def test_a_question_is_answered_by_words_and_sense_and_says_so(project: Project):
    hit = project.search("charge the card again after a failure", mode="hybrid").forest_hits[0]
    assert {"text:words", "text:sense"} <= {reason.name for reason in hit.why}
    assert sum(reason.points for reason in hit.why) == pytest.approx(hit.score, abs=1e-5)


def test_japanese_finds_english_by_what_it_means(project: Project):
    paths = [hit.path for hit in project.search("支払いに失敗したらもう一度試す").forest_hits[:3]]
    assert {"src/shop/retry.py", "src/shop/payment.py"} & set(paths)


@pytest.mark.parametrize("name", ["zyzzyva", "quokka_wombat", "QuokkaWombat"])
def test_a_name_is_there_or_not_whatever_is_near_to_it(project: Project, name: str):
    result = project.search(name)
    assert (result.forest_hits, result.answer) == ((), Answer.NONE)


def test_words_nobody_knows_are_near_to_nothing(project: Project):
    assert project.search("zyzzyva qwrtplk", mode="dense").forest_hits == ()


def test_a_question_without_a_word_of_the_project_is_unsure_at_best(project: Project):
    assert project.search("volcanic eruption geology of iceland").answer in (Answer.PARTIAL, Answer.NONE)


def test_large_projects_are_asked_by_words_alone(project: Project):
    with open_workspace(project.workspace.root, search__sense_chunks=1) as small:
        why = [reason.name for hit in small.search("charge the card again").forest_hits for reason in hit.why]
    assert "text:words" in why
    assert "text:sense" not in why


def test_by_rank_alone_is_possible(project: Project):
    with open_workspace(project.workspace.root, search__fusion="rrf") as ranked:
        assert ranked.search("charge the card again").forest_hits


def test_a_model_that_cannot_be_read_is_told_and_words_answer(
    tmp_path: Path, state_dirs, monkeypatch: pytest.MonkeyPatch
):
    def broken(self, folder=None):
        raise FileNotFoundError("rows.npy")

    monkeypatch.delenv("SHIRUBE_EMBED_MODEL")
    monkeypatch.setattr("shirube.engine.embed.static.StaticEmbedder.__init__", broken)
    write_sample(tmp_path / "shop")
    with open_workspace(tmp_path / "shop") as project:
        result = project.search("charge the card")
    assert result.forest_hits
    assert any("words alone" in note for note in result.degraded)
