"""Who may speak to a local port: Host, Origin and token checks, shared by every door that listens.

A page in the user's browser can send requests to any local port, and a name under a stranger's control can be made
to point at this machine. So the name asked for must be a local one, a browser's origin must be our own, and every
request must carry a token that only this user can read.
"""

import errno
import hmac
import os
import re
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
TOKEN_BYTES = 32
PROBE_SECONDS = 0.5


def refusal(headers: Mapping[str, str], port: int, token: str) -> tuple[int, str] | None:
    """Return an HTTP status and why a request is refused, or None; ``headers`` have lower-case names."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    if told := stranger(headers, port):
        return told
    if kind.lower() != "bearer" or not same_secret(given.strip(), token):
        return 401, "a bearer token is needed; it is in the file that 'shirube serve --http' names at its start"
    return None


def stranger(headers: Mapping[str, str], port: int) -> tuple[int, str] | None:
    """Return why a request is refused whatever it carries: asked for under a foreign name, or by a foreign page."""
    if not _is_local(headers.get("host", ""), port):
        return 421, "this server answers to 127.0.0.1 and localhost only"
    origin = headers.get("origin")
    if origin is not None and not _is_own_origin(origin, port):
        return 403, "requests from other origins are refused"
    return None


def same_secret(given: str, known: str) -> bool:
    """Compare in a time that tells nothing about the secret."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), known.encode())


def _is_local(host: str, port: int) -> bool:
    return host.lower() in {f"{name}:{port}" for name in LOCAL_NAMES}


def _is_own_origin(origin: str, port: int) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme == "http" and _is_local(parts.netloc, port) and not parts.path.strip("/")


def make_token_file(path: Path) -> str:
    """Write a fresh token where only its owner can read it, and return it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as stream:
        stream.write(token + "\n")
    fresh.replace(path)
    return token


def token_file(directory: Path, port: int) -> Path:
    """Return where the server at a port keeps its token."""
    return directory / f"http-{port}.token"


def drop_token_file(path: Path, token: str) -> None:
    """Take a token away at the end, unless another server has its own there by now."""
    try:
        if path.read_text().strip() == token:
            path.unlink()
    except OSError:
        return


def sweep_token_files(directory: Path) -> None:
    """Remove what servers that were killed left behind: no door opens to it, but it reads as if one did."""
    for path in directory.glob("http-*.token*"):
        found = re.fullmatch(r"http-(\d{1,5})\.token(\.\d+)?", path.name)
        if found and not _is_listening(int(found[1])):
            path.unlink(missing_ok=True)


def _is_listening(port: int) -> bool:
    """Tell whether anybody is at a port; a server listens before it writes its token."""
    with socket.socket() as probe:
        probe.settimeout(PROBE_SECONDS)
        try:
            return probe.connect_ex((LOCAL_NAMES[0], port)) != errno.ECONNREFUSED
        except OverflowError:
            return False
