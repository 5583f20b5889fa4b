"""What an installation weighs, in a fresh environment with nothing else in it."""

import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path
from typing import Any

from benchmarks.speed.spawn import HERE

BLOCK_BYTES = 512
"""The unit of ``st_blocks``."""


def weigh() -> dict[str, Any]:
    """Build the wheels, install them, and return their sizes."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        _pip("wheel", "-q", "-w", str(place / "wheels"), str(_copy(place)))
        wheels = sum(one.stat().st_size for one in (place / "wheels").glob("*.whl"))
        venv.create(place / "fresh", with_pip=False)
        python = place / "fresh" / "bin" / "python"
        _pip("--python", str(python), "install", "-q", "--no-index", "-f", str(place / "wheels"), "michishirube")
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(place / "fresh")}))
        disk = sum(one.lstat().st_blocks * BLOCK_BYTES for one in packages.rglob("*"))
        count = len(list(packages.glob("*.dist-info")))
    return {"wheel_bytes": wheels, "disk_bytes": disk, "distributions": count}


def _copy(place: Path) -> Path:
    """Copy what a build needs, for building writes beside the sources."""
    copy = place / "project"
    shutil.copytree(HERE / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(HERE / name, copy / name)
    return copy


def _pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", *arguments], check=True)
