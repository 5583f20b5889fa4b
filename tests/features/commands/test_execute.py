import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import schema_of
from shirube.deadline import Deadline
from shirube.errors import BadArgument, Cancelled, OutsideRoot, TemplateMissing, TimedOut, UnknownName
from shirube.features.commands.operations import command_execute
from shirube.operation import Call
from shirube.operations import in_toolsets, run

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "registry"
TARGET = ("test", "run-specific", "target")


@pytest.fixture
def project(tmp_path: Path, state_dirs) -> Iterator[Project]:
    shutil.copytree(EXAMPLES, tmp_path / "team")
    with open_workspace(tmp_path / "team") as opened:
        yield opened


def test_the_row_says_that_nothing_is_changed():
    assert "command_execute" in in_toolsets(["commands"])
    assert not command_execute.tool
    assert command_execute.read_only
    assert schema_of(command_execute.request)["properties"]["stdin"]["maxLength"] == 1_000_000


@pytest.mark.requirement("000-EXECUTE-01", "N000-EXECUTE-02")
def test_a_command_is_rendered_with_its_input(project: Project):
    result = project.command_execute("git", "write-message", "commit", stdin="差分")
    assert result.text.startswith("# Write the commit message\n")
    assert "差分" in result.text
    assert (result.missing_variables, result.unresolved_placeholders, result.runner) == ((), (), "native")
    assert project.command_execute("git", "write-message", "commit", input_text="差分") == result


@pytest.mark.requirement("000-OPTION-01", "N000-EXECUTE-03")
def test_options_come_as_flags_or_by_key(project: Project):
    flags = project.command_execute(*TARGET, options=["--uv-target=a;b|c&d"])
    assert "Target: a;b|c&d" in flags.text
    for keyed in (
        {"uv-target": "a;b|c&d"},
        {"uv": {"target": "a;b|c&d"}},
        '{"uv": {"target": "a;b|c&d"}}',
        '["--uv-target=a;b|c&d"]',
    ):
        assert project.command_execute(*TARGET, options=keyed) == flags
    short = project.command_execute("docs", "write-readme", "project", options={"edition": "short", "adaptation": None})
    assert short.text.startswith("# Write a short README")


@pytest.mark.requirement("N000-OPTION-03")
def test_what_is_missing_is_named_and_the_rest_rendered(project: Project):
    result = project.command_execute(*TARGET)
    assert result.missing_variables == ("uv-target",)
    assert result.unresolved_placeholders == ("uv-target",)
    assert "--uv-target=" in result.next
    left = project.command_execute("docs", "write-decision", "record", options=["--uv-question=x"])
    assert left.unresolved_placeholders == ("destination_path",)


@pytest.mark.parametrize(
    ("words", "arguments", "error"),
    [
        (("test", "run-specific", "targt"), {}, UnknownName),
        (TARGET, {"options": ["--uv-tagret=x"]}, UnknownName),
        (TARGET, {"options": ["-z=x"]}, UnknownName),
        (TARGET, {"options": {"edition": "huge"}}, UnknownName),
        (TARGET, {"stdin": "x"}, BadArgument),
        (TARGET, {"options": 5}, BadArgument),
        (TARGET, {"stdin": "x" * (1_000_000 + 1)}, BadArgument),
        (("review", "check-error", "handling"), {"options": ["-f=../x"]}, OutsideRoot),
        (("review", "check-error", "handling"), {"options": ["-f=/etc/passwd"]}, OutsideRoot),
    ],
)
def test_a_mistake_is_refused(project: Project, words, arguments, error):
    with pytest.raises(error):
        project.command_execute(*words, **arguments)


def test_an_adaptation_without_a_file_is_said(project: Project):
    (project.workspace.root / ".agent/climpt/prompts/plan/break-down/task/f_default_detailed.md").unlink()
    result = project.command_execute("plan", "break-down", "task", options=["-a=detailed"], stdin="x")
    assert "stands in" in result.degraded[0]
    (project.workspace.root / ".agent/climpt/prompts/plan/break-down/task/f_default.md").unlink()
    with pytest.raises(TemplateMissing):
        project.command_execute("plan", "break-down", "task", options=["-a=detailed"], stdin="x")


def test_a_large_text_may_be_given(project: Project):
    result = project.command_execute("git", "write-message", "commit", stdin="x" * 200_000)
    assert len(result.text) > 200_000


def test_a_deadline_that_has_passed_stops_it(project: Project):
    arguments = dict(zip(("c1", "c2", "c3"), TARGET, strict=True))
    with pytest.raises(Cancelled):
        run(project.workspace, "command_execute", arguments, Call(deadline=Deadline(0)))


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return how to put a program called deno first on the path; it leaves a mark when it is started."""

    def write(body: str) -> Path:
        (tmp_path / "bin").mkdir(exist_ok=True)
        file, mark = tmp_path / "bin" / "deno", tmp_path / "started"
        file.write_text(f"#!{sys.executable}\nimport sys\nopen({str(mark)!r}, 'w').close()\n{body}\n")
        file.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
        return mark

    return write


@pytest.mark.requirement("N000-SAFE-03")
def test_a_projects_file_cannot_have_a_program_started(project: Project, runner):
    mark = runner("print('ran')")
    root = project.workspace.root
    (root / ".shirube").mkdir()
    (root / ".shirube/config.toml").write_text('[commands]\nexternal = true\nrunner = "deno"\n')
    with open_workspace(root) as opened:
        result = opened.command_execute(*TARGET, options=["--uv-target=x"])
        assert result.runner == "native"
        assert [line.split(" may only")[0].split(": ")[1] for line in opened.workspace.warnings()] == [
            "commands.external",
            "commands.runner",
        ]
    assert not mark.exists()


@pytest.mark.requirement("N000-SAFE-03", "000-EXECUTE-04")
def test_the_users_own_configuration_can(project: Project, runner, state_dirs):
    mark = runner("print('ran', sys.argv[-1])")
    (state_dirs.config / "config.toml").write_text("[commands]\nexternal = true\n")
    with open_workspace(project.workspace.root) as opened:
        result = opened.command_execute(*TARGET, options=["--uv-target=$(id)"])
    assert (result.text, result.runner, result.template) == ("ran --uv-target=$(id)\n", "external", "")
    assert mark.exists()


@pytest.mark.requirement("000-ERROR-02")
def test_the_outside_runner_is_given_up_in_time(project: Project, runner):
    runner("import signal; signal.pause()")
    with open_workspace(project.workspace.root, commands__external=True) as opened, pytest.raises(TimedOut):
        opened.command_execute(*TARGET, timeout_seconds=0.5)
