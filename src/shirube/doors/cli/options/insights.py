"""Options of the commands about insights."""

import argparse
from typing import Any

from shirube.doors.cli.derived import answer


def declare_get_improvement_insights(parser: argparse.ArgumentParser) -> None:
    """Add switches for the counts and for forgetting."""
    parser.add_argument("--stats", action="store_true", help="only count them")
    parser.add_argument("--forget", action="store_true", help="take back what the ranking learnt so far")


def run_get_improvement_insights(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Run the operation that the switches choose."""
    other = "forget_outcomes" if options.forget else "get_outcome_stats" if options.stats else ""
    return answer(options, other or "get_improvement_insights", {} if other else arguments)
