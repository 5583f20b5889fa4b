"""The program: ``shirube`` and ``python -m shirube``.

Before ``main`` runs we import only modules that the interpreter has already loaded. From then on, Ctrl-C at any moment
ends the program without a traceback.
"""

import sys

INTERRUPTED = 130
"""The exit code that shells use for a program ended by Ctrl-C (128 + SIGINT)."""


def main() -> None:
    """Run the command line and exit with its code; the hook and ``--version`` skip most imports, to be fast."""
    try:
        if sys.argv[1:3] == ["gate", "--hook"]:
            _answer_hook()
        if sys.argv[1:] == ["--version"]:
            from shirube import __version__

            sys.stdout.write(f"shirube {__version__}\n")
            sys.exit(0)
        sys.exit(_run())
    except KeyboardInterrupt:  # during an import, or a second Ctrl-C: the commands handle the first one themselves
        sys.exit(INTERRUPTED)


def _run() -> int:
    import signal

    from shirube.doors.cli import main as run_cli

    code = run_cli(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while the interpreter shuts down
    return code


def _answer_hook() -> None:
    """Answer and exit at once: a process this short needs no garbage collection and no interpreter shutdown."""
    import gc
    import os

    gc.disable()
    from shirube.doors.hook import main as answer

    code = answer(sys.argv[2:])
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
