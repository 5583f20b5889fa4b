"""The program: ``shirube`` and ``python -m shirube``."""

import sys

from shirube.cli import main as run_cli


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run_cli(sys.argv[1:]))


if __name__ == "__main__":
    main()
