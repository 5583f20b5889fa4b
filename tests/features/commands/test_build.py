import json
import shutil
from pathlib import Path

import pytest

from shirube.errors import BadArgument
from shirube.features.commands.registry import Catalog
from shirube.features.commands.upkeep import build, validate
from tests.features.commands.conftest import Home

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "registry"
PATH = ".agent/climpt/registry.json"
FRONT = """---
c1: {c1}
c2: do
c3: thing
title: 意味: 近さ
description: {description}
usage: climpt-git do thing
options:
  edition: ["default", long]
  adaptation:
    - default
  file: false
  stdin: true
  destination: false
uv:
  - scope: what to do
---
body
"""


@pytest.mark.requirement("N000-BUILD-01")
def test_front_matter_becomes_a_registry_that_can_be_read_back(catalog: Catalog, project: Home):
    project.profile("git")
    project.profile("api")
    project.template("git", "do", "thing", FRONT.format(c1="git", description="Do it"))
    project.template("git", "do", "thing", FRONT.format(c1="git", description="Another edition"), "f_also.md")
    project.template("git", "do", "thing", "no front matter", "f_long.md")
    project.template("api", "do", "thing", FRONT.format(c1="api", description="Do it there"))
    project.template("api", "do", "thing", "no front matter", "f_long.md")
    built = build(catalog.project, PATH)
    value = json.loads(built.text)
    assert value["tools"]["availableConfigs"] == ["api", "git"]
    assert [one["description"] for one in value["tools"]["commands"]] == ["Do it there", "Do it"]
    assert value["tools"]["commands"][1]["uv"] == [{"scope": "what to do"}]
    assert value["tools"]["commands"][1]["options"]["edition"] == ["default", "long"]
    assert built.left_out == ()
    assert not (project.root / PATH).exists()
    project.write(PATH, built.text)
    assert catalog.registry("climpt").commands == built.commands


def test_a_prompt_whose_command_cannot_be_rendered_is_left_out_with_the_reason(catalog: Catalog, project: Home):
    project.profile(
        "git",
        user='params: {two: {directiveType: {pattern: "^(do|undo)$"}, layerType: {pattern: "^thing$"}}}\n',
    )
    front = FRONT.replace('["default", long]', "[default]")
    project.template("git", "do", "thing", front.format(c1="git", description="good"))
    project.template("git", "greet", "thing", front.replace("c2: do", "c2: greet").format(c1="git", description="x"))
    project.template("git", "undo", "thing", FRONT.replace("c2: do", "c2: undo").format(c1="git", description="x"))
    project.template("api", "do", "thing", front.format(c1="api", description="x"))
    built = build(catalog.project, PATH)
    assert [command.id for command in built.commands] == ["git do thing"]
    folder = ".agent/climpt/prompts"
    assert [line.split(": ", 1)[0] for line in built.left_out] == [
        f"{folder}/api/do/thing/f_default.md",
        f"{folder}/git/greet/thing/f_default.md",
        f"{folder}/git/undo/thing/f_default.md",
    ]
    reasons = ("profile", "rejected by params.two.directiveType.pattern", "f_long.md")
    assert all(reason in line for line, reason in zip(built.left_out, reasons, strict=True))
    project.write(PATH, built.text)
    assert [one.level for one in validate(catalog.registry("climpt"))] == ["warning"]


def test_prompts_that_give_no_command_are_told(catalog: Catalog, project: Home):
    project.template("git", "a", "b", "no front matter")
    project.template("git", "c", "d", "---\nc1: git\nc2: ../x\nc3: y\n---\n")
    project.template("git", "e", "f", "---\nc1: &x y\n---\n")
    left = build(catalog.project, PATH).left_out
    assert [line.split(": ", 1)[1] for line in left] == [
        "no front matter",
        "its c2 is missing or no plain word",
        "line 1: '&x y' is beyond what is read here",
    ]


def test_version_and_description_of_the_registry_that_is_there_stay(catalog: Catalog, project: Home):
    project.profile("git")
    project.template("git", "do", "thing", FRONT.format(c1="git", description="x"))
    project.write(PATH, '{"version": "9", "description": "ours", "tools": {"commands": []}}')
    value = json.loads(build(catalog.project, PATH).text)
    assert (value["version"], value["description"]) == ("9", "ours")
    project.write(PATH, "broken")
    assert json.loads(build(catalog.project, PATH).text)["version"] == "1.0.0"


def test_without_prompts_there_is_nothing_to_build(catalog: Catalog):
    with pytest.raises(BadArgument, match=r"no directory \.agent/climpt/prompts"):
        build(catalog.project, PATH)


@pytest.mark.parametrize("agent", ["climpt", "annai"])
def test_the_sample_registry_is_what_its_prompts_say(agent: str, tmp_path: Path):
    shutil.copytree(EXAMPLES, tmp_path / "copy")
    catalog = Catalog(tmp_path / "copy", tmp_path)
    path = catalog.agents()[agent]
    assert build(catalog.project, path, agent).text == (EXAMPLES / path).read_text("utf-8")
