"""Reads tokens that an OpenID Connect issuer has signed: only with its own keys, and only by public-key methods."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from http.client import HTTPException
from threading import Lock, Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from shirube.engine.store.access import Holder
from shirube.errors import ConfigError
from shirube.features.team.access import rules_of
from shirube.features.team.tokens import is_safe_for
from shirube.settings import TeamConfig

METHODS = {"RS256": "RSA", "ES256": "EC"}
"""How a token may be signed, and by which kind of key: a secret shared with the issuer is none of them."""
LONGEST_TOKEN = 8_192
MOST_BYTES, MOST_KEYS = 262_144, 64
"""What is read of the issuer at most."""
FETCH_SECONDS = 5.0
KEYS_SECONDS, AGAIN_SECONDS, MOST_SECONDS = 3_600.0, 60.0, 14_400.0
"""After what time keys are looked at again, how soon at the earliest, and how long they are used without the issuer."""
FORGOTTEN_SECONDS = 600.0
"""After what time nobody waits any more for an issuer that has begun to answer."""
LEEWAY_SECONDS = 10
LONGEST_SUBJECT = 64
_log = logging.getLogger("shirube.features.team")


class Issuer:
    """The issuer of the configuration; safe to share between threads."""

    def __init__(self, config: TeamConfig, fetch: "Callable[[str], Any] | None" = None) -> None:
        """Refuse addresses that are not https (http is for the loopback alone); nothing is fetched yet."""
        if not config.audience:
            raise ConfigError("team_access.no_audience")
        self._config, self._rules = config, rules_of(config.rules)
        self._fetch = fetch or fetch_json
        for address in filter(None, (config.issuer, config.jwks)):
            check_address(address)
        self._keys: Mapping[str, Any] = {}
        self._fetched = self._tried = float("-inf")
        self._fetching: Thread | None = None
        self._lock = Lock()

    def holder(self, credential: str) -> Holder | None:
        """Return whom a signed token belongs to, and what its claims grant; None for one that cannot be used."""
        import jwt

        if len(credential) > LONGEST_TOKEN or credential.count(".") != 2:
            return None
        try:
            header = jwt.get_unverified_header(credential)
            method, kid = header.get("alg"), header.get("kid", "")
            if method not in METHODS or "crit" in header or not isinstance(kid, str):
                return None
            if kid not in self._keys or monotonic() - self._fetched > KEYS_SECONDS:
                self.look()
            key = self._keys.get(kid) if monotonic() - self._fetched < MOST_SECONDS else None
            if key is None or key.get("kty") != METHODS[method] or key.get("use", "sig") != "sig":
                return None
            claims = jwt.decode(
                credential,
                jwt.PyJWK.from_dict(dict(key), algorithm=method),
                algorithms=[method],
                audience=self._config.audience,
                issuer=self._config.issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, RecursionError):
            return None
        return self._granted(claims)

    def _granted(self, claims: Mapping[str, Any]) -> Holder | None:
        given = claims.get(self._config.claim, ())
        values = [given] if isinstance(given, str) else given if isinstance(given, list) else ()
        patterns = (self._rules.get(value, ()) for value in values if isinstance(value, str))
        subject, team = str(claims["sub"]), self._config
        if not subject:
            return None
        if len(subject) > LONGEST_SUBJECT:  # two that begin alike are two
            subject = f"{subject[: LONGEST_SUBJECT - 17]}~{sha256(subject.encode()).hexdigest()[:16]}"
        return Holder(f"oidc:{subject}", subject, team.requests, team.words, tuple(sorted({*sum(patterns, ())})))

    def look(self) -> bool:
        """Look at the issuer's keys, if they may be looked at now, and wait a few seconds; tell whether there are any.

        Nobody else waits: a request is answered by the keys at hand.
        """
        with self._lock:
            is_alive = self._fetching is not None and self._fetching.is_alive()
            is_looking = is_alive and monotonic() - self._tried < FORGOTTEN_SECONDS
            if not is_looking and monotonic() - self._tried > AGAIN_SECONDS:
                self._fetching = mine = Thread(target=self._fetch_keys, name="keys", daemon=True)
                self._tried = monotonic()
                mine.start()
            else:
                mine = None
        if mine is not None:
            mine.join(FETCH_SECONDS)
        return bool(self._keys)

    def _fetch_keys(self) -> None:
        """Take the issuer's keys; leave those at hand when it cannot be reached, or says what it should not."""
        try:
            address, issuer = self._config.jwks, self._config.issuer.rstrip("/")
            if not address:  # the issuer says where its keys are; only at its own host
                address = str(self._fetch(f"{issuer}/.well-known/openid-configuration")["jwks_uri"])
                if urlsplit(address)[:2] != urlsplit(issuer)[:2]:
                    raise ValueError(address)
            found: Sequence[Any] = self._fetch(address)["keys"]
            keys = {str(key.get("kid", "")): key for key in found[:MOST_KEYS] if key.get("kty") in METHODS.values()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, HTTPException) as error:
            _log.warning("the keys of %s cannot be had: %s", self._config.issuer, error)
        else:
            self._keys, self._fetched = keys, monotonic()
        self._tried = monotonic()


def check_address(address: str) -> None:
    """Refuse an address that is neither https nor of the loopback."""
    if not is_safe_for(urlsplit(address)):
        raise ConfigError("team_access.not_https", address=address)


def fetch_json(address: str) -> Any:
    """Return what is at an address; follows no redirect, and reads no more than is useful."""
    from urllib.request import HTTPRedirectHandler, build_opener

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *given: Any) -> None:
            return None

    check_address(address)
    data, end = b"", monotonic() + FETCH_SECONDS
    with build_opener(Stay).open(address, timeout=FETCH_SECONDS) as answer:
        while piece := answer.read1(MOST_BYTES):
            data += piece
            if len(data) > MOST_BYTES or monotonic() > end:
                raise ValueError(address)
    return json.loads(data)
