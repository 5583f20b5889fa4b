"""The golden files: what is on disk, and how it differs from what a run produced."""

import difflib
from pathlib import Path

KEPT = Path(__file__).parent / "kept"
MOST_LINES = 80


def kept(family: str) -> list[str]:
    """Return the names of the golden files of a family: ``operations/search.json``."""
    return sorted(str(file.relative_to(KEPT)) for file in (KEPT / family).rglob("*") if file.is_file())


def difference(name: str, produced: str) -> str:
    """Return how a file differs from what was produced; empty when it does not."""
    file = KEPT / name
    before = file.read_text("utf-8") if file.is_file() else ""
    if before == produced:
        return ""
    lines = difflib.unified_diff(before.splitlines(), produced.splitlines(), f"kept/{name}", "now", "", "", 3, "")
    shown = list(lines)
    more = [f"… {len(shown) - MOST_LINES} more lines"] if len(shown) > MOST_LINES else []
    return "\n".join(
        [*shown[:MOST_LINES], *more, "if that is meant: python -m tests.golden, and a line in CHANGELOG.md"]
    )


def write(family: str, files: dict[str, str]) -> list[str]:
    """Replace the golden files of some families; return the names of those that changed."""
    changed = [name for name, text in files.items() if difference(name, text)]
    gone = [name for name in kept(family) if name not in files]
    for name in gone:
        (KEPT / name).unlink()
    for name in changed:
        (KEPT / name).parent.mkdir(parents=True, exist_ok=True)
        (KEPT / name).write_text(files[name], "utf-8")
    return sorted([*changed, *gone])
