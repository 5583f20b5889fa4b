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
from shirube.settings import setting_names
from tests.architecture.house import ROOT, repository_files, rooms

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
GUIDES = [
    page for page in PAGES if page.parent.name != "decisions" and page.name not in ("reference.md", "CHANGELOG.md")
]
INLINE = re.compile(r"(?<!`)`(shirube [^`]+)`(?!`)")
README_BYTES = 8192
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


def test_the_settings_that_the_guide_explains_exist() -> None:
    """The reference lists every setting; the guide explains those that people change."""
    text = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    rows = re.findall(r"^\| ((?:`[a-z_]+\.[a-z_.*]+`(?:, )?)+) \|", text, re.M)
    told = {name for row in rows for name in re.findall(r"`(.*?)`", row)}
    families = {f"{name[: dot.start()]}.*" for name in setting_names() for dot in re.finditer(r"\.", name)}
    assert len(told) > 30
    assert told - families - set(setting_names()) == set()


def test_the_commands_in_running_text_are_understood() -> None:
    """Commands in blocks are run by tests/docs; those inside a sentence are parsed, unless a part is left open."""
    typed = {" ".join(command.split()) for page in GUIDES for command in INLINE.findall(_prose(page))}
    whole = [command for command in sorted(typed) if not re.search(r"…|\b[A-Z]{2,}\b", command)]
    assert len(whole) > 20
    for command in whole:
        words = shlex.split(command)[1:]
        assert words[0].startswith("-") or words[0] in COMMANDS, command
        if len(words) > 1:
            build_parser().parse_args(words)


def test_every_command_is_shown_in_the_guides() -> None:
    told = "".join(page.read_text("utf-8") for page in GUIDES)
    assert [name for name in COMMANDS if f"shirube {name}" not in told and f"`{name}`" not in told] == []


def test_the_readme_is_short_and_the_japanese_one_is_complete() -> None:
    english, japanese = ((ROOT / name).read_text("utf-8") for name in ("README.md", "README.ja.md"))
    assert len(english.encode()) <= README_BYTES
    for what in (r"^(#+) ", r"^```(\w+)$", r"^\$ shirube (\w+)", r"^(\|)", r"\]\(((?:docs|benchmarks)/[\w/-]+\.md)\)"):
        assert sorted(re.findall(what, english, re.M)) == sorted(re.findall(what, japanese, re.M)), what


def test_the_targets_shown_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    told = {word for page in PAGES for word in re.findall(r"\bmake ([a-z0-9]+)`", page.read_text("utf-8"))}
    told |= {line.split()[1] for page in GUIDES for line in _shell(page) if line.startswith("make ")}
    assert told
    assert told - targets == set()


def test_every_room_is_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert [room for room in rooms() if "/" in room and f"`{room}`" not in text] == []


def test_the_files_that_recipes_name_exist() -> None:
    """A recipe that leads to a file that was moved is worse than none; FEATURE and its like may be any."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`((?:src|tests|docs|benchmarks|examples)/[\w./-]*)`", text))
    assert len(named) > 40
    missing = [path for path in named if not list(ROOT.glob(re.sub(r"FEATURE|GROUP", "*", path.rstrip("/"))))]
    assert missing == []


def test_relative_links_lead_to_files_and_headings() -> None:
    broken = []
    for page in PAGES:
        for target, heading in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text("utf-8")):
            aim = page.parent / target if target else page
            if "://" in target or (aim.exists() and (not heading or heading in _headings(aim))):
                continue
            broken.append(f"{page.relative_to(ROOT).as_posix()}: {target}#{heading}")
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
    for path in repository_files():
        if path.suffix not in TEXT:
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if PRIVATE.search(line):
                named[f"{path.relative_to(ROOT).as_posix()}:{number}"] = line.strip()[:80]
    assert named == {}


def test_the_lock_holds_names_and_versions_only() -> None:
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    assert not {"pip", "setuptools", "shirube", "michishirube"} & {line.split("==")[0].lower() for line in lines}


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _shell(page: Path) -> Iterator[str]:
    """Yield the lines of the shell blocks of a page."""
    for block in re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.S):
        yield from block.splitlines()


def _prose(page: Path) -> str:
    """Return a page without its blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.S | re.M)


def _headings(page: Path) -> set[str]:
    """Return the addresses of the headings of a page, as the usual viewers make them."""
    lines = re.findall(r"^#+ (.*)$", _prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}
