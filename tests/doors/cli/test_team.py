"""``shirube team`` and ``shirube worker`` as they are typed."""

import argparse
import json
import signal
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from shirube.config import load_config
from shirube.doors.cli.team_trial import _index_all
from shirube.errors import TeamFault
from shirube.workspace import open_office
from tests.conftest import StateDirs, needs_git
from tests.doors.conftest import Runner
from tests.teams import HOST, Team, opened_team

pytestmark = needs_git


@pytest.fixture
def team(tmp_path: Path, state_dirs: StateDirs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    with opened_team(tmp_path, state_dirs, monkeypatch) as made:
        yield made


@pytest.fixture
def typed(team: Team, fresh_cli: Runner) -> Runner:
    return fresh_cli


def test_a_repository_is_added_indexed_told_of_and_removed(team: Team, typed: Runner):
    team.remote("shop")
    assert typed("team", "list").code == 1
    assert "git.test/shop is followed now" in typed("team", "add", f"{HOST}/shop", "--branches", "main", "dev").out
    waiting = typed("team", "status")
    assert "start 'shirube worker'" in waiting.out
    worked = typed("worker", "--directory", str(team.mirrors), "--once", "--json")
    assert (worked.code, json.loads(worked.out)["jobs"]) == (0, 2)
    shown = json.loads(typed("team", "status", "shop", "--json").out)
    assert [(row["branch"], row["state"], row["files"]) for row in shown["branches"]] == [("main", "complete", 1)]
    assert "complete  main" in typed("team", "status").out
    assert json.loads(typed("team", "list", "--json").out)["repositories"][0]["branches"] == ["main", "dev"]
    assert "1 branch was dropped" in typed("team", "remove", "git.test/shop").out
    assert typed("team", "list").code == 1


def test_a_dead_job_makes_once_and_wait_end_with_one(team: Team, typed: Runner):
    typed("team", "add", f"{HOST}/nothing")
    assert typed("worker", "--directory", str(team.mirrors), "--once").code == 1
    assert "there is no repository at this address" in typed("team", "status").out
    worker = team.start()
    try:
        done = typed("team", "sync", "nothing", "--wait")
    finally:
        worker.send_signal(signal.SIGTERM)
        assert (worker.communicate(timeout=60)[1], worker.returncode) == (b"", 0)
    assert (done.code, "no repository" in done.out) == (1, True)


def test_sync_waits_for_a_worker(team: Team, typed: Runner):
    team.remote("shop")
    typed("team", "add", f"{HOST}/shop")
    worker = team.start()
    try:
        assert "complete  main" in typed("team", "sync", "shop", "--wait").out
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.communicate(timeout=60)
    assert typed("team", "sync", "shop", "main").code == 0
    refused = typed("team", "sync", "shop", "--wait", "--timeout", "0")
    assert (refused.code, "was not done in 0 s" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("team", "add", "https://me:secret@git.test/x"), "would be stored"),
        (("team", "add", "/tmp/x"), "on this machine only"),
        (("team", "add", f"{HOST}/shop", "--interval", "1"), "from 10 to"),
        (("team", "add", f"{HOST}/shop", "--branches", "a b"), "fits no branch"),
        (("team", "remove", "shp"), "did you mean 'shop'"),
        (("team", "sync", "shop", "-x"), "-x"),
        (("team", "sync", "shop", "dev"), "is not followed"),
        (("worker", "--jobs", "0"), "from 1 to 32"),
    ],
)
def test_what_cannot_be_is_refused_with_a_next_step(team: Team, typed: Runner, words: tuple[str, ...], said: str):
    typed("team", "add", f"{HOST}/shop")
    refused = typed(*words)
    assert refused.code == 2
    assert said in refused.err
    assert "→" in refused.err
    assert "secret" not in refused.err


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("/no/such/directory", "there is no directory"),
        ("{base}/plain", "is in no git repository"),
        ("https://me:secret@git.test/x", "would be stored"),
        ("nowhere", "is no address"),
    ],
)
def test_a_trial_of_what_is_not_there_does_not_begin(tmp_path: Path, fresh_cli: Runner, place: str, said: str):
    (tmp_path / "plain").mkdir()
    refused = fresh_cli("team", "trial", str(tmp_path / "db"), place.format(base=tmp_path))
    assert (refused.code, said in refused.err, "secret" in refused.err) == (2, True, False)
    assert not (tmp_path / "db").exists()


def test_a_trial_tells_what_it_could_not_index_and_ends_when_that_is_all(team: Team, capfd: pytest.CaptureFixture[str]):
    team.remote("shop")
    away = "https://127.0.0.1:9/away"  # it would be tried again for minutes
    worker = team.start(SHIRUBE_WORKER_PROTOCOLS="file,https")
    try:
        for places in ([f"{HOST}/nothing", f"{HOST}/shop"], [f"{HOST}/nothing", away]):
            options = argparse.Namespace(places=places, quiet=True, no_color=True)
            with pytest.raises(TeamFault) if away in places else nullcontext():
                _index_all(team.config, options)
            told = capfd.readouterr().err
            assert "there is no repository at this address" in told
            assert ("the remote does not answer" in told) is (away in places)
            assert "git.test/shop" not in told
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.communicate(timeout=60)


def test_a_name_with_two_meanings_is_refused(team: Team, typed: Runner):
    for name in ("a/shop", "b/shop"):
        typed("team", "add", f"{HOST}/{name}")
    refused = typed("team", "remove", "shop")
    assert (refused.code, "git.test/a/shop, git.test/b/shop" in refused.err) == (2, True)
    assert typed("team", "remove", f"{HOST}/a/shop.git").code == 0


def test_without_a_server_or_an_address_it_says_so(typed: Runner, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHIRUBE_STORE_ADDRESS", "")
    assert "has no address" in typed("team", "list").err
    monkeypatch.setenv("SHIRUBE_STORE_ADDRESS", "postgresql://me:secret@127.0.0.1:9/x")
    for words in (("team", "list"), ("worker", "--once")):
        refused = typed(*words)
        assert (refused.code, "cannot be reached" in refused.err, "secret" in refused.err) == (2, True, False)


def test_it_speaks_japanese(team: Team, typed: Runner, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHIRUBE_LANG", "ja")
    typed("team", "add", f"{HOST}/nothing")
    typed("worker", "--directory", str(team.mirrors), "--once")
    assert "リポジトリがありません" in typed("team", "status").out


def test_a_reader_of_the_database_is_told_that_more_is_needed(team: Team, typed: Runner):
    open_office(load_config(None)).close()
    typed("team", "list")
    team.rows("CREATE ROLE looking LOGIN")
    try:
        team.rows("GRANT USAGE ON SCHEMA shirube TO looking")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SHIRUBE_STORE_ADDRESS", team.address.replace("postgres@", "looking@"))
            refused = typed("team", "list")
        assert (refused.code, "may not do that" in refused.err) == (2, True)
    finally:
        team.rows("DROP OWNED BY looking")
        team.rows("DROP ROLE looking")
