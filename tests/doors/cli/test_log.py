import logging
import sys

import pytest

from shirube.doors.cli.main import set_up_logging

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def test_the_log_goes_to_stderr_and_never_to_stdout(capsys: pytest.CaptureFixture[str]):
    set_up_logging("info")
    logging.getLogger("shirube.room").info("hello")
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "shirube: INFO: hello\n"


@pytest.mark.parametrize("level", sorted(LEVELS))
def test_what_is_below_the_level_is_not_said(level: str, capsys: pytest.CaptureFixture[str]):
    set_up_logging(level)
    for name, number in LEVELS.items():
        logging.getLogger("shirube").log(number, "said at %s", name)
    said = [line.rsplit(" ", 1)[1] for line in capsys.readouterr().err.splitlines()]
    assert said == [name for name, number in LEVELS.items() if number >= LEVELS[level]]


def test_setting_up_twice_says_things_once(capsys: pytest.CaptureFixture[str]):
    set_up_logging("error")
    set_up_logging("warning")
    logging.getLogger("shirube").warning("once")
    assert capsys.readouterr().err.count("once") == 1


def test_setting_up_again_follows_a_stderr_that_was_replaced(capsys: pytest.CaptureFixture[str]):
    logging.getLogger("shirube").addHandler(logging.NullHandler())
    set_up_logging("warning")
    logging.getLogger("shirube").warning("here")
    assert "here" in capsys.readouterr().err


def test_other_programs_logs_are_left_alone():
    root_handlers = logging.getLogger().handlers[:]
    set_up_logging("debug")
    assert logging.getLogger().handlers == root_handlers
    logger = logging.getLogger("shirube")
    assert logger.propagate is False
    assert [handler.stream for handler in logger.handlers] == [sys.stderr]
