import os
from contextlib import closing
from math import inf
from pathlib import Path

import pytest

from shirube import open_workspace
from shirube.doors.cli import doctor, main
from shirube.doors.cli.doctor import MARKS, Diagnosis, examine, repair, report_text
from shirube.doors.cli.screen import speech_for
from shirube.doors.views.screen import Paint, Screen
from shirube.engine.index import keeper
from shirube.engine.store import projection
from shirube.messages import say, verbatim
from shirube.operation import Call
from shirube.workspace import build_workspace
from tests.doors.cli.test_ownership import installed
from tests.doors.conftest import Runner
from tests.engine.embed.test_weights import hub
from tests.engine.embed.tiny import write_model

PLAIN = Screen(Paint(False), speech_for(None, "en"))


def found(root: Path) -> dict[str, Diagnosis]:
    return {finding.what: finding for finding in examine(root)}


def test_a_sound_machine_has_nothing_bad(sample_repo: Path):
    findings = examine(sample_repo)
    assert {finding.what for finding in findings} >= {
        "python",
        "sqlite",
        "git",
        "rg",
        "tantivy",
        "mcp",
        "grammars",
        "index",
        "config",
    }
    assert [finding for finding in findings if finding.state == "bad"] == []


def test_every_finding_that_is_not_good_says_how_to_mend_it(tmp_path: Path, state_dirs, monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    monkeypatch.setattr(doctor, "find_program", lambda name, env: "")
    findings = examine(tmp_path / "missing")
    assert {finding.what for finding in findings if finding.state == "bad"} >= {"tantivy", "simsimd", "mcp", "index"}
    assert all(finding.mend for finding in findings if finding.state != "good")


def test_a_missing_tantivy_is_told_with_what_answers_instead(sample_repo: Path, monkeypatch: pytest.MonkeyPatch):
    real = doctor.find_spec
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "tantivy" else real(name))
    finding = found(sample_repo)["tantivy"]
    assert (finding.state, finding.mend) == ("bad", "pip install tantivy")
    assert "FTS5" in finding.detail


@pytest.mark.parametrize(("name", "package"), [("git", "git"), ("rg", "ripgrep")])
def test_a_missing_program_is_noted_with_what_is_lost(
    sample_repo: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str
):
    real = doctor.find_program
    monkeypatch.setattr(doctor, "find_program", lambda asked, env: None if asked == name else real(asked, env))
    finding = found(sample_repo)[name]
    assert (finding.state, finding.mend) == ("note", f"install {package}")
    assert finding.detail.startswith("not found: ")


def test_whose_the_commands_are_is_told(sample_repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    installed(tmp_path / "theirs", "shirube", "shirube-0.3.0b10")
    monkeypatch.setenv("PATH", f"{tmp_path / 'theirs/bin'}{os.pathsep}{tmp_path / 'ours/bin'}")
    theirs, missing = commands(sample_repo)
    assert (theirs.state, "another program" in theirs.detail) == ("note", True)
    assert (missing.state, missing.detail) == ("note", "michishirube is not on PATH")
    assert "first on PATH" in theirs.mend
    ours = installed(tmp_path / "ours", "michishirube", "michishirube-0.1.0")
    assert [finding.detail for finding in commands(sample_repo)] == [theirs.detail, str(ours)]
    assert not (tmp_path / "theirs" / "it-ran").exists()


def commands(root: Path) -> list[Diagnosis]:
    return [finding for finding in examine(root) if finding.what == "command"]


def test_an_index_goes_from_nothing_to_up_to_date_to_out_of_date(sample_repo: Path):
    assert "nothing is indexed yet" in found(sample_repo)["index"].detail
    with open_workspace(sample_repo) as project:
        project.sync_index()
    assert found(sample_repo)["index"].state == "good"
    (sample_repo / "new.py").write_text("x = 1\n")
    finding = found(sample_repo)["index"]
    assert (finding.state, finding.mend) == ("note", "run 'shirube index'")


def test_a_directory_that_is_none_is_a_bad_finding_and_not_a_crash(tmp_path: Path, state_dirs):
    finding = found(tmp_path / "missing")["index"]
    assert finding.state == "bad"
    assert "not a directory" in finding.detail


def test_a_broken_configuration_is_a_bad_finding_and_not_a_crash(sample_repo: Path):
    (sample_repo / ".shirube").mkdir()
    (sample_repo / ".shirube/config.toml").write_text("[nonsense]\n")
    findings = found(sample_repo)
    assert findings["config"].state == "bad"
    assert "nonsense" in findings["config"].detail
    assert "nothing is indexed yet" in findings["index"].detail  # the rest is looked at all the same
    assert findings["model"].state == "good"


def test_the_command_reports_a_broken_configuration_among_the_rest(sample_repo: Path, capsys):
    (sample_repo / ".shirube").mkdir()
    (sample_repo / ".shirube/config.toml").write_text("not toml")
    assert main(["--root", str(sample_repo), "doctor"]) == 1
    told = capsys.readouterr()
    assert "is not valid TOML" in told.out
    assert "model" in told.out
    assert told.err == ""


def test_what_of_the_map_cannot_be_read_is_a_bad_finding(sample_repo: Path):
    (sample_repo / ".shirube").mkdir()
    (sample_repo / ".shirube/learned_pairs.json").write_text("{")
    finding = found(sample_repo)["map"]
    assert (finding.state, "learned_pairs.json" in finding.detail) == ("bad", True)
    assert "shirube map sync" in finding.mend


def test_what_a_project_may_not_set_is_noted(sample_repo: Path):
    (sample_repo / ".shirube").mkdir()
    (sample_repo / ".shirube/config.toml").write_text('[store]\nbackend = "memory"\n')
    assert "store.backend" in found(sample_repo)["project"].detail


def test_a_damaged_index_is_a_bad_finding_with_the_way_out(sample_repo: Path, state_dirs):
    with open_workspace(sample_repo) as project:
        project.sync_index()
    for file in (state_dirs.cache / "indexes").rglob("*.sqlite"):
        data = bytearray(file.read_bytes())
        data[1024:] = b"\xa5" * (len(data) - 1024)
        file.write_bytes(bytes(data))
    bad = [finding for finding in examine(sample_repo) if finding.state != "good"]
    assert bad
    assert all(finding.mend or finding.detail for finding in bad)


def test_the_report_aligns_marks_and_mends():
    findings = (
        Diagnosis("git", "good", verbatim("/usr/bin/git")),
        Diagnosis("rg", "note", verbatim("not found"), say("index_view.install", name="ripgrep")),
    )
    assert report_text(findings, PLAIN).splitlines() == [
        "✓ git            /usr/bin/git",
        "· rg             not found",
        "                 → install ripgrep",
    ]


def test_the_report_cannot_steer_the_terminal():
    text = report_text((Diagnosis("x", "bad", verbatim("a\x1b[2Jb"), verbatim("c\x07d")),), PLAIN)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert text.startswith(MARKS["bad"])


def test_a_model_whose_files_are_damaged_is_a_bad_finding(sample_repo: Path, tmp_path: Path, monkeypatch):
    folder = write_model(tmp_path / "tiny")
    monkeypatch.setenv("SHIRUBE_EMBED_MODEL", "e5")
    monkeypatch.setenv("SHIRUBE_EMBED_SOURCE", str(folder))
    assert (found(sample_repo)["model"].state, found(sample_repo)["model"].detail[:6]) == ("good", "e5-16-")
    (folder / "onnx" / "model.onnx").write_bytes(b"no network")
    finding = found(sample_repo)["model"]
    assert finding.state == "bad"
    assert str(folder) in finding.detail
    assert finding.mend


def test_repairing_fetches_the_model_that_was_chosen(sample_repo: Path, state_dirs, monkeypatch):
    monkeypatch.setenv("SHIRUBE_EMBED_MODEL", "e5")

    def download(name: str, cache_dir: Path, **_) -> None:
        write_model(cache_dir / f"models--{name.replace('/', '--')}" / "snapshots" / "abc")

    hub(monkeypatch, download)
    assert found(sample_repo)["model"].detail.startswith("static-")
    with closing(build_workspace(sample_repo)) as workspace:
        repair(workspace, Call())
    assert found(sample_repo)["model"].detail.startswith("e5-16-")


def test_repairing_without_such_a_model_touches_no_network(workspace, monkeypatch):
    hub(monkeypatch, lambda *_, **__: pytest.fail("touched the network"))
    repair(workspace, Call())


def haunt(root: Path, cli: Runner) -> None:
    """Index a file of sixty chunks and remove it."""
    many = root / "many.py"
    many.write_text("\n\n".join(f"def checkout_{n}():\n    return 'checkout'" for n in range(60)))
    assert cli("index").code == 0
    many.unlink()


def test_dead_chunks_are_told_by_doctor_and_status_and_thrown_out_by_index(
    fresh_cli: Runner, sample_repo: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(projection, "WORTH_SAYING", 60)
    haunt(sample_repo, fresh_cli)
    with monkeypatch.context() as patch:
        patch.setattr(keeper, "OVERDUE", inf)
        fresh_cli("search", "checkout")
    finding = found(sample_repo)["lexical"]
    assert (finding.state, finding.mend.code) == ("note", "index_view.run_sync")
    assert finding.detail.values["count"] >= 60
    assert "dead chunks count in it" in fresh_cli("status").out
    done = fresh_cli("index")
    assert "the lexical index counts" in done.out + done.err
    assert "lexical" not in found(sample_repo)
    assert "dead chunks" not in fresh_cli("status").out


def test_a_question_after_which_most_chunks_are_dead_throws_them_out_when_it_has_answered(
    fresh_cli: Runner, sample_repo: Path
):
    haunt(sample_repo, fresh_cli)
    assert "src/shop/payment.py" in fresh_cli("search", "checkout").out
    assert "lexical" not in found(sample_repo)
