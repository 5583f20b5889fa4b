"""Sessions: where each one stands, what it knows, what the server saw of it, and what was refused."""

from urllib.parse import urlencode

from shirube import operations
from shirube.doors.web.charts import bar
from shirube.doors.web.html import Html, cut, el
from shirube.doors.web.parts import badge, empty, facts, heading, moment, place, section, table
from shirube.doors.web.visit import Page, Visit
from shirube.features.guard.results import SessionLine, SessionStatus

MOST = 100
PHASES = ("EXPLORATION", "SEMANTIC", "VERIFICATION", "READY")
RISKS = {"HIGH": "bad", "MEDIUM": "warn", "LOW": "good"}
STEP, BOX, TALL = 170, 140, 44
SAFE = ("found", "none")


def _show(visit: Visit) -> Html:
    handle = visit.text("id")
    if handle:
        return _one(visit, visit.ask(operations.session.get_session_status, session_id=handle, detailed=True))
    words = visit.words
    live = el("div", _list(visit), id="live", data_poll="/sessions/part/list", data_always="1")
    return el("div", heading(words("sessions.title"), about=words("sessions.about")), live)


def _list(visit: Visit) -> Html:
    words, found = visit.words, visit.ask(operations.session.list_sessions, limit=MOST)
    if not found.sessions:
        return empty(words("sessions.empty"))
    heads = [words(f"sessions.{name}") for name in ("request", "intent", "phase", "risk", "begun")]
    rows = [_line(visit, one) for one in found.sessions]
    return section(words("sessions.list"), table(heads, rows, words("sessions.list")))


def _line(visit: Visit, one: SessionLine) -> tuple[Html, ...]:
    words = visit.words
    link = el("a", cut(one.request, 160) or one.session_id, href=f"/sessions?{urlencode({'id': one.session_id})}")
    over = badge(words("sessions.expired")) if one.expired else None
    risk = str(one.risk).upper()
    return (
        el("span", link, " ", over),
        badge(words.term("intent", one.intent)),
        badge(words.term("phase", one.phase), "good" if one.phase == "READY" else "accent"),
        badge(words.term("risk", risk), RISKS.get(risk, "")),
        moment(one.created_at),
    )


def _one(visit: Visit, one: SessionStatus) -> Html:
    words = visit.words
    back = el("a", f"← {words('sessions.title')}", href="/sessions")
    writing = badge(words("sessions.may_write"), "good") if one.may_write else badge(words("sessions.no_write"))
    risk = str(one.risk).upper()
    summary = el(
        "p",
        badge(words.term("intent", one.intent)),
        badge(words("sessions.risk_of", risk=words.term("risk", risk)), RISKS.get(risk, "")),
        writing,
        moment(one.created_at),
        el("code", one.session_id),
        class_="summary",
    )
    return el(
        "div",
        el("p", back),
        heading(cut(one.request, 400)),
        summary,
        section(words("sessions.where"), _machine(visit, one.phase), _needs(visit, one), _next(visit, one)),
        el(
            "div",
            el("div", _frame(visit, one), _checks(visit, one), _refusals(visit, one), class_="stack-of"),
            _evidence(visit, one),
            class_="split",
        ),
        _calls(visit, one),
    )


def _machine(visit: Visit, current: str) -> Html:
    """Return the phases as boxes with the ways between them, the present one filled."""
    words = visit.words
    boxes, ways = [], []
    for number, phase in enumerate(PHASES):
        x = number * STEP
        state = "now" if phase == current else "past" if number == 0 else "later"  # others may have been left out
        box = el("rect", x=x + 1, y=30, width=BOX, height=TALL, rx=10)
        boxes.append(el("g", box, el("text", words.term("phase", phase), x=x + BOX / 2, y=57), class_=f"phase {state}"))
        if number:
            y = 30 + TALL / 2
            ways.append(el("path", d=f"M{x - STEP + BOX + 3} {y}H{x - 3}", class_="way"))
    skip = f"M{BOX / 2} 28C{BOX / 2} -4 {3 * STEP + BOX / 2} -4 {3 * STEP + BOX / 2} 27"
    ways.append(el("path", d=skip, class_="way"))
    back = f"M{3 * STEP + BOX / 2} 76C{3 * STEP + BOX / 2} 106 {BOX / 2} 106 {BOX / 2} 77"
    ways.append(el("path", d=back, class_="way return"))
    arrow = el("marker", el("path", d="M0 0L6 3L0 6z"), id="tip", markerWidth=6, markerHeight=6, refX=5, refY=3)
    arrow = el("defs", Html(arrow.replace("<marker ", '<marker orient="auto" ')))
    label = words("sessions.stands", phase=words.term("phase", current))
    drawn = el(
        "svg",
        arrow,
        ways,
        boxes,
        viewBox=f"0 0 {3 * STEP + BOX + 2} 104",
        class_="chart machine",
        role="img",
        aria_label=label,
    )
    return el("div", drawn, class_="scroll", tabindex=0, role="region", aria_label=label)


def _needs(visit: Visit, one: SessionStatus) -> Html | None:
    if not one.requirements:
        return None
    words, rows = visit.words, []
    for need in one.requirements:
        name = words.term("need", need.key)
        met = need.have >= need.needed
        told = f"{need.have} / {need.needed}"
        drawn = bar(min(need.have, need.needed), need.needed, f"{name} {told}", "good" if met else "warn")
        rows.append((name, drawn, told, cut(visit.say(need.detail), 200)))
    heads = [words(f"sessions.{name}") for name in ("need", "met", "count", "detail")]
    return table(heads, rows, words("sessions.needs"), (2,))


def _next(visit: Visit, one: SessionStatus) -> Html | None:
    steps = [el("li", el("code", step.operation), " ", cut(visit.say(step.why), 300)) for step in one.next]
    return el("div", el("h3", visit.words("sessions.next")), el("ul", steps, class_="plain")) if steps else None


def _frame(visit: Visit, one: SessionStatus) -> Html:
    """Return the request taken apart: each slot with the words it was taken from."""
    words = visit.words
    rows = [
        (
            words.term("slot", name),
            cut(slot.value, 300),
            el("q", cut(slot.quote, 300)) if slot.quote else "–",
            badge(words.term("certainty", slot.certainty), "good" if slot.certainty == "fact" else "warn"),
        )
        for name, slot in one.slots.items()
    ]
    rows += [(words.term("slot", name), "–", "–", badge(words("sessions.open"))) for name in one.missing_slots]
    heads = [words(f"sessions.{name}") for name in ("slot", "value", "quote", "state")]
    return section(words("sessions.frame"), table(heads, rows, words("sessions.frame")) if rows else empty("–"))


def _evidence(visit: Visit, one: SessionStatus) -> Html:
    words, cover = visit.words, one.coverage
    confirmed = [
        el(
            "li",
            el("b", cut(item.nl_term, 100)),
            " → ",
            el("code", cut(item.symbol, 150)),
            " ",
            badge(words.term("tier", item.tier), "good" if item.tier == "fact" else "warn"),
            f" {item.similarity:.2f} ",
            el("span", cut(item.evidence, 300), class_="dim"),
        )
        for item in one.confirmed
    ]
    supposed = [
        el(
            "li",
            badge(words.term("hypothesis", item.status), _hue(item.status)),
            " ",
            cut(item.text, 300),
            " ",
            el("span", cut(visit.say(item.evidence), 300), class_="dim"),
        )
        for item in one.hypotheses
    ]
    files = [el("li", place(visit, path)) for path in one.explored_files]
    covered = bar(cover.explored, cover.files, words("sessions.coverage"), "good") if cover.files else ""
    return section(
        words("sessions.evidence"),
        facts(
            [
                (words("sessions.confirmed"), el("ul", confirmed) if confirmed else ""),
                (words("sessions.supposed"), el("ul", supposed) if supposed else ""),
                (words("sessions.map_used"), cut(visit.say(one.map_used), 300)),
                (words("sessions.tools"), [badge(name) for name in one.tools_used]),
                (words("sessions.symbols"), [el("span", cut(name, 80), class_="chip") for name in one.symbols[:30]]),
                (words("sessions.coverage"), [f"{cover.explored} / {cover.files}", covered] if covered else ""),
                (words("sessions.explored"), el("ul", files) if files else words("sessions.nothing")),
            ]
        ),
    )


def _hue(status: str) -> str:
    return {"confirmed": "good", "rejected": "bad"}.get(status, "warn")


def _calls(visit: Visit, one: SessionStatus) -> Html:
    words = visit.words
    rows = [
        (
            call.number or number,
            el("code", call.operation),
            cut(call.asked, 200),
            badge(words.term("answer", call.answer), "good" if call.answer in SAFE else "")
            if call.ok
            else badge(words("sessions.failed"), "bad"),
            call.hits,
        )
        for number, call in enumerate(one.calls, 1)
    ]
    heads = ["#", *(words(f"sessions.{name}") for name in ("operation", "asked", "answer", "hits"))]
    title = words("sessions.calls", count=one.total_calls)
    return section(title, table(heads, rows, title, (4,)) if rows else empty(words("sessions.nothing")))


def _checks(visit: Visit, one: SessionStatus) -> Html:
    words = visit.words
    rows = [
        (
            badge(words("sessions.allowed"), "good") if check.allowed else badge(words("sessions.blocked"), "bad"),
            el("code", cut(check.path, 200)),
            cut(visit.say(check.reason), 400),
        )
        for check in one.checks
    ]
    heads = [words(f"sessions.{name}") for name in ("state", "file", "reason")]
    title = words("sessions.checks")
    return section(title, table(heads, rows, title) if rows else empty(words("sessions.nothing")))


def _refusals(visit: Visit, one: SessionStatus) -> Html:
    words = visit.words
    rows = [
        (el("code", item.operation), badge(words.term("phase", item.phase)), cut(visit.say(item.reason), 400))
        for item in one.refusals
    ]
    heads = [words(f"sessions.{name}") for name in ("operation", "phase", "reason")]
    title = words("sessions.refusals")
    return section(title, table(heads, rows, title) if rows else empty(words("sessions.nothing")))


SESSIONS = Page("sessions", _show, parts={"list": _list})
