"""A program that ignores every signal it can, with a child that does so too, and a pipe that tells of their end."""

import os
import select
import shutil
import sys
from pathlib import Path

from tests.conftest import make_state_dirs

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "registry"
RUN = {
    "name": "command_execute",
    "arguments": {"c1": "test", "c2": "run-specific", "c3": "target", "options": ["--uv-target=x"]},
}
"""The call that starts the program in a project of ``commanded``."""

PATIENCE_SECONDS = 60.0
"""How long to wait before a test fails; what is waited for comes in milliseconds."""

_BODY = """#!{python}
import os, signal
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
pipe = os.open({pipe!r}, os.O_WRONLY)
child = os.fork()
if child == 0 and {closes}:
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
os.write(pipe, b".")
while {stays} or child == 0:
    signal.pause()
"""


class Stubborn:
    """The program, written to a file, and the end of the pipe that both its processes hold open."""

    def __init__(self, file: Path, *, leaves: bool = False) -> None:
        """With ``leaves`` the program itself ends at once, and leaves a child that holds none of its output."""
        self.file = file
        fifo = file.with_suffix(".pipe")
        os.mkfifo(fifo)
        self._pipe = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        file.write_text(_BODY.format(python=sys.executable, pipe=str(fifo), stays=not leaves, closes=leaves))
        file.chmod(0o755)

    def wait_until_both_run(self) -> None:
        """Wait for the program and its child."""
        said = b""
        while len(said) < 2:
            said += self._read()

    def wait_until_both_are_gone(self) -> None:
        """Wait for the end of the last process that holds the pipe open."""
        assert self._read() == b""

    def wait_until_nobody_runs(self) -> None:
        """Wait for the end of whatever has begun; a busy machine may have killed it before it did."""
        while True:
            try:
                if os.read(self._pipe, 2) == b"":
                    return
            except BlockingIOError:
                self._wait()

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self._pipe)

    def _read(self) -> bytes:
        self._wait()
        return os.read(self._pipe, 2)

    def _wait(self) -> None:
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        assert poll.poll(PATIENCE_SECONDS * 1000), "nothing happened"


def commanded(base: Path) -> tuple[Path, dict[str, str], Stubborn]:
    """Return a project with commands, the environment of a user who lets a runner execute them, and that runner."""
    root = Path(shutil.copytree(EXAMPLES, base / "team"))
    dirs = make_state_dirs(base / "own")
    (dirs.config / "config.toml").write_text("[commands]\nexternal = true\ntimeout_seconds = 600\n")
    (base / "bin").mkdir()
    runner = Stubborn(base / "bin" / "deno")
    return root, {**dirs.environ(), "PATH": f"{base / 'bin'}:{os.environ['PATH']}"}, runner
