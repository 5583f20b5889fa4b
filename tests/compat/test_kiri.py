"""Settings in seed 001's old places."""

from pathlib import Path

from shirube.compat.kiri import faults_of_profiles, from_default_yml, from_scoring_profiles
from shirube.config import load_config
from tests.cases import for_each

PROFILES = """
# weights
default:
  textMatch: 1.0
  pathMatch: 1.2   # paths
"api":
  pathMatch: '1.5'
  docPenaltyMultiplier: 0.5
broken:
  textMatch: much
  pathMatch: -1
"""


def test_the_strategy_is_read_under_its_heading_only():
    assert from_default_yml("tokenization:\n  strategy: legacy\n") == {"search": {"tokenization": "legacy"}}
    assert from_default_yml("other:\n  strategy: legacy\n") == {}
    assert from_default_yml("tokenization:\n  deeper:\n    strategy: legacy\n") == {}
    assert from_default_yml("tokenization:\n  strategy: none of ours\n") == {}


def test_profiles_are_read_by_the_sources_names_and_what_is_no_weight_is_passed_over():
    found = from_scoring_profiles(PROFILES)
    assert found == {"search": {"profiles": {"default": {"text": 1.0, "path": 1.2}, "api": {"path": 1.5}}}}


@for_each("text", ["", "just words", "- a\n- b\n", "a: 1\n", "\x00", "default:\n"])
def test_anything_else_is_no_setting(text: str):
    assert from_scoring_profiles(text) == {}
    assert from_default_yml(text) == {}


def test_a_project_s_profiles_change_ours_and_a_new_one_takes_the_rest_from_the_default(tmp_path: Path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "scoring-profiles.yml").write_text(PROFILES)
    profiles = load_config(tmp_path, environ={"HOME": str(tmp_path)}).search.profiles
    assert (profiles["default"].path, profiles["default"].editing) == (1.2, 2.0)
    assert (profiles["api"].path, profiles["api"].editing) == (1.5, 2.0)


def test_the_environment_may_name_another_file_and_a_missing_one_changes_nothing(tmp_path: Path):
    (tmp_path / "mine.yml").write_text("default:\n  pathMatch: 3\n")
    environ = {"HOME": str(tmp_path), "KIRI_SCORING_CONFIG": "mine.yml"}
    assert load_config(tmp_path, environ=environ).search.profiles["default"].path == 3.0
    environ["KIRI_SCORING_CONFIG"] = "../outside.yml"
    assert load_config(tmp_path, environ=environ).search.profiles["default"].path == 1.5


def test_what_a_file_of_profiles_asks_for_in_vain_is_told(tmp_path: Path, state_dirs):
    text = "bugfix:\n  textMach: 2\n  pathMatch: much\n  docPenaltyMultiplier: 1\n  structural: 101\n  colour: 3\n"
    faults = faults_of_profiles(text)
    assert faults[0] == "profile bugfix has no weight 'textMach': did you mean textMatch?"
    assert faults[1] == "pathMatch of profile bugfix is 'much': give a number from 0 to 100"
    assert [fault[:24] for fault in faults[2:]] == ["structural of profile bu", "profile bugfix has no we"]
    assert len(faults_of_profiles(PROFILES)) == 2  # of the profile that is broken
    assert faults_of_profiles("services:\n  web: 1\n  db: two\n") == []  # it belongs to something else
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "scoring-profiles.yml").write_text(text)
    assert f"config/scoring-profiles.yml: {faults[0]}" in load_config(tmp_path).refused


def test_the_environment_may_name_a_file_outside_the_project_and_what_cannot_be_used_is_told(tmp_path: Path):
    root, other = tmp_path / "project", tmp_path / "profiles.yml"
    root.mkdir()
    other.write_text("default:\n  textMatch: 3.0\n", "utf-8")
    config = load_config(root, environ={"KIRI_SCORING_CONFIG": str(other)})
    assert config.search.profiles["default"].text == 3.0
    assert (config.sources, config.refused) == (("defaults", str(other)), ())
    other.write_text("default: [1,\n", "utf-8")
    (told,) = load_config(root, environ={"KIRI_SCORING_CONFIG": str(other)}).refused
    assert told.values["why"].code == "config.no_profiles"


def test_a_strategy_that_is_none_is_told(tmp_path: Path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/default.yml").write_text("tokenization:\n  strategy: odd\n", "utf-8")
    (told,) = load_config(tmp_path, environ={}).refused
    assert told.values["why"].code == "config.bad_strategy"
