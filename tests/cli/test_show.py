import io

import pytest
from shirube.cli.show import Paint, paint_for, printable, search_text, status_text, sync_text

from shirube.codec.records import replace
from shirube.operations.results.index import IndexStatus, JobStatus, SyncResult
from shirube.operations.results.search import SearchResult
from shirube.types import Answer, Freshness, Hit, Place, Reason

PLAIN = Paint(False)
EVIL = "\x1b[31m\x1b]0;title\x07\x9b2J\x00\x08\u202e"
HIT = Hit(
    "src/a.py", 3, 9, "Bank.pay", "method", "python", 2.5, None, (Reason("text:words", 2.5),), "def pay():\n\treturn 1"
)
RESULT = SearchResult("pay", forest_hits=(HIT,), answer=Answer.FOUND, total=1)
SYNC = SyncResult(
    job=JobStatus("1a2b", "done", "publishing", 1, 1, ""),
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
    },
    seconds=0.5,
    map={},
    warnings=(),
    truncated=False,
    next="search",
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
    watching="",
    job=None,
    freshness=Freshness("2026-01-01T00:00:00Z"),
    skipped={"secret": 2},
    skips=(),
    notes=(),
    warnings=(),
    truncated=False,
    next="search",
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def steers(text: str) -> bool:
    return any(not (char.isprintable() or char in "\n\t") for char in text)


def test_a_hit_is_place_kind_symbol_and_preview():
    assert search_text(RESULT, PLAIN, why=False) == "src/a.py:3-9  method Bank.pay\n    def pay():\n    \treturn 1"


def test_reasons_are_shown_when_asked():
    assert "    2.5 = text:words +2.5" in search_text(RESULT, PLAIN, why=True)


def test_a_hit_without_a_symbol_leaves_no_trailing_space():
    result = replace(RESULT, forest_hits=(replace(HIT, symbol="", preview=""),))
    assert search_text(result, PLAIN, why=False) == "src/a.py:3-9  method"


def test_a_reason_that_takes_away_is_shown_with_its_sign():
    less = replace(HIT, score=1.25, why=(Reason("text:words", 2.5), Reason("boost:doc", -1.25, "×0.5")))
    shown = search_text(replace(RESULT, forest_hits=(less,)), PLAIN, why=True)
    assert "    1.25 = text:words +2.5  boost:doc -1.25" in shown


def test_further_places_of_a_file_are_named_below_the_hit():
    places = (Place(20, 24, "Bank.close"), Place(30, 31))
    shown = search_text(replace(RESULT, forest_hits=(replace(HIT, also=places),)), PLAIN, why=False)
    assert shown.splitlines()[-1] == "    also 20-24 Bank.close, 30-31"


def test_an_unsure_answer_says_how_sure_it_is_below_the_hits():
    result = replace(RESULT, answer=Answer.PARTIAL, confidence=0.327, degraded=("FTS5 answered",))
    assert search_text(result, PLAIN, why=False).splitlines()[-2:] == [
        "(unsure: 33% that the first is what you mean)",
        "! FTS5 answered",
    ]
    assert "unsure" not in search_text(replace(result, answer=Answer.FOUND), PLAIN, why=False)
    assert "unsure" not in search_text(replace(result, forest_hits=()), PLAIN, why=False)


@pytest.mark.parametrize("answer", [Answer.FOUND, Answer.PARTIAL])
def test_only_hits_are_counted_as_shown(answer: Answer):
    result = replace(RESULT, answer=answer, truncated=True, total=40)
    assert search_text(result, PLAIN, why=False).splitlines()[-1] == "1 of 40 or more shown; -k for more"


def test_no_hits_say_what_that_means_and_what_to_do():
    result = SearchResult("pay", answer=Answer.NONE, next="try other words")
    assert search_text(result, PLAIN, why=False) == "none: try other words"


def test_what_was_degraded_stale_or_cut_is_said_below_the_hits():
    result = replace(
        RESULT, degraded=("FTS5 answered",), freshness=Freshness(stale_files=("src/a.py",)), truncated=True, total=40
    )
    lines = search_text(result, PLAIN, why=False).splitlines()[-3:]
    assert lines == [
        "! FTS5 answered",
        "! changed since indexed: src/a.py",
        "1 of 40 or more shown; -k for more",
    ]


@pytest.mark.parametrize(
    "changed",
    [
        *({field: f"a{EVIL}b"} for field in ("path", "symbol", "kind", "preview")),
        {"also": (Place(1, 2, f"a{EVIL}b"),)},
        {"why": (Reason(f"phrase:a{EVIL}b", 1.0),)},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_no_part_of_a_hit_can_steer_the_terminal(changed: dict[str, object]):
    result = replace(RESULT, forest_hits=(replace(HIT, **changed),))
    assert not steers(search_text(result, PLAIN, why=True))


def test_no_note_below_the_hits_can_steer_the_terminal():
    result = replace(RESULT, degraded=(f"a{EVIL}b",))
    assert not steers(search_text(result, PLAIN, why=False))
    result = replace(RESULT, freshness=Freshness(stale_files=(f"a{EVIL}b",)))
    assert not steers(search_text(result, PLAIN, why=False))


def test_no_warning_can_steer_the_terminal():
    assert not steers(sync_text(replace(SYNC, warnings=(f"a{EVIL}b",)), PLAIN))
    assert not steers(status_text(replace(STATUS, warnings=(f"a{EVIL}b",)), PLAIN))


def test_no_row_of_the_status_can_steer_the_terminal():
    assert not steers(status_text(replace(STATUS, root=f"/a{EVIL}b"), PLAIN))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("plain", "plain"), ("決済 ¥", "決済 ¥"), ("a\tb", "a\tb"), ("\x1b[31m", "�[31m"), ("a\rb", "a�b"), ("\x9b", "�")],
)
def test_printable_keeps_letters_and_replaces_what_steers(text: str, wanted: str):
    assert printable(text) == wanted


def test_a_sync_is_one_line_with_its_numbers():
    assert sync_text(SYNC, PLAIN) == "1,200 files: 1 added (1 parsed, 0 reused) in 0.50 s"


def test_a_sync_without_changes_says_so():
    calm = replace(SYNC, totals={**SYNC.totals, "added": 0, "parsed": 0}, added=())
    assert sync_text(calm, PLAIN) == "1,200 files: no changes (nothing to do) in 0.50 s"


def test_warnings_follow_a_sync_and_a_status():
    assert sync_text(replace(SYNC, warnings=("careful",)), PLAIN).splitlines()[1] == "! careful"
    assert status_text(replace(STATUS, warnings=("careful",)), PLAIN).splitlines()[-1] == "! careful"


def test_a_status_is_aligned_rows():
    lines = status_text(STATUS, PLAIN).splitlines()
    assert "     state  complete (up to date)" in lines
    assert "     files  1,200  (1.5 KiB)" in lines
    assert "  left out  secret 2" in lines


def test_a_status_says_when_it_is_out_of_date_never_made_or_waiting():
    stale = replace(STATUS, needs_sync=True, freshness=Freshness(), waiting=7, skipped={})
    text = status_text(stale, PLAIN)
    assert "out of date: run 'shirube index'" in text
    assert "   indexed  never" in text
    assert "7 files waiting" in text
    assert "  left out  nothing" in text


def test_colours_are_for_a_terminal_and_can_be_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert not paint_for(no_color=False).on
    monkeypatch.setattr("sys.stdout", Terminal())
    assert paint_for(no_color=False).on
    assert not paint_for(no_color=True).on


def test_paint_wraps_text_only_when_on():
    assert Paint(True)("bold", "x") == "\x1b[1mx\x1b[0m"
    assert PLAIN("bold", "x") == "x"


def test_the_end_of_a_line_from_windows_is_no_foreign_sign():
    assert printable("def f():\r") == "def f():"
    assert printable("a\rb") == "a�b"
