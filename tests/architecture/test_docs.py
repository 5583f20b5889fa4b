"""Documents match the program, links lead somewhere, and nothing names a private machine."""

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from shirube.doors.cli.commands import COMMANDS
from shirube.doors.cli.main import build_parser
from shirube.operations import OPERATIONS
from shirube.values import setting_names
from tests.architecture.house import ROOT, rooms

GUIDES = ("README.md", "CONTRIBUTING.md", "AGENTS.md", "ARCHITECTURE.md")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NOT_OURS = {".git", ".venv", "build", "dist", "__pycache__"}
TEXT = {".md", ".py", ".toml", ".lock", ".sh", ".scm", ".txt", ".yml", ".json", ".cfg", ""}
PRIVATE = re.compile(
    "|".join(
        [
            r"(?<![\w.*])/(?:wo" + r"rk|ro" + r"ot)/",
            r"/tm" + r"p/corp",
            r"/ho" + r"me/(?!user\b|you\b|me\b)\w+/",
            r"pyp" + r"i\.org",
            r"python" + r"hosted\.org",
            r"npm" + r"js\.org",
            r"crates" + r"\.io",
            r"extra-index" + r"-url",
        ]
    )
)


def test_the_reference_is_up_to_date() -> None:
    page = ROOT / "docs" / "reference.md"
    assert page.read_text("utf-8") == _generator().reference(), "run 'make docs'"


def test_every_operation_command_and_setting_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference.md").read_text("utf-8")
    wanted = [f"### `{operation.name}`" for operation in OPERATIONS]
    wanted += [f"### `shirube {name}`" for name in COMMANDS]
    wanted += [f"| `{name}` |" for name in setting_names()]
    assert [words for words in wanted if words not in text] == [], "run 'make docs'"


def test_every_setting_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text("utf-8")

    def is_told(name: str) -> bool:
        *above, last = name.split(".")
        return any(f"`{form}`" in text for form in (name, f".{last}", ".".join([*above, "*"])))

    assert [name for name in setting_names() if not is_told(name)] == []


def test_the_commands_shown_are_understood() -> None:
    shown = [line for guide in GUIDES for line in _commands(guide)]
    assert shown
    for line in shown:
        options = build_parser().parse_args(shlex.split(line, comments=True)[1:])
        assert options.command, line


def test_every_command_is_shown_in_the_readme() -> None:
    shown = {shlex.split(line)[1] for line in _commands("README.md")}
    told = (ROOT / "README.md").read_text("utf-8")
    assert [name for name in COMMANDS if name not in shown and f"`{name}`" not in told] == [], "show it in README.md"


def test_the_targets_shown_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    told = {word for page in PAGES for word in re.findall(r"\bmake ([a-z0-9]+)`", page.read_text("utf-8"))}
    told |= {line.split()[1] for guide in GUIDES for line in _shell(guide) if line.startswith("make ")}
    assert told
    assert told - targets == set()


def test_every_room_is_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert [room for room in rooms() if "/" in room and f"`{room}`" not in text] == []


def test_relative_links_lead_to_files() -> None:
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT).as_posix()}: {target}")
    assert broken == []


def test_every_decision_has_its_parts() -> None:
    parts = ("## Context", "## Evidence", "## Decision", "## Consequences")
    odd = [
        page.name
        for page in sorted((ROOT / "docs" / "decisions").glob("*.md"))
        if not re.match(r"\d{4}-[a-z-]+\.md", page.name)
        or not all(part in page.read_text("utf-8") for part in parts)
        or not page.read_text("utf-8").startswith(f"# {int(page.name[:4])}. ")
    ]
    assert odd == []


def test_no_file_names_a_private_machine_or_a_package_index() -> None:
    named = {}
    for path in _files():
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if PRIVATE.search(line):
                named[f"{path.relative_to(ROOT).as_posix()}:{number}"] = line.strip()[:80]
    assert named == {}


def test_the_lock_holds_names_and_versions_only() -> None:
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    assert not {"pip", "setuptools", "shirube"} & {line.split("==")[0].lower() for line in lines}


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _shell(page: str) -> Iterator[str]:
    """Yield the lines of the shell blocks of a page."""
    text = (ROOT / page).read_text("utf-8")
    for block in re.findall(r"```sh\n(.*?)```", text, re.S):
        yield from block.splitlines()


def _commands(page: str) -> Iterator[str]:
    """Yield what a page tells a reader to type: in shell blocks, after a prompt, or in a registration."""
    text = (ROOT / page).read_text("utf-8")
    lines = [*_shell(page), *re.findall(r"^\$ (shirube .*)$", text, re.M)]
    for line in lines:
        command = line.split(" -- ", 1)[-1]
        if command.startswith("shirube "):
            yield command


def _files() -> Iterator[Path]:
    """Yield the files that belong to the repository, without asking git, which may be missing."""
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if NOT_OURS.intersection(parts) or any(part.endswith(("_cache", ".egg-info")) for part in parts):
            continue
        if parts[0] != ".hypothesis" and path.is_file() and path.suffix in TEXT:
            yield path
