"""Workers on a real server: what is indexed, dropped, tried again, dead, and left behind."""

import errno
import os
import signal
from pathlib import Path

import pytest

from shirube.deadline import Deadline
from shirube.engine.store.postgres.queue import STALLED_SECONDS
from shirube.engine.store.team_records import DROP, INDEX, KINDS, LOOK, TeamJob, TeamRepository
from shirube.errors import NoPermission, RemoteAway, ShirubeError, TeamFault
from shirube.features.team import flow, repositories
from shirube.features.team.rules import MOST_ATTEMPTS
from shirube.workspace import build_workspace, open_worker
from tests.conftest import needs_git
from tests.teams import HOST, Team

pytestmark = needs_git
FILES = {
    "a.py": "def alpha():\n    return beta()\n",
    "src/b.py": "def beta():\n    return 2\n",
    ".gitignore": "*.log\n",
}


def notes(team: Team) -> dict[str, str]:
    rows = team.rows("SELECT ref, notes->>'commit' FROM shirube.refs")
    return dict(rows)


def clone(team: Team, name: str, branch: str = "main") -> Path:
    place = team.base / "clones" / f"{name}-{branch}"
    team.git(team.base, "clone", "-q", "-b", branch, f"{HOST}/{name}", str(place))
    return place


def test_a_branch_is_indexed_as_a_clone_would_and_the_clone_finds_it(team: Team):
    endings = {".gitattributes": "*.bat text eol=crlf\n*.txt working-tree-encoding=UTF-16\n", "x.bat": "echo\n"}
    root = team.remote("shop", FILES | endings)
    commit = team.git(root, "rev-parse", "HEAD").strip()
    team.add("shop")
    assert team.drain().dead == 0
    row = team.branches()["shop main"]
    assert (row.state, row.commit, row.runs) == ("complete", commit, 1)
    assert notes(team) == {"main": commit}
    workspace = build_workspace(clone(team, "shop"), {"store.backend": "postgres"})
    try:
        with Deadline().governing():
            assert not workspace.keeper.is_behind()
            assert sorted(workspace.store.files()) == [".gitattributes", ".gitignore", "a.py", "src/b.py", "x.bat"]
            assert (workspace.root / "x.bat").read_bytes() == b"echo\r\n"
            assert workspace.store.noted("commit") == commit
            assert list(workspace.store.commits()) == [commit]
    finally:
        workspace.close()


def test_branches_that_match_are_followed_as_they_come_move_and_go(team: Team):
    root = team.remote("shop", FILES)
    team.add("shop", "main", "release/*")
    team.drain()
    assert list(team.branches()) == ["shop main"]
    team.git(root, "checkout", "-qb", "release/1")
    released = team.commit(root, {"c.py": "def gamma():\n    pass\n"})
    team.git(root, "branch", "other")
    team.sync("shop")
    team.drain()
    assert {name: row.state for name, row in team.branches().items()} == {
        "shop main": "complete",
        "shop release/1": "complete",
    }
    moved = team.commit(root, {"c.py": "def delta():\n    pass\n"})
    team.git(root, "branch", "-D", "main")
    team.sync("shop")
    team.drain()
    assert {name: row.commit for name, row in team.branches().items()} == {"shop release/1": moved}
    assert moved != released
    assert notes(team) == {"release/1": moved}


def test_nothing_is_done_twice(team: Team):
    team.remote("shop", FILES)
    team.add("shop")
    team.add("shop")
    assert team.drain().jobs == 2  # a look, and an index
    team.sync("shop")
    assert team.drain().jobs == 1
    assert team.branches()["shop main"].runs == 1
    team.sync("shop", "main")
    team.drain()
    row = team.branches()["shop main"]
    assert (row.runs, row.files_per_second) == (2, 0.0)
    assert team.rows("SELECT count(*) FROM shirube.files") == [(3,)]


def test_several_repositories_are_done_at_once(team: Team):
    for number in range(6):
        team.remote(f"r{number}")
        team.add(f"r{number}")
    worker = team.drain(jobs=3)
    assert (worker.jobs, worker.dead) == (12, 0)
    assert {row.state for row in team.branches().values()} == {"complete"}


def test_a_write_by_somebody_else_takes_the_note_of_the_commit_away(team: Team):
    team.remote("shop", FILES)
    team.add("shop")
    team.drain()
    place = clone(team, "shop")
    (place / "a.py").write_text("def changed():\n    pass\n")
    workspace = build_workspace(place, {"store.backend": "postgres"})
    try:
        workspace.keeper.sync(full=False, progress=lambda *_: None, deadline=Deadline())
    finally:
        workspace.close()
    assert notes(team) == {"main": None}
    team.sync("shop", "main")
    team.drain()
    assert notes(team) == {"main": team.branches()["shop main"].commit}


def test_a_remote_that_is_away_is_tried_again_and_found(team: Team, monkeypatch: pytest.MonkeyPatch):
    team.remote("shop", FILES)
    team.add("shop")
    monkeypatch.setattr(flow, "wait_seconds", lambda attempt: 1)
    away = [RemoteAway("team.remote_away", error="x")] * 2
    fetch = flow.Mirror.fetch

    def sometimes(mirror: flow.Mirror, branch: str) -> str:
        if away:
            raise away.pop()
        return fetch(mirror, branch)

    monkeypatch.setattr(flow.Mirror, "fetch", sometimes)
    while away or team.branches()["shop main"].state != "complete":
        assert team.drain().dead == 0
        if away:
            assert team.problem("shop") == "team.remote_away"
            assert team.branches()["shop main"].state == "waiting"
    assert team.problem("shop") == ""


def test_what_never_works_is_dead_in_the_end_and_says_why(team: Team, monkeypatch: pytest.MonkeyPatch):
    team.remote("shop", FILES)
    team.add("shop")
    monkeypatch.setattr(flow, "wait_seconds", lambda attempt: 0)

    def never(mirror: flow.Mirror, branch: str) -> str:
        raise RemoteAway("team.remote_away", error="x")

    monkeypatch.setattr(flow.Mirror, "fetch", never)
    assert team.drain().dead == 1
    row = team.branches()["shop main"]
    assert (row.state, row.runs, team.status().dead) == ("dead", MOST_ATTEMPTS, 1)
    monkeypatch.undo()


def test_an_error_of_our_own_leaves_no_branch_at_work(team: Team, monkeypatch: pytest.MonkeyPatch):
    team.remote("shop", FILES)
    team.add("shop")

    def wrong(mirror: flow.Mirror, branch: str) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(flow.Mirror, "fetch", wrong)
    assert team.drain().dead == 1
    assert (team.branches()["shop main"].state, team.problem("shop")) == ("dead", "team.bug")


@pytest.mark.parametrize(
    ("settings", "files", "code"),
    [
        ({"worker.files": "2"}, FILES, "team.many_files"),
        ({"worker.tree_megabytes": "1"}, {"big.txt": "x" * (3 << 20)}, "team.tree_large"),
        ({}, {".shirube/config.toml": "[index\n"}, "config.not_toml"),
    ],
)
def test_a_repository_that_cannot_be_taken_is_dead_until_it_changes(
    team: Team, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], files: dict[str, str], code: str
):
    for name, value in settings.items():
        monkeypatch.setenv(f"SHIRUBE_{name.replace('.', '_').upper()}", value)
    root = team.remote("odd", files)
    team.add("odd")
    assert (team.drain().dead, team.problem("odd"), team.branches()["odd main"].runs) == (1, code, 1)
    with team.office() as office:
        office.queue.put(TeamJob(LOOK, "git.test/odd"))
    assert team.drain().dead == 0  # a look does not ask for the same again
    for path in files:
        (root / path).unlink()
    team.commit(root, {"a.py": "x = 1\n"})
    team.sync("odd")
    team.drain()
    assert (team.branches()["odd main"].state, team.problem("odd"), team.status().dead) == ("complete", "", 0)


def test_hostile_repositories_end_as_dead_jobs_and_others_are_done(team: Team):
    odd = team.remote("odd", FILES)
    blob = team.git(odd, "hash-object", "-w", "--stdin", data=b"x").strip()
    tree = b"100644 .git\0" + bytes.fromhex(blob)
    made = team.git(odd, "hash-object", "-w", "--literally", "-t", "tree", "--stdin", data=tree).strip()
    team.git(odd, "update-ref", "refs/heads/main", team.git(odd, "commit-tree", "-m", "odd", made).strip())
    linked = team.remote("linked", FILES)
    (linked / "passwd.py").symlink_to("/etc/passwd")
    (linked / "everything").symlink_to("/")
    team.commit(linked, {"b.py": "b = 1\n"})
    for name in ("odd", "linked", "gone"):
        team.add(name)
    assert team.drain(jobs=2).dead == 2
    assert (team.problem("odd"), team.problem("gone")) == ("team.broken", "team.no_remote")
    assert (team.branches()["linked main"].files, team.status().dead) == (4, 2)  # what links lead to is not read


def test_a_remote_that_is_none_and_a_branch_that_is_none_are_told(team: Team):
    team.add("nothing")
    team.remote("shop", FILES)
    team.add("shop", "release/*")
    assert team.drain().dead == 2
    assert (team.problem("nothing"), team.problem("shop")) == ("team.no_remote", "team.no_branch")


def test_a_job_whose_worker_was_killed_is_taken_over(team: Team):
    team.remote("shop", FILES)
    team.add("shop")
    team.drain()
    with team.office() as office:
        office.queue.put(TeamJob(INDEX, "git.test/shop", "main"))
        (number,) = team.rows("INSERT INTO shirube.procrastinate_workers DEFAULT VALUES RETURNING id")[0]
        team.rows(f"UPDATE shirube.procrastinate_jobs SET status = 'doing', worker_id = {number}")
        assert office.queue.take_over(3600) == []  # its worker is alive
        ago = f"now() - interval '{STALLED_SECONDS + 1} s'"
        team.rows(f"UPDATE shirube.procrastinate_workers SET last_heartbeat = {ago}")
        assert office.queue.take_over(3600) == [TeamJob(INDEX, "git.test/shop", "main")]
        assert office.queue.take_over(3600) == []
    assert (team.drain().dead, team.branches()["shop main"].runs) == (0, 2)


def test_a_job_that_kills_its_workers_is_dead_in_the_end(team: Team):
    team.remote("shop", FILES)
    team.add("shop")
    team.drain()
    with team.office() as office:
        office.queue.put(TeamJob(INDEX, "git.test/shop", "main", attempt=MOST_ATTEMPTS))
    assert (team.drain().dead, team.problem("shop")) == (1, "team.lost")


def test_a_worker_that_is_told_to_stop_puts_its_job_back(team: Team, monkeypatch: pytest.MonkeyPatch):
    team.remote("shop", FILES)
    team.add("shop")
    fetch = flow.Mirror.fetch

    def stopped(mirror: flow.Mirror, branch: str) -> str:
        os.kill(os.getpid(), signal.SIGTERM)
        while True:
            flow.current().check()

    monkeypatch.setattr(flow.Mirror, "fetch", stopped)
    assert team.drain().dead == 0
    with team.office() as office:
        assert office.queue.state().waiting == 1
    assert team.branches()["shop main"].state == "waiting"
    monkeypatch.setattr(flow.Mirror, "fetch", fetch)
    team.drain()
    assert team.branches()["shop main"].state == "complete"


def test_a_removed_repository_leaves_nothing_behind(team: Team):
    team.remote("shop", FILES)
    team.remote("other")
    team.add("shop", "*")
    team.add("other")
    team.drain()
    assert len([place for place in team.copies.iterdir() if place.is_dir()]) == 2
    with team.office() as office:
        assert repositories.remove(office, "shop").branches == ("main",)
    foreign = team.mirrors / "copies-0123456789abcdef" / "shop-0123456789abcdef"
    foreign.mkdir(parents=True)
    team.rows("UPDATE shirube.layers SET orphaned = now() - interval '1 h' WHERE orphaned IS NOT NULL")
    team.drain()
    assert list(team.branches()) == ["other main"]
    assert [place.name.split("-")[0] for place in team.copies.iterdir() if place.is_dir()] == ["other"]
    assert foreign.is_dir()  # of another database
    for table in ("layers", "files", "refs"):
        rows = team.rows(
            f"SELECT count(*) FROM shirube.{table} JOIN shirube.repositories USING (repo) WHERE name ~ 'shop'"
        )
        assert rows == [(0,)]


def test_an_index_job_of_a_repository_that_was_removed_meanwhile_drops_what_it_made(team: Team):
    team.remote("shop", FILES)
    team.add("shop")
    worker, _ = open_worker(team.config, team.mirrors, 1)
    try:
        with team.office() as office:
            office.tables.want("git.test/shop", "main", "")
            (repository,) = office.tables.repositories()
            office.tables.remove("git.test/shop")
        worker._index(repository, TeamJob(INDEX, repository.name, "main"))
        assert team.rows("SELECT count(*) FROM shirube.refs") == [(0,)]
    finally:
        worker.close()


def test_many_layers_become_one(team: Team):
    root = team.remote("shop", FILES)
    team.add("shop")
    for number in range(6):
        team.drain()
        team.commit(root, {f"n{number}.py": f"def name_{number}():\n    pass\n"})
        team.sync("shop")
    team.drain()
    assert max(count for (count,) in team.rows("SELECT cardinality(layers) FROM shirube.refs")) <= 4
    assert team.branches()["shop main"].files == 9


def test_two_names_of_one_remote_are_one_repository(team: Team):
    team.remote("shop", FILES)
    with team.office() as office:
        assert repositories.add(office, f"{HOST}/shop", ("main",)).new
        again = repositories.add(office, "git@git.test:shop.git")
        assert (again.new, again.branches, again.note.code) == (False, ("main",), "team.other_url")
        assert len(office.tables.repositories()) == 1


def test_a_copy_in_use_is_waited_for_by_another_try(team: Team, monkeypatch: pytest.MonkeyPatch):
    team.remote("shop", FILES)
    team.add("shop")
    monkeypatch.setattr(flow, "LOCK_SECONDS", 0.0)
    team.copies.mkdir(parents=True, exist_ok=True)
    with flow.locked(flow.lock_of(flow.place_of(team.copies, "git.test/shop"))):
        team.drain()
        assert team.problem("shop") == "team.copy_busy"
    assert team.branches()["shop main"].state == "waiting"


def test_no_password_is_kept_anywhere(team: Team):
    """A helper of the user's git knows it; the tables, the copies and what is said do not."""
    with team.office() as office, pytest.raises(repositories.BadArgument):
        repositories.add(office, "https://me:hunter2@git.test/shop")
    assert team.status().repositories == ()
    team.rows(  # as somebody may who writes to the database
        "INSERT INTO shirube.team_repositories VALUES ('git.test/shop', 'https://me:hunter2@git.test/shop', '{}', 60)"
    )
    assert team.drain().dead == 1
    assert team.problem("shop") == "team.url_secret"
    assert "hunter2" not in repr(team.rows("SELECT problem FROM shirube.team_repositories"))


def test_a_disk_that_is_full_is_tried_again(team: Team, monkeypatch: pytest.MonkeyPatch):
    team.remote("shop", FILES)
    team.add("shop")

    def full(mirror: flow.Mirror, branch: str) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(flow.Mirror, "fetch", full)
    assert team.drain().dead == 0
    assert (team.problem("shop"), team.branches()["shop main"].state) == ("team.disk", "waiting")
    with team.office() as office:
        assert office.queue.state().waiting == 1


def test_a_worker_does_not_start_where_it_cannot_write(team: Team):
    place = team.base / "file"
    place.write_text("")
    with pytest.raises(NoPermission) as caught:
        open_worker(team.config, place, 1)
    assert str(place) in str(caught.value)


def test_a_job_without_a_name_is_not_one_for_all(team: Team):
    team.remote("shop", FILES)
    team.add("shop")
    team.drain()
    worker, _ = open_worker(team.config, team.mirrors, 1)
    try:
        for kind in KINDS:
            with pytest.raises(TeamFault) as caught:
                worker.do(TeamJob(kind, "", "main"))
            assert caught.value.message.code == "team.nameless"
    finally:
        worker.close()
    assert team.branches()["shop main"].state == "complete"


def test_names_in_the_log_stay_on_their_line(team: Team, caplog: pytest.LogCaptureFixture):
    worker, _ = open_worker(team.config, team.mirrors, 1)
    try:
        with caplog.at_level("INFO", "shirube"):
            worker.do(TeamJob(DROP, "a\nINFO forged\x1b[2J", "b\nc"))
    finally:
        worker.close()
    assert [record.getMessage() for record in caplog.records] == ["drop a?INFO forged?[2J b?c"]


def test_nobody_can_make_a_repository_be_looked_at_all_the_time(team: Team):
    with team.office() as office, pytest.raises(ShirubeError):
        office.tables.add(TeamRepository("git.test/shop", f"{HOST}/shop", (), 0))


def test_a_secret_that_was_typed_is_not_repeated(team: Team):
    with team.office() as office, pytest.raises(ShirubeError) as caught:
        repositories.find(office, "https://me:hunter2/x@git.test/shop")
    assert "hunter2" not in str(caught.value)


def test_an_unknown_kind_of_job_is_dead(team: Team):
    team.remote("shop", FILES)
    team.add("shop")
    team.drain()
    worker, _ = open_worker(team.config, team.mirrors, 1)
    try:
        with pytest.raises(TeamFault) as caught:
            worker.do(TeamJob("dance", "git.test/shop"))
        assert caught.value.message.code == "team.unknown_job"
    finally:
        worker.close()
