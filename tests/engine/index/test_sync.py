"""Bringing an index up to date."""

import os

import pytest
from tests.stores import write_edges

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.index.reading import FileReading
from shirube.engine.store.port import Ask, Entry, StoreChange
from shirube.errors import Cancelled
from shirube.messages import say, verbatim
from shirube.types import Skip


def found(tree, word: str) -> list[str]:
    return sorted({c.path for c in tree.store.candidates(Ask({"content": {word: 1.0}})).items})


@pytest.mark.requirement("003-CHUNK-16")
def test_the_first_sync_takes_everything_in(tree):
    tree.put("a.py", "def alpha():\n    return 1\n")
    tree.put("docs/b.md", "# Title\n\nbeta\n")
    report = tree.sync()
    assert report.added == ("a.py", "docs/b.md")
    assert (report.files, report.parsed, report.reused) == (2, 2, 0)
    assert found(tree, "alpha") == ["a.py"]
    assert tree.store.noted("state") == "complete"


@pytest.mark.requirement("003-SYNC-03")
def test_a_second_sync_reads_nothing(tree):
    tree.put("a.py", "x = 1\n")
    tree.sync()
    report = tree.sync()
    assert tree.tasks == []
    assert not report.anything


@pytest.mark.requirement("003-SYNC-02", "003-SYNC-07")
def test_an_edit_that_keeps_size_and_modification_time_is_still_seen(tree):
    place = tree.put("a.py", "alpha\n")
    tree.sync()
    before = place.stat()
    place.write_text("gamma\n")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    report = tree.sync()
    assert report.changed == ("a.py",)
    assert found(tree, "gamma") == ["a.py"]
    assert found(tree, "alpha") == []


def test_an_edit_within_the_clock_s_grain_of_the_reading_is_still_seen(tree):
    place = tree.put("a.py", "alpha\n")
    tree.now_ns = place.stat().st_mtime_ns  # read at the very moment it was written
    tree.sync()
    tree.sync()
    assert [task.path for task in tree.tasks] == ["a.py"]


def test_a_touched_file_is_read_once_and_parsed_never(tree):
    place = tree.put("a.py", "alpha\n")
    tree.sync()
    os.utime(place, ns=(1, 1))
    report = tree.sync()
    assert [task.path for task in tree.tasks] == ["a.py"]
    assert (report.parsed, report.anything) == (0, False)
    tree.sync()
    assert tree.tasks == []


def test_a_rename_is_told_and_parses_nothing(tree):
    tree.put("old.py", "def alpha(): pass\n")
    tree.sync()
    (tree.root / "old.py").rename(tree.root / "new.py")
    report = tree.sync()
    assert report.renamed == (("old.py", "new.py"),)
    assert (report.parsed, report.reused) == (0, 1)
    assert found(tree, "alpha") == ["new.py"]


@pytest.mark.requirement("003-SYNC-08")
def test_a_deleted_file_is_forgotten(tree):
    place = tree.put("a.py", "alpha\n")
    tree.put("b.py", "beta\n")
    tree.sync()
    place.unlink()
    assert tree.sync().removed == ("a.py",)
    assert found(tree, "alpha") == []


def test_going_back_and_forth_between_two_states_parses_nothing_the_second_time(tree):
    one, two = ("def one(): pass\n", "def two(): pass\n")
    for text, parsed in ((one, 1), (two, 1), (one, 0), (two, 0)):
        tree.put("a.py", text)
        report = tree.sync()
        assert report.parsed == parsed


@pytest.mark.requirement("N001-FILES-01")
def test_binary_files_are_reported_and_not_read_again(tree):
    tree.put("x.bin", b"\x00\x01\x02" * 100)
    report = tree.sync()
    assert report.skipped == 1
    assert tree.store.skips() == (Skip("x.bin", "binary"),)
    tree.sync()
    assert tree.tasks == []
    assert tree.store.totals().files == 0


def test_a_binary_file_that_becomes_text_is_taken_in(tree):
    tree.put("x", b"\x00\x01")
    tree.sync()
    tree.put("x", "alpha\n")
    assert tree.sync().changed == ("x",)
    assert found(tree, "alpha") == ["x"]
    assert tree.store.skips() == ()


def test_a_file_that_is_not_utf8_is_indexed_with_a_note(tree):
    tree.put("sjis.py", "# ログイン処理\n".encode("cp932") * 3)
    tree.put("bad.txt", b"caf\xe9 and more \xff\xfe text\n")
    tree.sync()
    notes = {path: record.note for path, record in tree.store.files().items()}
    assert found(tree, "ログ") == ["sjis.py"]
    assert all(notes.values())


def test_too_large_and_secret_files_are_reported(tree):
    tree.put("big.py", "x = 1\n" * 300_000)
    tree.put(".env", "PASSWORD=1\n")
    tree.sync()
    assert {(skip.path, skip.reason) for skip in tree.store.skips()} == {("big.py", "too_large"), (".env", "secret")}


def test_a_quarantined_file_is_reported_and_tried_again_only_when_it_changes(tree):
    tree.put("evil.py", "x\n")
    tree.put("good.py", "alpha\n")
    honest = tree.read

    def crashing(tasks):
        done = honest(tasks)
        return [FileReading(r.path, "quarantined") if r.path == "evil.py" else r for r in done]

    tree.read = crashing
    report = tree.sync()
    assert report.skipped == 1
    assert tree.store.skips() == (Skip("evil.py", "quarantined", say("index.crashed")),)
    assert found(tree, "alpha") == ["good.py"]
    tree.read = honest
    tree.sync()
    assert tree.tasks == []
    tree.put("evil.py", "harmless now\n")
    tree.sync()
    assert found(tree, "harmless") == ["evil.py"]


def test_a_file_that_an_earlier_version_quarantined_is_still_told_of(tree):
    tree.put("evil.py", "x\n")
    honest = tree.read
    tree.read = lambda tasks: [FileReading(one.path, "quarantined", one.digest) for one in honest(tasks)]
    tree.sync()
    record = tree.store.files()["evil.py"]
    tree.store.write(StoreChange((Entry(replace(record, note=verbatim("quarantined: it crashed")), b"", ()),)))
    tree.sync()
    assert tree.store.skips() == (Skip("evil.py", "quarantined", say("index.crashed")),)


def test_a_file_that_vanishes_while_it_is_read_is_no_error(tree):
    tree.put("a.py", "alpha\n")
    tree.put("b.py", "beta\n")
    tree.sync()
    tree.put("a.py", "alpha again\n")
    honest = tree.read

    def vanishing(tasks):
        (tree.root / "a.py").unlink()
        return honest(tasks)

    tree.read = vanishing
    assert tree.sync().removed == ("a.py",)
    assert found(tree, "alpha") == []


def test_full_reads_everything_and_changes_nothing(tree):
    tree.put("a.py", "alpha\n")
    tree.sync()
    report = tree.sync(full=True)
    assert [task.path for task in tree.tasks] == ["a.py"]
    assert not report.anything


def test_another_parser_or_model_makes_everything_anew(tree):
    tree.put("a.py", "alpha\n")
    tree.sync()
    tree.fingerprint = "2"
    assert tree.sync().changed == ("a.py",)
    assert not tree.sync().anything


def test_a_cancelled_sync_keeps_what_was_done_and_the_next_one_goes_on(tree):
    for number in range(200):
        tree.put(f"{number:03}.py", f"def f{number}(): pass\n")
    deadline = Deadline()

    def stop_halfway(what, done, total):
        if done == 100:
            deadline.cancel()

    with pytest.raises(Cancelled):
        tree.sync(progress=stop_halfway, deadline=deadline)
    kept = tree.store.totals().files
    assert 0 < kept < 200
    assert tree.store.noted("state") == "building"
    report = tree.sync()
    assert len(report.added) == 200 - kept
    assert tree.store.totals().files == 200
    assert tree.store.noted("state") == "complete"


def test_reading_a_file_that_is_the_same_is_no_change(tree, monkeypatch: pytest.MonkeyPatch):
    path = tree.put("a.py", "def alpha(): pass\n")
    tree.sync()
    os.utime(path, ns=(1, 1))
    written, write = [], tree.store.write
    monkeypatch.setattr(tree.store, "write", lambda change, **how: written.append(change) or write(change, **how))
    tree.sync()
    assert written == []
    tree.put("a.py", "def beta(): pass\n")
    tree.sync()
    (change,) = written
    assert [entry.record.path for entry in change.entries] == ["a.py"]
    assert change.notes["state"] == "complete"


def test_while_a_long_sync_is_writing_the_index_says_so(tree, monkeypatch: pytest.MonkeyPatch):
    states, write = [], tree.store.write
    monkeypatch.setattr(
        tree.store, "write", lambda change, **how: write(change, **how) or states.append(tree.state_noted())
    )
    for number in range(150):
        tree.put(f"{number}.py", f"import os, n{number}\n")
    tree.sync()
    assert states == ["building", "building", "complete"]


def test_edges_are_made_after_an_interruption_that_came_before_them(tree):
    tree.put("pkg/__init__.py", "")
    tree.put("pkg/a.py", "from pkg import b\n")
    tree.put("pkg/b.py", "x = 1\n")
    tree.sync()
    wanted = tree.store.edges()
    write_edges(tree.store, {"pkg/a.py": []})
    tree.store.note("state", "building")
    tree.sync()
    assert tree.store.edges() == wanted
    assert [edge.target for edge in wanted if edge.kind == "path"]


@pytest.mark.requirement("N001-DEPS-01")
def test_an_import_finds_its_file_when_the_file_appears_and_loses_it_when_it_goes(tree):
    tree.put("pkg/__init__.py", "")
    tree.put("pkg/a.py", "from pkg.b import x\n")
    tree.sync()
    assert "pkg/b.py" not in {edge.target for edge in tree.store.edges()}
    tree.put("pkg/b.py", "x = 1\n")
    tree.sync()
    assert "pkg/b.py" in {edge.target for edge in tree.store.edges("pkg/a.py")}
    (tree.root / "pkg/b.py").unlink()
    tree.sync()
    assert "pkg/b.py" not in {edge.target for edge in tree.store.edges()}


def test_progress_never_runs_backwards_and_ends_at_the_total(tree):
    for number in range(30):
        tree.put(f"{number}.py", "x\n")
    steps = []
    tree.sync(progress=lambda *step: steps.append(step))
    done = [count for what, count, _ in steps if what == "indexing"]
    assert done == list(range(1, 31))
    assert {total for what, _, total in steps if what == "indexing"} == {30}
