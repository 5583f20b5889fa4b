"""Runs outside programs that may misbehave: no shell, no input, no inherited settings, and limits.

A program gets an argument list, a scrubbed environment and its own process group. It is killed when it runs too long or
writes too much, and when the call that needs it is cancelled (``deadline.current``).

Every child process is started here, and none outlives us. A small shell process, the watcher, knows the groups that are
alive. It reads from a pipe that only we hold open, so however we end, it reaches the end of its input and kills the
remaining groups. One watcher serves all children.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from shirube import deadline
from shirube.config import ceilings

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_PASSED_ON = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT", "USERPROFILE")
_READ_BYTES = 65_536
_MAX_STDERR_BYTES = 65_536
_GRACE_SECONDS = 1.0
_SHELL = "/bin/sh"
_WATCH = """
cd /
left=" "
begun=""
while read -r sign group; do
  case $sign in
    "?") begun=$group ;;
    +) begun=""; left="$left$group " ;;
    -) left="${left%% $group *} ${left#* $group }" ;;
  esac
done
for group in $left; do kill -s KILL -- "-$group"; done
if [ "$begun" ]; then
  for place in /proc/[0-9]*; do
    if grep -qs "$begun" "$place/environ"; then kill -s KILL -- "-${place#/proc/}"; fi
  done
fi
"""
_MARK = "SHIRUBE_STARTED"
"""A variable in a child's environment; by it the watcher finds a child whose id we had no time to send."""

_lock = threading.Lock()
_alive: dict[int, "subprocess.Popen[bytes]"] = {}
"""Children by process id. A child is removed only after it was reaped, so no other process can have its id."""
_watch: tuple[int, int] | None = None
"""The watcher's process id, and our end of the pipe to it."""


def spawn(argv: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a program, with the options of ``Popen``; the caller must call ``reap`` on it."""
    with _lock:
        for child in [child for child in _alive.values() if child.poll() is not None]:
            _forget(child)
        token = f"{os.getpid()}-{time.monotonic_ns()}"
        if options.get("env") is not None:
            options["env"] = {**options["env"], _MARK: token}
        _tell(f"? {_MARK}={token}\n")
        child = subprocess.Popen(list(argv), start_new_session=True, **options)
        _alive[child.pid] = child
        _tell(f"+ {child.pid}\n")
    return child


def kill_group(child: "subprocess.Popen[bytes]") -> None:
    """Kill a child and everything it has started, without waiting."""
    with _lock:
        if child.pid in _alive:
            _kill(child)


def reap(child: "subprocess.Popen[bytes]", seconds: float | None = None) -> bool:
    """Wait until a child has ended, then kill the rest of its group; return whether it ended in time."""
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    with _lock:
        if child.pid in _alive:
            _kill(child)
            _forget(child)
    return True


def kill_all() -> None:
    """Kill every child; a server calls this at its end, before it joins threads that wait for children."""
    with _lock:
        for child in _alive.values():
            _kill(child)


def _kill(child: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


def _forget(child: "subprocess.Popen[bytes]") -> None:
    del _alive[child.pid]
    _tell(f"- {child.pid}\n")


def _tell(line: str) -> None:
    """Write a line to the watcher; if there is none, or it was killed, start one and send it all groups."""
    global _watch  # noqa: PLW0603 - one for the process, like the children themselves
    if _watch is not None:
        number, pipe = _watch
        try:
            os.write(pipe, line.encode())
        except OSError:  # the watcher was killed
            os.close(pipe)
            os.waitpid(number, 0)
        else:
            return
    _watch = _start_watch()
    if _watch is not None:
        known = "".join(f"+ {number}\n" for number in _alive)
        os.write(_watch[1], (known + line if line.startswith("?") else known).encode())


def _start_watch() -> tuple[int, int] | None:
    if not Path(_SHELL).exists():
        return None
    reading, writing = os.pipe()
    silence = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    try:
        files = [(os.POSIX_SPAWN_DUP2, reading, 0), *silence]
        return os.posix_spawn(_SHELL, [_SHELL, "-c", _WATCH], {}, file_actions=files, setsid=True), writing
    finally:
        os.close(reading)


class Limits(NamedTuple):
    """How long a program may run, how much it may write, and how much memory it may use."""

    timeout_seconds: float = 10.0
    max_bytes: int = 64 << 20
    max_memory_bytes: int = 8 << 30
    """Address space: enough for mapping a large index or pack, too little to harm the machine; 0 for no limit."""
    max_file_bytes: int = 0
    """How large each file may become that it writes; 0 for no limit."""


class Finished(NamedTuple):
    """The result of a program."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    truncated: bool = False

    @property
    def ok(self) -> bool:
        """Whether the program ended by itself, with success, and its whole output is here."""
        return self.code == 0 and not self.timed_out and not self.truncated


def scrub(env: Mapping[str, str] | None) -> dict[str, str]:
    """Return only the variables a child needs to start, without any that could change its behaviour."""
    source = {"PATH": os.defpath, "HOME": str(Path.home())} if env is None else env
    passed_on = {key: source[key] for key in _PASSED_ON if key in source}
    return {**passed_on, "LC_ALL": "C", "GIT_CEILING_DIRECTORIES": ceilings()}


def find_program(name: str, env: Mapping[str, str] | None = None) -> str | None:
    """Return the full path of a program, looking in absolute directories of PATH only."""
    folders = [folder for folder in scrub(env).get("PATH", os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    if os.name == "nt":
        from shutil import which  # knows Windows' file endings; elsewhere its imports cost too much

        return which(name, path=os.pathsep.join(folders))
    places = (os.path.join(folder, name) for folder in folders)  # noqa: PTH118
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), None)  # noqa: PTH113


def run(argv: Sequence[str], cwd: Path, env: Mapping[str, str], limits: Limits) -> Finished:
    """Run a program to its end; see ``start``."""
    return start(argv, cwd, env, limits).finish()


def start(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], limits: Limits, stdin: IO[bytes] | None = None
) -> "Running":
    """Start a program and collect its output in the background; the environment is used as given.

    Its input is empty unless a file is given: with a pipe, we could wait for a program that waits for us.
    """
    child = spawn(
        argv,
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # limited from outside, where the system can, so that no code of ours runs in the child
    if resource is not None and hasattr(resource, "prlimit"):
        seconds = int(limits.timeout_seconds * (os.cpu_count() or 1)) + 1
        with contextlib.suppress(OSError, ValueError):
            if limits.max_memory_bytes:
                resource.prlimit(child.pid, resource.RLIMIT_AS, (limits.max_memory_bytes, limits.max_memory_bytes))
            if limits.max_file_bytes:
                resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (limits.max_file_bytes, limits.max_file_bytes))
            resource.prlimit(child.pid, resource.RLIMIT_CPU, (seconds, seconds))
    return Running(child, limits)


class Running:
    """A running program."""

    def __init__(self, child: subprocess.Popen[bytes], limits: Limits) -> None:
        self._child = child
        self._call = deadline.current()
        self._deadline = time.monotonic() + self._call.left(limits.timeout_seconds)
        self._truncated = False
        self._stdout = bytearray()
        self._stderr = bytearray()
        self._pumps = [
            threading.Thread(target=self._pump_stdout, args=(child.stdout, limits.max_bytes), daemon=True),
            threading.Thread(target=self._pump_stderr, args=(child.stderr,), daemon=True),
        ]
        for pump in self._pumps:
            pump.start()
        self._call.when_cancelled(self._kill)

    def finish(self) -> Finished:
        """Wait for the program to end, or kill it at the deadline; a second call returns the same."""
        for pump in self._pumps:
            pump.join(max(0.0, self._deadline - time.monotonic()))
        timed_out = any(pump.is_alive() for pump in self._pumps)
        timed_out = not reap(self._child, max(0.0, self._deadline - time.monotonic())) or timed_out
        if timed_out:
            self.stop()
        self._call.no_matter(self._kill)
        code = self._child.returncode
        code, stdout, stderr = -1 if code is None else code, bytes(self._stdout), bytes(self._stderr)
        return Finished(code, stdout, stderr, timed_out and not self._truncated, self._truncated)

    def stop(self) -> None:
        """Kill the program and everything it started, and close its pipes."""
        self._call.no_matter(self._kill)
        self._kill()
        reap(self._child, _GRACE_SECONDS)
        for pump in self._pumps:
            pump.join(_GRACE_SECONDS)

    def _kill(self) -> None:
        kill_group(self._child)

    def _pump_stdout(self, pipe: IO[bytes], max_bytes: int) -> None:
        with pipe:
            while data := os.read(pipe.fileno(), _READ_BYTES):
                self._stdout += data
                if len(self._stdout) > max_bytes:
                    self._truncated = True
                    del self._stdout[max_bytes:]
                    self._kill()
                    return

    def _pump_stderr(self, pipe: IO[bytes]) -> None:
        with pipe:
            while data := os.read(pipe.fileno(), _READ_BYTES):
                self._stderr += data[: max(0, _MAX_STDERR_BYTES - len(self._stderr))]
