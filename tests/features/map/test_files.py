from pathlib import Path

import pytest

from shirube.codec import replace
from shirube.errors import BadArgument, NoPermission
from shirube.features.map.agreement import Agreement
from shirube.features.map.files import AGREEMENTS, PAIRS, MapFolder
from shirube.features.map.merge import write_bundle
from tests.refusals import refusal
from tests.shut import shut

LOGIN = Agreement("ログイン機能", "AuthService", body="# x")


@pytest.fixture
def folder(tmp_path: Path) -> MapFolder:
    return MapFolder(tmp_path)


@pytest.mark.requirement("004-INDEX-01")
def test_what_is_saved_is_found_at_once(folder: MapFolder):
    assert folder.load().agreements == ()
    saved = folder.save(LOGIN)
    assert saved.file == "ログイン機能_AuthService.md"
    assert (folder.root / AGREEMENTS / saved.file).is_file()
    assert folder.load().agreements == (saved,)
    folder.remove(saved)
    assert folder.load().agreements == ()
    folder.remove(saved)


def test_a_hand_edit_is_seen_by_the_next_question(folder: MapFolder):
    saved = folder.save(LOGIN)
    page = folder.folder / saved.file
    page.write_text(page.read_text("utf-8").replace("ログイン機能", "サインイン"), "utf-8")
    assert folder.load().agreements[0].nl_term == "サインイン"


def test_the_map_is_not_read_again_while_nothing_changes(folder: MapFolder):
    folder.save(LOGIN)
    assert folder.load() is folder.load()


@pytest.mark.requirement("N004-BROKEN-01")
def test_a_broken_page_is_told_and_the_rest_still_works(folder: MapFolder):
    saved = folder.save(LOGIN)
    (folder.folder / "bad.md").write_text("---\nnl_term: x\n", "utf-8")
    (folder.folder / "latin.md").write_bytes(b"---\nnl_term: caf\xe9\n---\n")
    (folder.folder / "note.txt").write_text("not a page")
    loaded = folder.load()
    assert loaded.agreements == (saved,)
    assert [problem.partition(": ")[0] for problem in loaded.problems] == [
        f"{AGREEMENTS}/bad.md",
        f"{AGREEMENTS}/latin.md",
    ]
    assert "line" in loaded.problems[0]


@pytest.mark.requirement("N004-NAME-01")
def test_a_page_that_a_merge_left_open_is_no_agreement_wherever_the_marks_stand(folder: MapFolder):
    page = folder.folder / folder.save(LOGIN).file
    page.write_text(f"{page.read_text('utf-8')}\n<<<<<<< HEAD\none\n=======\nother\n>>>>>>> b\n", "utf-8")
    loaded = folder.load()
    assert loaded.agreements == ()
    assert "a merge left two versions in it" in loaded.problems[0]


def test_a_name_that_is_taken_is_left_alone(folder: MapFolder):
    folder.save(Agreement("Login", "auth", body="one"))
    other = folder.save(Agreement("login", "Auth", body="two"))
    assert "~" in other.file
    assert len(folder.load().agreements) == 2


def test_the_same_pair_on_two_pages_is_told(folder: MapFolder):
    saved = folder.save(LOGIN)
    (folder.folder / "copy.md").write_text((folder.folder / saved.file).read_text("utf-8"), "utf-8")
    loaded = folder.load()
    assert len(loaded.agreements) == 1
    assert "same pair" in loaded.problems[0]


@pytest.mark.requirement("004-OPEN-04")
def test_added_maps_are_read_and_never_written(tmp_path: Path):
    other = MapFolder(tmp_path / "other")
    other.save(LOGIN)
    bundle = tmp_path / "map.json"
    bundle.write_text(write_bundle([Agreement("決済", "Pay", body="x")], "p", ""), "utf-8")
    extra = (str(tmp_path / "other" / ".shirube"), str(bundle), str(tmp_path / "missing"))
    mine = MapFolder(tmp_path / "mine", extra)
    loaded = mine.load()
    assert {(one.nl_term, one.origin) for one in loaded.agreements} == {("ログイン機能", extra[0]), ("決済", extra[1])}
    assert loaded.problems == (f"{extra[2]}: there is no such map",)
    with refusal(BadArgument, "pages.comes_from"):
        mine.save(loaded.agreements[0])


def test_nothing_outside_the_project_is_written_or_read(tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.md").write_text("---\nnl_term: x\nsymbol: Y\n---\n")
    root = tmp_path / "in"
    (root / ".shirube").mkdir(parents=True)
    (root / AGREEMENTS).symlink_to(tmp_path / "out")
    with refusal(BadArgument, "pages.outside"):
        MapFolder(root).save(LOGIN)
    linked = tmp_path / "linked"
    (linked / AGREEMENTS).mkdir(parents=True)
    (linked / AGREEMENTS / "a.md").symlink_to(tmp_path / "out" / "a.md")
    assert MapFolder(linked).load().agreements == ()


def test_a_page_lists_files_inside_the_project_with_the_line_that_names_the_symbol(tmp_path: Path):
    root, outside = tmp_path / "project", tmp_path / "outside.py"
    (root / "c").mkdir(parents=True)
    (root / "a.py").write_text("import x\nx.Login()\nLogin()\n")
    (root / "b.bin").write_bytes(b"\xff")
    outside.write_text("Login\n")
    listed = ["a.py:3", "a.py:9", f"{root}/a.py:2-3", "b.bin:1", "c/"]
    gone = ["../outside.py", str(outside), "a\0.py", "n" * 5000 + ".py"]
    items = "\n".join(f"- `{place}`" for place in [*listed, *gone])
    saved = MapFolder(root).save(Agreement("ログイン", "Auth.Login", body=f"# x\n\n## Files\n\n{items}"))
    assert saved.body == "# x\n\n## Files\n\n- `a.py:3`\n- `a.py:2`\n- `b.bin`\n- `c/`"


def test_pairs_are_written_when_they_differ(folder: MapFolder):
    assert folder.read_pairs() == ""
    folder.write_pairs("{}")
    before = (folder.root / PAIRS).stat().st_mtime_ns
    folder.write_pairs("{}")
    assert (folder.root / PAIRS).stat().st_mtime_ns == before


def test_a_folder_that_cannot_be_written_is_told(folder: MapFolder):
    folder.save(LOGIN)
    with shut(folder.folder), refusal(NoPermission, "pages.cannot_write"):
        folder.save(replace(LOGIN, symbol="Other"))


def test_no_half_written_page_is_left(folder: MapFolder, monkeypatch: pytest.MonkeyPatch):
    saved = folder.save(LOGIN)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(NoPermission, match="No space"):
        folder.save(replace(saved, body="# changed"))
    monkeypatch.undo()
    assert folder.load().agreements == (saved,)
    assert [path.name for path in folder.folder.iterdir()] == [saved.file]
