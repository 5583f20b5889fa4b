"""The program: ``shirube`` and ``python -m shirube``."""

import sys


def main() -> None:
    """Run the command line and leave with its exit code; a hook is answered without importing all of it."""
    if sys.argv[1:3] == ["gate", "--hook"]:
        from shirube.gate.door import main as answer

        sys.exit(answer(sys.argv[2:]))
    from shirube.cli import main as run_cli

    sys.exit(run_cli(sys.argv[1:]))


if __name__ == "__main__":
    main()
