"""When to look, who looks, and what to tell meanwhile."""

import os
import re
from contextlib import closing
from queue import Queue
from threading import Event, Thread
from time import time, time_ns

import pytest
from tests.conftest import quiet, sync

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.index.keeper import OVERDUE, SYNC_LOCK
from shirube.engine.index.sync import embed_missing
from shirube.engine.repo.walk import walk
from shirube.engine.store import projection
from shirube.engine.store.disk import locked
from shirube.engine.store.port import Ask
from shirube.engine.store.projection import DIRECTORY
from shirube.engine.store.tantivy import TantivyLexical
from shirube.workspace import Workspace, build_workspace

PATIENCE = 120.0
"""How long a test waits for something that takes milliseconds; only a failure waits this long."""


@pytest.mark.requirement("003-NEEDS-01")
def test_a_new_project_is_empty_then_complete(workspace):
    assert workspace.keeper.state == "empty"
    assert workspace.keeper.building
    assert workspace.keeper.needs_sync()
    sync(workspace)
    assert workspace.keeper.state == "complete"
    assert not workspace.keeper.building
    assert not workspace.keeper.needs_sync()


@pytest.fixture
def haunted(workspace, sample_repo, monkeypatch):
    """A workspace whose lexical index counts chunks that are gone, more than there are living ones."""
    monkeypatch.setattr(projection, "WORTH_SAYING", 60)
    many = sample_repo / "many.py"
    many.write_text("\n\n".join(f"def checkout_{n}():\n    return 'checkout'" for n in range(60)))
    sync(workspace)
    many.unlink()
    looked_at(workspace)
    totals = workspace.store.totals()
    assert totals.dead > OVERDUE * totals.chunks
    return workspace


def looked_at(workspace: Workspace) -> None:
    job = workspace.keeper.start()
    assert job.wait(PATIENCE)
    assert job.error is None


@pytest.mark.parametrize("full", [False, True])
def test_a_sync_that_is_waited_for_throws_out_what_was_deleted(haunted, full):
    before = _scores(haunted)
    report = sync(haunted, full=full)
    after = _scores(haunted)
    assert {(item.path, item.start_line) for item in before.values()} == {
        (item.path, item.start_line) for item in after.values()
    }
    assert haunted.store.totals().dead == 0
    assert (report.renewed.code, report.renewed.values["why"].code) == ("store.rebuilt", "store.dead")
    assert sync(haunted).renewed == ""
    haunted.store.compact()
    assert _scores(haunted) == after


def test_a_short_lived_process_that_is_asked_something_does_it_after_its_answer(haunted, sample_repo):
    haunted.keeper.lasting, before = False, haunted.keeper._renewing
    (sample_repo / "more.py").write_text("def more():\n    pass\n")
    assert haunted.keeper.refresh(quiet, patient=True, now=True) == ()
    assert haunted.keeper._renewing is before
    assert haunted.store.totals().dead > 0
    assert haunted.keeper.is_overdue()
    assert haunted.keeper.start_renewing().wait(PATIENCE)
    assert not haunted.keeper.is_overdue()


def test_a_question_of_a_lasting_process_leaves_it_to_the_background(haunted, sample_repo):
    (sample_repo / "more.py").write_text("def more():\n    pass\n")
    assert haunted.keeper.refresh(quiet, patient=True, now=True) == ()
    assert haunted.keeper._renewing.wait(PATIENCE)
    assert haunted.store.totals().dead == 0


def test_a_follower_throws_out_what_was_deleted(haunted, sample_repo):
    (sample_repo / "more.py").write_text("def more():\n    pass\n")
    assert haunted.keeper._look()
    assert haunted.keeper._renewing.wait(PATIENCE)
    assert haunted.store.totals().dead == 0


@pytest.mark.parametrize("change", [False, True])
def test_a_sync_repairs_a_lexical_index_that_lost_a_chunk_and_says_so(workspace, sample_repo, change):
    sync(workspace)
    broken = TantivyLexical(workspace.directory / DIRECTORY)
    broken.replace(1, "", ())
    broken.commit()
    assert "chunks" in workspace.store.check()[0]
    if change:
        (sample_repo / "more.py").write_text("def more():\n    pass\n")
    report = sync(workspace)
    assert report.renewed.values["why"].code == "store.counts"
    assert report.anything == change
    assert workspace.store.check() == ()


def test_a_lexical_index_that_cannot_be_rebuilt_stays_and_the_sync_says_so(haunted, monkeypatch):
    def full(*args, **options):
        raise OSError("no space")

    before = _scores(haunted)
    with monkeypatch.context() as patch:
        patch.setattr(TantivyLexical, "take_place_of", full)
        assert sync(haunted).renewed.code == "store.not_rebuilt"
    assert _scores(haunted) == before
    assert sync(haunted).renewed.code == "store.rebuilt"


def _scores(workspace):
    (found,) = workspace.store.look(Ask({"content": {"checkout": 1.0}}))
    return {item.key: item for item in found.items}


@pytest.mark.requirement("003-NEEDS-03", "N003-SYNC-04")
def test_an_edit_a_new_file_or_a_lost_one_needs_a_sync(workspace, sample_repo):
    sync(workspace)
    readme = sample_repo / "README.md"
    original = readme.read_text()
    readme.write_text(original + "more\n")
    assert workspace.keeper.needs_sync()
    readme.write_text(original)
    assert not workspace.keeper.needs_sync()
    (sample_repo / "new.py").write_text("x = 1\n")
    assert workspace.keeper.needs_sync()
    (sample_repo / "new.py").unlink()
    readme.unlink()
    assert workspace.keeper.needs_sync()


@pytest.mark.requirement("003-NEEDS-02")
def test_an_index_older_than_its_time_to_live_needs_a_sync(sample_repo):
    made = build_workspace(sample_repo, {"index.sync_ttl_hours": 2.0})
    sync(made)
    day = 86_400 * 10**9
    made.close()
    again = build_workspace(sample_repo)
    later = Workspace(sample_repo, made.config, again.store.backend, again.embedder, lambda: time_ns() + day)
    assert later.keeper.needs_sync()
    later.close()


def test_other_source_dirs_or_excludes_need_a_sync(sample_repo):
    made = build_workspace(sample_repo)
    sync(made)
    made.close()
    for flags in ({"index.source_dirs": ["web"]}, {"index.excludes": ["*.ts"]}):
        other = build_workspace(sample_repo, flags)
        assert other.keeper.needs_sync(), flags
        other.close()


def test_the_first_question_indexes_by_itself(workspace):
    assert workspace.keeper.refresh(quiet, patient=True) == ()
    assert workspace.store.totals().files > 0


def test_an_impatient_question_to_a_project_that_another_process_indexes_is_told_so(sample_repo):
    with closing(build_workspace(sample_repo, {"index.first_answer_seconds": 0.2})) as made:
        with locked(made.directory / SYNC_LOCK):
            notes = made.keeper.refresh(quiet, patient=False)
            assert any("another process" in note for note in notes)
            assert made.keeper.building
        assert made.keeper.refresh(quiet, patient=True) == ()
        assert not made.keeper.building


def test_a_look_that_was_just_taken_is_not_taken_again_until_its_share_of_time_is_up(workspace):
    sync(workspace)
    workspace.keeper._cost = 1000.0
    assert not workspace.keeper.due()
    workspace.keeper._cost = 0.0
    assert workspace.keeper.due()


def test_a_new_empty_directory_is_followed_before_anything_is_in_it(workspace, sample_repo):
    stop, told = Event(), Queue()
    follower = Thread(target=workspace.keeper.watch, args=(stop, told.put), daemon=True)
    follower.start()
    assert "README.md" in told.get(timeout=PATIENCE).added
    before = wait_until_followed(workspace, more_than=1)
    (sample_repo / "deep" / "deeper").mkdir(parents=True)
    wait_until_followed(workspace, more_than=before + 1)
    (sample_repo / "deep" / "deeper" / "late.py").write_text("late = 1\n")
    assert told.get(timeout=PATIENCE).added == ("deep/deeper/late.py",)
    stop.set()
    follower.join(PATIENCE)
    assert not follower.is_alive()


def wait_until_followed(workspace: Workspace, more_than: int) -> int:
    """Return how many directories are followed, once there are more than a number."""
    deadline, pause = Deadline(PATIENCE), Event()
    while True:
        found = re.fullmatch(r"events from (\d+) directories", workspace.keeper.watching)
        if found and int(found[1]) > more_than:
            return int(found[1])
        assert not deadline.passed, workspace.keeper.watching
        pause.wait(0.01)


def test_closing_during_a_sync_stops_it(sample_repo):
    for number in range(300):
        (sample_repo / f"{number}.py").write_text(f"x = {number}\n")
    made = build_workspace(sample_repo)
    made.keeper.start()
    made.close()
    again = build_workspace(sample_repo)
    sync(again)
    assert again.store.totals().files >= 300
    again.close()


def test_looking_goes_on_while_vectors_are_made(sample_repo, monkeypatch):
    """Vectors may take hours: a new file is found by its words meanwhile, and an answer waits a moment at most."""
    go_on, began = Event(), Event()

    def slow(sources, embedder, progress, deadline):
        began.set()
        while not go_on.wait(0.01):
            deadline.check()
        embed_missing(sources, embedder, progress, deadline)

    monkeypatch.setattr("shirube.engine.index.keeper.embed_missing", slow)
    monkeypatch.setattr("shirube.engine.index.keeper.EMBED_SECONDS", 0.0)
    with closing(build_workspace(sample_repo)) as first:
        sync(first)
    with closing(build_workspace(sample_repo, {"embed.model": "static"})) as workspace:
        assert workspace.keeper.refresh(quiet, patient=False) == ()
        assert began.wait(PATIENCE)
        making = workspace.keeper.embedding
        (sample_repo / "late.py").write_text("late = 1\n")
        assert workspace.keeper.refresh(quiet, patient=True, now=True) == ()
        assert "late.py" in workspace.store.files()
        assert workspace.keeper.embedding is making
        assert making.running
        go_on.set()
        making.wait(None)
        assert workspace.keeper.unembedded == 0
        assert workspace.keeper.trouble == ""


def test_closing_while_vectors_are_made_stops_that(sample_repo, monkeypatch):
    began = Event()

    def endless(sources, embedder, progress, deadline):
        began.set()
        while True:
            deadline.check()

    monkeypatch.setattr("shirube.engine.index.keeper.EMBED_SECONDS", 0.0)
    with closing(build_workspace(sample_repo)) as first:
        sync(first)
    monkeypatch.setattr("shirube.engine.index.keeper.embed_missing", endless)
    workspace = build_workspace(sample_repo, {"embed.model": "static"})
    workspace.keeper.refresh(quiet, patient=False)
    assert began.wait(PATIENCE)
    workspace.close()
    assert not workspace.keeper.embedding.running
    assert workspace.keeper.trouble == "", "giving up is no trouble"


def test_a_tree_that_stands_is_not_walked_again_and_one_that_changed_is(workspace, sample_repo, monkeypatch):
    later = [time_ns() + 3600 * 10**9]
    workspace.keeper._sources = replace(workspace.keeper._sources, clock_ns=lambda: later[0])
    sync(workspace)
    walks = []
    monkeypatch.setattr("shirube.engine.index.sync.walk", lambda *asked: walks.append(asked) or walk(*asked))
    assert workspace.keeper.refresh(quiet, patient=True, now=True) == ()
    assert not walks
    (sample_repo / "late.py").write_text("late = 1\n")
    os.utime(sample_repo, (time() + 7200, time() + 7200))
    workspace.keeper.refresh(quiet, patient=True, now=True)
    assert walks
    assert "late.py" in workspace.store.files()


def test_now_and_then_only_a_walk_will_do(workspace, monkeypatch):
    workspace.keeper._sources = replace(workspace.keeper._sources, clock_ns=lambda: time_ns() + 3600 * 10**9)
    sync(workspace)
    before = workspace.keeper.job
    workspace.keeper.refresh(quiet, patient=True, now=True)
    assert workspace.keeper.job is before
    monkeypatch.setattr("shirube.engine.index.keeper.WALK_SECONDS", 0.0)
    workspace.keeper.refresh(quiet, patient=True, now=True)
    assert workspace.keeper.job is not before
