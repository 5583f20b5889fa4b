import pytest

from shirube.errors import BadArgument, ConfigError, OutsideRoot
from shirube.features.commands.model import Command
from shirube.features.commands.options import DIRECTIVE, open_profile, profile_name, read_profile
from shirube.features.commands.registry import Catalog
from tests.cases import for_each
from tests.features.commands.conftest import APP, USER, Home, entry
from tests.refusals import refusal

THING = Command("git", "do", "thing")


@pytest.mark.requirement("000-EXECUTE-02")
def test_the_agent_is_part_of_the_name_unless_it_is_the_usual_one():
    assert profile_name("climpt", "git") == "git"
    assert profile_name("reviewer", "git") == "reviewer-git"


@for_each(("agent", "c1"), [("../x", "git"), ("a b", "git"), ("climpt", "文書"), ("x" * 99, "git")])
def test_a_name_that_could_be_a_path_is_refused(agent: str, c1: str):
    with refusal(BadArgument, "commands.profile_name"):
        profile_name(agent, c1)


@pytest.mark.requirement("N000-RENDER-01")
def test_both_files_are_read_and_the_users_goes_over_the_other(catalog: Catalog, project: Home):
    project.registry(entry("git", "do", "thing"))
    user = USER + 'app_prompt:\n  base_dir: "other/prompts"\noptions:\n  destination:\n    prefix: "out/"\n'
    project.profile("git", user=user)
    profile = open_profile(catalog.registry("climpt"), "git")
    assert (profile.working_dir, profile.prompts, profile.schemas) == (".agent/climpt", "other/prompts", "schema/git")
    assert profile.prefix == "out/"
    assert profile.files == (".agent/climpt/config/git-app.yml", ".agent/climpt/config/git-user.yml")
    assert profile.refusal(THING) == ""


@pytest.mark.requirement("N000-RENDER-01")
def test_without_files_the_defaults_of_the_original_hold(catalog: Catalog, project: Home):
    project.registry(entry("git", "do", "thing"))
    profile = open_profile(catalog.registry("climpt"), "git")
    assert (profile.working_dir, profile.prompts, profile.schemas, profile.files) == ("", "prompts", "schema", ())
    assert profile.refusal(Command("git", "to", "project")) == ""
    assert DIRECTIVE in profile.refusal(THING)


@pytest.mark.requirement("N000-RENDER-02")
def test_a_pattern_that_rejects_is_named_with_its_own_message(catalog: Catalog, project: Home):
    user = (
        "params:\n  two:\n    directiveType:\n      pattern: '^do$'\n    layerType:\n"
        "      pattern: '^(that|this)$'\n      errorMessage: この対象は使えません\n"
    )
    profile = read_profile("git", catalog.project, {"git-user.yml": user})
    assert "c3 'thing' is rejected by params.two.layerType.pattern ^(that|this)$" in profile.refusal(THING)
    assert profile.refusal(THING).endswith("; この対象は使えません")
    assert "c2 'make' is rejected" in profile.refusal(Command("git", "make", "this"))


def test_a_pattern_cannot_hold_us_up_and_one_that_is_none_is_said(catalog: Catalog):
    slow = "params:\n  two:\n    directiveType:\n      pattern: '(a+)+$'\n    layerType:\n      pattern: '.'\n"
    profile = read_profile("git", catalog.project, {"git-user.yml": slow})
    assert profile.refusal(Command("git", "a" * 90 + "b", "c"))
    broken = slow.replace("(a+)+$", "(?=x")
    with pytest.raises(ConfigError, match="a pattern of profile 'git' is not understood"):
        read_profile("git", catalog.project, {"git-user.yml": broken}).refusal(THING)


@pytest.mark.requirement("N000-SAFE-01")
@pytest.mark.parametrize(
    "line", ['working_dir: "../up"', 'app_prompt:\n  base_dir: "/etc"', "app_schema:\n  base_dir: ~/x"]
)
def test_directories_outside_are_refused(catalog: Catalog, line: str):
    with refusal(ConfigError, "commands.profile_leaves"):
        read_profile("git", catalog.project, {"git-app.yml": line})


def test_a_file_that_is_no_yaml_is_named_with_its_line(catalog: Catalog):
    with pytest.raises(ConfigError, match=r"git-app\.yml cannot be read: line 2"):
        read_profile("git", catalog.project, {"git-app.yml": "a: 1\nb: &c 2\n"})
    assert read_profile("git", catalog.project, {"git-app.yml": "- a\n"}).prompts == "prompts"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a: \xff\n", "is not UTF-8"),
        (b"a: " + b"x" * 5_000_000, "was not read: 5,000,003 bytes"),
        (b"a: 1\na: 2\n", "line 2: 'a' is given twice"),
        (b"a: !!python/object/apply:os._exit [3]\n", "line 1: '!!python/object/appl' is beyond"),
    ],
)
def test_whatever_a_profile_holds_it_is_named(catalog: Catalog, project: Home, data: bytes, why: str):
    project.registry(entry("git", "do", "thing"))
    project.write(".agent/climpt/config/git-app.yml", "").write_bytes(data)
    with pytest.raises(ConfigError, match=rf"git-app\.yml .*{why}"):
        open_profile(catalog.registry("climpt"), "git")


def test_a_profile_behind_a_link_out_of_the_project_is_refused(catalog: Catalog, project: Home, tmp_path):
    project.registry(entry("git", "do", "thing"))
    (tmp_path / "app.yml").write_text(APP.format(c1="git"))
    (project.root / ".agent/climpt/config").mkdir()
    (project.root / ".agent/climpt/config/git-app.yml").symlink_to(tmp_path / "app.yml")
    with pytest.raises(OutsideRoot):
        open_profile(catalog.registry("climpt"), "git")


def test_a_registry_of_the_home_may_have_its_profiles_there(catalog: Catalog, home: Home, project: Home):
    home.registry(entry("git", "do", "thing"))
    home.profile("git")
    registry = catalog.registry("climpt")
    assert open_profile(registry, "git").place is catalog.home
    project.profile("git")
    assert open_profile(registry, "git").place is catalog.project
