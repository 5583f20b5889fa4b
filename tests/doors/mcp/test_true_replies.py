"""What a reply says is so, in both languages."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import needs_git
from tests.doors.mcp.true_replies import Replies
from tests.features.past import write_past


@pytest.fixture
def past(tmp_path: Path) -> Iterator[Replies]:
    write_past(tmp_path / "shop")
    replies = Replies(tmp_path / "shop")
    yield replies
    replies.close()


@needs_git
def test_a_sync_that_reads_the_history_alone_does_not_say_that_nothing_was_done(past: Replies, monkeypatch):
    monkeypatch.setattr("shirube.engine.index.history_keeper.HistoryKeeper.complete", lambda *given: 0)
    past("en", "sync_index")
    monkeypatch.undo()
    assert re.fullmatch(r"\d+ files: no changes \(\d commits read\) in \d+\.\d\d s", past("en", "sync_index"))
    assert re.fullmatch(r"\d+ ファイル: 変更なし、\d+\.\d\d 秒", past("ja", "sync_index"))
    read = past("ja", "sync_index", full=True)
    assert re.search(r"履歴のコミット \d 件を読み込み）、\d+\.\d\d 秒$", read)
