"""The few lines of shell between an agent's hook and the gate.

Hooks fail open: a crash, a missing program or a hang lets the edit through. So the lines that run before a tool let it
through only when the gate said so in words; else the mode decides: ``block`` refuses, ``advise`` tells of it
and lets it pass. They need nothing but a POSIX shell, because a missing interpreter is one of the faults.

The gate answers on stdout: ``ALLOW``, ``ALLOW {json}`` (the rest is handed to the agent) with exit code 0, or ``BLOCK``
with exit code 2 and the reason on stderr.
"""

import shlex

MARK = "gate --hook "
"""What every hook of ours holds, whatever the program is called."""
SECONDS = 8
"""Less than the ten seconds after which an agent stops waiting, and goes on."""

_LINES = (
    # The deadline is the outside one where there is a program for it; the gate has one of its own. Written without
    # words that are split, which not every shell does.
    "if command -v timeout >/dev/null 2>&1; then out=$(timeout -k 1 {seconds} {call}); else out=$({call}); fi; rc=$?; ",
    'case "$rc:$out" in 0:ALLOW) exit 0;; '
    '"0:ALLOW {{"*) printf "%s\\n" "${{out#ALLOW }}"; exit 0;; 2:BLOCK*) exit 2;; esac; ',
    'echo "shirube: the gate failed (code $rc), {said}; try: shirube doctor" >&2; exit {code}',
)
_CALL = "{program} gate --hook {event} --agent {agent} --mode {mode}"


def hook_command(program: str, agent: str, event: str, mode: str) -> str:
    """Return the line a hook runs; only what runs before a tool can still stop it, so only that fails closed."""
    closed = mode == "block" and event == "before"
    return "".join(_LINES).format(
        seconds=SECONDS,
        call=_CALL.format(program=shlex.quote(program), event=event, agent=agent, mode=mode),
        said="so this is refused" if closed else "so nothing was checked",
        code=2 if closed else 1,
    )


def hook_script() -> str:
    """Return the same as a file, for the plugin: its event is the first argument, its mode comes from the settings."""
    call = _CALL.format(program="shirube", event='"$1"', agent="claude-code", mode='"$mode"')
    lines = [
        line.format(seconds=SECONDS, call=call, said="$said", code='"$code"').removesuffix("; ") for line in _LINES
    ]
    return "\n".join(
        [
            "#!/bin/sh",
            "# Between a hook of Claude Code and the gate: without a clear word from the gate, the mode decides.",
            'mode="${CLAUDE_PLUGIN_OPTION_GATE_MODE:-${SHIRUBE_GATE_MODE:-advise}}"',
            'if [ "$mode" = off ]; then exit 0; fi',
            'if [ "$mode" = advise ] && ! command -v shirube >/dev/null 2>&1; then exit 0; fi',
            'said="so nothing was checked"; code=1',
            'if [ "$mode" = block ] && [ "$1" = before ]; then said="so this is refused"; code=2; fi',
            *lines,
            "",
        ]
    )
