import pytest

from shirube.errors import ConfigError
from shirube.features.plan.evaluate import WEIGHTS
from shirube.features.plan.presets import built_in, read_presets
from shirube.features.plan.project_access import checked_patterns
from tests.cases import for_each


@pytest.mark.requirement("002-PRESET-01")
def test_the_built_in_presets_can_be_used():
    assert {"tests", "configuration", "entry-points"} <= set(built_in())
    for preset in built_in().values():
        assert preset.description
        checked_patterns(preset.patterns)


@pytest.mark.requirement("002-PRESET-02")
def test_a_preset_brings_its_own_measure_of_a_good_answer():
    (preset,) = read_presets(
        '[mine]\nkeywords = ["a"]\nconfidence = 0.9\n[mine.weights]\nrecall = 0.5\n', "x.toml"
    ).values()
    assert (preset.keywords, preset.confidence, preset.source) == (("a",), 0.9, "x.toml")
    assert preset.weights == {**WEIGHTS, "recall": 0.5}


def test_a_file_may_hold_one_preset_under_its_own_name():
    assert list(read_presets('description = "d"\nkeywords = ["a"]\n', "x.toml", "x")) == ["x"]


@for_each(
    "text",
    [
        "[a\n",
        "[a]\nkeyword = ['x']\n",
        "[a]\nkeywords = 'x'\n",
        "[a]\nconfidence = 2\n",
        "[a]\nmin_matches = true\n",
        "[a]\nevaluation_mode = 'mild'\n",
        "[a]\nweights = {charm = 1}\n",
        "[a]\nweights = {recall = -1}\n",
        "a = 1\n",
    ],
)
def test_what_cannot_be_used_is_refused_with_its_file(text):
    with pytest.raises(ConfigError) as refused:
        read_presets(text, "x.toml")
    assert "x.toml" in str(refused.value)
