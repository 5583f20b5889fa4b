import stat
from pathlib import Path

import pytest

from shirube.doors.agents.receipts import Edit, Receipt, Receipts, digest, owners, without
from shirube.errors import NotWritable, StateFault
from tests.refusals import refusal

FILE = Path("/somewhere/settings.json")


@pytest.fixture
def receipts(tmp_path: Path) -> Receipts:
    made = Receipts(tmp_path)
    with made.held():
        pass
    return made


def test_a_receipt_comes_back_as_it_was_put(receipts: Receipts):
    edit = Edit(("codex", "zed"), {"command": "s", "args": ["二"]}, 2)
    receipt = Receipt(str(FILE), "abc", True, False, {"mcp:a.b": edit})
    assert receipts.get(FILE) is None
    receipts.put(receipt)
    assert receipts.get(FILE) == receipt
    receipts.drop(FILE)
    receipts.drop(FILE)
    assert receipts.get(FILE) is None


def test_an_original_is_given_back_only_while_nobody_else_changed_the_file(receipts: Receipts):
    receipts.keep(FILE, b"before")
    receipt = Receipt(str(FILE), digest(b"after"), existed=True)
    assert receipts.original(receipt, b"after") == (True, b"before")
    assert receipts.original(receipt, b"changed") == (False, None)
    assert receipts.original(Receipt(str(FILE), digest(b"after"), True, whole=False), b"after") == (False, None)
    assert receipts.original(Receipt(str(FILE), digest(b"after"), existed=False), b"after") == (True, None)
    receipts.drop(FILE)
    assert receipts.original(receipt, b"after") == (False, None)


def test_copies_are_for_their_owner_only(receipts: Receipts, tmp_path: Path):
    receipts.keep(FILE, b"secret")
    receipts.put(Receipt(str(FILE), "", True))
    kept = [path for path in (tmp_path / "agents").iterdir() if path.suffix]
    assert len(kept) == 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE((tmp_path / "agents").stat().st_mode) == 0o700


def test_directories_are_remembered_while_they_exist(receipts: Receipts, tmp_path: Path):
    made = tmp_path / "ä dir"
    made.mkdir()
    receipts.put_directories([made, made, tmp_path / "gone"])
    assert receipts.directories() == [made]
    made.rmdir()
    assert receipts.directories() == []


def test_a_damaged_receipt_is_told_and_not_guessed_at(receipts: Receipts, tmp_path: Path):
    receipts.put(Receipt(str(FILE), "", True))
    (path,) = (tmp_path / "agents").glob("*.json")
    for text in ("{", "[]", "{}"):
        path.write_text(text)
        with refusal(StateFault, "install.receipt"):
            receipts.get(FILE)


def test_one_installer_at_a_time(receipts: Receipts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shirube.doors.agents.receipts.LOCK_SECONDS", 0.0)
    with receipts.held(), refusal(StateFault, "install.busy"), Receipts(tmp_path).held():
        pass


def test_a_state_directory_that_cannot_be_made_is_told(tmp_path: Path):
    (tmp_path / "file").touch()
    with refusal(NotWritable, "install.state_dir"), Receipts(tmp_path / "file").held():
        pass


def test_agents_come_and_go():
    edit = Edit(("a", "b"), None)
    assert owners(edit, ("b", "c")) == ("a", "b", "c")
    assert owners(None, ("c",)) == ("c",)
    assert without(edit, ("a",)) == Edit(("b",), None)
    assert without(edit, ("a", "b")) is None
