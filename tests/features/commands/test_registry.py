import json
import os
from pathlib import Path

import pytest

from shirube.errors import ConfigError, OutsideRoot, UnknownName
from shirube.features.commands.registry import Catalog, is_below
from tests.cases import for_each
from tests.features.commands.conftest import Home, entry
from tests.refusals import misspelt, refusal


def listing(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


@pytest.mark.requirement("000-CONFIG-03", "N000-REGISTRY-02")
def test_without_any_configuration_the_default_holds_and_nothing_is_written(
    catalog: Catalog, project: Home, home: Home
):
    assert catalog.agents() == {"climpt": ".agent/climpt/registry.json"}
    registry = catalog.registry("climpt")
    assert (registry.commands, registry.found) == ((), "")
    assert listing(project.root) == listing(home.root) == []


@pytest.mark.requirement("000-CONFIG-01", "000-CONFIG-02")
def test_the_projects_configuration_comes_before_the_homes(catalog: Catalog, project: Home, home: Home):
    home.config(climpt="home.json", other="other.json")
    assert catalog.agents() == {"climpt": "home.json", "other": "other.json"}
    project.config(climpt="project.json")
    assert catalog.agents() == {"climpt": "project.json"}


@pytest.mark.requirement("000-PATH-01", "000-PATH-02")
def test_a_registry_is_looked_for_in_the_project_and_then_in_the_home(catalog: Catalog, project: Home, home: Home):
    home.registry(entry("home", "do", "thing"))
    registry = catalog.registry("climpt")
    assert ([one.c1 for one in registry.commands], registry.found) == (["home"], "~/.agent/climpt/registry.json")
    assert [place.directory for place in registry.places] == [project.root, home.root]
    project.registry(entry("project", "do", "thing"))
    registry = catalog.registry("climpt")
    assert ([one.c1 for one in registry.commands], registry.found) == (["project"], ".agent/climpt/registry.json")
    assert [place.directory for place in registry.places] == [project.root]


def test_every_agent_has_a_registry_of_its_own_and_an_unknown_one_is_named(catalog: Catalog, project: Home):
    project.config(climpt=".agent/climpt/registry.json", reviewer=".agent/reviewer/registry.json")
    project.registry(entry("git", "do", "thing"))
    project.registry(entry("dev", "start", "review"), path=".agent/reviewer/registry.json")
    assert catalog.registry("reviewer").commands[0].id == "dev start review"
    with pytest.raises(UnknownName, match="unknown agent 'reviewr'") as caught:
        catalog.registry("reviewr")
    assert caught.value.nearest == "reviewer"


@pytest.mark.requirement("000-DESCRIBE-01", "000-DESCRIBE-02", "000-DESCRIBE-03")
def test_describing_is_an_exact_match_and_gives_all_of_them(catalog: Catalog, project: Home):
    project.registry(
        entry("git", "do", "thing", "one"), entry("git", "do", "other"), entry("git", "do", "thing", "two")
    )
    registry = catalog.registry("climpt")
    assert [one.description for one in registry.named("git", "do", "thing")] == ["one", "two"]
    assert registry.named("git", "do", "thin") == ()
    assert registry.named("Git", "do", "thing") == ()
    assert registry.the("git", "do", "thing").description == "one"
    with misspelt("git do thing"):
        registry.the("git", "do", "thingy")


@pytest.mark.requirement("N000-REGISTRY-03", "N000-REGISTRY-04")
def test_a_change_counts_at_once_even_when_the_time_stamp_does_not_tell(catalog: Catalog, project: Home):
    file = project.registry(entry("git", "do", "aaaaa"))
    before, stamp = catalog.registry("climpt"), file.stat()
    finder = catalog.finder(before)
    assert catalog.registry("climpt") is before
    assert catalog.finder(before) is finder
    project.registry(entry("git", "do", "bbbbb"))
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    after = catalog.registry("climpt")
    assert after.commands[0].c3 == "bbbbb"
    assert after.digest != before.digest
    assert catalog.finder(after) is not finder
    project.config(climpt="elsewhere.json")
    assert catalog.registry("climpt").path == "elsewhere.json"


def test_forgetting_reads_everything_anew(catalog: Catalog, project: Home):
    project.registry(entry("git", "do", "thing"))
    before = catalog.registry("climpt")
    catalog.forget()
    assert catalog.registry("climpt") is not before
    assert catalog.registry("climpt") == before


@pytest.mark.parametrize("text", ["{", "", "nonsense", "[" * 100_000])
def test_a_file_that_is_no_json_is_named(catalog: Catalog, project: Home, text: str):
    project.write(".agent/climpt/registry.json", text)
    with pytest.raises(ConfigError, match=r"\.agent/climpt/registry\.json is not valid JSON"):
        catalog.registry("climpt")


@pytest.mark.parametrize("value", [{}, [], {"registries": {}}, {"registries": []}, {"registries": None}])
def test_a_configuration_without_registries_is_refused(catalog: Catalog, project: Home, value):
    project.write(".agent/climpt/config/registry_config.json", json.dumps(value))
    with refusal(ConfigError, "commands.no_registries"):
        catalog.agents()


@pytest.mark.requirement("N000-SAFE-01")
@pytest.mark.parametrize("path", ["../x.json", "/etc/passwd", "~/x.json", "a/../../x", "C:/x", "", 5, "a\\..\\x"])
def test_a_registry_outside_is_refused(catalog: Catalog, project: Home, path):
    named = {"climpt": path, "annai": ".agent/annai.json"}
    project.write(".agent/climpt/config/registry_config.json", json.dumps({"registries": named}))
    with pytest.raises(ConfigError, match="below the project"):
        catalog.registry("climpt")
    assert not catalog.is_in_project()
    assert not catalog.registry("annai").found


def test_a_registry_behind_a_link_out_of_the_project_is_refused(catalog: Catalog, project: Home, tmp_path: Path):
    (tmp_path / "r.json").write_text('{"tools": {"commands": []}}')
    (project.root / ".agent" / "climpt").mkdir(parents=True)
    (project.root / ".agent" / "climpt" / "registry.json").symlink_to(tmp_path / "r.json")
    with pytest.raises(OutsideRoot):
        catalog.registry("climpt")


def test_huge_registries_and_configurations_are_refused(catalog: Catalog, project: Home):
    file = project.registry(entry("git", "do", "thing"))
    with file.open("a") as stream:
        stream.write(" " * (9 << 20))
    with pytest.raises(ConfigError, match="was not read: 9"):
        catalog.registry("climpt")
    project.config(**{f"agent{number}": "x.json" for number in range(300)})
    with pytest.raises(ConfigError, match="300 registries"):
        catalog.agents()


@for_each(("path", "below"), [("a/b", True), ("./a", True), ("a..b", True), ("..", False), ("a\0b", False)])
def test_paths_that_stay(path: str, below: bool):
    assert is_below(path) is below
