"""Sessions, plans and outcomes on disk."""

from itertools import count
from multiprocessing import get_context
from pathlib import Path

import pytest
from tests.refusals import refusal

from shirube.engine.store.journal import Journal
from shirube.errors import Conflict, StateFault


def journal_at(path: Path) -> Journal:
    ticks = count(1)
    return Journal(path, 5.0, lambda: next(ticks))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "journal.sqlite"


@pytest.fixture
def journal(path):
    made = journal_at(path)
    yield made
    made.close()


def test_a_document_comes_back_with_a_growing_revision(journal):
    assert journal.get("session", "a") is None
    assert journal.put("session", "a", {"phase": "探索"}) == 1
    assert journal.put("session", "a", {"phase": "準備"}) == 2
    found = journal.get("session", "a")
    assert (found.body, found.revision) == ({"phase": "準備"}, 2)


def test_a_document_changed_by_somebody_else_is_not_overwritten(journal):
    assert journal.put("session", "a", {"n": 1}, expect=0) == 1
    with pytest.raises(Conflict):
        journal.put("session", "a", {"n": 2}, expect=0)
    assert journal.put("session", "a", {"n": 3}, expect=1) == 2
    assert journal.get("session", "a").body == {"n": 3}


def test_documents_are_listed_by_kind_the_last_changed_first(journal):
    for key in "abc":
        journal.put("plan", key, {})
    journal.put("other", "x", {})
    journal.put("plan", "a", {})
    assert journal.keys("plan") == ("a", "c", "b")
    assert [document.key for document in journal.documents("plan")] == ["a", "c", "b"]
    assert [document.key for document in journal.documents("plan", 1)] == ["a"]


def test_a_document_can_be_forgotten_once(journal):
    journal.put("plan", "a", {})
    assert journal.remove("plan", "a")
    assert not journal.remove("plan", "a")
    assert journal.get("plan", "a") is None


def test_events_keep_their_order_and_can_be_read_on(journal):
    first = journal.append("s1", {"call": "search"})
    journal.append("s2", {"call": "other"})
    journal.append("s1", {"call": "定義"})
    assert [event.body["call"] for event in journal.events("s1")] == ["search", "定義"]
    assert [event.body["call"] for event in journal.events("s1", after=first)] == ["定義"]
    assert len(journal.events("s1", limit=1)) == 1


def test_a_second_opening_sees_what_was_kept_and_the_files_are_private(journal, path):
    journal.put("session", "a", {"n": 1})
    again = journal_at(path)
    assert again.get("session", "a").body == {"n": 1}
    again.close()
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_damaged_file_is_put_aside_and_kept(path):
    path.parent.mkdir()
    path.write_bytes(b"not a database at all, but something somebody may want back" * 100)
    journal = journal_at(path)
    assert "put aside" in journal.note
    journal.put("session", "a", {})
    journal.close()
    assert [kept.read_bytes()[:14] for kept in path.parent.glob("*.damaged-*")] == [b"not a database"]


def test_a_file_of_a_newer_program_is_left_alone(journal, path):
    journal.put("session", "a", {})
    with journal._connection.writing() as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StateFault, match="newer"):
        journal_at(path)


def test_a_directory_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "state").write_text("a file")
    with refusal(StateFault, "store.journal_used") as caught:
        journal_at(tmp_path / "state" / "journal.sqlite")
    assert "SHIRUBE_STATE_DIR" in caught.value.hint


def _add_events(path: str, times: int) -> None:
    journal = journal_at(Path(path))
    for number in range(times):
        journal.append("crowd", {"n": number})
    journal.close()


def test_several_processes_append_without_losing_anything(path):
    context = get_context("spawn")
    crowd = [context.Process(target=_add_events, args=(str(path), 50)) for _ in range(3)]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()
    journal = journal_at(path)
    assert len(journal.events("crowd")) == 150
    journal.close()
