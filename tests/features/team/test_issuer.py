"""Tokens of an OpenID Connect issuer: what is let in, and every way to forge one."""

import base64
import hashlib
import hmac
import json
import time
from functools import cache
from http.client import BadStatusLine
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from shirube.codec import replace
from shirube.config import load_config
from shirube.errors import ConfigError
from shirube.features.team import issuer as issuers
from shirube.features.team.issuer import Issuer, fetch_json
from tests.cases import for_each

ISSUER, AUDIENCE = "https://login.example.org", "shirube"
TEAM = replace(
    load_config(environ={}).team,
    issuer=ISSUER,
    audience=AUDIENCE,
    jwks=f"{ISSUER}/keys",
    rules=("web = example.org/web/*", "web = example.org/shared", "all = *"),
)


@cache
def _key(kind, at=0):
    if kind == "EC":
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(65537, 2048)


def _public(kind, kid, at=0, **more):
    algorithm = jwt.algorithms.RSAAlgorithm if kind == "RSA" else jwt.algorithms.ECAlgorithm
    return {**json.loads(algorithm.to_jwk(_key(kind, at).public_key())), "kid": kid, **more}


KEYS = {
    "keys": [
        _public("RSA", "r"),
        _public("EC", "e"),
        _public("RSA", "enc", 1, use="enc"),
        {"kty": "oct", "k": "AA", "kid": "o"},
    ]
}


def _issuer(keys=KEYS, team=TEAM):
    return Issuer(team, lambda address: keys)


def _claims(**changes):
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": time.time() + 60, "groups": ["web", "nobody", 7]}
    return {name: value for name, value in (claims | changes).items() if value is not None}


def _signed(claims=None, kind="RSA", kid="r", headers=None, **options):
    method = {"RSA": "RS256", "EC": "ES256"}[kind]
    key = _key(kind, options.get("at", 0))
    return jwt.encode(claims or _claims(), key, options.get("method", method), {"kid": kid, **(headers or {})})


@for_each(("kind", "kid"), [("RSA", "r"), ("EC", "e")])
def test_a_token_of_the_issuer_grants_what_the_rules_say(kind, kid):
    holder = _issuer().holder(_signed(kind=kind, kid=kid))
    assert holder is not None
    assert (holder.token, holder.patterns) == ("oidc:ann", ("example.org/shared", "example.org/web/*"))
    assert _issuer().holder(_signed(_claims(groups="all"))).patterns == ("*",)
    assert _issuer().holder(_signed(_claims(groups={"all": 1}))).patterns == ()
    assert _issuer().holder(_signed(_claims(groups=None))).patterns == ()


def _part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _confused():
    """Return a token signed by HMAC with the public key as its secret."""
    pem = (
        _key("RSA")
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    body = f"{_part({'alg': 'HS256', 'kid': 'r', 'typ': 'JWT'})}.{_part(_claims())}"
    mac = hmac.new(pem, body.encode(), hashlib.sha256).digest()
    return f"{body}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


FORGED = {
    "expired": lambda: _signed(_claims(exp=time.time() - 60)),
    "not yet": lambda: _signed(_claims(nbf=time.time() + 600)),
    "without end": lambda: _signed(_claims(exp=None)),
    "of another issuer": lambda: _signed(_claims(iss="https://evil.example.org")),
    "of no issuer": lambda: _signed(_claims(iss=None)),
    "for somebody else": lambda: _signed(_claims(aud="mail")),
    "for nobody": lambda: _signed(_claims(aud=None)),
    "of nobody": lambda: _signed(_claims(sub=None)),
    "by another key": lambda: _signed(at=2),
    "by a key for secrecy": lambda: _signed(kid="enc", at=1),
    "by no known key": lambda: _signed(kid="unknown"),
    "by a shared secret": lambda: jwt.encode(_claims(), "s" * 32, "HS256", {"kid": "o"}),
    "by the public key as a secret": _confused,
    "unsigned": lambda: jwt.encode(_claims(), None, "none", {"kid": "r"}),
    "by a longer hash": lambda: _signed(method="RS512"),
    "by a method of another kind of key": lambda: _signed(kind="EC", kid="r"),
    "with something critical": lambda: _signed(headers={"crit": ["b64"], "b64": True}),
    "with a key of its own": lambda: _signed(
        kid="mine", headers={"jwk": _public("RSA", "mine"), "jku": "https://evil.org"}
    ),
    "cut": lambda: _signed()[:-4],
    "with other claims": lambda: ".".join(
        (_signed().split(".")[0], _part(_claims(groups=["all"])), _signed().split(".")[2])
    ),
    "without a signature": lambda: _signed().rpartition(".")[0] + ".",
    "too long": lambda: _signed(_claims(more="x" * 9_000)),
    "nested": lambda: f"{_part({'alg': 'RS256', 'kid': ['r']})}.{_part(_claims())}.AA",
    "no token": lambda: "a.b.c",
    "empty": lambda: "..",
}


@for_each("how", sorted(FORGED))
def test_a_token_that_is_not_as_it_should_be_is_refused(how):
    assert _issuer().holder(FORGED[how]()) is None


def test_keys_are_fetched_at_most_once_a_minute_whoever_asks(monkeypatch):
    now, fetched, keys = [1000.0], [], {"keys": [_public("RSA", "r")]}
    monkeypatch.setattr(issuers, "monotonic", lambda: now[0])
    one = Issuer(TEAM, lambda address: fetched.append(address) or keys)
    for _ in range(50):
        assert one.holder(_signed(kid="later", at=3)) is None
    assert fetched == [TEAM.jwks]
    keys["keys"].append(_public("RSA", "later", 3))
    assert one.holder(_signed(kid="later", at=3)) is None
    now[0] += 61
    assert one.holder(_signed(kid="later", at=3)) is not None
    assert len(fetched) == 2
    good, keys["keys"] = keys["keys"], 1
    now[0] += 3601
    assert one.holder(_signed()) is not None, "an issuer that is away does not lock everybody out"
    assert len(fetched) == 3
    now[0] += 4 * 3600
    assert one.holder(_signed()) is None, "but what it withdrew meanwhile is not used for ever"
    keys["keys"] = good
    now[0] += 61
    assert one.holder(_signed()) is not None
    keys["keys"] = []
    now[0] += 3601
    assert one.holder(_signed()) is None, "keys that were withdrawn are not used"


def test_nobody_waits_for_an_issuer_that_is_slow_but_the_one_who_looks():
    asked, go = Event(), Event()

    def fetch(address):
        asked.set()
        go.wait(30)
        raise BadStatusLine("")

    one = Issuer(TEAM, lambda address: KEYS)
    assert one.look()
    one._fetch, one._tried = fetch, float("-inf")
    looking = Thread(target=one.holder, args=(_signed(kid="unknown"),))
    looking.start()
    assert asked.wait(30)
    try:
        assert one.holder(_signed(kid="other")) is None
        assert one.holder(_signed()) is not None
        assert not go.is_set()
    finally:
        go.set()
        looking.join()
    assert one.holder(_signed()) is not None


def test_subjects_stay_apart_however_long_they_are():
    names = {_issuer().holder(_signed(_claims(sub="x" * 64 + end))).token for end in ("", "a", "b")}
    assert len(names) == 3
    assert max(map(len, names)) <= 69
    assert _issuer().holder(_signed(_claims(sub=""))) is None


@for_each("said", [{}, [], {"keys": 1}, {"keys": [1]}, None, {"jwks_uri": "https://evil.example.org/keys"}])
def test_an_issuer_that_says_what_it_should_not_lets_nobody_in(said):
    assert _issuer(said, replace(TEAM, jwks="")).holder(_signed()) is None


def test_keys_are_found_where_the_issuer_says_at_its_own_host():
    pages = {
        f"{ISSUER}/.well-known/openid-configuration": {"jwks_uri": f"{ISSUER}/own/keys"},
        f"{ISSUER}/own/keys": KEYS,
    }
    assert Issuer(replace(TEAM, jwks=""), pages.__getitem__).holder(_signed()) is not None


@for_each(
    "changes",
    [
        {"issuer": "http://login.example.org"},
        {"jwks": "file:///etc/passwd"},
        {"jwks": "http://169.254.169.254/keys"},
        {"audience": ""},
        {"rules": ("no rule",)},
    ],
)
def test_settings_that_would_let_anybody_in_are_refused(changes):
    with pytest.raises(ConfigError):
        Issuer(replace(TEAM, **changes))


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(302 if self.path == "/moved" else 200)
        self.send_header("location", "/keys")
        self.end_headers()
        self.wfile.write(b'{"keys": []}' if self.path != "/large" else b"[" + b" " * 300_000 + b"]")

    def log_message(self, *args):
        pass


def test_no_redirect_is_followed_and_no_large_page_read():
    server = HTTPServer(("127.0.0.1", 0), _Pages)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        base = f"http://127.0.0.1:{server.server_port}"
        assert fetch_json(f"{base}/keys") == {"keys": []}
        with pytest.raises(OSError, match="302"):
            fetch_json(f"{base}/moved")
        with pytest.raises(ValueError, match="large"):
            fetch_json(f"{base}/large")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
