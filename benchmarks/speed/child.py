"""The process in which a task is measured: ``python -m benchmarks.speed.child NAME ARGUMENTS``."""

import json
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.speed import own, peers

TASKS: dict[str, Callable[..., Any]] = {
    "shirube_list": own.list_files,
    "shirube_cold": own.index_cold,
    "shirube_warm": own.stay_warm,
    "shirube_resting": own.rest,
    "shirube_branches": own.switch_branches,
    "semble_list": peers.list_files,
    "semble_cold": peers.index_cold,
    "semble_warm": peers.stay_warm,
    "ripgrep": peers.grep,
}


def main() -> None:
    """Run the named task and write what it returns as one line of JSON."""
    name, arguments = sys.argv[1:]
    print(json.dumps(TASKS[name](**json.loads(arguments))))


if __name__ == "__main__":
    main()
