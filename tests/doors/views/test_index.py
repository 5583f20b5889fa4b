from shirube.codec import replace
from shirube.doors.cli.screen import speech_for
from shirube.doors.views.index import index_status, sync_index
from shirube.doors.views.screen import Paint, Screen, changes
from shirube.features.lookup.results import IndexStatus, JobStatus, SyncResult
from shirube.messages import NOTHING, say, verbatim
from shirube.operation import OPERATIONS
from shirube.types import Freshness, SyncReport
from tests.cases import for_each

PLAIN = Screen(Paint(False), speech_for(OPERATIONS["sync_index"], "en"))
JAPANESE = Screen(Paint(False), speech_for(OPERATIONS["sync_index"], "ja"))
EVIL = "\x1b[31m\x1b]0;title\x07\x9b2J\x00\x08\u202e"
SYNC = SyncResult(
    job=JobStatus("1a2b", "done", say("steps.publishing"), 1, 1, NOTHING),
    added=("a.py",),
    changed=(),
    removed=(),
    renamed=(),
    totals={
        "files": 1200,
        "added": 1,
        "changed": 0,
        "removed": 0,
        "renamed": 0,
        "parsed": 1,
        "reused": 0,
        "skipped": 0,
        "commits": 0,
    },
    seconds=0.5,
    map={},
    warnings=(),
    truncated=False,
    next=say("index.search"),
)
STATUS = IndexStatus(
    root="/p",
    state="complete",
    files=1200,
    chunks=3400,
    symbols=5,
    edges=6,
    waiting=0,
    source_bytes=1536,
    disk_bytes=2048,
    languages={"python": 1200},
    lexical="tantivy",
    model="hashed-256-1",
    needs_sync=False,
    watching=NOTHING,
    job=None,
    freshness=Freshness("2026-01-01T00:00:00Z"),
    skipped={"secret": 2},
    skips=(),
    notes=(),
    warnings=(),
    truncated=False,
    next=say("index.search"),
)


def steers(text: str) -> bool:
    return any(not (char.isprintable() or char in "\n\t") for char in text)


def test_no_warning_can_steer_the_terminal():
    assert not steers(sync_index(replace(SYNC, warnings=(verbatim(f"a{EVIL}b"),)), PLAIN).text)
    assert not steers(index_status(replace(STATUS, warnings=(verbatim(f"a{EVIL}b"),)), PLAIN).text)


def test_no_row_of_the_status_can_steer_the_terminal():
    assert not steers(index_status(replace(STATUS, root=f"/a{EVIL}b"), PLAIN).text)


def test_a_sync_is_one_line_with_its_numbers():
    assert sync_index(SYNC, PLAIN).text == "1,200 files: 1 added (1 parsed, 0 reused) in 0.50 s"


def test_a_sync_without_changes_says_so():
    calm = replace(SYNC, totals={**SYNC.totals, "added": 0, "parsed": 0}, added=())
    assert sync_index(calm, PLAIN).text == "1,200 files: no changes in 0.50 s"


@for_each(
    ("done", "english", "japanese"),
    [
        (
            {"commits": 7107},
            "1,200 files: no changes (7,107 commits read) in 0.50 s",
            "1200 ファイル: 変更なし（履歴のコミット 7107 件を読み込み）、0.50 秒",
        ),
        (
            {"added": 2, "parsed": 2, "commits": 3},
            "1,200 files: 2 added (2 parsed, 0 reused, 3 commits read) in 0.50 s",
            "1200 ファイル: 追加 2（解析 2、再利用 0、履歴のコミット 3 件を読み込み）、0.50 秒",
        ),
    ],
)
def test_a_sync_says_what_was_read_besides_files(done: dict[str, int], english: str, japanese: str):
    synced = replace(SYNC, totals={**SYNC.totals, "added": 0, "parsed": 0, **done})
    assert sync_index(synced, PLAIN).text == english
    assert sync_index(synced, JAPANESE).text == japanese


def test_warnings_follow_a_sync_and_a_status():
    assert sync_index(replace(SYNC, warnings=(verbatim("careful"),)), PLAIN).text.splitlines()[1] == "! careful"
    assert index_status(replace(STATUS, warnings=(verbatim("careful"),)), PLAIN).text.splitlines()[-1] == "! careful"


def test_a_status_is_aligned_rows():
    lines = index_status(STATUS, PLAIN).text.splitlines()
    assert "     state  complete (up to date)" in lines
    assert "     files  1,200  (1.5 KiB)" in lines
    assert "  left out  secret 2" in lines


def test_a_status_says_when_it_is_out_of_date_never_made_or_waiting():
    stale = replace(STATUS, needs_sync=True, freshness=Freshness(), waiting=7, skipped={})
    text = index_status(stale, PLAIN).text
    assert "out of date: run 'shirube index'" in text
    assert "   indexed  never" in text
    assert "7 files waiting" in text
    assert "  left out  nothing" in text


def test_agreements_that_need_a_look_end_the_line_of_a_sync():
    text = sync_index(replace(SYNC, map={"fresh": 4, "changed": 2, "gone": 1, "unbound": 3}), PLAIN).text
    assert text.endswith(" s; agreements: 2 changed, 1 gone (shirube map check)")


def test_a_project_without_files_is_told_what_to_do():
    empty = replace(SYNC, totals={**SYNC.totals, "files": 0}, next=say("index.nothing"))
    assert sync_index(empty, PLAIN).text.splitlines()[1].startswith("! nothing to index here")


def test_changes_are_a_line_for_each_file():
    report = SyncReport(added=("a.py",), changed=("b.py", "c.py"), removed=("d.py",))
    assert changes(report, Paint(False)) == ["+ a.py", "~ b.py", "~ c.py", "- d.py"]


@for_each(
    ("changed", "wanted"),
    [
        ({}, "      状態  完了（最新）"),
        ({"needs_sync": True}, "      状態  完了（古くなっています。'shirube index' を実行してください）"),
        ({"watching": say("index.elsewhere")}, "      監視  別のプロセスが監視中"),
        ({"unembedded": 7}, "    モデル  hashed-256-1（未読 7 ファイル）"),
    ],
)
def test_a_status_reads_in_japanese(changed: dict[str, object], wanted: str):
    assert wanted in index_status(replace(STATUS, **changed), JAPANESE).text.splitlines()


def test_a_sync_reads_in_japanese():
    assert sync_index(SYNC, JAPANESE).text == "1200 ファイル: 追加 1（解析 1、再利用 0）、0.50 秒"
