"""The pages of a team: search, symbol and file, for a browser that holds a token in a cookie.

The cookie opens these pages and nothing else, and every page but the login only reads, so that no other site gains
anything by sending a browser here.
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs

from starlette.requests import Request, cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shirube.deadline import Deadline
from shirube.doors.loopback import App, Receive, Scope, Send
from shirube.doors.team.desk import WORDS, Desk, TeamQuestion
from shirube.doors.team.turns import LINE
from shirube.doors.web.guard import is_foreign
from shirube.engine.store.access import Holder
from shirube.engine.text.budget import tokens_of
from shirube.errors import IndexFault, ShirubeError
from shirube.messages import Message, say

if TYPE_CHECKING:
    from shirube.doors.team.site import TeamDoor
    from shirube.doors.web.words import Words

MOST_LISTED = 200
"""How many repositories the switch offers."""
MOST_FORM = 10_000
HITS, TEXT = 10, 4_000
AROUND = 200
"""How many lines of a file are shown at once."""
STATIC = {"style.css": "text/css; charset=utf-8", "mark.svg": "image/svg+xml"}
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class PagePlace(NamedTuple):
    """A place that a page shows."""

    path: str
    line: int
    end: int
    symbol: str
    text: str


class PageAnswer(NamedTuple):
    """What a page shows below its form: places that were found, or lines of a file."""

    places: tuple[PagePlace, ...] = ()
    answer: str = ""
    sure: float | None = None
    """How likely the first place is meant."""
    notes: tuple[Message, ...] = ()
    next: Message | str = ""
    lines: "PageLines | None" = None
    problem: str = ""

    @property
    def text(self) -> str:
        """The code that it shows."""
        return "\n".join([*(place.text for place in self.places), self.lines.text if self.lines else ""])


class PageLines(NamedTuple):
    """Lines of a file that a page shows."""

    path: str
    line: int
    end: int
    total: int
    text: str


class Pages:
    """Answers browsers."""

    def __init__(self, desk: Desk) -> None:
        team = desk.index.config.team
        self._desk, self._is_secure = desk, bool(team.certificate or team.behind_proxy)
        self._seconds = round(team.login_hours * 3600)
        self.cookie = "__Host-shirube" if self._is_secure else "shirube-team"
        self._kept: dict[str, Any] = {"path": "/", "secure": self._is_secure, "httponly": True, "samesite": "strict"}
        self.door: TeamDoor | None = None

    async def answer(self, scope: Scope, headers: Mapping[str, str]) -> App:
        """Return what answers a request for a page."""
        path, method = scope["path"], scope["method"]
        if path.startswith("/static/") and method == "GET":
            return _static(path.rpartition("/")[2])
        if is_foreign(method, headers):
            return _plain(403)
        if path in ("/login", "/logout"):
            return self._form(path) if method == "POST" else _framed("login.html", _words(headers))
        shows: dict[str, Callable[..., PageAnswer]] = {
            "/": lambda ask, sent: PageAnswer(),
            "/search": _search,
            "/symbol": _symbol,
            "/file": _file,
        }
        if path not in shows:
            return _plain(404)
        if method != "GET":
            return _plain(405)
        return await self._page(scope, headers, shows[path])

    def _form(self, path: str) -> App:
        async def taken(scope: Scope, receive: Receive, send: Send) -> None:
            body = b""
            async for part in Request(scope, receive).stream():
                body += part
                if len(body) > MOST_FORM:
                    await _plain(413)(scope, receive, send)
                    return
            sent = parse_qs(body.decode("utf-8", "replace")) if path == "/login" else {}
            answer = await self._entered(sent.get("token", [""])[0].strip(), scope)
            await answer(scope, receive, send)

        return taken

    async def _entered(self, credential: str, scope: Scope) -> Response:
        """Let a browser in that brings a token, or send it away."""
        if not credential:
            answer: Response = RedirectResponse("/login", 303, HEADERS)
            answer.delete_cookie(self.cookie, **self._kept)
            return answer
        assert self.door is not None
        try:
            await self.door.let_in(credential)
        except self.door.refusal as refusal:
            headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
            words = _words(headers)
            return _framed("login.html", words, problem=words.say(refusal.message), status=refusal.status)
        answer = RedirectResponse("/", 303, HEADERS)
        answer.set_cookie(self.cookie, credential, max_age=self._seconds, **self._kept)
        return answer

    async def _page(self, scope: Scope, headers: Mapping[str, str], show: Callable[..., PageAnswer]) -> App:
        cookies, words = cookie_parser(headers.get("cookie", "")[:MOST_FORM]), _words(headers)
        credential = cookies.get(self.cookie, "")
        assert self.door is not None
        try:
            holder = await self.door.let_in(credential)
        except self.door.refusal as refusal:
            problem = words.say(refusal.message) if credential else ""
            return _framed("login.html", words, problem=problem, status=refusal.status)
        sent = {name: values[0] for name, values in parse_qs(scope["query_string"].decode("latin-1")).items()}
        deadline = Deadline(self._desk.index.config.serve.call_timeout_seconds)
        work = partial(self._shown, holder, sent, partial(show, sent=sent), words, deadline)
        try:
            return await self.door.turns.run(holder.holder, scope[LINE], deadline, work)
        except ShirubeError as error:
            return _framed("login.html", words, problem=words.error(error), status=429)

    def _shown(
        self,
        holder: Holder,
        sent: Mapping[str, str],
        show: Callable[..., PageAnswer],
        words: "Words",
        deadline: Deadline,
    ) -> Response:
        """Return a page; of a repository that is forbidden, like of one that is not there."""
        answer, status, chosen, names, began = PageAnswer(), 200, {}, list[str](), monotonic()
        try:
            with deadline.governing():
                names = list(self._desk.gate.granted(holder, MOST_LISTED))
                chosen = self._desk.gate.named(holder, sent.get("repo") or (names[0] if names else ""))
            if chosen:
                answer = show(partial(self._ask, holder, chosen, deadline))
                self._desk.limits.spend(holder.token, WORDS, holder.words, tokens_of(answer.text))
            else:
                self._desk.note(holder, ("-", ""), "not_found", began)
                status, answer = 404, PageAnswer(problem=words.say(say("team_access.not_found")))
        except ShirubeError as error:
            status, answer = 503 if isinstance(error, IndexFault) else 400, PageAnswer(problem=words.error(error))
        shown = {"repo": next(iter(chosen), ""), "repositories": names, "asked": sent.get("q", ""), "around": AROUND}
        return _framed("ask.html", words, status=status, holder=holder.holder, **shown, **answer._asdict())

    def _ask(
        self, holder: Holder, chosen: Mapping[str, int], deadline: Deadline, operation: str, **arguments: Any
    ) -> Any:
        return self._desk.run(TeamQuestion(holder, operation, arguments, chosen), deadline)


# --- what the pages ask ----------------------------------------------------------------------------------------


def _search(ask: Callable[..., Any], sent: Mapping[str, str]) -> PageAnswer:
    if not sent.get("q"):
        return PageAnswer()
    found = ask("search", query=sent["q"], limit=HITS)
    places = (
        PagePlace(hit.path, hit.start_line, hit.end_line, hit.symbol, hit.preview[:TEXT]) for hit in found.forest_hits
    )
    sure = found.confidence if found.forest_hits else None
    return PageAnswer(tuple(places), found.answer, sure, found.degraded, found.next)


def _symbol(ask: Callable[..., Any], sent: Mapping[str, str]) -> PageAnswer:
    if not sent.get("q"):
        return PageAnswer()
    found = ask("find_definitions", symbol=sent["q"], limit=HITS)
    places = (PagePlace(one.file, one.line, one.end_line, one.qualified, one.signature) for one in found.definitions)
    return PageAnswer(tuple(places), next=found.next)


def _file(ask: Callable[..., Any], sent: Mapping[str, str]) -> PageAnswer:
    line = sent.get("line", "")
    start = max(1, int(line)) if line.isascii() and line.isdecimal() and len(line) < 8 else 1
    asked = {"path": sent.get("path", ""), "start_line": start, "end_line": start + AROUND - 1, "view": "lines"}
    found = ask("snippets_get", **asked)
    return PageAnswer(lines=PageLines(found.path, found.startLine, found.endLine, found.totalLines, found.content))


# --- how they look ---------------------------------------------------------------------------------------------


def _framed(template: str, words: "Words", *, status: int = 200, **values: Any) -> Response:
    """Return a whole page around a template."""
    from markupsafe import Markup

    from shirube.doors.web.pages import ANSWERS
    from shirube.doors.web.rendering import marks_of, template_environment

    environment = template_environment(__name__.rpartition(".")[0])
    known = {
        "t": words,
        "term": words.term,
        "say": words.say,
        "answers": ANSWERS,
        "holder": "",
        "repo": "",
        "problem": "",
    }
    known |= values | {"marks": marks_of(values.get("asked", ""))}
    content = Markup(environment.get_template(template).render(known))
    return HTMLResponse(environment.get_template("frame.html").render(known, content=content), status, HEADERS)


def _words(headers: Mapping[str, str]) -> "Words":
    from shirube.doors.web.words import Words, choose

    return Words(choose("", headers.get("accept-language", "")))


def _plain(status: int) -> Response:
    return Response(b"", status, HEADERS)


def _static(name: str) -> Response:
    if name not in STATIC:
        return _plain(404)
    data = (files("shirube.doors.web") / "static" / name).read_bytes()
    return Response(data, 200, {**HEADERS, "cache-control": "max-age=3600"}, STATIC[name])
