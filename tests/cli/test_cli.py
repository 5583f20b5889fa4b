import shirube.cli
from shirube.cli.main import main


def test_the_door_offers_one_function():
    assert shirube.cli.__all__ == ["main"]
    assert shirube.cli.main is main
