"""Results as a person reads them in a terminal."""

from collections.abc import Mapping

from shirube.cli.screen import Paint, printable
from shirube.errors import counted
from shirube.operations.results.index import IndexStatus, SyncResult
from shirube.text.amounts import size
from shirube.types import SyncReport


def sync_text(result: SyncResult, paint: Paint) -> str:
    """Return one line about a sync, then warnings."""
    totals = result.totals
    changes = ", ".join(f"{totals[key]:,} {key}" for key in ("added", "changed", "removed") if totals[key])
    work = f"{totals['parsed']:,} parsed, {totals['reused']:,} reused" if changes else "nothing to do"
    line = f"{counted(totals['files'], 'file')}: {changes or 'no changes'} ({work}) in {result.seconds:.2f} s"
    stale = {state: count for state, count in result.map.items() if state not in ("fresh", "unbound")}
    if stale:
        told = ", ".join(f"{count} {state}" for state, count in stale.items())
        line += f"; agreements: {told} (shirube map check)"
    warnings = [*result.warnings] if totals["files"] else [result.next, *result.warnings]
    return "\n".join([paint("good", line), *(paint("bad", f"! {warning}") for warning in warnings)])


def change_text(report: SyncReport, paint: Paint) -> str:
    """Return a line for each file that came, changed or went."""
    marks = (("+", "good", report.added), ("~", "line", report.changed), ("-", "bad", report.removed))
    return "\n".join(paint(style, f"{mark} {path}") for mark, style, paths in marks for path in paths)


def status_text(status: IndexStatus, paint: Paint) -> str:
    """Return what the index holds as aligned lines."""
    rows = {
        "root": status.root,
        "state": status.state + (" (out of date: run 'shirube index')" if status.needs_sync else " (up to date)"),
        "indexed": status.freshness.indexed_at or "never",
        "files": f"{status.files:,}  ({size(status.source_bytes)})",
        "chunks": f"{status.chunks:,}",
        "symbols": f"{status.symbols:,}",
        "edges": f"{status.edges:,}",
        "languages": _counts(status.languages),
        "on disk": size(status.disk_bytes),
        "watching": status.watching or "no",
        "lexical": status.lexical + (f" ({counted(status.waiting, 'file')} waiting)" if status.waiting else ""),
        "model": f"{status.model} ({counted(status.unembedded, 'file')} to be read by it)"
        if status.unembedded
        else status.model,
        "left out": _counts(status.skipped) or "nothing",
    }
    lines = [f"{paint('dim', name.rjust(10))}  {printable(value)}" for name, value in rows.items()]
    lines += [paint("bad", f"! {warning}") for warning in status.warnings]
    return "\n".join(lines)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in counts.items())
