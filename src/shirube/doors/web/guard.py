"""Who is let in: the first thing every request meets.

A local name and an own origin by the shared checks, a cookie that was given in exchange for the token, and for a
form the key that only our own pages know. Ports of one machine are one site to a browser, so SameSite does not keep
another local server out: what the browser says about where a request comes from is looked at as well.
"""

import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from shirube.doors.loopback import App, Receive, Scope, Seat, Send, same_secret, stranger

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
OWN = ("same-origin", "none")
"""Where a request may come from, in the words of Sec-Fetch-Site; ``none`` is the address bar."""


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
        sent = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        headers = dict(sent)
        refused = stranger(sent, self._seat.port) or _foreign(scope, headers)
        if refused is not None:
            await _answer(send, *refused)
        elif scope["path"] == ENTER and scope["method"] == "GET":
            await self._enter(scope, send)
        elif not same_secret(_cookies(headers).get(self.cookie, ""), self._pass):
            await _answer(send, 401, "open the address that 'shirube ui' printed: it lets this browser in")
        else:
            await self._app(scope, receive, _with_headers(send))

    async def _enter(self, scope: Scope, send: Send) -> None:
        """Take the key for a cookie, and leave the address that holds it.

        The browser goes on by itself from a page of ours: after a link from elsewhere it would not send the cookie
        along with a redirect.
        """
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.get("key", [""])[0]
        known = next((key for key in self._keys if same_secret(given, key)), None)
        if known is None:
            await _answer(send, 401, "this key is not known or was used; open the address that 'shirube ui' printed")
            return
        if known != self._seat.token:
            self._keys.discard(known)
        cookie = f"{self.cookie}={self._pass}; HttpOnly; SameSite=Strict; Path=/"
        await _answer(
            send, 200, "welcome", {"set-cookie": cookie, "refresh": "0; url=/", "referrer-policy": "no-referrer"}
        )


def _foreign(scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
    """Return why a request is refused that another page made, whatever its origin says."""
    site = headers.get("sec-fetch-site", "none")
    if scope["method"] not in ("GET", "HEAD"):
        if site not in OWN or ("origin" not in headers and "sec-fetch-site" not in headers):
            return 403, "only a page of this server may send this"
        return None
    if site not in OWN and headers.get("sec-fetch-dest", "document") != "document":
        return 403, "other pages may link here, and take nothing"
    return None


def _cookies(headers: Mapping[str, str]) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


def _with_headers(send: Send) -> Send:
    async def sending(message: Scope) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            more = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending


async def _answer(send: Send, status: int, text: str, more: Mapping[str, str] | None = None) -> None:
    body = f"shirube: {text}\n".encode()
    headers = {**HEADERS, "content-type": "text/plain; charset=utf-8", "content-length": str(len(body)), **(more or {})}
    start = {"type": "http.response.start", "status": status}
    await send({**start, "headers": [(name.encode(), value.encode()) for name, value in headers.items()]})
    await send({"type": "http.response.body", "body": body})
