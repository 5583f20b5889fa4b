"""A project with a past: commits at fixed moments, by somebody who is the same everywhere."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import write_sample

RETRY, PAYMENT = "src/shop/retry.py", "src/shop/payment.py"
FAKE = "ghp_" + "aB3dE5fG7hJ9" * 3
"""Looks like a token of GitHub, and is none."""


def git(root: Path, *arguments: str, moment: str = "2024-03-01T09:00:00+00:00") -> str:
    """Run git at a fixed moment and return what it printed."""
    who = {"NAME": "Aya", "EMAIL": "aya@example.org", "DATE": moment}
    names = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in who.items()}
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", *arguments]
    done = subprocess.run(command, cwd=root, env={**os.environ, **names, **own}, check=True, capture_output=True)
    return done.stdout.decode().strip()


def begin(root: Path) -> None:
    """Make a repository without a commit."""
    git(root, "init", "-q", "-b", "main", "--object-format=sha1")


def commit(root: Path, day: str, message: str, files: Mapping[str, str | bytes | None]) -> str:
    """Write files, remove those without text, commit everything, and return the hash."""
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            file.unlink()
        else:
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message, moment=f"{day}T09:00:00+00:00")
    return git(root, "rev-parse", "HEAD")


def changed(root: Path, name: str, old: str, new: str) -> dict[str, str]:
    """Return a file with a part of it replaced."""
    return {name: (root / name).read_text("utf-8").replace(old, new)}


def write_past(root: Path) -> dict[str, str]:
    """Write the sample shop and some commits; return their hashes by a word."""
    write_sample(root)
    begin(root)
    made = {"first": commit(root, "2024-01-01", "Open the shop", {})}
    retry = changed(root, RETRY, "ATTEMPTS = 3", "ATTEMPTS = 5")
    body = "The bank is slow on Mondays.\n\nSeen in the log of the till.\n\nSigned-off-by: Aya <aya@example.org>"
    payment = changed(root, PAYMENT, "trying again", "trying more often")
    made["retry"] = commit(root, "2024-01-10", f"Retry failed payments five times\n\n{body}", retry | payment)
    refund = changed(root, PAYMENT, 'receipt.startswith("receipt-")', 'receipt.startswith(("receipt-", "slip-"))')
    made["refund"] = commit(root, "2024-02-01", "返金処理で伝票も受け付ける", refund)
    made["price"] = commit(root, "2024-02-05", "Format prices in whole yen", changed(root, "web/price.ts", "¥", "JPY "))
    git(root, "mv", "web/price.ts", "web/money.ts")
    made["renamed"] = commit(root, "2024-02-10", "Rename the module of prices to money", {})
    made["gone"] = commit(root, "2024-02-15", "Remove the cart", {"web/cart.ts": None})
    secret = f"Let the till log in with {FAKE}\n\nThe password is in the chat: password={FAKE[4:]}"
    settings = {
        "src/shop/till.py": f'"""Log in."""\n\nTOKEN = "{FAKE}"\n',
        ".env": "TILL=1\n",
        "logo.png": b"\x89PNG\0\1",
    }
    made["secret"] = commit(root, "2024-02-20", secret, settings)
    return made
