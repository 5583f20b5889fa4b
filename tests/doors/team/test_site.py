"""Who is let in over HTTP, and what everybody else is told."""

import asyncio
import datetime
import json
import socket
import ssl
from contextlib import closing
from http.client import HTTPConnection, HTTPSConnection
from ipaddress import ip_address
from threading import Thread
from urllib.parse import urlencode

import httpx2
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from shirube.codec import replace
from shirube.deadline import Deadline, current
from shirube.doors.team.desk import Desk, TeamQuestion
from shirube.doors.team.serve import _run, _settings, build_app
from shirube.doors.team.site import known_names
from shirube.features.team.access import Gatekeeper
from shirube.features.team.tokens import new_secret
from shirube.shared import SharedIndex, open_access
from tests.cases import for_each
from tests.doors.team.world import call, full, send, serving

SEARCH = call("search", query="count together")


def _bearer(secret):
    return {"authorization": f"Bearer {secret}"}


def _text(body):
    return json.loads(body)["result"]["content"][0]["text"]


def test_a_token_opens_what_it_grants(world, port):
    secret, _ = world.token(full("shop"))
    status, headers, body = send(port, body=SEARCH, **_bearer(secret))
    assert (status, headers["content-type"]) == (200, "application/json")
    assert "zqshop_total" in _text(body)
    status, _, body = send(port, f"/mcp/{full('shop')}", SEARCH, **_bearer(secret))
    assert "zqshop_total" in _text(body)


def test_a_repository_that_is_forbidden_is_not_found_like_one_that_is_not_there(world, port):
    secret, _ = world.token(full("shop"))
    answers = []
    for name in (full("bank"), full("none"), "*", "%2A", "..", "%00", "x" * 2000):
        before = world.index.trips
        status, headers, body = send(port, f"/mcp/{name}", SEARCH, **_bearer(secret))
        answers.append((status, headers["content-type"], body, world.index.trips - before))
    assert set(answers) == {answers[0]}
    assert answers[0][0] == 404


def _credentials(world):
    expired, _ = world.token("*", days=1 / 86_400_000)
    revoked, name = world.token("*")
    world.access.revoke(name)
    good, _ = world.token("*")
    return {
        "none": None,
        "empty": "",
        "expired": f"Bearer {expired}",
        "revoked": f"Bearer {revoked}",
        "forged": f"Bearer {new_secret()}",
        "changed": f"Bearer {good[:-1]}{'0' if good[-1] != '0' else '1'}",
        "another scheme": f"Basic {good}",
        "bare": good,
        "twice": f"Bearer {good} {good}",
        "long": f"Bearer {'x' * 8_900}",
        "signed by nobody": "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.",
        "foreign": "Bearer ghp_0123456789012345678901234567890123456789",
        "odd": "Bearer shirube_\xe9\xe9",
    }


def test_nothing_answers_without_a_token_that_can_be_used(world, port):
    """Whatever is wrong with it, the answer is the same."""
    answers = set()
    for credential in _credentials(world).values():
        for path, method, body in (("/mcp", "POST", SEARCH), ("/mcp/x", "POST", SEARCH), ("/mcp", "GET", None)):
            status, headers, told = send(port, path, body, method, authorization=credential)
            answers.add((status, headers["www-authenticate"], told))
    assert len(answers) == 1
    assert answers.pop()[:2] == (401, "Bearer")


def test_pages_show_the_login_alone_without_a_token(world, port):
    for kind, credential in _credentials(world).items():
        if kind in ("another scheme", "bare"):
            continue  # in a cookie these are what they should be
        for path in ("/", "/search?q=zqshop", "/file?path=src/zqshop.py", "/symbol?q=zqshop_total"):
            cookie = f"shirube-team={(credential or '').removeprefix('Bearer ')}".encode().decode("latin-1")
            status, _, body = send(port, path, cookie=cookie, authorization=credential)
            assert (status, b"zqshop" in body, b'name="token"' in body) == (401, False, True)


@for_each(
    ("changes", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": "127.0.0.1:1"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
    ],
)
def test_foreign_names_and_pages_are_refused_with_a_good_token(world, port, changes, status):
    secret, _ = world.token("*")
    for path in ("/mcp", "/login"):
        told = send(port, path, SEARCH, **_bearer(secret), **changes)
        assert told[0] == status
        assert secret.encode() not in told[2]


def test_a_header_may_come_once_only(world, port):
    secret, _ = world.token("*")
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        connection.putrequest("POST", "/mcp")
        connection.putheader("authorization", "Bearer none")
        connection.putheader("authorization", f"Bearer {secret}")
        connection.endheaders()
        assert connection.getresponse().status == 400


def test_what_is_too_large_too_often_or_not_posted_is_refused(world, port):
    secret, _ = world.token("*")
    assert send(port, body=b"[" + b" " * 300_000 + b"]", **_bearer(secret))[0] == 413
    assert send(port, method="GET", **_bearer(secret))[0] == 405
    assert send(port, method="DELETE", **_bearer(secret))[0] == 405
    assert send(port, body=b"{", **_bearer(secret))[0] == 400
    assert send(port, "/anything", SEARCH, **_bearer(secret))[0] in (403, 404)
    slow, _ = world.token("*", requests=3)
    statuses = [send(port, body=SEARCH, **_bearer(slow))[0] for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    greedy, _ = world.token(full("shop"), words=20)
    assert send(port, body=SEARCH, **_bearer(greedy))[0] == 200
    status, headers, _ = send(port, body=SEARCH, **_bearer(greedy))
    assert (status, int(headers["retry-after"]) > 0) == (429, True)


def _noted(world, token):
    rows = map(json.loads, world.audit.read_text().splitlines())
    return [(row["repository"], row["outcome"]) for row in rows if row["token"] == token]


def test_what_is_refused_is_noted_but_pushes_nothing_out(world, port):
    secret, name = world.token(full("shop"), requests=6)
    given = {"cookie": f"shirube-team={secret}"}
    for forbidden in (full("bank"), full("none")):
        assert send(port, f"/mcp/{forbidden}", SEARCH, **_bearer(secret))[0] == 404
        assert send(port, f"/search?{urlencode({'repo': forbidden, 'q': 'x'})}", **given)[0] == 404
    assert _noted(world, name) == [("", "not_found")] * 4
    statuses = [send(port, body=SEARCH, **_bearer(secret))[0] for _ in range(9)]
    assert 429 in statuses
    assert _noted(world, name)[4:].count(("", "limited")) == 1


def test_pages_are_paid_for_as_answers_are(world, port):
    secret, _ = world.token(full("shop"), words=20)
    page = f"/file?{urlencode({'repo': full('shop'), 'path': 'src/zqshop.py'})}"
    given = {"cookie": f"shirube-team={secret}"}
    assert [send(port, page, **given)[0] for _ in range(2)] == [200, 429]


def test_a_request_with_two_lengths_is_refused(world, port):
    secret, _ = world.token("*")
    head = f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {secret}\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(20)
        connection.sendall(f"{head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n".encode())
        assert connection.recv(1000)[:12] == b"HTTP/1.1 400"


def test_a_client_that_hangs_up_in_an_upload_is_no_failure(world, port, caplog):
    secret, _ = world.token("*")
    head = f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {secret}\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"{head}content-length: 500\r\n\r\n{{".encode())
    assert send(port, body=SEARCH, **_bearer(secret))[0] == 200
    assert "Traceback" not in caplog.text


def test_a_repository_that_was_dropped_is_not_listed_any_more(world):
    owner = open_access(world.config(world.owner))
    try:
        repo = owner.granted(["*"], [full("game")], 1)[full("game")]
        change = "UPDATE shirube.refs SET repo = %s WHERE repo = %s"
        owner.server.change(lambda connection: connection.execute(change, (-1, repo)))
        assert full("game") not in world.gate.granted(world.holder("*"), 10)
        owner.server.change(lambda connection: connection.execute(change, (repo, -1)))
        assert full("game") in world.gate.granted(world.holder("*"), 10)
    finally:
        owner.close()


def _certificate(place):
    """Make a certificate for 127.0.0.1, and return its file and that of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + _DAY)
    made = made.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
    files = place / "chain.pem", place / "key.pem"
    files[0].write_bytes(made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))
    files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return files


_DAY = datetime.timedelta(days=1)


def test_it_answers_over_tls_and_ends_at_once(world, tmp_path):
    """Also while clients are there that begin no handshake, or do not end theirs."""
    chain, key = _certificate(tmp_path)
    index = SharedIndex(world.config(world.serving, certificate=str(chain), key=str(key)))
    desk = Desk(index, Gatekeeper(index.access, None, 8), None)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = uvicorn.Server(_settings(index.config, build_app(desk, port)))
    thread = Thread(target=_run, args=(index.config, server, listener))
    thread.start()
    secret, _ = world.token(full("shop"))
    context = ssl.create_default_context(cafile=str(chain))
    try:
        silent = socket.create_connection(("127.0.0.1", port))
        connections = [HTTPSConnection("127.0.0.1", port, timeout=60, context=context) for _ in range(2)]
        for connection in connections:
            connection.request("GET", "/static/style.css")
            assert len(connection.getresponse().read()) > 10_000
            headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
            connection.request("POST", "/mcp", json.dumps(SEARCH), headers | _bearer(secret))
            assert "zqshop_total" in _text(connection.getresponse().read())
    finally:
        server.should_exit = True
        thread.join(60)
        for connection in (*connections, silent):
            connection.close()
        index.close()
    assert not thread.is_alive()


def test_a_cookie_of_another_program_does_not_hide_ours(world, port):
    secret, _ = world.token(full("shop"))
    assert send(port, "/", cookie=f'json={{"a":1}}; shirube-team={secret}; b="')[0] == 200


def test_choosing_a_repository_ends_with_its_call(world, monkeypatch):
    asked = []
    monkeypatch.setattr(world.gate, "chosen", lambda *given: asked.append(current()) or {})
    deadline = Deadline(60)
    world.desk.answer(TeamQuestion(world.holder("*"), "search", {"query": "x"}), deadline)
    assert asked == [deadline]


def test_a_request_that_does_not_end_is_given_up(world, port):
    secret, _ = world.token("*")
    head = (
        f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {secret}\r\ncontent-length: 500\r\n\r\n"
    )
    for beginning in ("POST /mcp HTTP/1.1\r\nhost: a", head + "{"):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.settimeout(20)
            connection.sendall(beginning.encode())
            assert connection.recv(1000)[:12] in (b"HTTP/1.1 408", b"")


def test_what_fails_inside_is_told_without_its_insides(world, port, monkeypatch, caplog):
    secret, _ = world.token(full("shop"))

    def broken(*given):
        raise RuntimeError("the secret inside")

    monkeypatch.setattr(world.desk.gate, "chosen", broken)
    status, _, body = send(port, body=SEARCH, **_bearer(secret))
    assert (status, json.loads(body)["result"]["isError"]) == (200, True)
    assert b"inside" not in body
    assert secret not in caplog.text


def test_no_session_is_kept_however_many_begin(world, port):
    secret, _ = world.token("*")
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    for _ in range(50):
        status, headers, _ = send(port, body=body, **_bearer(secret))
        assert (status, headers["mcp-session-id"]) == (200, None)
    assert send(port, body=SEARCH, **_bearer(secret), mcp_session_id="made-up")[0] == 200


@for_each("method", ["resources/list", "resources/read", "prompts/list", "completion/complete", "logging/setLevel"])
def test_nothing_is_offered_but_tools(world, port, method):
    secret, _ = world.token("*")
    _, _, body = send(port, body={"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}, **_bearer(secret))
    assert "error" in json.loads(body)
    assert b"zq" not in body


def test_a_real_client_asks_and_is_answered(world, port):
    secret, _ = world.token(full("shop"), full("bank"))

    async def ask():
        url = f"http://127.0.0.1:{port}/mcp/{full('shop')}"
        async with httpx2.AsyncClient(headers=_bearer(secret), timeout=30) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport) as client:
                tools = await client.list_tools()
                found = await client.call_tool("search", {"query": "count together"})
                other = await client.call_tool("search", {"query": "count together", "repos": ["bank"]})
                return [tool.name for tool in tools.tools], found.content[0].text, other.content[0].text

    names, found, other = asyncio.run(ask())
    assert names[0] == "search"
    assert "zqshop_total" in found
    assert "zqbank_total" in other


# --- pages -----------------------------------------------------------------------------------------------------


def _entered(port, secret):
    form = urlencode({"token": secret}).encode()
    kind = "application/x-www-form-urlencoded"
    return send(port, "/login", form, origin=f"http://127.0.0.1:{port}", content_type=kind)


def test_a_token_lets_a_browser_in_by_a_strict_cookie(world, port):
    secret, _ = world.token(full("shop"), full("bank"))
    status, headers, _ = _entered(port, secret)
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age=28800"))
    given = {"cookie": cookie.partition(";")[0]}
    status, headers, body = send(port, "/", **given)
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    assert all(f'value="{full(name)}"' in body.decode() for name in ("bank", "shop"))
    assert full("mail").encode() not in body
    page = send(port, f"/search?{urlencode({'repo': full('shop'), 'q': 'count <b>together'})}", **given)[2].decode()
    assert "zqshop_total" in page
    assert "<b>together" not in page
    page = send(port, f"/symbol?{urlencode({'repo': full('shop'), 'q': 'zqshop_twice'})}", **given)[2].decode()
    assert "src/zqshop.py:9" in page
    page = send(port, f"/file?{urlencode({'repo': full('shop'), 'path': 'src/zqshop.py', 'line': 1})}", **given)[2]
    assert b"def zqshop_total" in page
    page = send(port, f"/search?{urlencode({'repo': full('shop'), 'q': 'zqshop_total'})}", **given)[2].decode()
    assert "% likely that the first is meant" in page
    assert '<li value="' in page, "lines have their numbers"
    page = send(port, f"/search?{urlencode({'repo': full('shop'), 'q': 'zqnowhere'})}", accept_language="ja", **given)[
        2
    ]
    assert "見つかりました" not in page.decode()
    assert "検索" in page.decode()
    assert send(port, body=SEARCH, **given)[0] == 401, "the cookie opens pages alone"
    status, headers, _ = send(port, "/logout", b"", "POST", **given, origin=f"http://127.0.0.1:{port}")
    assert (status, "Max-Age=0" in headers["set-cookie"]) == (303, True)


def test_a_page_of_what_is_forbidden_is_that_of_what_is_not_there(world, port):
    secret, _ = world.token(full("shop"))
    given = {"cookie": _entered(port, secret)[1]["set-cookie"].partition(";")[0]}
    pages = {
        send(port, f"/{page}?{urlencode({'repo': name, 'q': 'x', 'path': 'src/a.py'})}", **given)[::2]
        for name in (full("bank"), full("none"), "*")
        for page in ("search", "symbol", "file")
    }
    assert len(pages) == 1
    assert pages.pop()[0] == 404


def test_another_site_can_neither_log_in_nor_out(world, port):
    secret, _ = world.token(full("shop"))
    form = urlencode({"token": secret}).encode()
    assert send(port, "/login", form)[0] == 403, "who sends neither Origin nor Sec-Fetch-Site is no browser of today"
    assert send(port, "/login", form, origin="http://evil.example")[0] == 403
    assert send(port, "/logout", b"", "POST", sec_fetch_site="cross-site")[0] == 403
    good = {"origin": f"http://127.0.0.1:{port}"}
    assert send(port, "/login", b"token=" + b"x" * 20_000, **good)[0] == 413
    status, headers, body = send(port, "/login", urlencode({"token": new_secret()}).encode(), **good)
    assert (status, headers["set-cookie"], b'name="token"' in body) == (401, None, True)
    assert send(port, "/search?q=x", sec_fetch_site="cross-site", sec_fetch_dest="image")[0] == 403


def test_names_are_those_of_the_configuration(world):
    team = replace(world.index.config.team, hosts=("Shirube.example.org",), origins=("https://Tools.example.org/",))
    hosts, origins = known_names(team, 8080)
    assert {"shirube.example.org", "127.0.0.1:8080", "localhost:8080", "[::1]:8080"} == hosts
    assert {"https://shirube.example.org", "https://tools.example.org", "http://127.0.0.1:8080"} <= origins
    assert "https://127.0.0.1:8080" in known_names(replace(team, certificate="c"), 8080)[1]


def test_a_secure_cookie_is_bound_to_its_host(world):
    config = world.index.config
    index = type("Index", (), {"config": replace(config, team=replace(config.team, behind_proxy=True))})()
    desk = Desk(index, world.gate, None)
    with serving(desk) as port:
        secret, _ = world.token(full("shop"))
        cookie = _entered(port, secret)[1]["set-cookie"]
    assert cookie.startswith("__Host-shirube=")
    assert "Secure" in cookie
