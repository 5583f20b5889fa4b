"""Files a person names on the command line: any they may read or write; an agent stays in the project."""

from collections.abc import Callable
from pathlib import Path

from shirube.errors import BadArgument, NoPermission

MOST_BYTES = 1 << 26
SIGN = 1000
"""Characters by which an earlier export is known."""


def write_file(name: str, text: str, is_ours: Callable[[str], bool]) -> str:
    """Write an export and return where it is; only an earlier export is replaced."""
    path = Path(name).expanduser()
    if path.is_dir():
        raise BadArgument("cli.is_directory", name=name, example=str(path / "export.json"))
    try:
        if path.exists() and not is_ours(path.read_text("utf-8", "replace")[:SIGN]):
            raise BadArgument("cli.no_export", name=name)
        path.write_text(text, "utf-8")
    except FileNotFoundError:
        raise BadArgument("cli.no_directory", path=str(path.parent)) from None
    except OSError as error:
        raise NoPermission("cli.not_written", name=name, error=error.strerror) from None
    return str(path)


def read_file(name: str) -> str:
    """Return a file that was exported, or nothing when it is not there or a directory: others know these better."""
    path = Path(name).expanduser()
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise NoPermission("cli.not_read", name=name, error=error.strerror) from None
    if len(data) > MOST_BYTES:
        raise BadArgument("cli.too_large", name=name, count=MOST_BYTES >> 20)
    return data.decode("utf-8", "replace")
