"""What the measurements were made on."""

import os
import platform
import re
import shutil
import sqlite3
import subprocess
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("shirube", "semble", "tantivy", "numpy", "tree-sitter", "mcp")


def describe() -> dict[str, str]:
    """Return the machine and the versions as names and values to be read by people."""
    programs = {"git": ("git", "--version"), "ripgrep": ("rg", "--version")}
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{name: version(name) for name in PACKAGES},
        **{name: _asked(command) for name, command in programs.items()},
    }


def load() -> float:
    """Return how many processes wanted to run during the last minute."""
    return round(os.getloadavg()[0], 2)


def commit_of(repository: Path) -> str:
    """Return the checked-out commit, or nothing where there is none."""
    asked = subprocess.run(
        ["git", "-C", str(repository), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip()


def _processor() -> str:
    return _found("/proc/cpuinfo", r"^model name\s*: (.+)$") or platform.processor() or "unknown processor"


def _memory() -> str:
    kilobytes = _found("/proc/meminfo", r"^MemTotal:\s+(\d+) kB")
    return f"{int(kilobytes) / 1e6:.0f} GB" if kilobytes else "unknown"


def _found(path: str, pattern: str) -> str:
    try:
        match = re.search(pattern, Path(path).read_text(), re.M)
    except OSError:
        return ""
    return match[1] if match else ""


def _asked(command: tuple[str, ...]) -> str:
    if shutil.which(command[0]) is None:
        return "missing"
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    number = re.search(r"\d+(\.\d+)+", said)
    return number[0] if number else "unknown"
