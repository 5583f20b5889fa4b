"""A repository of a shared index as a project without a tree."""

import pytest

from shirube import shared
from shirube.codec import replace
from shirube.config import load_config
from shirube.deadline import Deadline
from shirube.engine.store.access import seeing, visible
from shirube.engine.store.memory_journal import MemoryJournal
from shirube.errors import BrokenIndex, Conflict, IndexBusy
from shirube.operation import Call
from shirube.operations import run
from shirube.shared import NOWHERE, SharedIndex, SharedProject
from shirube.workspace import FORM, build_workspace
from tests.postgres import shared_server


@pytest.fixture(name="pair")
def _pair(sample_repo, tmp_path):
    """Return the sample project with its tree, and the same as it is on a server."""
    with shared_server().database() as address:
        config = load_config(None, {"store.backend": "postgres", "store.address": address, "index.workers": 1})
        config = replace(config, cache_dir=tmp_path / "cache", state_dir=tmp_path / "state")
        workspace = build_workspace(sample_repo, config=config)
        workspace.keeper.sync(full=False, progress=lambda *step: None, deadline=Deadline())
        shared = SharedProject(7, config, workspace.store.backend, workspace.embedder)
        yield workspace, shared
        workspace.close()


def test_it_answers_as_the_project_with_its_tree_does(pair):
    for name, arguments in (
        ("search", {"query": "charge the card again when the bank is slow"}),
        ("search_text", {"patterns": ["with_retries", "再試行"], "context_lines": 1}),
        ("search_text", {"patterns": ["nothing of that kind"]}),
        ("search_text", {"patterns": ["r[a-z]+y"], "regex": True, "path": "src"}),
        ("find_references", {"symbol": "with_retries"}),
        ("find_definitions", {"symbol": "checkout", "path": "src/shop"}),
        ("analyze_structure", {"path": "src/shop"}),
        ("get_symbols", {"path": "src"}),
        ("analyze_impact", {"files": ["src/shop/retry.py"]}),
        ("deps_closure", {"path": "src/shop/payment.py"}),
        ("snippets_get", {"path": "src/shop/payment.py", "start_line": 16}),
        ("context_bundle", {"goal": "refund a payment"}),
    ):
        with_tree, without = (run(project, name, arguments, Call(deadline=Deadline(60))) for project in pair)
        own = {"freshness", "degraded", "next_cursor"}
        fields = [field for field in with_tree.__struct_fields__ if field not in own]
        assert [getattr(without, field) for field in fields] == [getattr(with_tree, field) for field in fields], name


def test_it_knows_its_directories_and_has_no_tree(pair):
    _, shared = pair
    assert not NOWHERE.exists()
    with Deadline(60).governing():
        assert [shared.has(path) for path in ("src", "src/shop/retry.py", "src/sho", "none.py")] == [
            True,
            True,
            False,
            False,
        ]
        assert [shared.has_directory(path) for path in ("src/shop", "src/shop/retry.py", "")] == [True, False, False]
        assert shared.freshness(("src/shop/retry.py",)).stale_files == ()
        assert shared.freshness(()).indexed_at.endswith("Z")
        assert shared.keeper.state == "complete"
        assert shared.head() == shared.text_at("HEAD", "README.md") == ""
        assert shared.diff_of("HEAD", ()) is None
        assert shared.map.load().agreements == ()
    with pytest.raises(IndexBusy):
        shared.rebuild(BrokenIndex("store.server_incomplete"), lambda *step: None)


def test_what_a_request_notes_is_gone_with_it(pair):
    _, shared = pair
    with Deadline(60).governing():
        shared.journal.put("plan", "a", {"x": 1})
        assert shared.journal.get("plan", "a").body == {"x": 1}
    with Deadline(60).governing():
        assert shared.journal.get("plan", "a") is None


def test_a_journal_in_memory_is_like_one_on_disk():
    journal = MemoryJournal()
    assert [journal.put("k", key, {"n": key}) for key in ("a", "b", "a")] == [1, 1, 2]
    assert [document.key for document in journal.documents("k")] == ["a", "b"]
    assert [document.key for document in journal.documents("k", 1)] == ["a"]
    assert journal.keys("k") == ("a", "b")
    with pytest.raises(Conflict):
        journal.put("k", "a", {}, expect=1)
    assert journal.get("k", "a") is not None
    assert journal.remove("k", "a")
    assert not journal.remove("k", "a")
    assert [journal.append("s", {"n": number}) for number in range(3)] == [1, 2, 3]
    assert [event.body["n"] for event in journal.events("s", after=1, limit=1)] == [1]


def test_the_projects_not_asked_for_longest_are_forgotten(pair, tmp_path):
    workspace, _ = pair
    team = replace(workspace.config.team, open_repositories=2)
    index = SharedIndex(replace(workspace.config, team=team))
    first = index.project("a", 1)
    assert index.project("a", 1) is first
    index.project("b", 2)
    index.project("a", 1)
    index.project("c", 3)
    assert index.size == 2
    assert index.project("a", 1) is first
    assert visible() == ()
    index.close()


def test_the_branch_of_the_configuration_is_asked_first(pair):
    workspace, _ = pair
    server = workspace.store.backend.server
    repo = server.change(lambda c: c.execute("SELECT repo FROM shirube.refs").fetchone())[0]
    more = "INSERT INTO shirube.refs (repo, ref, form, updated) VALUES (%s, %s, %s, now() + %s * interval '1 day')"
    for ref, days in (("main", -2), ("topic", 2), ("master", -1)):
        server.change(lambda c, ref=ref, days=days: c.execute(more, (repo, ref, FORM, days)))
    index = SharedIndex(workspace.config)
    with seeing((repo,)):
        assert index.access.branch(repo, FORM, ("main", "master")) == "main"
        assert index.access.branch(repo, FORM, ("none", "master")) == "master"
        assert index.access.branch(repo, FORM, ("none",)) == "topic"
        assert index.access.branch(repo, "another form", ("main",)) == ""
    index.close()


def test_a_branch_that_comes_later_is_asked_soon(pair, monkeypatch):
    workspace, _ = pair
    now = [1000.0]
    monkeypatch.setattr(shared, "monotonic", lambda: now[0])
    server = workspace.store.backend.server
    repo = server.change(lambda c: c.execute("SELECT repo FROM shirube.refs").fetchone())[0]
    index = SharedIndex(workspace.config)
    with seeing((repo,)):
        before = index.project("a", repo)
        more = "INSERT INTO shirube.refs (repo, ref, form) VALUES (%s, 'trunk', %s)"
        server.change(lambda c: c.execute(more, (repo, FORM)))
        assert index.project("a", repo) is before
        now[0] += 61
        after = index.project("a", repo)
        assert after.store.backend._place().ref == "trunk"
        now[0] += 61
        assert index.project("a", repo) is after, "what is known of a branch is kept"
    index.close()
