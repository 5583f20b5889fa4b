"""Index: what it holds, how fresh it is, what is left out and why, and how far a sync is."""

from shirube import operations
from shirube.doors.web.charts import bar
from shirube.doors.web.html import Html, cut, el
from shirube.doors.web.parts import (
    badge,
    button,
    done,
    empty,
    facts,
    figures,
    heading,
    moment,
    note,
    notes,
    section,
    table,
)
from shirube.doors.web.visit import Page, Visit
from shirube.engine.text.amounts import size
from shirube.features.lookup.index_results import IndexStatus, JobStatus

SKIPS = 200
STATES = {"complete": "good", "building": "warn", "empty": "bad"}


def _show(visit: Visit) -> Html:
    words = visit.words
    status = visit.ask(operations.index.index_status, limit=SKIPS, look=bool(visit.text("look")))
    return el(
        "div",
        heading(words("index.title"), about=words("index.about")),
        done(visit),
        el("div", _live(visit, status), id="live", data_poll="/index/part/live", data_into="live"),
        notes(visit, status.warnings),
        _languages(visit, status),
        _left_out(visit, status),
        _notes(visit, status),
    )


def _part(visit: Visit) -> Html:
    return _live(visit, visit.ask(operations.index.index_status, limit=0, look=False))


def _fresh_part(visit: Visit) -> Html:
    """Return whether the index is what is on disk: looking at every file may take longer than one likes to wait."""
    return _fresh(visit, visit.ask(operations.index.index_status, limit=0).needs_sync)


def _fresh(visit: Visit, needs_sync: bool | None) -> Html:
    words = visit.words
    if needs_sync is None:
        unknown = el("a", words("index.not_looked"), href="/index?look=1")
        return el("span", unknown, data_later="/index/part/fresh", role="status")
    return badge(words("index.out_of_date"), "warn") if needs_sync else badge(words("index.up_to_date"), "good")


def _live(visit: Visit, status: IndexStatus) -> Html:
    """Return what changes while one looks: progress, totals and freshness."""
    words = visit.words
    running = status.job is not None and status.job.state == "running"
    state = el(
        "p",
        badge(words.term("index_state", status.state), STATES.get(status.state, "")),
        None if running else _fresh(visit, status.needs_sync),
        class_="summary",
        data_state="running" if running else "still",
    )
    return section(words("index.now"), state, _job(visit, status.job), _totals(visit, status), _acts(visit, running))


def _job(visit: Visit, job: JobStatus | None) -> Html | None:
    if job is None or job.state == "done":
        return None
    if job.state == "failed":
        return note(visit.words("index.failed", error=visit.say(job.error)), "bad")
    told = visit.words("index.step", step=visit.say(job.step), done=f"{job.done:,}", total=f"{job.total:,}")
    drawn = bar(job.done, job.total, told) if job.total else None
    return el("div", el("p", told), drawn, class_="progress", role="status")


def _totals(visit: Visit, status: IndexStatus) -> Html:
    words, fresh = visit.words, status.freshness
    waiting = words("index.waiting", count=f"{status.waiting:,}") if status.waiting else ""
    unread = words("index.unembedded", count=f"{status.unembedded:,}") if status.unembedded else ""
    tiles = [
        (words("index.files"), f"{status.files:,}", ""),
        (words("index.chunks"), f"{status.chunks:,}", ""),
        (words("index.symbols"), f"{status.symbols:,}", ""),
        (words("index.edges"), f"{status.edges:,}", ""),
        (words("index.source"), size(status.source_bytes), ""),
        (words("index.disk"), size(status.disk_bytes), ""),
    ]
    rows = facts(
        [
            (words("index.root"), el("code", status.root)),
            (words("index.indexed"), moment(fresh.indexed_at)),
            (words("index.checked"), moment(fresh.checked_at)),
            (words("index.words_by"), f"{status.lexical} {waiting}".strip()),
            (words("index.sense_by"), f"{status.model} {unread}".strip()),
            (words("index.watching"), visit.say(status.watching) or words("index.not_watching")),
        ]
    )
    return el("div", figures(tiles), rows)


def _acts(visit: Visit, running: bool) -> Html:
    words = visit.words
    if running:
        return el("div", button(visit, "/index/stop", words("index.stop"), {}), class_="acts")
    update = button(visit, "/index/sync", words("index.sync"), {}, "primary")
    return el("div", update, button(visit, "/index/sync", words("index.full"), {"full": "true"}), class_="acts")


def _languages(visit: Visit, status: IndexStatus) -> Html:
    words, counts = visit.words, status.languages
    most = max(counts.values(), default=0)
    rows = [
        (name or words("index.plain"), bar(count, most, f"{name} {count}"), f"{count:,}")
        for name, count in counts.items()
    ]
    heads = (words("index.language"), words("index.part"), words("index.files"))
    shown = table(heads, rows, words("index.languages"), (2,)) if rows else empty(words("index.nothing"))
    return section(words("index.languages"), shown)


def _left_out(visit: Visit, status: IndexStatus) -> Html:
    words = visit.words
    if not status.skipped:
        return section(words("index.left_out"), empty(words("index.all_in")))
    counts = [badge(f"{words.term('skip', reason)} {count:,}") for reason, count in status.skipped.items()]
    rows = [
        (el("code", cut(skip.path, 300)), words.term("skip", skip.reason), cut(visit.say(skip.detail), 300))
        for skip in status.skips
    ]
    heads = (words("index.path"), words("index.reason"), words("index.detail"))
    more = el("p", words("index.more", count=len(rows)), class_="dim") if status.truncated else None
    shown = table(heads, rows, words("index.left_out"))
    return section(words("index.left_out"), el("p", counts, class_="summary"), shown, more)


def _notes(visit: Visit, status: IndexStatus) -> Html | None:
    if not status.notes:
        return None
    rows = [el("li", cut(visit.say(line), 400)) for line in status.notes]
    return section(visit.words("index.less_well"), el("ul", rows, class_="plain"))


def _sync(visit: Visit) -> str:
    visit.ask(operations.index.sync_index, full=visit.text("full") == "true", wait=False)
    return "/index?done=sync"


def _stop(visit: Visit) -> str:
    visit.ask(operations.index.sync_index, cancel=True)
    return "/index?done=stop"


INDEX = Page(
    "index",
    _show,
    parts={"live": _part, "fresh": _fresh_part},
    acts={"sync": _sync, "stop": _stop},
)
