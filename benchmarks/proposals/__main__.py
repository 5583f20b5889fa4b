"""Compute the proposals of Japanese projects again, and compare them with verdicts that people made in the code.

    python -m benchmarks.proposals --commits PATH [--cache DIR]

PATH is a folder with ``repos/NAME``: trees whose history ends at the revision named in ``verdicts.json``. A proposal
without a verdict is told, and does not count. A borderline case counts as wrong; the second figure counts it as right.
``second`` is the verdict of a reader who had no part in the rule and knew no other verdict.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

VERDICTS = Path(__file__).with_name("verdicts.json")
FIRST = 20


def main() -> None:
    """Compare and print; exit with 1 when a proposal was never judged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=Path, required=True)
    parser.add_argument("--cache", default="")
    options = parser.parse_args()
    cache = options.cache or tempfile.mkdtemp()
    os.environ |= {"SHIRUBE_CACHE_DIR": cache, "SHIRUBE_STATE_DIR": f"{cache}/state"}
    judged = json.loads(VERDICTS.read_text("utf-8"))
    unknown = [compare(name, options.commits / "repos" / name, judged[name]["verdicts"]) for name in judged]
    raise SystemExit(1 if any(unknown) else 0)


def compare(name: str, root: Path, verdicts: list[dict[str, Any]]) -> int:
    """Print the first proposals of a project with their verdicts; return how many have none."""
    known = {(row["term"], row["symbol"], row["path"]): row for row in verdicts}
    found = first_proposals(root)
    rows = [(one, known.get((one.nl_term, one.symbol, one.path))) for one in found.proposals]
    print(f"\n## {name}: {found.total} proposals from {found.commits} commits\n")
    print("| | confidence | term | symbol | holds | |\n|---|---|---|---|---|---|")
    for number, (one, row) in enumerate(rows, 1):
        holds = "not judged" if row is None else "yes" if row["holds"] else "**no**"
        holds += " (borderline)" if row and row.get("borderline") else ""
        reason = "" if row is None else row["reason"]
        print(f"| {number} | {one.confidence:.2f} | {one.nl_term} | `{one.symbol}` | {holds} | {reason} |")
    judged = [row for _, row in rows if row is not None]
    right, doubtful = (sum(bool(row.get(key)) for row in judged) for key in ("holds", "borderline"))
    most = f"; {(right + doubtful) / len(judged):.2f} with the borderline case" if doubtful else ""
    print(f"\nPrecision: {right} of {len(judged)} = {right / max(1, len(judged)):.2f}{most}")
    if second := [row["second"] for row in judged if "second" in row]:
        print(f"By a second reader: {sum(second)} of {len(second)} = {sum(second) / len(second):.2f}")
    return len(rows) - len(judged)


def first_proposals(root: Path) -> Any:
    """Return what ``list_proposals`` answers when the whole history is read."""
    from shirube.operation import Call
    from shirube.operations import run
    from shirube.workspace import build_workspace

    workspace = build_workspace(root)
    try:
        return run(workspace, "list_proposals", {"limit": FIRST}, Call(patient=True))
    finally:
        workspace.close()


if __name__ == "__main__":
    main()
