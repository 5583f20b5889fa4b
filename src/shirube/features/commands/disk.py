"""Reading and writing registries and prompts, and starting the outside runner; nothing else here touches the disk.

Everything is read below one of two roots, the project and the user's home; links that leave them are refused.
"""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from shirube.engine.repo.process import Finished, Limits, find_program, scrub, start
from shirube.engine.repo.read import read_bytes, resolve_inside
from shirube.engine.store.disk import write_whole
from shirube.errors import ConfigError, NotReadable, OutsideRoot, ToolFailed
from shirube.messages import say

MAX_REGISTRY_BYTES = 8 << 20
MAX_TEMPLATE_BYTES = 1 << 20
MAX_SETTINGS_BYTES = 256_000
MAX_OUTPUT_BYTES = 4 << 20
MOST_PROMPTS = 10_000
"""How many files below a prompts directory are read."""


class CommandRoot:
    """A directory below which commands and their files are read: the project or the home."""

    def __init__(self, directory: Path, mark: str = "") -> None:
        self.directory = directory
        self._mark = mark

    def name(self, path: str) -> str:
        """Return a path below this root as people read it: ``~/x`` for the home."""
        return f"{self._mark}{path}"

    def text(self, path: str, max_bytes: int) -> str | None:
        """Return a text file below this root; None when it does not exist."""
        try:
            data = read_bytes(self.directory, resolve_inside(self.directory, path), max_bytes)
            return data.decode("utf-8-sig")
        except OutsideRoot as error:
            place = self._mark or say("commands.project")
            raise OutsideRoot("commands.leads_out", error.hint, path=self.name(path), place=place) from None
        except NotReadable as error:
            if not os.path.lexists(self.directory / path):
                return None
            why = error.detail or error.reason
            raise ConfigError("commands.not_read", path=self.name(path), why=why) from None
        except UnicodeDecodeError:
            raise ConfigError("commands.not_utf8", path=self.name(path)) from None

    def is_folder(self, path: str) -> bool:
        """Tell whether there is a directory at a path."""
        return (self.directory / path).is_dir()

    def inside(self, path: str) -> str:
        """Return the absolute path of a file below this place, or refuse one that leaves it."""
        return str(Path(os.path.realpath(self.directory)) / resolve_inside(self.directory, path))

    def markdown(self, path: str) -> list[str]:
        """Return the Markdown files below a directory, sorted by path; links are not followed."""
        root, found = Path(os.path.realpath(self.directory)), list[str]()
        for folder, folders, names in os.walk(self.inside(path)):
            folders.sort()
            below = Path(folder).relative_to(root).as_posix()
            found += [f"{below}/{name}" for name in names if name.endswith(".md")]
            if len(found) >= MOST_PROMPTS:
                break
        return sorted(found)[:MOST_PROMPTS]

    def write(self, path: str, text: str) -> None:
        """Write a file below this root atomically."""
        try:
            target = Path(self.inside(path))
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, text.encode(), 0o644)
        except OSError as error:
            raise ConfigError("commands.not_written", path=self.name(path), error=error.strerror) from error


def spawn(argv: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: str, timeout_seconds: float) -> Finished:
    """Run an external program from an argument list, without a shell; kill it and its children when time is up."""
    program = find_program(argv[0], env)
    if program is None:
        raise ToolFailed("commands.no_runner", name=argv[0])
    with tempfile.TemporaryFile() as given:
        given.write(stdin.encode("utf-8"))
        given.seek(0)
        # No memory limit: a JavaScript engine reserves far more address space than it uses.
        limits = Limits(timeout_seconds, MAX_OUTPUT_BYTES, max_memory_bytes=0)
        return start([program, *argv[1:]], cwd, {**scrub(env), "NO_COLOR": "1"}, limits, given).finish()
