"""How often a store is asked: over a network each time is a trip, and a reader waits for every one of them."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

import shirube
from shirube.operation import Call
from shirube.operations import run
from shirube.workspace import Workspace, build_workspace
from tests.counting import FarBackend, far


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of some size: a part of this one."""
    made = tmp_path_factory.mktemp("trips") / "project"
    shutil.copytree(Path(shirube.__file__).parent / "engine", made, ignore=shutil.ignore_patterns("__pycache__"))
    return made


@pytest.fixture
def workspace(place: Path, tmp_path: Path):
    shutil.copytree(place, tmp_path / "project")
    with closing(build_workspace(tmp_path / "project", {"index.sync_share": 1e-9, "embed.model": "static"})) as made:
        made.keeper.sync(full=False, progress=lambda *step: None, deadline=Call().deadline)
        yield made


def trips(workspace: Workspace, operation: str, **arguments: object) -> list[str]:
    """Return the trips of one call when the index is up to date."""
    with far(workspace) as backend:
        run(workspace, operation, arguments, Call())
        return backend.trips


QUESTIONS = (
    "how are files compared with the index",
    "where is the lock of a sync taken",
    '"nothing that matches is" stamp',
    "case-insensitive path filter",
    "Store.write",
    'Traceback: File "store/catalog.py", line 40, in files\nValueError: too many values',
    "語の重みを計算する",
    "TODO config-reload ledger-close",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_search_takes_three_trips(workspace: Workspace, question: str):
    for more in ({}, {"mode": "hybrid", "response_format": "detailed"}):
        made = trips(workspace, "search", query=question, **more)
        assert len(made) <= 3, made


@pytest.mark.parametrize("symbol", ["index_terms", "Store.write", "EmbeddedStore", "among", "nobody_defines_this"])
def test_references_take_four_trips(workspace: Workspace, symbol: str):
    made = trips(workspace, "find_references", symbol=symbol)
    assert len(made) <= 4, made


@pytest.mark.parametrize(
    "artifacts",
    [
        {},
        {"editing_path": ["store/catalog.py", "store/embedded.py"]},
        {"hints": ["StoreChange", "store/port.py", "index_terms"]},
        {
            "failing_tests": ["test_sync.test_writes"],
            "last_diff": "--- a/text/bm25.py\n+++ b/text/bm25.py\n@@ -1 +1 @@\n",
        },
        {"path": "store", "past": 3},
    ],
)
def test_a_bundle_takes_six_trips(workspace: Workspace, artifacts: dict[str, object]):
    made = trips(workspace, "context_bundle", goal="why is a written file not found", **artifacts)
    assert len(made) <= 6, made


def test_a_changed_file_takes_four_trips_and_a_look_without_a_change_one(workspace: Workspace):
    port = workspace.root / "store" / "port.py"
    port.write_text(f"{port.read_text()}\n\ndef brand_new_name(): ...\n")
    assert len(made := trips(workspace, "sync_index")) <= 4, made
    (workspace.root / "new.py").write_text("from store.port import brand_new_name\n")
    assert len(made := trips(workspace, "sync_index")) <= 4, made
    assert [edge.source for edge in workspace.store.edges_to("store/port.py") if edge.source == "new.py"]
    with far(workspace) as backend:
        workspace.keeper.start().wait(None)
        assert len(backend.trips) == 1


def test_whether_a_file_may_be_written_takes_three_trips(workspace: Workspace):
    started = run(workspace, "start_session", {"query": "let port.py keep a lock", "intent": "MODIFY"}, Call())
    for path in ("store/port.py", "store/none.py", "Store.write"):
        made = trips(workspace, "check_write_target", session_id=started.session_id, file_path=[path])
        assert len(made) <= 3, made


def test_a_far_backend_answers_like_a_near_one(workspace: Workspace):
    """What comes along beforehand must not change an answer."""
    for question in QUESTIONS:
        near = run(workspace, "search", {"query": question}, Call())
        with far(workspace) as backend:
            assert isinstance(workspace.store.backend, FarBackend)
            distant = run(workspace, "search", {"query": question}, Call())
        assert distant.forest_hits == near.forest_hits
        assert backend.trips
