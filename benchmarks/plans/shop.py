"""What is measured on one project: the second run, an edit, and a store that hangs."""

import shutil
import time
from pathlib import Path
from typing import Any

from shirube.features.plan.operations import ExpectedResults


def remembered(root: Path, scratch: Path, goals: list[str]) -> dict[str, Any]:
    """Make each plan twice, then edit the file it found and make it again."""
    from shirube import open_workspace

    tree = scratch / "tree"
    shutil.copytree(root, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    first, second, same, fresh = 0.0, 0.0, 0, 0
    with open_workspace(tree) as project:
        project.sync_index()
        project.query_plan("warm up", fresh=True)
        for goal in goals:
            begun = time.process_time()
            before = project.query_plan(goal)
            middle = time.process_time()
            again = project.query_plan(goal)
            first, second = first + middle - begun, second + time.process_time() - middle
            same += [r.path for r in again.finalResults.data] == [r.path for r in before.finalResults.data]
        for number, goal in enumerate(goals):
            found = project.query_plan(goal).finalResults.data[0].path
            word = f"newlywritten{number}"
            (tree / found).write_text((tree / found).read_text("utf-8", "replace") + f"\n# {goal} {word}\n", "utf-8")
            project.sync_index()
            changed = project.query_plan(goal)
            report = project.query_plan(goal, expected_results=ExpectedResults((word,)))
            fresh += changed.metadata.cacheHits == 0 and word in report.finalResults.matchedExpectations
    return {
        "goals": len(goals),
        "first cpu seconds": round(first / len(goals), 4),
        "second cpu seconds": round(second / len(goals), 4),
        "second as a share of the first": round(second / first, 4),
        "same answer": same,
        "new after an edit": fresh,
    }


def hanging(root: Path, seconds: int = 10) -> dict[str, Any]:
    """Make a plan on a store whose every answer but the first takes longer than the plan may."""
    from shirube import open_workspace

    with open_workspace(root) as project:
        project.sync_index()
        store, asked = project.workspace.store, []
        answer = store.candidates

        def slow(ask: Any) -> Any:
            if ask.limit > 1:
                asked.append(ask)
            if len(asked) > 2:
                time.sleep(2 * seconds)
            return answer(ask)

        store.candidates = slow  # type: ignore[method-assign]
        begun = time.perf_counter()
        report = project.query_plan("zebra crossing of purple elephants", timeout_seconds=seconds, fresh=True)
        return {
            "allowed seconds": seconds,
            "seconds": round(time.perf_counter() - begun, 2),
            "status": report.status.value,
            "turns": len(report.iterations),
            "turns with results": sum(bool(turn.actualResults) for turn in report.iterations),
        }
