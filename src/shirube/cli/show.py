"""Results as a person reads them in a terminal."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from shirube.config import wants_colour
from shirube.errors import counted
from shirube.operations.index import IndexStatus, SyncResult
from shirube.text.amounts import size
from shirube.types import Answer, Hit, MapHit, SearchResult, SyncReport

CODES = {"bold": "1", "dim": "2", "path": "36", "line": "33", "kind": "35", "good": "32", "bad": "31", "match": "1;31"}


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours, when somebody can see them."""

    on: bool

    def __call__(self, style: str, text: str) -> str:
        """Return the text in a style; whatever it holds, it cannot steer the terminal."""
        plain = printable(text)
        return f"\x1b[{CODES[style]}m{plain}\x1b[0m" if self.on else plain


def paint_for(no_color: bool) -> Paint:
    """Return colours for stdout: on a terminal, unless they are unwanted."""
    return Paint(sys.stdout.isatty() and wants_colour() and not no_color)


def search_text(result: SearchResult, paint: Paint, why: bool) -> str:
    """Return hits with path, lines, symbol and preview, then what the reader should know."""
    degraded = [paint("bad", f"! {line}") for line in result.degraded]
    if result.short_circuit:
        return "\n".join([*(_agreed_text(hit, paint, why) for hit in result.map_hits), *degraded])
    blocks = [_hit_text(hit, paint, why) for hit in result.forest_hits]
    notes = [paint("dim", f"agreed {_nearby(hit)}") for hit in result.map_hits]
    notes += degraded
    if result.freshness.stale_files:
        notes.append(paint("bad", f"! changed since indexed: {', '.join(result.freshness.stale_files)}"))
    if blocks and result.answer == Answer.PARTIAL:
        notes.insert(0, paint("dim", f"(unsure: {result.confidence:.0%} that the first is what you mean)"))
    if not blocks:
        blocks = [f"{result.answer.value}: {printable(result.next)}"]
    elif result.truncated:
        notes.append(paint("dim", f"{len(blocks)} of {result.total} or more shown; -k for more"))
    return "\n".join([*blocks, *notes])


def _agreed_text(hit: MapHit, paint: Paint, why: bool) -> str:
    """Return a hit of the map below a line that says what was agreed and whether it holds."""
    held = paint("good", "agreed") if hit.fresh else paint("bad", f"agreed once ({hit.state})")
    head = f"{held} {paint('bold', hit.nl_term)} {paint('dim', f'{hit.similarity or 0:.0%} near')}"
    return f"{head}\n{_hit_text(hit, paint, why)}"


def _nearby(hit: MapHit) -> str:
    """Return an agreement that is not near enough to answer, or no longer a fact, on one line."""
    doubt = "" if hit.fresh else f", now a guess ({hit.state})"
    return f"{hit.nl_term} → {hit.symbol}  {hit.path}:{hit.start_line}  ({hit.similarity or 0:.0%} near{doubt})"


def _hit_text(hit: Hit, paint: Paint, why: bool) -> str:
    place = f"{paint('path', hit.path)}:{paint('line', f'{hit.start_line}-{hit.end_line}')}"
    head = f"{place}  {paint('kind', hit.kind)}" + (f" {paint('bold', hit.symbol)}" if hit.symbol else "")
    lines = [head, *(f"    {printable(line)}" for line in hit.preview.split("\n") if hit.preview)]
    if why:
        points = "  ".join(f"{reason.name} {reason.points:+.4g}" for reason in hit.why)
        lines.insert(1, paint("dim", f"    {hit.score:.4g} = {points}"))
    if hit.also:
        places = ", ".join(f"{one.start_line}-{one.end_line} {one.symbol}".strip() for one in hit.also)
        lines.append(paint("dim", f"    also {places}"))
    return "\n".join(lines)


def printable(text: str) -> str:
    """Return text that cannot steer the terminal: repository content is data; a line may end as on Windows."""
    return "".join(char if char.isprintable() or char == "\t" else "�" for char in text.removesuffix("\r"))


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
