"""A project whose repository is indexed on a server, as its user meets it."""

import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from tests.conftest import StateDirs, write_sample
from tests.engine.store.overlay.conftest import ENV
from tests.postgres import DatabaseServer, shared_server
from tests.proxy import Proxy

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.index.reading import FileReading, Task
from shirube.engine.store.overlay import pinning
from shirube.engine.store.overlay.store import OverlayStore
from shirube.errors import BrokenIndex, MovedIndex, NoAccess, Unreachable
from shirube.features.plan.plan_store import PLANS
from shirube.operation import Call
from shirube.operations import run
from shirube.types import Answer, Scope, SyncReport
from shirube.workspace import Workspace, build_workspace

pytestmark = pytest.mark.usefixtures("state_dirs")


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
    return subprocess.run(command, cwd=root, env=ENV, check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def opened(root: Path, address: str = "", **flags: object) -> Iterator[Workspace]:
    settings = {"store.backend": "overlay", "store.address": address or shared_server().address(), **flags}
    workspace = build_workspace(root, {"index.sync_share": 1e-9, **settings})
    with closing(workspace):
        yield workspace


def synced(workspace: Workspace) -> SyncReport:
    job = workspace.keeper.sync(full=False, progress=lambda *step: None, deadline=Deadline())
    assert job.report is not None
    return job.report


def found(workspace: Workspace, query: str) -> list[str]:
    return [hit.path for hit in run(workspace, "search", {"query": query}, Call(patient=True)).forest_hits]


@pytest.fixture
def team(tmp_path: Path, state_dirs: StateDirs) -> Path:
    """A repository whose main branch is indexed on the server."""
    root = tmp_path / "team"
    root.mkdir()
    write_sample(root)
    git(root, "init", "-q", "-b", "main")
    git(root, "remote", "add", "origin", f"https://example.org/{uuid4().hex}.git")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    index(root)
    return root


def index(root: Path) -> None:
    with opened(root, **{"store.backend": "postgres"}) as workspace:
        synced(workspace)
        workspace.store.note("commit", git(root, "rev-parse", "HEAD"))


@pytest.fixture
def clone(team: Path) -> Callable[[str], Path]:
    def clone(name: str = "near") -> Path:
        git(team.parent, "clone", "-q", str(team), name)
        root = team.parent / name
        git(root, "remote", "set-url", "origin", git(team, "remote", "get-url", "origin"))
        return root

    return clone


def test_a_fresh_clone_parses_nothing_and_an_edited_file_only_that(team: Path, clone: Callable[..., Path]):
    root = clone()
    with opened(root) as workspace:
        assert synced(workspace).parsed == 0
        assert workspace.store.totals().place.values["count"] == 0
        before = found(workspace, "charge the card again")
        assert before
        (root / "src" / "extra.py").parent.mkdir(exist_ok=True)
        (root / "src" / "extra.py").write_text("def zebra_crossing():\n    return 'stripes'\n")
        report = synced(workspace)
        assert (report.added, report.parsed + report.reused) == (("src/extra.py",), 1)
        assert found(workspace, "zebra crossing")[0] == "src/extra.py"
        assert found(workspace, "charge the card again") == before
    server = shared_server()
    assert server.execute("SELECT count(*) FROM shirube.names WHERE name = 'zebra_crossing'")[0][0] == 0, "sent nowhere"


def test_an_index_of_the_machine_is_used_where_the_team_has_none(tmp_path: Path):
    root = tmp_path / "alone"
    root.mkdir()
    write_sample(root)
    with opened(root) as workspace:
        synced(workspace)
        assert not workspace.store.backend.remote
        assert [note.code for note in workspace.notes] == ["store.no_base"]
        assert found(workspace, "charge the card again")
    with opened(root, "postgresql://nobody@127.0.0.1:1/none") as workspace:
        assert [note.code for note in workspace.notes] == ["store.alone"]
        assert found(workspace, "charge the card again")


def test_without_the_server_what_differs_is_searched_and_the_rest_refused(clone: Callable[..., Path]):
    root = clone()
    proxy = Proxy(shared_server().port)
    address = shared_server().address(port=proxy.port)
    with opened(root, address) as workspace:
        synced(workspace)
        (root / "zebra.py").write_text("def zebra_crossing():\n    return 'stripes'\n")
        synced(workspace)
    proxy.close()
    with opened(root, address) as workspace:
        (root / "zebra.py").write_text("def zebra_crossing():\n    return 'stripes and dots'\n")
        assert synced(workspace).changed == ("zebra.py",)
        answer = run(workspace, "search", {"query": "zebra dots"}, Call(patient=True))
        assert [hit.path for hit in answer.forest_hits] == ["zebra.py"]
        assert "store.base_away" in [note.code for note in answer.degraded]
        assert run(workspace, "get_symbols", {"path": "zebra.py"}, Call(patient=True)).symbols
        for operation, asked in (("search", {"query": "checkout"}), ("past_changes", {"goal": "checkout"})):
            result = run(workspace, operation, asked, Call(patient=True))
            assert result.answer == Answer.UNKNOWN, "nothing is proved by a part of the index"
            assert [note.code for note in result.degraded].count("store.base_away") == 1
        with pytest.raises(Unreachable):
            run(workspace, "query_plan", {"goal": "zebra dots"}, Call(patient=True))
        assert not workspace.journal.documents(PLANS)
        with pytest.raises(Unreachable) as refused:
            run(workspace, "get_symbols", {"path": "src/shop/payment.py"}, Call(patient=True))
        assert refused.value.message.code == "store.base_needed"
        with pytest.raises(Unreachable):
            workspace.store.check()
    with opened(root, address) as workspace:
        told = run(workspace, "index_status", {}, Call(patient=True)).warnings
        assert "store.base_away" in [note.code for note in told]
    with opened(root) as workspace:
        assert not run(workspace, "index_status", {}, Call(patient=True)).warnings
        assert run(workspace, "get_symbols", {"path": "src/shop/payment.py"}, Call(patient=True)).symbols


def test_a_base_that_was_replaced_is_noticed_before_it_answers(
    team: Path, clone: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
):
    from shirube.engine.store.postgres import store as server_store

    root = clone()
    monkeypatch.setattr(server_store, "GRACE_SECONDS", 0)
    with opened(root) as workspace:
        synced(workspace)
        (team / "later.py").write_text("def later_on():\n    return 'an owl'\n")
        git(team, "add", "-A")
        git(team, "commit", "-qm", "second")
        index(team)
        with opened(team, **{"store.backend": "postgres"}) as other:
            other.store.compact()
        assert found(workspace, "an owl sleeps") == [], "the clone does not have it yet"
        assert found(workspace, "charge the card again")
        git(root, "fetch", "-q", str(team), "main")
        git(root, "reset", "-q", "--hard", "FETCH_HEAD")
        assert synced(workspace).parsed == 0, "the server knows what was parsed"
        assert found(workspace, "an owl sleeps")[:1] == ["later.py"]
        workspace.store.compact()
        assert workspace.store.totals().place.values["count"] == 0, "what the base has, too, is not kept"
        assert found(workspace, "an owl sleeps")[:1] == ["later.py"]


def test_another_branch_of_the_team_is_the_base_of_one_that_is_like_it(team: Path, clone: Callable[..., Path]):
    """Also without the note of a worker: an index tells by its past changes which commit it is of."""
    root = clone()
    with opened(root) as workspace:
        synced(workspace)
    git(team, "checkout", "-q", "-b", "release")
    for number in range(5):
        (team / f"release{number}.py").write_text(f"def release_{number}(): pass\n")
    git(team, "add", "-A")
    git(team, "commit", "-qm", "release")
    with opened(team, **{"store.backend": "postgres"}) as workspace:
        synced(workspace)
    git(root, "fetch", "-q", str(team), "release")
    git(root, "checkout", "-q", "-b", "fix", "FETCH_HEAD")
    with opened(root) as workspace:
        report = synced(workspace)
        place = workspace.store.totals().place
        assert (report.parsed + report.reused, place.values["ref"], place.values["count"]) == (0, "release", 0)


def test_a_base_that_is_switched_in_the_middle_of_a_sync_is_compared_again(
    team: Path, clone: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
):
    root = clone()
    with opened(root) as workspace:
        synced(workspace)
        (root / "mine.py").write_text("import later\n")
        keeper, backend = workspace.keeper, workspace.store.backend
        assert isinstance(backend, OverlayStore)
        read, moved = keeper._sources.read, []

        def meanwhile(tasks: Sequence[Task]) -> Iterable[FileReading]:
            found = list(read(tasks))
            if not moved:
                moved.append(True)
                (team / "later.py").write_text("def later_on(): pass\n")
                git(team, "add", "-A")
                git(team, "commit", "-qm", "second")
                index(team)
                forced = pinning.choices(backend.server, backend._place(), None)
                made = pinning.read_whole(backend.server, forced[0], backend._place().form)
                assert made is not None
                pinning.pin(backend._file, made, None, backend._file.facts())
            return found

        keeper._sources = replace(keeper._sources, read=meanwhile)
        synced(workspace)
        assert moved
        assert "later.py" not in workspace.store.files()
        assert "mine.py" in workspace.store.files()


def test_a_question_does_not_take_merged_layers_for_missing_words(clone: Callable[..., Path]):
    root = clone()
    with opened(root) as asking, opened(root) as writing:
        (root / "zebra.py").write_text("def zebra_crossing(): pass\n")
        synced(writing)
        with Deadline().governing():
            asking.store.forget()
            assert "zebra.py" in asking.store.files()
            with Deadline().governing():
                (root / "other.py").write_text("def other(): pass\n")
                synced(writing)
                writing.store.compact()
            with pytest.raises(MovedIndex):
                asking.store.mentions("zebra_crossing", Scope())
        assert asking.store.mentions("zebra_crossing", Scope()).paths == ("zebra.py",)


def test_a_repaired_index_is_not_taken_for_the_one_before(clone: Callable[..., Path]):
    root = clone()
    with opened(root) as workspace, opened(root) as other:
        (root / "zebra.py").write_text("def zebra_crossing(): pass\n")
        synced(workspace)
        assert other.store.text("zebra.py") == "def zebra_crossing(): pass\n"
        before = other.store.state().generation
        (root / "zebra.py").write_text("def tiger(): pass\n")
        workspace.rebuild(BrokenIndex("store.server_incomplete"), lambda *step: None)
        assert workspace.store.text("zebra.py") == "def tiger(): pass\n"
        assert other.store.text("zebra.py") == "def tiger(): pass\n"
        assert other.store.state().generation != before


def test_a_commit_that_was_thrown_away_is_forgotten_with_a_new_base(team: Path, clone: Callable[..., Path]):
    root = clone()
    with opened(root) as workspace:
        (root / "mine.py").write_text("def mine(): pass\n")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "mine")
        synced(workspace)
        (team / "theirs.py").write_text("def theirs(): pass\n")
        git(team, "add", "-A")
        git(team, "commit", "-qm", "theirs")
        index(team)
        git(root, "fetch", "-q", str(team), "main")
        git(root, "reset", "-q", "--hard", "FETCH_HEAD")
        synced(workspace)
        assert {change.subject for change in workspace.store.past_changes()} == {"theirs", "first"}


def test_files_that_came_with_a_base_are_found_by_imports(team: Path, clone: Callable[..., Path]):
    root = clone()
    with opened(root) as workspace:
        synced(workspace)
        (team / "later.py").write_text("def later_on(): pass\n")
        git(team, "add", "-A")
        git(team, "commit", "-qm", "second")
        index(team)
        git(root, "fetch", "-q", str(team), "main")
        git(root, "reset", "-q", "--hard", "FETCH_HEAD")
        synced(workspace)
        (root / "mine.py").write_text("import later\n")
        synced(workspace)
        (root / "mine.py").write_text("import later\n\n\nlater.later_on()\n")
        synced(workspace)
        assert [edge.target for edge in workspace.store.edges("mine.py")] == ["later.py"]


def test_a_repository_that_the_team_no_longer_has_is_told(team: Path, clone: Callable[..., Path]):
    root = clone()
    with opened(root) as workspace:
        synced(workspace)
        remove(shared_server(), git(team, "remote", "get-url", "origin"))
        with pytest.raises(NoAccess) as refused:
            run(workspace, "search", {"query": "charge the card"}, Call(patient=True))
        assert refused.value.message.code == "store.base_removed"
    with opened(root) as workspace:
        assert found(workspace, "charge the card again"), "by an index of this machine"


def remove(server: DatabaseServer, url: str) -> None:
    name = url.removeprefix("https://").removesuffix(".git")
    repo = server.execute(f"SELECT repo FROM shirube.repositories WHERE name = '{name}'")[0][0]
    for table in ("layers", "postings", "names", "refs", "repositories"):
        server.execute(f"DELETE FROM shirube.{table} WHERE repo = {repo}")


def test_another_server_or_version_begins_anew(clone: Callable[..., Path], monkeypatch: pytest.MonkeyPatch):
    root = clone()
    with opened(root) as workspace:
        synced(workspace)
    monkeypatch.setattr("shirube.workspace.FORM", "99:99:9")
    with opened(root) as workspace:
        assert [note.code for note in workspace.notes] == ["store.no_base"], "nobody has made an index by these rules"
        assert found(workspace, "charge the card again")


def test_a_damaged_file_is_begun_anew(clone: Callable[..., Path]):
    root = clone()
    with opened(root) as workspace:
        synced(workspace)
        place = workspace.directory / "overlay.sqlite"
    place.write_bytes(b"not a database at all" * 100)
    with opened(root) as workspace:
        assert synced(workspace).parsed == 0
        assert found(workspace, "charge the card again")


def test_past_changes_of_the_base_and_of_the_clone_vote_together(team: Path, clone: Callable[..., Path]):
    root = clone()
    with opened(root) as workspace:
        synced(workspace)
        assert [change.subject for change in workspace.store.past_changes()] == ["first"]
        (root / "owl.py").write_text("def owl(): pass\n")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "Add an owl")
        synced(workspace)
        assert {change.subject for change in workspace.store.past_changes()} == {"Add an owl", "first"}
        similar = workspace.store.similar_changes({"owl": 1.0}, 5)
        assert [one.change.subject for one in similar] == ["Add an owl"]
        assert [file.path for file in similar[0].change.files] == ["owl.py"]
        git(root, "reset", "-q", "--hard", "HEAD~1")
        synced(workspace)
        assert [change.subject for change in workspace.store.past_changes()] == ["first"]


def test_a_second_work_tree_begins_with_the_index_of_the_first(team: Path):
    other = team.parent / "other"
    git(team, "worktree", "add", "-q", str(other), "-b", "other")
    with opened(team, **{"store.backend": "embedded"}) as workspace:
        assert len(synced(workspace).added) > 1
    with opened(other, **{"store.backend": "embedded"}) as workspace:
        report = synced(workspace)
        assert (report.added, report.parsed, report.reused) == ((), 0, 0)
