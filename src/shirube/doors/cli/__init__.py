"""The command line: results on stdout, progress and errors on stderr; exit code 0 ok, 1 no match, 2 error."""

from shirube.doors.cli.main import main

__all__ = ["main"]
