import pytest

from shirube import Project, open_workspace


def test_built_in_presets_are_listed_with_their_measure(shop: Project):
    listed = {one.name: one for one in shop.list_presets().presets}
    assert listed["tests"].contentPatterns
    assert "pattern_match=0.3" in listed["tests"].weights
    assert listed["tests"].source == "built in"


@pytest.mark.requirement("002-PRESET-04")
def test_a_project_adds_its_own_and_a_broken_one_is_told(sample_repo):
    folder = sample_repo / ".shirube" / "presets"
    folder.mkdir(parents=True)
    (folder / "bank.toml").write_text('description = "money"\nkeywords = ["receipt"]\nconfidence = 0.1\n')
    (folder / "tests.toml").write_text('[tests]\ndescription = "ours"\n')
    (folder / "bad.toml").write_text("[x\n")
    (folder / "link.toml").symlink_to("/etc/hostname")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        found = project.list_presets()
        listed = {one.name: one for one in found.presets}
        assert listed["bank"].keywords == ("receipt",)
        assert listed["tests"].description == "ours"
        assert len(found.unusable) == 2
        assert project.query_plan("payments", preset="bank").iterations[0].expectedKeywords == ("receipt",)
