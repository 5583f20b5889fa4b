import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from shirube.errors import (
    BadArgument,
    ConfigError,
    NotAccepted,
    OutsideRoot,
    TemplateMissing,
    TimedOut,
    ToolFailed,
    UnknownName,
)
from shirube.features.commands.operations import CommandExecuteRequest
from shirube.features.commands.options import read_options
from shirube.features.commands.registry import Catalog
from shirube.features.commands.run import execute, execute_outside, outside_argv
from tests.features.commands.conftest import Home, entry
from tests.refusals import misspelt, refusal

OPTIONS = {
    "edition": ["default", "long"],
    "adaptation": ["default", "short"],
    "file": True,
    "stdin": True,
    "destination": True,
}


def asked(*flags: str, stdin: str = "", c3: str = "thing", agent: str = "climpt") -> CommandExecuteRequest:
    return CommandExecuteRequest("git", "do", c3, agent, flags, stdin)


@pytest.mark.requirement("000-EXECUTE-01", "000-EXECUTE-04", "N000-EXECUTE-01", "N000-EXECUTE-02")
def test_a_template_is_rendered_without_any_program(catalog: Catalog, project: Home, ready: Callable[..., None]):
    ready(
        "---\nc1: git\n---\n# Do\n{input_text}\n{uv-scope} {{uv-size}}\n",
        options=OPTIONS,
        uv=[{"scope": "a"}, {"size": "b"}],
    )
    done = execute(catalog, asked("--uv-scope=src", stdin="  入力 \n"))
    assert done.text == "# Do\n入力\nsrc {{uv-size}}\n"
    assert (done.missing_variables, done.unresolved_placeholders) == (("uv-size",), ("uv-size",))
    assert done.template == ".agent/climpt/prompts/git/do/thing/f_default.md"


@pytest.mark.requirement("N000-RENDER-07")
def test_paths_are_absolute_and_inside(catalog: Catalog, project: Home, ready: Callable[..., None]):
    ready("{input_text_file}|{destination_path}|{schema_file}|{base_prompt_dir}", options=OPTIONS)
    root = project.root.resolve()
    done = execute(catalog, asked("-f=in/a.md", "-d=out/b.md"))
    assert done.text.strip().split("|") == [
        f"{root}/in/a.md",
        f"{root}/.agent/climpt/out/b.md",
        f"{root}/.agent/climpt/schema/git/do/thing/base.schema.md",
        f"{root}/.agent/climpt/prompts/git/do/thing",
    ]
    project.write(".agent/climpt/schema/git/do/thing/f_thing.json", "{}")
    assert execute(catalog, asked()).text.split("|")[2].endswith("/f_thing.json")
    assert execute(catalog, asked()).unresolved_placeholders == ("input_text_file", "destination_path")


@pytest.mark.requirement("N000-RENDER-07")
def test_a_prefix_goes_before_the_destination_and_cannot_lead_out(catalog: Catalog, project: Home, ready):
    ready("{destination_path}", options=OPTIONS)
    project.write(".agent/climpt/config/git-user.yml", 'options:\n  destination:\n    prefix: "x/"\n' + _patterns())
    assert execute(catalog, asked("-o=b.md")).text.endswith("/.agent/climpt/x/b.md\n")
    project.write(
        ".agent/climpt/config/git-user.yml", 'options:\n  destination:\n    prefix: "../../../"\n' + _patterns()
    )
    with pytest.raises(OutsideRoot):
        execute(catalog, asked("-o=b.md"))


def _patterns() -> str:
    return "params:\n  two:\n    directiveType:\n      pattern: '.'\n    layerType:\n      pattern: '.'\n"


def test_a_file_behind_a_link_out_of_the_project_is_refused(catalog: Catalog, project: Home, ready, tmp_path: Path):
    ready("{input_text_file}", options=OPTIONS)
    (project.root / "link").symlink_to(tmp_path)
    with pytest.raises(OutsideRoot):
        execute(catalog, asked("-f=link/secret"))


@pytest.mark.requirement("N000-RENDER-03")
def test_editions_and_adaptations_choose_the_file(catalog: Catalog, project: Home, ready: Callable[..., None]):
    ready("plain", options=OPTIONS)
    project.template("git", "do", "thing", "long", "f_long.md")
    project.template("git", "do", "thing", "short", "f_default_short.md")
    assert execute(catalog, asked("-e=long")).text == "long\n"
    short = execute(catalog, asked("-a=short"))
    assert (short.text, bool(short.degraded)) == ("short\n", False)
    usual = execute(catalog, asked("-a=default"))
    assert (usual.text, bool(usual.degraded)) == ("plain\n", False)
    fallen = execute(catalog, asked("-e=long", "-a=short"))
    assert (fallen.text, bool(fallen.degraded)) == ("long\n", True)


@pytest.mark.requirement("N000-RENDER-03")
def test_a_missing_template_names_every_attempt_and_what_is_missing(catalog: Catalog, project: Home, ready):
    ready("plain", options=OPTIONS)
    file = project.root / ".agent/climpt/prompts/git/do/thing/f_default.md"
    with pytest.raises(TemplateMissing, match=r"f_long_short\.md, .*/f_long\.md") as caught:
        execute(catalog, asked("-e=long", "-a=short"))
    assert "write the file" in caught.value.hint
    file.unlink()
    for what in ("c3", "c2", "base"):
        file = file.parent
        file.rmdir()
        with pytest.raises(TemplateMissing) as caught:
            execute(catalog, asked())
        assert f"the {what} directory" in caught.value.hint


def test_a_command_that_is_not_there_is_named_by_its_nearest(catalog: Catalog, ready: Callable[..., None]):
    ready()
    with misspelt("git do thing"):
        execute(catalog, asked(c3="thingy"))
    with pytest.raises(UnknownName, match="unknown agent"):
        execute(catalog, asked(agent="climp"))


@pytest.mark.requirement("N000-RENDER-02")
def test_a_command_its_profile_rejects_is_refused_with_the_pattern(catalog: Catalog, project: Home, ready):
    ready()
    project.write(".agent/climpt/config/git-user.yml", _patterns().replace("'.'", "'^x$'"))
    with pytest.raises(NotAccepted, match=r"rejected by params.two.directiveType.pattern \^x\$") as caught:
        execute(catalog, asked())
    assert "git-user.yml" in caught.value.hint
    for name in ("app", "user"):
        (project.root / f".agent/climpt/config/git-{name}.yml").unlink()
    with pytest.raises(NotAccepted) as caught:
        execute(catalog, asked())
    assert "git-app.yml and -user.yml, which are missing" in caught.value.hint


def test_a_huge_template_is_refused(catalog: Catalog, project: Home, ready: Callable[..., None]):
    ready("x" * (2 << 20))
    with pytest.raises(ConfigError, match="was not read: 2,097,152 bytes"):
        execute(catalog, asked())


def test_another_agent_has_profiles_of_its_own(catalog: Catalog, project: Home):
    project.config(climpt="a.json", reviewer=".agent/reviewer/registry.json")
    project.registry(entry("dev", "start", "review"), path=".agent/reviewer/registry.json")
    app = 'working_dir: ".agent/reviewer"\napp_prompt:\n  base_dir: "prompts/dev"\n'
    project.profile("reviewer-dev", app=app)
    project.write(".agent/reviewer/prompts/dev/start/review/f_default.md", "Review.")
    assert execute(catalog, CommandExecuteRequest("dev", "start", "review", "reviewer")).text == "Review.\n"


def test_a_registry_of_the_home_is_rendered_from_the_home(catalog: Catalog, home: Home, project: Home):
    home.registry(entry("git", "do", "thing", options={"file": True}))
    home.profile("git")
    home.template("git", "do", "thing", "{base_prompt_dir} {input_text_file}")
    done = execute(catalog, asked("-f=a.md"))
    assert done.template == "~/.agent/climpt/prompts/git/do/thing/f_default.md"
    assert done.text.split() == [
        f"{home.root.resolve()}/.agent/climpt/prompts/git/do/thing",
        f"{project.root.resolve()}/a.md",
    ]


@pytest.mark.requirement("000-EXECUTE-02", "000-EXECUTE-03")
def test_the_argument_list_is_the_seeds():
    given = read_options(["-e=detailed", "-d=out.md", "--uv-x=a;b"])
    seed = (
        "deno run --allow-read --allow-write --allow-env --allow-run --allow-net --no-config jsr:@aidevtool/climpt "
        "--config=reviewer-git do thing"
    )
    options = ["--edition=detailed", "--destination=out.md", "--uv-x=a;b"]
    assert outside_argv("deno", asked(agent="reviewer"), given) == [*seed.split(), *options]
    assert "--config=git" in outside_argv("deno", asked(), given)


def runner(home: Home, body: str) -> dict[str, str]:
    """Write a program called deno and return an environment that finds it."""
    file = home.write("bin/deno", f"#!{sys.executable}\nimport sys\n{body}\n")
    file.chmod(0o755)
    return {"PATH": str(file.parent), "HOME": str(home.root)}


@pytest.mark.requirement("000-EXECUTE-04")
def test_what_the_runner_prints_is_the_prompt(catalog: Catalog, home: Home, ready: Callable[..., None]):
    ready(options=OPTIONS)
    env = runner(home, "print(sys.argv[9:], sys.stdin.read())")
    done = execute_outside(catalog, asked("-e=long", stdin="入力"), "deno", env, 30)
    assert done.text == "['--config=git', 'do', 'thing', '--edition=long'] 入力\n"


@pytest.mark.requirement("000-EXECUTE-05", "000-ERROR-01")
@pytest.mark.parametrize(
    ("body", "words"), [("sys.exit('boom: 壊れた')", "boom: 壊れた"), ("sys.exit(3)", "exit code 3")]
)
def test_a_runner_that_fails_is_told_by_what_it_said(catalog: Catalog, home: Home, ready, body: str, words: str):
    ready()
    with pytest.raises(ToolFailed, match=words):
        execute_outside(catalog, asked(), "deno", runner(home, body), 30)


@pytest.mark.requirement("000-ERROR-02", "N000-EXECUTE-01")
def test_a_runner_that_hangs_is_killed_and_reported(catalog: Catalog, home: Home, ready: Callable[..., None]):
    ready()
    env = runner(home, "import signal; signal.pause()")
    with pytest.raises(TimedOut, match=r"was killed after 0\.5 seconds"):
        execute_outside(catalog, asked(), "deno", env, 0.5)


def test_a_runner_that_says_too_much_is_stopped(catalog: Catalog, home: Home, ready: Callable[..., None]):
    ready()
    with refusal(ToolFailed, "commands.runner_failed"):
        execute_outside(catalog, asked(), "deno", runner(home, "print('x' * (5 << 20))"), 60)


def test_nothing_is_started_for_what_does_not_pass_the_checks(catalog: Catalog, home: Home, ready, tmp_path: Path):
    ready()
    env = runner(home, f"open({str(tmp_path / 'started')!r}, 'w')")
    for wrong in (asked("-x=1"), asked("-f=../x"), asked(c3="nothing"), asked("-e=huge"), asked(stdin="x")):
        with pytest.raises((UnknownName, BadArgument, OutsideRoot)):
            execute_outside(catalog, wrong, "deno", env, 30)
    assert not (tmp_path / "started").exists()


def test_the_runner_is_handed_no_path_that_leads_out_by_a_link(catalog: Catalog, project: Home, home: Home, ready):
    ready(options=OPTIONS)
    (project.root / "link").symlink_to(home.root)
    for flag in ("-f=link/x", "-o=link/x"):
        with pytest.raises(OutsideRoot):
            execute_outside(catalog, asked(flag), "deno", {"PATH": "/nowhere"}, 5)
