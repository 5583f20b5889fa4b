from pathlib import Path

from shirube.doors.agents.changes import PlannedChange, Row, diff_text, gather, make, make_all, merged
from shirube.doors.agents.install import plan_install
from shirube.doors.agents.pieces import Piece
from shirube.doors.agents.receipts import AgentFile, Edit, Receipt, Receipts, read


def piece(path: Path, agent: str = "codex", kind: str = "instructions") -> Piece:
    return Piece(agent, kind, path, "block", "text")


def planned(path: Path, receipts: Receipts) -> list[PlannedChange]:
    changes, refused = gather([piece(path)], receipts, None, plan_install)
    assert refused == []
    return changes


def test_pieces_of_one_file_are_planned_together_whatever_it_is_called(tmp_path: Path):
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    pieces = [
        piece(tmp_path / "AGENTS.md"),
        piece(tmp_path / "CLAUDE.md", "claude-code"),
        piece(tmp_path / "GEMINI.md"),
    ]
    changes, refused = gather(pieces, Receipts(tmp_path), tmp_path, plan_install)
    assert [(change.file.path.name, len(change.rows)) for change in changes] == [("AGENTS.md", 2), ("GEMINI.md", 1)]
    assert refused == []


def test_what_cannot_be_planned_is_a_row_and_the_rest_goes_on(tmp_path: Path):
    (tmp_path / "a.md").mkdir()
    (tmp_path / "b.md").write_text("<!-- shirube:begin -->")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/c.md").symlink_to(tmp_path / "a.md")
    names = ("a.md", "b.md", "in/c.md", "d.md")
    changes, rows = gather([piece(tmp_path / name) for name in names], Receipts(tmp_path), tmp_path, plan_install)
    assert [change.file.path.name for change in changes] == ["d.md"]
    assert [row.action for row in rows] == ["refused"] * 3
    assert "it is no file" in rows[0].detail
    assert "do not pair" in rows[-1].detail


def test_the_same_piece_for_several_agents_is_one():
    ((first, agents),) = merged([piece(Path("a")), piece(Path("a"), "zed")])
    assert (first.agent, agents) == ("codex", ("codex", "zed"))


def test_a_change_is_made_once_and_remembered(tmp_path: Path):
    receipts = Receipts(tmp_path / "state")
    with receipts.held():
        (change,) = planned(tmp_path / "new/AGENTS.md", receipts)
        make(change, receipts)
        receipt = receipts.get(tmp_path / "new/AGENTS.md")
        assert receipt is not None
        assert (receipt.existed, receipt.whole, receipt.edits) == (
            False,
            True,
            {"instructions:": Edit(("codex",), None)},
        )
        assert receipts.directories() == [tmp_path / "new"]
        (again,) = planned(tmp_path / "new/AGENTS.md", receipts)
        assert not again.is_edit
        gone = PlannedChange(read(tmp_path / "new/AGENTS.md"), None, (), None)
        make(gone, receipts)
    assert not (tmp_path / "new").exists()
    assert receipts.get(tmp_path / "new/AGENTS.md") is None


def test_a_change_that_fails_is_a_row_and_leaves_no_receipt(tmp_path: Path):
    receipts = Receipts(tmp_path / "state")
    path = tmp_path / "AGENTS.md"
    path.write_text("a\n")
    with receipts.held():
        changes = planned(path, receipts)
        path.write_text("b\n")
        (row,) = make_all(changes, receipts)
    assert row.action == "refused"
    assert receipts.get(path) is None
    assert path.read_text() == "b\n"


def test_a_diff_tells_of_new_and_removed_files_and_missing_line_ends(tmp_path: Path):
    row = (Row("a", "mcp", "p", "added"),)
    receipt = Receipt("p", "", True)
    text = diff_text(PlannedChange(AgentFile(tmp_path / "a", b"x"), b"x\ny\n", row, receipt))
    assert "-x\n\\ No newline at end of file\n+x\n+y\n" in text
    assert diff_text(PlannedChange(AgentFile(tmp_path / "a", None), b"x\n", row, receipt)).startswith("--- /dev/null\n")
    assert "+++ /dev/null\n" in diff_text(PlannedChange(AgentFile(tmp_path / "a", b"x\n"), None, row, None))
