"""Logging to stderr, set up once by the door that starts the program."""

import logging
import sys

LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def set_up_logging(level: str) -> None:
    """Send this program's log to stderr; stdout belongs to data and to the protocol."""
    logger = logging.getLogger("shirube")
    logger.setLevel(LEVELS[level])
    logger.propagate = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("shirube: %(levelname)s: %(message)s"))
    logger.handlers = [handler]
