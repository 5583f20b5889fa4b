from pathlib import Path

from shirube.doors.cli.screen import read_file, write_file
from shirube.errors import BadArgument, NoPermission
from tests.refusals import refusal


def is_ours(text: str) -> bool:
    return text.startswith("ours")


def test_an_export_goes_anywhere_and_replaces_only_an_earlier_one(tmp_path: Path):
    place = tmp_path / "out.json"
    assert write_file(str(place), "ours 1", is_ours) == str(place)
    write_file(str(place), "ours 2", is_ours)
    assert read_file(str(place)) == "ours 2"
    place.write_text("theirs")
    with refusal(BadArgument, "cli.no_export"):
        write_file(str(place), "ours 3", is_ours)
    assert place.read_text() == "theirs"


def test_what_cannot_be_written_is_refused_with_the_way_out(tmp_path: Path):
    with refusal(BadArgument, "cli.is_directory") as refused:
        write_file(str(tmp_path), "ours", is_ours)
    assert str(tmp_path) in refused.value.hint
    with refusal(BadArgument, "cli.no_directory"):
        write_file(str(tmp_path / "none/out.json"), "ours", is_ours)
    (tmp_path / "file").write_text("x")
    with refusal(NoPermission, "cli.not_written"):
        write_file(str(tmp_path / "file/out.json"), "ours", is_ours)


def test_what_is_not_there_is_nothing(tmp_path: Path):
    assert read_file(str(tmp_path)) == read_file(str(tmp_path / "none")) == ""
