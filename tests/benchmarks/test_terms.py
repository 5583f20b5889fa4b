"""The benchmark of terms asks what it says it asks, and the rule of the very term holds on all of its pairs."""

import numpy as np
import pytest
from benchmarks.agreements.terms import (
    Asked,
    at_threshold,
    count_pairs,
    different,
    fit,
    load,
    questions,
    shares,
    siblings,
)

from shirube.features.map.lookup import Index, look_up


def wild(term: str, texts: list[str]) -> list[float]:
    """Return that everything is very similar to everything, which is the worst that a model can say."""
    return [0.99] * len(texts)


def by_words(term: str, texts: list[str]) -> list[float]:
    return [0.0] * len(texts)


def test_there_are_enough_pairs_and_paraphrases_of_enough_projects():
    projects = load()
    assert len(projects) >= 5
    assert min(map(count_pairs, projects.values())) >= 300
    assert sum(len(known.said) for listed in projects.values() for known in listed) >= 200
    assert len(siblings()) >= 140
    keys = [(known.project, known.symbol) for listed in projects.values() for known in listed]
    assert len(set(keys)) == len(keys)


@pytest.mark.requirement("004-SHORT-02")
def test_no_agreement_answers_alone_for_another_term_whatever_the_model_says():
    projects = {name: listed for name, listed in load().items() if name in ("django", "gson")}
    assert different(projects, wild) == {"django": [], "gson": []}


def test_other_spellings_answer_alone_and_the_other_language_mostly_does():
    found = questions(load()["click"], by_words)
    assert found["other spellings"].alone / found["other spellings"].total > 0.97
    assert found["the other language"].alone / found["the other language"].total > 0.6
    assert sum(asked.wrong_alone for asked in found.values()) == 0


def test_what_became_of_a_question_is_counted():
    listed = load()["redis"]
    index = Index(tuple(known.agreement(0) for known in listed))
    asked = Asked()
    asked.add(look_up("save snapshot", index, by_words), "rdbSave")
    asked.add(look_up("load snapshot", index, by_words), "rdbSave")
    asked.add(look_up("zyzzyva", index, by_words), "rdbSave")
    assert (asked.total, asked.alone, asked.first, asked.wrong_alone) == (3, 1, 1, 1)


def test_the_curve_is_fitted_to_what_is_true():
    rows = np.array([(1.0, whole / 10, part / 10) for whole in range(11) for part in range(11)] * 20)
    true = (rows[:, 1] + rows[:, 2] > 1.2).astype(float)
    bias, whole, part = fit(rows, true)
    assert bias < 0 < min(whole, part)
    said = 1 / (1 + np.exp(-rows @ (bias, whole, part)))
    found = at_threshold(0.5, said, true, np.arange(len(true)))
    assert found["meant"] > 0.9
    assert found["others"] < 0.1


def test_the_shares_of_the_term_itself_are_whole():
    listed = load()["flask"]
    index = Index(tuple(known.agreement(0) for known in listed))
    found = shares(listed[0].terms[0], index, by_words)
    assert found[0] == (pytest.approx(1.0), pytest.approx(1.0))
    assert max(whole for whole, _ in found[1:]) < 1.0
