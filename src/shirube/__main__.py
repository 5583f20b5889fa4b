"""The program: ``shirube`` and ``python -m shirube``.

Nothing is imported before ``main`` runs but what the interpreter has already, so that an interrupt at any moment from
there on ends us quietly.
"""

import sys

INTERRUPTED = 130
"""What a shell calls the end by Ctrl-C."""


def main() -> None:
    """Run the command line and leave with its exit code; a hook is answered without importing all of it."""
    try:
        if sys.argv[1:3] == ["gate", "--hook"]:
            _answer_hook()
        if sys.argv[1:] == ["--version"]:
            from shirube import __version__

            sys.stdout.write(f"shirube {__version__}\n")
            sys.exit(0)
        sys.exit(_run())
    except KeyboardInterrupt:  # while importing, or a second time: the commands tell of the first themselves
        sys.exit(INTERRUPTED)


def _run() -> int:
    import signal

    from shirube.doors.cli import main as run_cli

    code = run_cli(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is left to be told while the interpreter takes itself down
    return code


def _answer_hook() -> None:
    """Answer and be gone: in so short a life nothing is worth collecting, and nothing worth taking down at the end."""
    import gc
    import os

    gc.disable()
    from shirube.doors.hook import main as answer

    code = answer(sys.argv[2:])
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
