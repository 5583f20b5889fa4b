"""Text for the content of the index and the changes of a sync."""

from shirube.doors.views.screen import Screen, View, columns, printable
from shirube.engine.text.budget import size
from shirube.features.lookup.results import IndexStatus, SyncResult

LABEL_COLUMNS = 10


def sync_index(result: SyncResult, screen: Screen) -> View:
    """Return one line about a sync, then warnings."""
    totals, words = result.totals, screen.words
    named = ("added", "changed", "removed")
    done = [words(f"index_view.{key}", count=f"{totals[key]:,}") for key in named if totals[key]]
    work = [words("index_view.work", parsed=f"{totals['parsed']:,}", reused=f"{totals['reused']:,}")] if done else []
    work += [words("index_view.commits_read", count=totals["commits"])] if totals["commits"] else []
    changes = done or words("index_view.no_changes")
    changes = words("index_view.with_work", changes=changes, work=work) if work else changes
    line = words("index_view.synced", files=totals["files"], changes=changes, seconds=f"{result.seconds:.2f}")
    stale = [f"{count} {state}" for state, count in result.map.items() if state not in ("fresh", "unbound")]
    line += words("index_view.agreements", states=stale) if stale else ""
    warnings = result.warnings if totals["files"] else (result.next, *result.warnings)
    return View("\n".join([screen.paint("good", line), *screen.warn(warnings)]))


def index_status(result: IndexStatus, screen: Screen) -> View:
    """Return the content of the index as aligned lines."""
    words = screen.words
    dead = words("index_view.dead", engine=result.lexical, count=f"{result.dead:,}") if result.dead else result.lexical
    waiting = words("index_view.waiting", engine=dead, count=result.waiting)
    to_be_read = words("index_view.to_be_read", model=result.model, count=result.unembedded)
    state = "index_view.outdated" if result.needs_sync else "index_view.current"
    rows = {
        "root": result.root,
        "state": words(state, state=words(f"index_state.{result.state}")),
        "indexed": result.freshness.indexed_at or words("index_view.never"),
        "files": f"{result.files:,}  ({size(result.source_bytes)})",
        "chunks": f"{result.chunks:,}",
        "symbols": f"{result.symbols:,}",
        "edges": f"{result.edges:,}",
        "commits": f"{result.commits:,}",
        "languages": ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in result.languages.items()),
        "on_disk": size(result.disk_bytes),
        **({"store": screen.say(result.store)} if result.store else {}),
        "watching": screen.say(result.watching) or words("index_view.not_watching"),
        "lexical": waiting if result.waiting else dead,
        "model": to_be_read if result.unembedded else result.model,
        "left_out": ", ".join(f"{words(f'skip.{name}')} {number:,}" for name, number in result.skipped.items())
        or words("index_view.nothing"),
    }
    lines = []
    for name, value in rows.items():
        label = words(f"index_view.{name}")
        pad = " " * (LABEL_COLUMNS - columns(label))
        aligned = f"{screen.paint('dim', pad + label)}  {printable(value)}"
        lines.append(f"{label}: {printable(value)}" if screen.model else aligned)
    return View("\n".join([*lines, *screen.warn(result.warnings)]))
