import os

import pytest

from shirube.engine.repo import read
from shirube.engine.repo.read import FileReader, read_bytes, resolve_inside
from shirube.errors import BadArgument, NotReadable, OutsideRoot


@pytest.fixture(params=["by descriptor", "by name"])
def root(tmp_path, make, request, monkeypatch):
    monkeypatch.setattr(read, "_BY_DESCRIPTOR", request.param == "by descriptor")
    make(tmp_path / "outside", {"secret": "s"})
    return make(tmp_path / "p", {"a.txt": "hello", "d/e/f.txt": "deep", "日本 語.txt": "x", "-x": "dash"})


def reason(root, path, max_bytes=100):
    with pytest.raises(NotReadable) as caught:
        read_bytes(root, path, max_bytes)
    assert caught.value.path == path
    return caught.value.reason


@pytest.mark.parametrize(
    ("path", "content"), [("a.txt", b"hello"), ("d/e/f.txt", b"deep"), ("日本 語.txt", b"x"), ("-x", b"dash")]
)
def test_reads_files_of_the_project(root, path, content):
    assert read_bytes(root, path, 100) == content


@pytest.mark.parametrize(
    "path", ["", "..", "../outside/secret", "/etc/passwd", "d/../../outside/secret", "a\0b", "d//e", "./a.txt"]
)
def test_refuses_paths_that_are_not_plain(root, path):
    with pytest.raises(OutsideRoot):
        read_bytes(root, path, 100)


def test_follows_no_link_at_the_end_or_on_the_way(root):
    (root / "file").symlink_to("../outside/secret")
    (root / "folder").symlink_to("../outside")
    (root / "inner").symlink_to("a.txt")
    for path in ("file", "folder/secret", "inner"):
        with pytest.raises((NotReadable, OutsideRoot)):
            read_bytes(root, path, 100)


def test_does_not_wait_for_a_pipe(root):
    os.mkfifo(root / "pipe")
    assert reason(root, "pipe") == "special"


def test_a_directory_is_no_file_and_a_missing_file_is_unreadable(root):
    assert reason(root, "d") == "special"
    assert reason(root, "gone") == "unreadable"


def test_the_cap_holds_exactly(root):
    assert read_bytes(root, "a.txt", 5) == b"hello"
    assert reason(root, "a.txt", 4) == "too_large"


def test_a_file_that_grows_while_it_is_read_is_too_large(root, monkeypatch):
    fstat = os.fstat

    def before_it_grew(handle):
        status = list(fstat(handle))
        status[6] = 1
        return os.stat_result(status)

    monkeypatch.setattr("shirube.engine.repo.read.os.fstat", before_it_grew)
    assert read_bytes(root, "a.txt", 5) == b"hello"
    assert reason(root, "a.txt", 4) == "too_large"


def test_no_descriptor_is_left_open(root):
    (root / "link").symlink_to("d")
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    for path in ("a.txt", "d", "gone", "d/e/f.txt", "d/e/gone", "link/e/f.txt", "a.txt/x"):
        for _ in range(3):
            try:
                read_bytes(root, path, 4)
            except NotReadable:
                continue
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208


# --- paths somebody typed ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("a.txt", "a.txt"),
        ("./d//e/", "d/e"),
        ("d/../a.txt", "a.txt"),
        (".", "."),
        ("new/file.py", "new/file.py"),
        ("../p/a.txt", "a.txt"),
    ],
)
def test_a_path_inside_is_made_relative(root, typed, path):
    assert resolve_inside(root, typed) == path


def test_an_absolute_path_inside_is_made_relative(root, tmp_path):
    assert resolve_inside(root, str(root / "d" / "e")) == "d/e"
    (tmp_path / "alias").symlink_to(root)
    assert resolve_inside(root, str(tmp_path / "alias" / "a.txt")) == "a.txt"
    assert resolve_inside(tmp_path / "alias", "a.txt") == "a.txt"


def test_links_inside_are_resolved(root):
    (root / "link").symlink_to("d/e")
    assert resolve_inside(root, "link/f.txt") == "d/e/f.txt"


@pytest.mark.parametrize("typed", ["..", "../outside/secret", "/etc/passwd", "d/../../x", "../p-other/x"])
def test_what_leaves_the_root_is_refused_with_a_hint(root, typed):
    with pytest.raises(OutsideRoot) as caught:
        resolve_inside(root, typed)
    assert str(root) in caught.value.hint


def test_a_link_that_leaves_the_root_is_refused_even_when_its_target_is_missing(root):
    (root / "out").symlink_to("../outside")
    (root / "dangling").symlink_to("/nowhere/new")
    for typed in ("out/secret", "out/new", "dangling"):
        with pytest.raises(OutsideRoot):
            resolve_inside(root, typed)


@pytest.mark.parametrize("typed", ["", "a\0b", "a\udc80", "\ud800"])
def test_text_that_can_be_no_path_is_refused(root, typed):
    with pytest.raises(BadArgument):
        resolve_inside(root, typed)


def test_a_name_that_cannot_be_written_to_disk_is_not_read(root):
    with pytest.raises((NotReadable, BadArgument)):
        read_bytes(root, "\ud800", 10)


def test_a_shelf_reads_one_file_after_another_whatever_their_order(root, make):
    make(root, {"d/e/g.txt": "g", "d/h.txt": "h", "x/y/z.txt": "z"})
    names = ["d/e/f.txt", "d/e/g.txt", "d/h.txt", "a.txt", "x/y/z.txt", "d/e/f.txt"]
    with FileReader(root) as shelf:
        assert [shelf.read(name, 100) for name in names] == [b"deep", b"g", b"h", b"hello", b"z", b"deep"]


def test_a_shelf_is_usable_after_what_it_could_not_read(root):
    (root / "link").symlink_to("../outside")
    (root / "d" / "link").symlink_to("../../outside/secret")
    with FileReader(root) as shelf:
        for name in ("d/e/gone.txt", "d/gone/f.txt", "link/secret", "d/link", "a.txt/x"):
            with pytest.raises((NotReadable, OutsideRoot)):
                shelf.read(name, 100)
            assert shelf.read("d/e/f.txt", 100) == b"deep"
        with pytest.raises(OutsideRoot):
            shelf.read("d/../../outside/secret", 100)


def test_a_shelf_lets_go_of_its_directories(root, monkeypatch):
    opened, closed = [], []
    open_it, close_it = os.open, os.close
    monkeypatch.setattr(os, "open", lambda *args, **more: opened.append(open_it(*args, **more)) or opened[-1])
    monkeypatch.setattr(os, "close", lambda handle: closed.append(handle) or close_it(handle))
    with FileReader(root) as shelf:
        shelf.read("d/e/f.txt", 100)
        shelf.read("a.txt", 100)
    assert opened
    assert sorted(opened) == sorted(closed)
