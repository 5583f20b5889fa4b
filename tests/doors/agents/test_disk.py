import os
import stat
from pathlib import Path

import pytest

from shirube.doors.agents.receipts import MAX_BYTES, AgentFile, check_writable, digest, read, real_path, remove, write
from shirube.errors import ConfigError


def test_a_missing_file_is_no_error_and_its_directories_are_told(tmp_path: Path):
    file = read(tmp_path / "a/b/c.json")
    assert (file.data, file.text) == (None, "")
    made = write(file, b"{}")
    assert made == [tmp_path / "a/b", tmp_path / "a"]
    assert (tmp_path / "a/b/c.json").read_bytes() == b"{}"
    remove(AgentFile(file.path, b"{}"), made)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_others_use_stays(tmp_path: Path):
    file = read(tmp_path / "a/c.json")
    made = write(file, b"{}")
    (tmp_path / "a/other").touch()
    remove(AgentFile(file.path, b"{}"), made)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["other"]


def test_bytes_come_back_as_they_were(tmp_path: Path):
    data = "\ufeff{\r\n}\n\r".encode()
    (tmp_path / "a").write_bytes(data)
    assert read(tmp_path / "a").text.encode() == data


def test_links_are_followed_and_stay_links(tmp_path: Path):
    (tmp_path / "dots").mkdir()
    (tmp_path / "dots/real").write_bytes(b"1")
    (tmp_path / "middle").symlink_to("dots/real")
    (tmp_path / "link").symlink_to("middle")
    write(read(tmp_path / "link"), b"2")
    assert (tmp_path / "dots/real").read_bytes() == b"2"
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "middle").is_symlink()
    assert sorted(path.name for path in (tmp_path / "dots").iterdir()) == ["real"]


def test_a_link_to_nothing_is_made_where_it_points(tmp_path: Path):
    (tmp_path / "link").symlink_to("later/real")
    write(read(tmp_path / "link"), b"2")
    assert (tmp_path / "later/real").read_bytes() == b"2"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_the_mode_is_kept(tmp_path: Path, mode: int):
    path = tmp_path / "a"
    path.write_bytes(b"1")
    path.chmod(mode)
    write(read(path), b"2")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_gets_the_mode_of_this_user(tmp_path: Path):
    mask = os.umask(0o027)
    try:
        write(read(tmp_path / "a"), b"2")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize("kind", ["directory", "pipe", "binary", "large", "circle", "out"])
def test_what_is_no_text_file_of_ours_to_edit_is_refused(tmp_path: Path, kind: str):
    path = tmp_path / "in" / "a"
    path.parent.mkdir()
    if kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "binary":
        path.write_bytes(b"\xff\xfe{\x00")
    elif kind == "large":
        with path.open("wb") as stream:
            stream.truncate(MAX_BYTES + 1)
    elif kind == "circle":
        path.symlink_to("b")
        path.with_name("b").symlink_to("a")
    else:
        path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="left alone"):
        read(real_path(path, path.parent))


def test_a_way_out_of_the_project_can_be_a_directory(tmp_path: Path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/.claude").symlink_to(tmp_path)
    with pytest.raises(ConfigError, match="leads out"):
        real_path(tmp_path / "in/.claude/settings.json", tmp_path / "in")
    assert real_path(tmp_path / "in/.claude/settings.json") == tmp_path / "settings.json"


def test_read_only_and_hard_linked_files_are_refused(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(b"1")
    path.chmod(0o444)
    with pytest.raises(ConfigError, match="read-only"):
        write(read(path), b"2")
    path.chmod(0o644)
    os.link(path, tmp_path / "b")
    with pytest.raises(ConfigError, match="hard link"):
        check_writable(read(path))
    assert path.read_bytes() == b"1"


def test_a_file_that_changed_meanwhile_is_left_and_no_litter_stays(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(b"1")
    file = read(path)
    path.write_bytes(b"other")
    with pytest.raises(ConfigError, match="somebody else"):
        write(file, b"2")
    path.unlink()
    with pytest.raises(ConfigError, match="left alone"):
        write(file, b"2")
    assert list(tmp_path.iterdir()) == []


def test_no_file_has_no_digest():
    assert digest(None) == ""
    assert digest(b"") != ""
