"""The program: ``shirube`` and ``python -m shirube``."""

import sys


def main() -> None:
    """Run the command line and leave with its exit code; a hook is answered without importing all of it."""
    if sys.argv[1:3] == ["gate", "--hook"]:
        _answer_hook()
    from shirube.cli import main as run_cli

    sys.exit(run_cli(sys.argv[1:]))


def _answer_hook() -> "NoReturn":  # type: ignore[name-defined]  # noqa: F821
    """Answer and be gone: in so short a life nothing is worth collecting, and nothing worth taking down at the end."""
    import gc
    import os

    gc.disable()
    from shirube.gate.door import main as answer

    code = answer(sys.argv[2:])
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
