"""Who is let in: the first thing every request meets.

A local name and an own origin by the shared checks, a cookie that was given in exchange for the token, and for a
form the key that only our own pages know. Ports of one machine are one site to a browser, so SameSite does not keep
another local server out: what the browser says about where a request comes from is looked at as well.
"""

import hmac
from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from shirube.doors.loopback import OWN_SITES, App, Receive, Scope, Seat, Send, same_secret, sent_headers, stranger

ENTER = "/enter"
MAX_BYTES = 1 << 21
"""Of a body: goals may be pasted in with a diff and the output of a test run."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer, browsers say of our own forms that they come from nowhere
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


def derived(token: str, use: str) -> str:
    """Return a secret for one use that does not give the token away."""
    return hmac.new(token.encode(), use.encode(), "sha256").hexdigest()


class Guard:
    """An ASGI application that refuses strangers and gives every answer its headers."""

    def __init__(self, app: App, seat: Seat) -> None:
        self._app, self._seat = app, seat
        self._keys = {seat.token}
        self.form_key = derived(seat.token, "form")
        self.cookie = f"shirube-{seat.port}"
        self._pass = derived(seat.token, "cookie")

    def once(self) -> str:
        """Return a key that opens the door a single time: for a command line, which others may read."""
        key = derived(self._seat.token, "once")
        self._keys.add(key)
        return key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, let somebody in, or say why not."""
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
        """Return the answer to whoever is not let in or just comes in; None lets the request pass."""
        sent = sent_headers(request.scope)
        refused = stranger(sent, self._seat.port) or _foreign(request.method, dict(sent))
        if refused is not None:
            return _plain(*refused)
        if request.scope["path"] == ENTER and request.method == "GET":
            return self._enter(request)
        if not same_secret(request.cookies.get(self.cookie, ""), self._pass):
            return _plain(401, "open the address that 'shirube ui' printed: it lets this browser in")
        return None

    def _enter(self, request: Request) -> Response:
        """Take the key for a cookie, and leave the address that holds it.

        The browser goes on by itself from a page of ours: after a link from elsewhere it would not send the cookie
        along with a redirect.
        """
        given = request.query_params.get("key", "")
        known = next((key for key in self._keys if same_secret(given, key)), None)
        if known is None:
            return _plain(401, "this key is not known or was used; open the address that 'shirube ui' printed")
        if known != self._seat.token:
            self._keys.discard(known)
        cookie = f"{self.cookie}={self._pass}; HttpOnly; SameSite=Strict; Path=/"
        return _plain(200, "welcome", {"set-cookie": cookie, "refresh": "0; url=/", "referrer-policy": "no-referrer"})


def _foreign(method: str, headers: Mapping[str, str]) -> tuple[int, str] | None:
    """Return why a request is refused that another page made, whatever its origin says."""
    site = headers.get("sec-fetch-site", "none")
    if method not in ("GET", "HEAD"):
        if site not in OWN_SITES or ("origin" not in headers and "sec-fetch-site" not in headers):
            return 403, "only a page of this server may send this"
        return None
    if site not in OWN_SITES and headers.get("sec-fetch-dest", "document") != "document":
        return 403, "other pages may link here, and take nothing"
    return None


def _plain(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    return PlainTextResponse(f"shirube: {text}\n", status, headers)
