"""Checks every request before the site sees it.

A request needs a local Host and our own Origin (the shared checks), a cookie that we gave in exchange for the token,
and for a form the key that only our own pages contain. To a browser all ports of a machine are one site, so SameSite
does not keep other local servers out: we also check what the browser says about the source of a request.
"""

import hmac
from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from shirube.doors.loopback import OWN_SITES, App, Receive, Scope, Seat, Send, same_secret, sent_headers, stranger

ENTER = "/enter"
LOOKING = ("GET", "HEAD")
MAX_BYTES = 1 << 21
"""The largest body of a request; users may paste a diff and the output of a test run."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer, browsers send "Origin: null" for our own forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


def derived(token: str, use: str) -> str:
    """Return a secret for one purpose, from which nobody can compute the token."""
    return hmac.new(token.encode(), use.encode(), "sha256").hexdigest()


class Guard:
    """An ASGI application that refuses foreign requests and adds security headers to every response."""

    def __init__(self, app: App, seat: Seat) -> None:
        self._app, self._seat = app, seat
        self._keys = {seat.token}
        self.form_key = derived(seat.token, "form")
        self.cookie = f"shirube-{seat.port}"
        self._pass = derived(seat.token, "cookie")

    def once(self) -> str:
        """Return a key that works only once: it goes into a browser's command line, which other users can read."""
        key = derived(self._seat.token, "once")
        self._keys.add(key)
        return key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, exchange a key for a cookie, or refuse with the reason."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Scope) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._answer(Request(scope)) or self._app
        await answer(scope, receive, send_guarded)

    def _answer(self, request: Request) -> Response | None:
        """Return the response to a refused request or to one that brings a key; None to pass the request on."""
        sent = sent_headers(request.scope)
        if refused := stranger(sent, self._seat.port):
            return _plain(*refused)
        if is_foreign(request.method, dict(sent)):
            if request.method in LOOKING:
                return _plain(403, "other pages may link here, and take nothing")
            return _plain(403, "only a page of this server may send this")
        if request.scope["path"] == ENTER and request.method == "GET":
            return self._enter(request)
        if not same_secret(request.cookies.get(self.cookie, ""), self._pass):
            return _plain(401, "open the address that 'shirube ui' printed: it lets this browser in")
        return None

    def _enter(self, request: Request) -> Response:
        """Exchange the key for a cookie, and leave the address that contains the key.

        A page of ours does the refresh, not a redirect: after a link from another program, the browser would not send
        a SameSite cookie along with a redirect.
        """
        given = request.query_params.get("key", "")
        known = next((key for key in self._keys if same_secret(given, key)), None)
        if known is None:
            return _plain(401, "this key is not known or was used; open the address that 'shirube ui' printed")
        if known != self._seat.token:
            self._keys.discard(known)
        cookie = f"{self.cookie}={self._pass}; HttpOnly; SameSite=Strict; Path=/"
        return _plain(200, "welcome", {"set-cookie": cookie, "refresh": "0; url=/", "referrer-policy": "no-referrer"})


def is_foreign(method: str, headers: Mapping[str, str]) -> bool:
    """Tell whether another site caused a request that is more than a link to here, by its Sec-Fetch headers."""
    site = headers.get("sec-fetch-site", "none").lower()
    if method in LOOKING:
        return site not in OWN_SITES and headers.get("sec-fetch-dest", "document") != "document"
    return site not in OWN_SITES or ("origin" not in headers and "sec-fetch-site" not in headers)


def _plain(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    return PlainTextResponse(f"shirube: {text}\n", status, headers)
