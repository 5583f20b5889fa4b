"""``make install`` puts one command on the PATH, says so, and ``make uninstall`` takes exactly that away."""

import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = (
    "sh",
    "basename",
    "dirname",
    "grep",
    "ln",
    "mkdir",
    "mktemp",
    "mv",
    "readlink",
    "rm",
    "rmdir",
    "sed",
    "touch",
    "cat",
    "chmod",
)
UV = """
case "$*" in
"tool dir --bin") echo "$HOME/bin of uv" ;;
"tool install"*) mkdir -p "$HOME/uv" "$HOME/bin of uv" && for name in shirube michishirube; do
    touch "$HOME/uv/$name" && ln -sf "$HOME/uv/$name" "$HOME/bin of uv/$name"; done ;;
"tool uninstall"*) rm -r "$HOME/uv" "$HOME/bin of uv"/* ;;
esac
"""
PIPX = """
case "$*" in
environment*) echo "$HOME/.local/bin" ;;
install*) mkdir -p "$HOME/pipx" "$HOME/.local/bin" && for name in shirube michishirube; do
    touch "$HOME/pipx/$name" && ln -sf "$HOME/pipx/$name" "$HOME/.local/bin/$name"; done ;;
uninstall*) rm -r "$HOME/pipx" "$HOME/.local/bin"/* ;;
esac
"""
PYTHON = """
case "$*" in
"-m venv "*) mkdir -p "$3/bin" && cat "$0" >"$3/bin/python" && chmod +x "$3/bin/python" ;;
"-m pip install "*)
    [ ! -e "$HOME/no-registry" ] && cd "${0%/*}" && touch shirube michishirube && chmod +x *shirube ;;
esac
"""

OURS = ("shirube-0.1.0", "Code intelligence that a coding agent consults before it writes.")
THEIRS = ("shirube-0.3.0b10", "Understand your database as a map")


@dataclass(frozen=True)
class Machine:
    """A home, a checkout and a PATH with nothing on it that a test did not put there."""

    base: Path

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def link(self) -> Path:
        return self.home / ".local" / "bin" / "shirube"

    @property
    def calls(self) -> list[str]:
        log = self.base / "calls"
        return log.read_text().splitlines() if log.exists() else []

    def put(self, name: str, body: str) -> None:
        """Put a program on the PATH that writes down how it was called."""
        program = self.base / "bin" / name
        program.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.base}/calls"\n{body}')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def run(self, what: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environ = {"HOME": str(self.home), "PATH": str(self.base / "bin"), "SHELL": "/bin/bash", **variables}
        command = [str(self.base / "checkout" / "install.sh"), what]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)

    def files(self) -> list[str]:
        """Return every file below the home."""
        paths = (path for path in self.home.rglob("*") if path.is_symlink() or path.is_file())
        return sorted(path.relative_to(self.home).as_posix() for path in paths)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a machine with a Python, without uv and pipx."""
    for name in ("home", "bin", "checkout"):
        (tmp_path / name).mkdir()
    for name in ("install.sh", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / "checkout" / name)
    for program in PROGRAMS:
        found = shutil.which(program)
        assert found, program
        (tmp_path / "bin" / program).symlink_to(found)
    made = Machine(tmp_path)
    made.put("python3", PYTHON)
    return made


def describe(prefix: Path, distribution: tuple[str, str]) -> None:
    """Write of an installed distribution what says whose it is."""
    info = prefix / "lib" / "python3.11" / "site-packages" / f"{distribution[0]}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: shirube\nSummary: {distribution[1]}\n")


def earlier_build(machine: Machine, tool: str, body: str) -> None:
    """Leave what ``make install`` left when the distribution was called shirube."""
    machine.put(tool, body)
    machine.run("install")
    home = machine.home
    place = home / tool
    (home / "bin").mkdir()
    for name in ("bin of uv" if tool == "uv" else ".local/bin",):
        (home / name / "michishirube").unlink()
        (home / name / "shirube").unlink()
        (home / name / "shirube").symlink_to(home / "bin" / "shirube")
    (home / "bin" / "shirube").touch()
    receipt = home / ".local/share/shirube/installed"
    kept = [line for line in receipt.read_text().splitlines() if not line.startswith(("name=", "target="))]
    receipt.write_text("\n".join([*kept, f"target={home / 'bin' / 'shirube'}", ""]))
    assert place.is_dir()


def test_uv_is_taken_before_pipx(machine: Machine) -> None:
    machine.put("uv", UV)
    machine.put("pipx", PIPX)
    done = machine.run("install")
    assert (done.returncode, done.stderr) == (0, "")
    assert "installed shirube with uv\n" in done.stdout
    assert machine.calls == [
        "uv tool dir --bin",
        "uv tool install --quiet --reinstall --constraints requirements.lock .",
    ]
    machine.run("uninstall")
    assert machine.calls[-1] == "uv tool uninstall --quiet michishirube"
    assert machine.files() == []


def test_pipx_is_taken_where_uv_is_missing(machine: Machine) -> None:
    machine.put("pipx", PIPX)
    assert "installed shirube with pipx\n" in machine.run("install").stdout
    lock = machine.base / "checkout" / "requirements.lock"
    assert machine.calls[-1] == f"pipx install --force --pip-args=--constraint {lock} ."
    gone = machine.run("uninstall")
    assert machine.calls[-1] == "pipx uninstall michishirube"
    assert f"removed {machine.link}\n" in gone.stdout
    assert machine.files() == []


def test_without_either_it_gets_an_environment_of_its_own(machine: Machine) -> None:
    done = machine.run("install")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in machine.link.parent.iterdir()} == {"shirube", "michishirube"}
    assert all(os.access(path, os.X_OK) for path in machine.link.parent.iterdir())
    assert any("pip install --quiet --constraint requirements.lock ." in call for call in machine.calls)
    environment = machine.link.resolve().parents[1]
    assert environment.parent == machine.home / ".local" / "share" / "shirube"
    gone = machine.run("uninstall")
    also = machine.link.with_name("michishirube")
    assert gone.stdout.splitlines()[:3] == [f"removed {path}" for path in (machine.link, also, environment)]
    assert machine.files() == []


def test_extras_are_named_by_a_variable(machine: Machine) -> None:
    machine.put("uv", UV)
    machine.run("install", EXTRA="e5")
    assert machine.calls[-1].endswith("requirements.lock .[e5]")


def test_installing_again_leaves_one_environment(machine: Machine) -> None:
    machine.run("install")
    first = machine.link.resolve()
    assert machine.run("install").returncode == 0
    assert machine.link.resolve() != first
    assert not first.parents[1].exists()
    assert machine.link.resolve().exists()


def test_the_way_it_was_installed_is_kept(machine: Machine) -> None:
    machine.run("install")
    machine.put("uv", UV)
    assert "in its own environment" in machine.run("install").stdout
    machine.run("uninstall")
    assert not any(call.startswith("uv") for call in machine.calls)


def test_a_tool_that_went_away_is_told(machine: Machine) -> None:
    machine.put("uv", UV)
    machine.run("install")
    (machine.base / "bin" / "uv").unlink()
    for what in ("install", "uninstall"):
        done = machine.run(what)
        assert done.returncode == 2
        assert "uv is not on PATH now" in done.stderr
        assert "next: put uv back on PATH" in done.stderr


@pytest.mark.parametrize("tool", ["uv", "pipx", "venv"])
def test_what_somebody_else_put_there_is_never_overwritten(machine: Machine, tool: str) -> None:
    for name, body in {"uv": UV, "pipx": PIPX}.items():
        if name == tool:
            machine.put(name, body)
    place = machine.home / "bin of uv" / "shirube" if tool == "uv" else machine.link
    place.parent.mkdir(parents=True)
    place.write_text("theirs")
    done = machine.run("install")
    assert done.returncode == 2
    assert f"error: {place} exists, and 'make install' did not put it there" in done.stderr
    assert "next: move or remove it" in done.stderr
    assert place.read_text() == "theirs"
    assert machine.files() == [place.relative_to(machine.home).as_posix()]


def test_a_dangling_link_of_somebody_else_is_not_overwritten(machine: Machine) -> None:
    machine.link.parent.mkdir(parents=True)
    machine.link.symlink_to("/nowhere/shirube")
    assert machine.run("install").returncode == 2
    assert machine.link.readlink() == Path("/nowhere/shirube")


def test_a_command_replaced_since_stays_when_ours_goes(machine: Machine) -> None:
    machine.run("install")
    machine.link.unlink()
    machine.link.write_text("theirs")
    gone = machine.run("uninstall")
    assert f"left alone: {machine.link}" in gone.stdout
    assert machine.files() == [".local/bin/shirube"]


def test_a_failed_installation_changes_nothing(machine: Machine) -> None:
    machine.run("install")
    before = machine.files()
    (machine.home / "no-registry").touch()
    done = machine.run("install")
    assert done.returncode == 2
    assert "error: the packages could not be installed" in done.stderr
    assert [name for name in machine.files() if name != "no-registry"] == before


def test_an_old_python_is_refused(machine: Machine) -> None:
    machine.put("python3", "exit 1\n")
    done = machine.run("install")
    assert done.returncode == 2
    assert "older than Python 3.11" in done.stderr
    assert "make install PYTHON=" in done.stderr
    assert machine.files() == []


@pytest.mark.parametrize(
    ("shell", "file", "line"),
    [
        ("/bin/bash", ".bashrc", 'export PATH="{bin}:$PATH"'),
        ("/usr/bin/zsh", ".zshrc", 'export PATH="{bin}:$PATH"'),
        ("/usr/bin/fish", ".config/fish/config.fish", 'fish_add_path "{bin}"'),
        ("", ".profile", 'export PATH="{bin}:$PATH"'),
    ],
)
def test_the_line_to_add_is_told_when_the_path_lacks_the_directory(
    machine: Machine, shell: str, file: str, line: str
) -> None:
    *_, where, told = machine.run("install", SHELL=shell).stdout.splitlines()
    assert f"{machine.link.parent} is not on your PATH" in where
    assert str(machine.home / file) in where
    assert told == "    " + line.format(bin=machine.link.parent)


def test_nothing_is_told_of_a_path_that_has_it(machine: Machine) -> None:
    path = f"{machine.link.parent}:{machine.base / 'bin'}"
    assert "PATH" not in machine.run("install", PATH=path).stdout


def test_another_command_that_comes_first_is_told(machine: Machine) -> None:
    machine.put("shirube", "")
    path = f"{machine.base / 'bin'}:{machine.link.parent}"
    last = machine.run("install", PATH=path).stdout.splitlines()[-1]
    note = f"note: your PATH finds {machine.base / 'bin' / 'shirube'} first; this one is {machine.link}"
    assert last == f"{note}, and also called michishirube"


def test_another_projects_program_that_comes_first_is_named_and_not_run(machine: Machine) -> None:
    theirs = machine.base / "theirs" / "bin" / "shirube"
    theirs.parent.mkdir(parents=True)
    theirs.write_text(f"#!/bin/sh\ntouch {machine.home}/it-ran\n")
    theirs.chmod(0o755)
    describe(theirs.parents[1], THEIRS)
    path = f"{theirs.parent}:{machine.link.parent}:{machine.base / 'bin'}"
    last = machine.run("install", PATH=path).stdout.splitlines()[-1]
    assert last.startswith(f"note: your PATH finds {theirs} first (another project's program, shirube-0.3.0b10); ")
    assert not (machine.home / "it-ran").exists()


@pytest.mark.parametrize(("tool", "body"), [("uv", UV), ("pipx", PIPX)])
def test_an_earlier_build_under_the_old_name_goes_before_the_new_one_comes(
    machine: Machine, tool: str, body: str
) -> None:
    earlier_build(machine, tool, body)
    describe(machine.home, OURS)
    done = machine.run("install")
    assert done.returncode == 0, done.stderr
    assert f"the earlier build goes first; {tool} knows it as shirube\n" in done.stdout
    calls = [call for call in machine.calls if "install" in call]
    assert calls[-2].endswith(" shirube")
    assert "uninstall" in calls[-2]
    assert calls[-1].endswith(" .")
    assert "name=michishirube" in (machine.home / ".local/share/shirube/installed").read_text()


@pytest.mark.parametrize("what", ["install", "uninstall"])
@pytest.mark.parametrize(("tool", "body"), [("uv", UV), ("pipx", PIPX)])
def test_what_another_project_has_put_at_the_place_of_an_earlier_build_stays(
    machine: Machine, tool: str, body: str, what: str
) -> None:
    earlier_build(machine, tool, body)
    describe(machine.home, THEIRS)
    before = machine.files()
    done = machine.run(what)
    assert done.returncode == 2
    assert "is no longer what 'make install' put there (another project's program, shirube-0.3.0b10)" in done.stderr
    assert machine.files() == before
    assert not any("uninstall" in call for call in machine.calls)


def test_a_program_in_the_way_is_told_by_its_project(machine: Machine) -> None:
    (machine.home / ".local" / "bin").mkdir(parents=True)
    machine.link.write_text("theirs")
    describe(machine.home / ".local", THEIRS)
    assert "did not put it there (another project's program, shirube-0.3.0b10)" in machine.run("install").stderr


def test_a_second_name_that_somebody_else_has_is_never_overwritten(machine: Machine) -> None:
    machine.link.parent.mkdir(parents=True)
    machine.link.with_name("michishirube").write_text("theirs")
    assert machine.run("install").returncode == 2
    assert machine.files() == [".local/bin/michishirube"]


def test_uninstall_names_what_it_leaves(machine: Machine) -> None:
    machine.run("install")
    kept = [machine.home / ".cache" / "shirube" / "index", machine.base / "state" / "session"]
    for path in kept:
        path.parent.mkdir(parents=True)
        path.touch()
    told = machine.run("uninstall", SHIRUBE_STATE_DIR=str(machine.base / "state")).stdout
    assert f"left {kept[0].parent} (indexes" in told
    assert f"left {kept[1].parent} (sessions" in told
    assert "settings" not in told
    assert all(path.exists() for path in kept)


def test_uninstall_without_an_installation_says_so(machine: Machine) -> None:
    done = machine.run("uninstall")
    assert (done.returncode, done.stdout) == (
        0,
        "nothing to remove: 'make install' has installed nothing for this user\n",
    )


@pytest.mark.slow
def test_a_real_environment_runs_the_program(machine: Machine) -> None:
    """The packages come from wherever pip finds them, so this needs a registry."""
    checkout = machine.base / "checkout"
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout / name)
    shutil.copytree(ROOT / "src", checkout / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    done = machine.run("install", PYTHON=sys.executable, **pip)
    assert done.returncode == 0, done.stderr
    told = subprocess.run([machine.link, "--version"], cwd=machine.base, capture_output=True, text=True, check=True)
    assert told.stdout.startswith("shirube ")
    machine.run("uninstall")
    assert machine.files() == []
