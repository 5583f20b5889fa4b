"""The official conformance suite on our own HTTP stack: with its fixtures, and against the product itself."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import StateDirs, make_state_dirs, write_sample
from tests.e2e.node import PROJECT, environ, needs_npm, run

pytestmark = [pytest.mark.slow, needs_npm("conformance")]

BEFORE, NOW = "2025-11-25", "2026-07-28"
WITHOUT_FIXTURES = [
    *(
        (name, BEFORE)
        for name in (
            "server-initialize",
            "ping",
            "tools-list",
            "resources-list",
            "prompts-list",
            "completion-complete",
            "dns-rebinding-protection",
            "server-sse-multiple-streams",
            "server-session-lifecycle",
        )
    ),
    *(
        (name, NOW)
        for name in (
            "tools-list",
            "resources-list",
            "prompts-list",
            "completion-complete",
            "dns-rebinding-protection",
            "server-sse-multiple-streams",
            "caching",
            "sep-2164-resource-not-found",
            "http-header-validation",
            "input-required-result-unsupported-methods",
        )
    ),
]
LINE = re.compile(r"^(✓|✗) ([\w-]+): (\d+) passed, (\d+) failed", re.M)
NEEDS_FIXTURE = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
}
"""Checks of ``server-stateless`` that call a tool which only the fixtures have."""


@pytest.fixture(scope="module")
def dirs(tmp_path_factory: pytest.TempPathFactory) -> StateDirs:
    return make_state_dirs(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("served") / "shop")


def served(which: str, root: Path, dirs: StateDirs) -> Iterator[str]:
    """Yield the address of a server in a process of its own."""
    command = [sys.executable, "-m", "tests.conformance.stack", which, str(root)]
    with subprocess.Popen(command, cwd=PROJECT, env=environ(dirs), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def fixtures(sample: Path, dirs: StateDirs) -> Iterator[str]:
    yield from served("everything", sample, dirs)


@pytest.fixture(scope="module")
def product(sample: Path, dirs: StateDirs) -> Iterator[str]:
    yield from served("product", sample, dirs)


@pytest.mark.parametrize(("revision", "scenarios"), [(BEFORE, 30), (NOW, 37)])
def test_every_scored_scenario_passes(fixtures: str, dirs: StateDirs, revision: str, scenarios: int):
    done = run(["conformance", "server", "--url", fixtures, "--requirements", revision], dirs)
    told = done.stdout[done.stdout.index("=== SUMMARY ===") :]
    unscored = set(re.findall(r"^  [✓✗] ([\w-]+) \(", told, re.M))
    found = {name: int(failed) for _, name, _, failed in LINE.findall(told) if name not in unscored}
    assert [name for name, failed in found.items() if failed] == [], done.stdout
    assert len(found) == scenarios
    assert done.returncode == 0


@pytest.mark.parametrize(("scenario", "revision"), WITHOUT_FIXTURES)
def test_the_product_passes_what_needs_no_fixture(product: str, dirs: StateDirs, scenario: str, revision: str):
    done = run(["conformance", "server", "--url", product, "--scenario", scenario, "--spec-version", revision], dirs)
    passed = re.search(r"Passed: (\d+)/(\d+), 0 failed", done.stdout)
    assert passed, done.stdout + done.stderr
    assert passed[1] == passed[2] != "0"
    assert done.returncode == 0


def test_the_product_is_stateless_but_for_tools_it_does_not_have(product: str, dirs: StateDirs):
    command = ["conformance", "server", "--url", product, "--scenario", "server-stateless", "--spec-version", NOW]
    told = re.sub(r"\x1b\[\d+m", "", run(command, dirs).stdout)
    checks = dict(re.findall(r"\[(sep-2575-[\w-]+)\s*\] (SUCCESS|FAILURE|SKIPPED|WARNING)", told))
    assert len(checks) >= 26, told
    assert {name for name, status in checks.items() if status == "FAILURE"} <= NEEDS_FIXTURE, told
