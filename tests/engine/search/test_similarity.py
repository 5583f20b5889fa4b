"""Calibrated similarity: the same meaning for every model and project."""

from math import exp

import numpy as np
import pytest

from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.embed.static import StaticEmbedder
from shirube.engine.search.similarity import COMMON_NAMES, FITTED, RELATED, UNFITTED, Curve, Similarity, _sample
from shirube.engine.store.store import Store
from tests.engine.search.conftest import entry, filled
from tests.stores import memory_store

NAMES = ["AuthService", "LoginController", "paint_border", *(name.replace(" ", "_") for name in COMMON_NAMES)]


class Crowded(StaticEmbedder):
    """A model whose cosines crowd together far from nought, as those of contextual models do."""

    name = "crowded-1"

    def contents(self, texts, tokens=None, symbols=None):
        return _crowd(super().contents(texts, tokens, symbols))

    def query(self, text, tokens=None):
        return _crowd(super().query(text, tokens))


def _crowd(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    plain = rows / np.where(lengths == 0, 1, lengths)
    return np.hstack([plain, np.full((len(rows), 1), 2.0)])


@pytest.fixture(scope="module")
def store() -> Store:
    return filled(*(entry(f"src/{name}.py", f"def {name}(): ...", names=[name]) for name in NAMES))


def test_names_that_are_asked_for_again_are_kept_apart(monkeypatch):
    monkeypatch.setattr("shirube.engine.search.similarity.MOST_KEPT", 400)
    meaning = Similarity(memory_store(HashedEmbedder().dimensions), HashedEmbedder())
    names = [f"name{number} other" for number in range(250)]
    first = meaning.names("name7 other", names)
    assert meaning.names("name7 other", names[::-1]) == first[::-1]
    assert meaning.names("name7 other", [*names, "name7 other"])[-1] == max(first)
    assert meaning.names("name7", ()) == ()


def test_a_curve_is_a_half_where_true_and_other_pairs_are_equally_likely():
    curve = Curve(2.0, -4.0)
    assert curve.at(2.0) == 0.5
    assert curve.at(3.0) == round(1 / (1 + exp(-2.0)), 3)
    assert curve.at(-50.0) == 0.0


def test_a_japanese_term_belongs_to_the_english_name_that_means_it(store):
    auth, login, border = Similarity(store, StaticEmbedder()).names(
        "ログイン機能", ["AuthService", "LoginController", "paint_border"]
    )
    assert login > auth > 0.6
    assert border < 0.3


def test_a_model_whose_cosines_crowd_says_the_same(store):
    plain, crowded = (
        Similarity(store, model).names("ログイン機能", ["LoginController", "paint_border"])
        for model in (StaticEmbedder(), Crowded())
    )
    assert crowded[0] > 0.8
    assert crowded[1] < 0.3
    assert abs(plain[0] - crowded[0]) < 0.1


def test_steps_are_counted_from_what_the_same_term_has_in_common_with_other_names(store):
    meaning, model = Similarity(store, StaticEmbedder()), StaticEmbedder()
    asked = model.query("retry a request")[0]
    rows = meaning._background().rows
    around = np.sort(rows @ asked)[: -int(len(rows) * RELATED)]
    (steps,) = meaning.name_steps("retry a request", ["retry_request"])
    own = model.contents(["retry request"])[0]
    cosine = float(own @ asked / np.linalg.norm(own))
    assert steps == pytest.approx((cosine - around.mean()) / around.std(), rel=1e-4)
    (said,) = meaning.names("retry a request", ["retry_request"])
    assert said == FITTED["static"].names.at(steps)


def test_a_term_of_which_the_model_knows_nothing_is_like_nothing(store):
    assert Similarity(store, StaticEmbedder()).names("¤¤¤", ["AuthService"]) == (0.0,)
    assert Similarity(store, StaticEmbedder()).names("login", []) == ()


def test_a_passage_is_the_likelier_the_nearer_it_is(store):
    meaning = Similarity(store, StaticEmbedder())
    said = [meaning.passage(cosine) for cosine in (-0.2, 0.1, 0.3, 0.6, 0.9)]
    assert said == sorted(said)
    assert said[0] < 0.1
    assert said[-1] > 0.9
    assert meaning.passage(0.3) == FITTED["static"].passages.at(meaning.steps(0.3))


def test_a_model_that_cannot_tell_says_so(store):
    (said,) = Similarity(store, HashedEmbedder()).names("ログイン機能", ["AuthService"])
    assert 0.3 < said < 0.5
    assert Similarity(store, Crowded())._curves is UNFITTED


def test_a_small_project_is_measured_against_common_names():
    few = filled(entry("a.py", "def login(): ...", names=["login"]))
    assert _sample(few) == ["login", *COMMON_NAMES[:-1]]
    nothing = Similarity(memory_store(StaticEmbedder().dimensions), StaticEmbedder())
    assert nothing.names("sign in", ["login"])[0] > 0.6


def test_the_background_is_drawn_again_when_the_project_has_grown(store):
    grown = filled(entry("a.py", "def login(): ...", names=["login"]))
    meaning = Similarity(grown, StaticEmbedder())
    first = meaning._background()
    assert meaning._background() is first
    meaning._store = store
    assert meaning._background() is not first
