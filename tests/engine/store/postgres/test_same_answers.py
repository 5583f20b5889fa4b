"""A project whose index is on a server is indexed and answered like one whose index is here."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.architecture.house import ROOT
from tests.conftest import write_sample
from tests.postgres import shared_server
from tests.proxy import Proxy

from shirube.operation import Call
from shirube.operations import run
from shirube.types import Hit
from shirube.workspace import Workspace, build_workspace

PROJECTS = {
    "sample": "",
    "shop": "examples/shop",
    "engine": "src/shirube/engine",
    "features": "src/shirube/features",
    "documents": "docs",
}
QUESTIONS = (
    "how are files compared with the index",
    "charge the card again when the bank is slow",
    "where is the lock taken",
    '"is not in the index"',
    "case-insensitive path filter",
    "write",
    'Traceback: File "store/catalog.py", line 40, in files\nValueError: too many values',
    "三回まで再試行する",
    "kind:function retry",
    "lang:markdown install",
    "path:*.py session expiry",
    "tests of the parser",
)


def place_of(name: str, tmp_path: Path) -> Path:
    """Return a copy of a project."""
    root = tmp_path / name
    if not PROJECTS[name]:
        root.mkdir()
        return write_sample(root)
    shutil.copytree(ROOT / PROJECTS[name], root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@contextmanager
def indexed(root: Path, **flags: object) -> Iterator[Workspace]:
    made = build_workspace(root, {"index.sync_share": 1e-9, "embed.model": "static", "index.batch_files": 4, **flags})
    try:
        made.keeper.sync(full=False, progress=lambda *step: None, deadline=Call().deadline)
        yield made
    finally:
        made.close()


def on_server(port: int = 0) -> dict[str, object]:
    return {"store.backend": "postgres", "store.address": shared_server().address(port=port)}


def asked(workspace: Workspace) -> dict[str, object]:
    """Return what a project answers to everything that is asked of it, scores to so many digits."""
    found: dict[str, object] = {}
    for question in QUESTIONS:
        result = run(workspace, "search", {"query": question, "limit": 10}, Call())
        found[question] = [(hit.path, hit.start_line, hit.end_line, hit.symbol) for hit in result.forest_hits]
        found[f"scores of {question}"] = [round(hit.score, 4) for hit in result.forest_hits]
    for symbol in ("with_retries", "look", "Session.start", "unheard_of"):
        uses = run(workspace, "find_references", {"symbol": symbol, "limit": 50}, Call())
        found[symbol] = (uses.references, uses.definitions, uses.files, uses.nearest)
    paths = sorted(workspace.store.files())
    for path in paths[:: max(1, len(paths) // 5)]:
        if workspace.store.files()[path].language:
            found[path] = run(workspace, "deps_closure", {"path": path, "direction": "both", "depth": 2}, Call()).nodes
    bundle = run(workspace, "context_bundle", {"goal": "why is a written file not found", "budget": 2000}, Call())
    found["bundle"] = [(item.path, item.range) for item in bundle.context]
    status = run(workspace, "index_status", {}, Call())
    found["counts"] = (status.files, status.chunks, status.symbols, status.edges, status.source_bytes, status.skipped)
    return found


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_is_indexed_and_answered_alike(name: str, tmp_path: Path):
    root = place_of(name, tmp_path)
    with indexed(root) as here, indexed(root, **on_server()) as there:
        assert there.store.backend.remote
        assert asked(there) == asked(here)
        victim, *_, other = sorted(path for path in here.store.files() if path.endswith((".py", ".md")))
        (root / victim).write_text("# a new beginning\n\n\ndef brand_new_name(): ...\n")
        (root / other).unlink()
        (root / "added.py").write_text("from store.port import brand_new_name\nimport os\n")
        for one in (here, there):
            one.keeper.sync(full=False, progress=lambda *step: None, deadline=Call().deadline)
        assert set(there.store.files()) == set(here.store.files())
        assert there.store.edges() == here.store.edges()
        assert hits(there, "brand_new_name") == hits(here, "brand_new_name")
        assert there.store.check() == ()


def test_a_second_work_tree_reads_and_parses_nothing_that_the_first_has_written(tmp_path: Path):
    root = place_of("shop", tmp_path)

    for command in (
        ["init", "-q", "-b", "main"],
        ["remote", "add", "origin", f"git@example.org:{tmp_path.name}/shop.git"],
    ):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    with indexed(root, **on_server()) as first:
        assert len(first.keeper.job.report.added) > 5
        with indexed(copy, **on_server()) as second:
            report = second.keeper.job.report
            assert (report.parsed, report.added, report.changed, report.removed) == (0, (), (), ())
            assert run(second, "search", {"query": "charge the card"}, Call()).forest_hits
        (copy / "src/shop/new.py").write_text("def only_here(): ...\n")
        with indexed(copy, **on_server()) as second:
            assert second.keeper.job.report.added == ("src/shop/new.py",)
        assert "src/shop/new.py:1" not in hits(first, "only_here"), "its own tree decides what a work tree is told"


def test_a_fork_parses_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    root = place_of("engine", tmp_path)
    with indexed(root, **on_server()) as first:
        assert len(first.keeper.job.report.added) > 50
    fork = tmp_path / "fork"
    shutil.copytree(root, fork)
    (fork / "more.py").write_text("def more(): ...\n")
    monkeypatch.setenv("SHIRUBE_CACHE_DIR", str(tmp_path / "another machine"))
    with indexed(fork, **on_server()) as second:
        report = second.keeper.job.report
        assert report.parsed == 1
        assert report.reused > 0.9 * len(report.added)


def trips(workspace: Workspace, operation: str, **arguments: object) -> int:
    """Return how often the server is waited for in one call."""
    server = workspace.store.backend.server
    before = server.trips
    run(workspace, operation, arguments, Call())
    return server.trips - before


def test_a_question_waits_for_the_server_a_few_times_only(tmp_path: Path):
    """With 5 ms each way between, which changes no answer."""
    root, proxy = place_of("engine", tmp_path), Proxy(shared_server().port)
    shutil.copytree(root, tmp_path / "same")
    with indexed(root, **on_server(proxy.port)) as there, indexed(tmp_path / "same") as here:
        run(there, "search", {"query": "warm up", "mode": "hybrid"}, Call())
        run(there, "find_references", {"symbol": "look"}, Call())
        proxy.delay_seconds = 0.005
        for question in QUESTIONS:
            made, found = trips(there, "search", query=question), hits(there, question)
            assert made <= (3 if found else 6), f"{question}: {made}, though before an empty answer the tree is checked"
            assert found == hits(here, question)
        for symbol in ("index_terms", "Store.write", "nobody_defines_this"):
            assert trips(there, "find_references", symbol=symbol) <= 4
        for artifacts in ({}, {"editing_path": ["store/catalog.py"]}, {"hints": ["StoreChange", "store/port.py"]}):
            goal = {"goal": "why is a written file not found", **artifacts}
            assert trips(there, "context_bundle", **goal) <= 6
        (root / "store/port.py").write_text("def brand_new_name(): ...\n")
        assert trips(there, "sync_index") <= 5, "the state, numbers, the change, what it ends with, and the state again"
    proxy.close()


def hits(workspace: Workspace, question: str) -> list[str]:
    found: tuple[Hit, ...] = run(workspace, "search", {"query": question}, Call()).forest_hits
    return [f"{hit.path}:{hit.start_line}" for hit in found]
