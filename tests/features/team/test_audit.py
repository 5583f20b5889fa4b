"""The audit log: rows, rotation, rights."""

import json
import os
import stat

from shirube.features.team.audit import AuditLog, AuditRow

ROW = AuditRow("2026-11-19T00:00:00Z", "ab12", "search", "example.org/shop", 12, "ok")


def test_each_call_is_a_line_that_only_its_owner_reads(tmp_path):
    log = AuditLog(tmp_path / "logs" / "audit.jsonl", 10_000, 2)
    assert log.write(ROW)
    assert log.write(AuditRow("", "to\nken\u2028", "-", "", 0, "limited"))
    log.close()
    lines = (tmp_path / "logs" / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["token"] for line in lines] == ["ab12", "to\nken\u2028"]
    assert json.loads(lines[0])["milliseconds"] == 12
    assert stat.S_IMODE((tmp_path / "logs" / "audit.jsonl").stat().st_mode) == 0o600


def test_a_large_file_makes_room_and_the_oldest_goes(tmp_path):
    log = AuditLog(tmp_path / "audit", 300, 2)
    for number in range(20):
        assert log.write(AuditRow(str(number), "ab12", "search", "example.org/shop", number, "ok"))
    log.close()
    files = sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".lock")
    assert files == ["audit", "audit.1", "audit.2"]
    times = [
        json.loads(line)["time"] for name in reversed(files) for line in (tmp_path / name).read_text().splitlines()
    ]
    assert times == [str(number) for number in range(20 - len(times), 20)]
    assert all((tmp_path / name).stat().st_size <= 300 for name in files)


def test_a_disk_that_is_full_loses_a_row_and_tells(tmp_path, monkeypatch):
    log = AuditLog(tmp_path / "audit", 300, 2)

    def full(handle, data):
        raise OSError(28, "no space")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        assert not log.write(ROW)
    assert log.write(ROW)
    log.close()


def _times(place):
    return sorted(
        int(json.loads(line)["time"])
        for path in place.iterdir()
        if path.suffix != ".lock"
        for line in path.read_text().splitlines()
    )


def test_several_servers_write_into_one_file_and_lose_nothing(tmp_path):
    logs = [AuditLog(tmp_path / "audit", 2_000, 40) for _ in range(3)]
    for number in range(300):
        assert logs[number % 3].write(AuditRow(str(number), "ab12", "search", "example.org/shop", number, "ok"))
    for log in logs:
        log.close()
    assert _times(tmp_path) == list(range(300))
    assert len(list(tmp_path.iterdir())) > 10


def test_where_no_new_file_can_be_made_the_old_one_goes_on_and_none_is_moved(tmp_path, monkeypatch):
    log = AuditLog(tmp_path / "audit", 300, 2)
    for number in range(6):
        assert log.write(AuditRow(str(number), "ab12", "search", "example.org/shop", number, "ok"))
    before = _times(tmp_path)

    def none(*given):
        raise OSError(24, "too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", none)
        for number in range(6, 20):
            assert log.write(AuditRow(str(number), "ab12", "search", "example.org/shop", number, "ok"))
    assert _times(tmp_path) == [*before, *range(6, 20)]
    log.close()


def test_a_row_that_was_cut_spoils_no_other(tmp_path, monkeypatch):
    log, write = AuditLog(tmp_path / "audit", 10_000, 2), os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda handle, data: write(handle, data[:20]))
        assert not log.write(ROW)
    assert log.write(ROW)
    assert log.write(ROW)
    log.close()
    lines = (tmp_path / "audit").read_text().splitlines()
    assert [line == lines[1] for line in lines] == [False, True, True]
    assert json.loads(lines[1])["token"] == "ab12"
