#!/bin/sh
# Between a hook of Claude Code and the gate: without a clear word from the gate, the mode decides.
mode="${CLAUDE_PLUGIN_OPTION_GATE_MODE:-${SHIRUBE_GATE_MODE:-advise}}"
if [ "$mode" = off ] && [ "$1" != start ]; then exit 0; fi
if [ "$mode" != block ] && ! command -v michishirube >/dev/null 2>&1; then exit 0; fi
said="so nothing was checked"; code=1; denied=0
if [ "$1" = before ]; then denied=2; fi
if [ "$mode" = block ] && [ "$1" = before ]; then said="so this is refused"; code=2; fi
if command -v timeout >/dev/null 2>&1; then out=$(timeout -k 1 6 michishirube gate --hook "$1" --agent claude-code --mode "$mode"); else out=$(michishirube gate --hook "$1" --agent claude-code --mode "$mode"); fi; rc=$?
case "$rc:$out" in 0:ALLOW) exit 0;; "0:ALLOW {"*) printf "%s\n" "${out#* }"; exit 0;; "2:BLOCK {"*"}") printf "%s\n" "${out#* }"; exit "$denied";; 2:BLOCK*) exit 2;; esac
echo "shirube: the gate failed (code $rc), $said; try: shirube doctor" >&2; exit "$code"
