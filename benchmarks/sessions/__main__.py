"""``python -m benchmarks.sessions --repo PATH …``: lies and truths on repositories; exit 1 when one went wrong."""

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

from benchmarks.sessions.lies import LIES
from benchmarks.sessions.scenes import Agent, scenes
from benchmarks.sessions.truths import Account, tell
from shirube import Project, open_workspace

SEED = 20261115


def main() -> int:
    """Run both on each repository and print what was accepted and refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, action="append", required=True, help="a repository; may be repeated")
    parser.add_argument("--scenes", type=int, default=9, help="truthful sessions for each repository")
    parser.add_argument("--lies", type=int, default=2, help="times each lie is told in each repository")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    os.environ["SHIRUBE_GUARD_EVIDENCE"] = "seed"  # every count of the seeds, so that every lie can be told
    failed = False
    for path in options.repo:
        with open_workspace(path) as project:
            project.sync_index()
            failed |= not (lies(project, path.name, options) & truths(project, path.name, options))
    return 1 if failed else 0


def lies(project: Project, name: str, options: argparse.Namespace) -> bool:
    """Tell every lie; return whether none was accepted."""
    accepted: Counter[str] = Counter()
    told = 0
    for scene in scenes(project, options.lies, options.seed):
        for what, lie in LIES.items():
            told += 1
            accepted[what] += lie(Agent(project, scene))
    wrong = {what: times for what, times in accepted.items() if times}
    print(f"{name}: {told} lies told, {sum(wrong.values())} accepted {wrong or ''}")
    return not wrong


def truths(project: Project, name: str, options: argparse.Namespace) -> bool:
    """Go through truthful sessions; return whether nothing was refused or called lacking without a true reason."""
    account, made = Account(), list(scenes(project, options.scenes, options.seed + 1))
    for scene in made:
        tell(Agent(project, scene), account)
    print(
        f"{name}: {account.submissions} truthful submissions in {len(made)} sessions, "
        f"{len(account.wrong)} refused wrongly, {account.ready} sessions READY"
    )
    for line in account.wrong:
        print(f"  {line}")
    return not account.wrong


if __name__ == "__main__":
    sys.exit(main())
