"""Every process we start is started here: in a group of its own, to be ended whole, and never to outlive us.

A small shell beside us knows the groups that are alive. It reads from a pipe that only we hold open, so however we end,
it comes to the end of its input and kills what is left. One shell serves all: a child costs it a line, not a process.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

_SHELL = "/bin/sh"
_WATCH = """
cd /
left=" "
while read -r sign group; do
  case $sign in
    +) left="$left$group " ;;
    -) left="${left%% $group *} ${left#* $group }" ;;
  esac
done
for group in $left; do kill -s KILL -- "-$group"; done
"""

_lock = Lock()
_alive: dict[int, "subprocess.Popen[bytes]"] = {}
"""By number. One that is here is never forgotten unreaped, so its number means nobody else."""
_watch: tuple[int, int] | None = None
"""The shell's number, and our end of the pipe to it."""


def start(argv: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a program, with the options of ``Popen``; whoever starts it calls ``end`` or ``kill`` on it."""
    with _lock:
        for child in [child for child in _alive.values() if child.poll() is not None]:
            _forget(child)
        child = subprocess.Popen(list(argv), start_new_session=True, **options)
        _alive[child.pid] = child
        _tell(f"+ {child.pid}\n")
    return child


def kill(child: "subprocess.Popen[bytes]") -> None:
    """Kill a child and what it has started, whatever they would say to it; does not wait."""
    with _lock:
        if child.pid in _alive:
            _kill(child)


def end(child: "subprocess.Popen[bytes]", seconds: float | None = None) -> bool:
    """Wait until a child has ended, then kill what it left behind; return whether it ended in time."""
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
    """Kill every child there is: for a server that ends, before it waits for whoever waits for them."""
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
    """Tell the shell; one that is not there, or not any more, is started and told all."""
    global _watch  # noqa: PLW0603 - one for the process, like the children themselves
    if _watch is not None:
        number, pipe = _watch
        try:
            os.write(pipe, line.encode())
        except OSError:  # somebody has killed it
            os.close(pipe)
            os.waitpid(number, 0)
        else:
            return
    _watch = _start_watch()
    if _watch is not None and _alive:
        os.write(_watch[1], "".join(f"+ {number}\n" for number in _alive).encode())


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
