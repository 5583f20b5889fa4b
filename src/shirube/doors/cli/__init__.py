"""The terminal door: data on stdout, progress and trouble on stderr, exit 0 ok, 1 no match, 2 error."""

from shirube.doors.cli.main import main

__all__ = ["main"]
