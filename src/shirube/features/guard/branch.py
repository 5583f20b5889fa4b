"""Which branch the work tree is on, read from git's files without starting git: the gate asks on every write.

A session is bound to the branch it was started on. A branch made from there since has the same content, so it counts
as the same one.
"""

from pathlib import Path

from shirube.config import upwards

MOST_BYTES = 16 << 20
_REF = "ref: "


def current_branch(root: Path, seconds: int) -> str:
    """Return the branch, its commit and the time, as a session keeps them; "" where that cannot be told."""
    ref, commit = _head(root)
    return f"{ref} {commit} {seconds}" if commit else ""


def other_branch(root: Path, started: str) -> str:
    """Return the name of the branch that the work tree is on now, if it is another than a session was started on."""
    then_ref, _, rest = started.partition(" ")
    then, _, seconds = rest.partition(" ")
    ref, commit = _head(root)
    if not rest or not commit or ref == then_ref:
        return ""
    same = {then, _commit(root, then_ref)}
    if commit in same or _made_since(root, ref, same, int(seconds)):
        return ""
    return ref.removeprefix("refs/heads/") if ref != "HEAD" else commit[:12]


def _made_since(root: Path, ref: str, commits: set[str], seconds: int) -> bool:
    """Tell whether a branch began after a time at one of some commits, by the first line of its log."""
    first = _text(_git_directories(root)[1] / "logs" / ref, 4096).partition("\n")[0]
    words = first.partition("\t")[0].split()
    if len(words) < 4 or words[0].strip("0") or words[1] not in commits:
        return False
    return words[-2].isdecimal() and int(words[-2]) >= seconds


def _head(root: Path) -> tuple[str, str]:
    """Return what is checked out, ``HEAD`` when it is no branch, and its commit; empty where that cannot be told."""
    head = _text(_git_directories(root)[0] / "HEAD", 4096).strip()
    if not head.startswith(_REF):
        return "HEAD", head
    ref = head.removeprefix(_REF)
    return ref, _commit(root, ref)


def _commit(root: Path, ref: str) -> str:
    shared = _git_directories(root)[1]
    if loose := _text(shared / ref, 4096).strip():
        return loose
    packed = (line.partition(" ") for line in _text(shared / "packed-refs", MOST_BYTES).splitlines())
    return next((commit for commit, _, name in packed if name == ref), "")


def _git_directories(root: Path) -> tuple[Path, Path]:
    """Return git's directory of the work tree, and the one that it shares with others; missing ones without git."""
    for top in upwards(root):
        own = top / ".git"
        if own.is_dir():
            return own, own
        if link := _text(own, 4096).removeprefix("gitdir:").strip():
            own = top / link
            return own, own / (_text(own / "commondir", 4096).strip() or ".")
    return root / ".git", root / ".git"


def _text(file: Path, most: int) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(most).decode("utf-8", "replace")
    except OSError:
        return ""
