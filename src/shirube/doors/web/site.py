"""The site: its routes and their handlers."""

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shirube import __version__
from shirube.codec import replace, shown_json
from shirube.deadline import Deadline
from shirube.doors.loopback import Seat, same_secret
from shirube.doors.web.guard import MAX_BYTES, Guard, derived
from shirube.doors.web.pages import PAGES
from shirube.doors.web.rendering import FIRST_PAGE, compile_templates
from shirube.doors.web.visit import THEMES, Visit, WebPage
from shirube.doors.web.words import LANGUAGES, Words, choose
from shirube.errors import Cancelled, ShirubeError, UsageError
from shirube.operations import operation_named

if TYPE_CHECKING:
    from shirube.workspace import Workspace

STATIC = {
    "style.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "mark.svg": "image/svg+xml",
}
THEME, LANGUAGE = "shirube-theme", "shirube-language"
YEAR_SECONDS = 31_536_000
EXAMPLE = '{"query": "login"}'


def build_site(workspace: "Workspace", seat: Seat) -> Guard:
    """Return the whole site behind its guard, with the templates of the first page compiled."""
    compile_templates(FIRST_PAGE)
    site = _Site(workspace, seat)
    routes = [
        Route("/", site.home),
        Route("/static/{name}", _static),
        Route("/favicon.ico", _icon),
        Route("/look", site.look, methods=["POST"]),
        Route("/api/{operation}", site.endpoint, methods=["GET", "POST"]),
        Route("/{page}", site.page),
        Route("/{page}/part/{part}", site.part),
        Route("/{page}/{act}", site.act, methods=["POST"]),
    ]
    handlers: dict[Any, Callable[..., Any]] = {HTTPException: site.refuse, Exception: site.fail}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), seat)


class _Site:
    """The pages of one project."""

    def __init__(self, workspace: "Workspace", seat: Seat) -> None:
        self._workspace = workspace
        self._form_key = derived(seat.token, "form")
        self._pages = {page.name: page for page in PAGES}

    async def home(self, request: Request) -> Response:
        """Go to the first page."""
        return RedirectResponse(next(iter(self._pages.values())).address, 303)

    async def page(self, request: Request) -> Response:
        """Show a page."""
        page = self._page_of(request)
        visit = self._visit(request, parse_qs(request.url.query))
        return await self._shown(request, page, page.show, visit)

    async def part(self, request: Request) -> Response:
        """Show a part of a page, for the script."""
        show = self._page_of(request).parts.get(request.path_params["part"])
        if show is None:
            raise HTTPException(404)
        visit = self._visit(request, parse_qs(request.url.query))
        content, status = await _in_thread(request, lambda: _content(show, visit), visit)
        return _html(content, status)

    async def act(self, request: Request) -> Response:
        """Run the act of a form, then redirect to the page it returns."""
        page = self._page_of(request)
        visit = await self._form(request)
        act = page.acts.get(request.path_params["act"])
        if act is None:
            raise HTTPException(404)
        try:
            target = await _in_thread(request, lambda: act(visit), visit)
        except ShirubeError as error:
            message = _trouble(visit, error)
            back = replace(visit, changing=False, sent={}, here=page.address)
            return await self._shown(request, page, lambda again: message + page.show(again), back, 400)
        if isinstance(target, Markup):
            return _html(_framed(replace(visit, here=page.address), page.name, target))
        return RedirectResponse(target, 303)

    async def look(self, request: Request) -> Response:
        """Store the chosen theme or language in a cookie."""
        visit = await self._form(request)
        back = visit.text("back", "/")
        is_ours = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
        answer = RedirectResponse(back if is_ours else "/", 303)
        for cookie, name, known in ((THEME, "theme", THEMES), (LANGUAGE, "language", LANGUAGES)):
            if visit.text(name) in known:
                answer.set_cookie(cookie, visit.text(name), max_age=YEAR_SECONDS, httponly=True, samesite="strict")
        return answer

    async def endpoint(self, request: Request) -> Response:
        """Run an operation for the API: arguments in, one JSON object out."""
        try:
            operation = operation_named(request.path_params["operation"])
            if request.method == "GET" and not operation.read_only:
                raise HTTPException(405, headers={"allow": "POST"})
            arguments = await self._arguments(request)
            visit = self._visit(request, {}, changing=request.method == "POST")
            result = await _in_thread(request, lambda: visit.ask(operation, **arguments), visit)
        except ShirubeError as error:
            return JSONResponse({"error": error.as_dict()}, _status(error))
        return JSONResponse(shown_json(result))

    async def refuse(self, request: Request, error: HTTPException) -> Response:
        """Show the page of an HTTP error, such as 404 or 405."""
        visit = self._visit(request, {})
        message = visit.words.term("status", str(error.status_code))
        content = _trouble(visit, UsageError(message, visit.words("status.hint")))
        return _html(_framed(visit, "", content), error.status_code, error.headers)

    async def fail(self, request: Request, error: Exception) -> Response:
        """Show that something failed, without details: those are in the terminal."""
        visit = self._visit(request, {})
        content = _trouble(visit, ShirubeError(visit.words("status.500"), visit.words("status.terminal")))
        return _html(_framed(visit, "", content), 500)

    def _page_of(self, request: Request) -> WebPage:
        page = self._pages.get(request.path_params["page"])
        if page is None:
            raise HTTPException(404)
        return page

    def _visit(self, request: Request, sent: Mapping[str, list[str]], *, changing: bool = False) -> Visit:
        language = choose(request.cookies.get(LANGUAGE, ""), request.headers.get("accept-language", ""))
        theme = request.cookies.get(THEME, "")
        query = f"?{request.url.query}" if request.url.query else ""
        return Visit(
            workspace=self._workspace,
            words=Words(language),
            sent={name: tuple(values) for name, values in sent.items()},
            form_key=self._form_key,
            theme=theme if theme in THEMES else "auto",
            changing=changing,
            deadline=Deadline(self._workspace.config.serve.call_timeout_seconds),
            here=f"{request.url.path}{query}" if request.method == "GET" else "/",
        )

    async def _form(self, request: Request) -> Visit:
        """Read a form, and refuse one without our form key."""
        form = parse_qs((await _body(request)).decode("utf-8", "replace"), keep_blank_values=True)
        if not same_secret(form.pop("form_key", [""])[0], self._form_key):
            raise HTTPException(403)
        return self._visit(request, form, changing=True)

    async def _arguments(self, request: Request) -> dict[str, Any]:
        if request.method == "GET":
            query = parse_qs(request.url.query)
            return {name: values[0] if len(values) == 1 else values for name, values in query.items()}
        body = await _body(request)
        if not same_secret(request.headers.get("x-shirube-form", ""), self._form_key):
            raise HTTPException(403)
        try:
            arguments = json.loads(body or b"{}")
        except (ValueError, RecursionError):
            raise UsageError("web.not_json", example=EXAMPLE) from None
        if not isinstance(arguments, dict):
            raise UsageError("web.not_object", example=EXAMPLE)
        return arguments

    async def _shown(
        self, request: Request, page: WebPage, show: Callable[[Visit], Markup], visit: Visit, status: int = 200
    ) -> Response:
        def whole() -> tuple[Markup, int]:
            content, code = _content(show, visit)
            return _framed(visit, page.name, content), code

        content, code = await _in_thread(request, whole, visit)
        return _html(content, status if code == 200 else code)


def _framed(visit: Visit, current: str, content: Markup) -> Markup:
    """Return a whole HTML document around the content."""
    return visit.render(
        "frame.html",
        current=current,
        content=content,
        pages=[page.name for page in PAGES],
        themes=THEMES,
        languages=LANGUAGES,
        version=__version__,
    )


def _trouble(visit: Visit, error: ShirubeError) -> Markup:
    """Return an error as markup."""
    return visit.render("trouble.html", error=error)


def _content(show: Callable[[Visit], Markup], visit: Visit) -> tuple[Markup, int]:
    try:
        return show(visit), 200
    except ShirubeError as error:
        return _trouble(visit, error), _status(error)


def _status(error: ShirubeError) -> int:
    if isinstance(error, Cancelled):
        return 503
    return 400 if isinstance(error, UsageError) else 500


async def _in_thread(request: Request, work: Callable[[], Any], visit: Visit) -> Any:
    """Run ``work`` in a thread, and cancel it when the client disconnects, as while somebody keeps typing."""

    async def cancel_when_gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        visit.deadline.cancel()

    watch = asyncio.create_task(cancel_when_gone())
    try:
        return await run_in_threadpool(work)
    finally:
        watch.cancel()


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BYTES:
            raise HTTPException(413)
    return bytes(body)


def _html(content: Markup, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    body = content.encode("utf-8", "replace")
    return Response(body, status, headers, media_type="text/html; charset=utf-8")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404)
    return Response(_file(name), media_type=STATIC[name], headers={"cache-control": "private, max-age=3600"})


async def _icon(request: Request) -> Response:
    """Answer the browsers that request /favicon.ico unasked."""
    return Response(_file("mark.svg"), media_type=STATIC["mark.svg"])


@cache
def _file(name: str) -> bytes:
    return files("shirube.doors.web").joinpath("static", name).read_bytes()
