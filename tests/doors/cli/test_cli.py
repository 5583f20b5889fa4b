import shirube.doors.cli
from shirube.doors.cli.main import main


def test_the_door_offers_one_function():
    assert shirube.doors.cli.__all__ == ["main"]
    assert shirube.doors.cli.main is main
