"""Names a project as other machines would: by the remote of its repository and the branch that is checked out."""

import os
import re
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from shirube.engine.repo.git import find_top, git_output, own_dir, read_small
from shirube.engine.repo.process import Limits

_LIMITS = Limits(timeout_seconds=5.0, max_bytes=1 << 20)
_SHORT = re.compile(r"(?:[^@/]+@)?(\[[^\]]+\]|[^:/]+):(?!//)(.+)")
"""How ssh is written without a scheme: ``git@host:path``."""
_ENCODED = re.compile(r"%(2[dDeE]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aAeE])")
"""What stands for a letter, a digit, or one of ``-._~`` in an address, where it means the same as that."""
_PORTS = {"ssh": 22, "git": 9418, "http": 80, "https": 443}
MOST_LETTERS = 400
"""Of a longer name the beginning is told, and what it is by a digest."""
COMMIT_LETTERS = 12
"""How many letters of a commit name a checkout without a branch."""


class Identity:
    """What a project on this machine is called everywhere."""

    def __init__(self, root: Path, machine: str, env: Mapping[str, str] | None = None) -> None:
        self._root, self._machine, self._env = root, machine, env

    @cached_property
    def repository(self) -> str:
        """Host and path of the remote, then the path below its top: ``github.com/org/mono//services/pay``.

        Without a remote that others could reach it is this directory of this machine.
        """
        top = find_top(self._root)
        remote = normalised(self._remote()) if top is not None else ""
        if top is None or not remote:
            place = os.fsencode(self._root.as_posix()).decode("utf-8", "backslashreplace")
            return shortened(f"{self._machine}:{place}")
        below = self._root.relative_to(top.resolve()).as_posix() if self._root != top.resolve() else ""
        return shortened(f"{remote}//{below}" if below else remote)

    def branch(self) -> str:
        """Return the branch that is checked out now, or ``@`` and the commit; empty without git."""
        top = find_top(self._root)
        own = own_dir(top) if top is not None else None
        head = (read_small(own / "HEAD") or b"").decode("utf-8", "replace").strip().replace("\0", "") if own else ""
        if head.endswith("/.invalid"):  # git keeps it elsewhere (reftable)
            output = git_output(self._root, ["rev-parse", "--symbolic-full-name", "HEAD"], _LIMITS, self._env)
            head = f"ref: {(output or b'').decode('utf-8', 'replace').strip()}"
        if head.startswith("ref: "):
            return head.removeprefix("ref: ").removeprefix("refs/heads/")
        return f"@{head[:COMMIT_LETTERS]}" if head else ""

    def _remote(self) -> str:
        """Return the address of the remote: of ``origin``, else of the first by name."""
        query = ["config", "-z", "--get-regexp", r"^remote\..*\.url$"]
        output = git_output(self._root, query, _LIMITS, self._env) or b""
        rows = (row.partition("\n") for row in output.decode("utf-8", "replace").split("\0") if row)
        remotes = {key.removeprefix("remote.").removesuffix(".url"): url for key, _, url in rows}
        return remotes.get("origin") or remotes[min(remotes)] if remotes else ""


def shortened(name: str) -> str:
    """Return a name of at most ``MOST_LETTERS``, and what it is by a digest if it is longer."""
    return name if len(name) <= MOST_LETTERS else f"{name[:MOST_LETTERS]}…{sha256(name.encode()).hexdigest()[:16]}"


def normalised(url: str) -> str:
    """Return host and path of a remote, however it is reached; empty for one that only this machine has.

    ``git@GitHub.com:pallets/flask.git``, ``https://me:secret@github.com/pallets/flask/`` → ``github.com/pallets/flask``
    """
    url = url.strip()
    short = _SHORT.fullmatch(url)
    if "://" not in url:
        if short is None or (len(short[1]) == 1 and short[1].isalpha()):  # a path; C: is a drive
            return ""
        host, path = short[1].lower().removesuffix("."), short[2]
    else:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            return ""
        if parts.scheme == "file" or not parts.hostname:
            return ""
        host, path = parts.hostname.removesuffix("."), _ENCODED.sub(lambda match: chr(int(match[1], 16)), parts.path)
        host += f":{port}" if port not in (None, _PORTS.get(parts.scheme)) else ""
    steps = [part for part in path.split("/") if part]
    name = "/".join(steps[:-1] if steps[-1:] == [".git"] else steps).removesuffix(".git")
    return f"{host}/{name}" if name and "@" not in name else ""
