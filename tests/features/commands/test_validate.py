from pathlib import Path

import pytest

from shirube.features.commands.registry import Catalog
from shirube.features.commands.upkeep import validate
from tests.features.commands.conftest import Home, entry

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "registry"


def kinds(catalog: Catalog) -> list[tuple[str, str, str]]:
    return [(one.command, one.kind, one.level) for one in validate(catalog.registry("climpt"))]


def test_a_registry_in_order_has_no_findings(catalog: Catalog, project: Home, ready):
    ready("{uv-scope} {input_text} ${HOME} {id}", options={"stdin": True}, uv=[{"scope": "x"}])
    assert kinds(catalog) == []


@pytest.mark.parametrize("agent", ["climpt", "annai"])
def test_the_sample_registry_is_in_order(agent: str, tmp_path: Path):
    registry = Catalog(EXAMPLES, tmp_path).registry(agent)
    assert len(registry.commands) == {"climpt": 30, "annai": 6}[agent]
    assert validate(registry) == ()


@pytest.mark.requirement("N000-VALIDATE-01")
def test_what_is_listed_and_cannot_be_rendered_is_an_error(catalog: Catalog, project: Home, ready):
    ready()
    project.registry(entry("git", "do", "thing"), entry("git", "do", "gone"), entry("lost", "do", "thing"), 7)
    project.write(".agent/climpt/config/git-user.yml", "params:\n  two:\n    directiveType:\n      pattern: '^do$'\n")
    assert kinds(catalog) == [
        ("", "registry", "error"),
        ("git do thing", "pattern", "error"),
        ("git do gone", "pattern", "error"),
        ("git do gone", "template", "error"),
        ("lost do thing", "profile", "error"),
        ("lost do thing", "pattern", "error"),
        ("lost do thing", "template", "error"),
    ]


@pytest.mark.requirement("N000-VALIDATE-02")
def test_every_edition_is_looked_at_with_every_adaptation(catalog: Catalog, project: Home, ready):
    ready(options={"edition": ["default", "long", "gone"], "adaptation": ["default", "short"]})
    project.template("git", "do", "thing", "x", "f_long.md")
    project.template("git", "do", "thing", "x", "f_long_short.md")
    assert kinds(catalog) == [
        ("git do thing", "adaptation", "warning"),
        ("git do thing", "template", "error"),
        ("git do thing", "adaptation", "warning"),
    ]
    found = validate(catalog.registry("climpt"))
    assert "f_default_short.md is missing" in found[0].message
    assert "edition 'gone'" in found[1].message


@pytest.mark.requirement("N000-VALIDATE-03")
def test_placeholders_are_compared_with_what_is_declared(catalog: Catalog, project: Home, ready):
    ready("---\nx: '{uv-front}'\n---\n{uv-nobody} {input_text} {{mystery}} {schema_file}", uv=[{"unused": "x"}])
    assert kinds(catalog) == [
        ("git do thing", "undeclared", "warning"),
        ("git do thing", "unresolved", "warning"),
        ("git do thing", "unresolved", "warning"),
        ("git do thing", "unused", "warning"),
    ]


def test_duplicates_and_unreadable_files_are_told(catalog: Catalog, project: Home, ready, tmp_path: Path):
    ready()
    project.registry(entry("git", "do", "thing"), entry("git", "do", "thing"), entry("bad", "do", "thing"))
    project.profile("bad", app="a: &x y\n")
    file = project.root / ".agent/climpt/prompts/git/do/thing/f_default.md"
    file.unlink()
    file.symlink_to(tmp_path / "outside.md")
    found = validate(catalog.registry("climpt"))
    assert [(one.command, one.kind) for one in found] == [
        ("git do thing", "unreadable"),
        ("git do thing", "duplicate"),
        ("bad do thing", "unreadable"),
    ]
    assert "leads out of the project" in found[0].message
