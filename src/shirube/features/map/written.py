"""What sessions wrote, and what became of it by git: lines that were kept, changed or reverted.

When a session may write a file, the hashes of the file's lines are noted; its outcome keeps those of the lines that it
added and removed. Later these are compared with the file at HEAD, and with the work tree where HEAD has the old lines.
Nothing is installed in git: whoever wants to know has to look.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from enum import StrEnum
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.codec import pack, replace, unpack
from shirube.config import child_environment
from shirube.engine.repo.git import git_output
from shirube.engine.repo.process import Limits
from shirube.engine.repo.read import read_bytes
from shirube.engine.store.disk import SESSION, stream_of
from shirube.errors import Conflict, ShirubeError
from shirube.features.map.agreements import keep_pairs
from shirube.features.map.facts import read_facts
from shirube.features.map.records import Outcome, Result, WrittenFile, last_words, outcomes
from shirube.features.map.states import Standing

if TYPE_CHECKING:
    from shirube.workspace import Workspace

BEFORE, WRITTEN, SETTLED, REVERTED = "before", "written", "settled", "map-reverted"
"""Kinds of documents: a file before a session wrote it; by session, its written lines, what became of them, and that
its agreements were demoted."""
DIGITS = 8
"""Hexadecimal digits of the hash of a line."""
MOST_LINES = 5000
"""In a file with more lines, single lines are not followed."""
MOST_MARKS = 200
"""How many written lines of a file are followed."""
LOOKED_THROUGH, LEFT = 20, 5
"""How many of the last sessions are looked at when a session starts or ends, and how many without an outcome."""
_TELLING = re.compile(r"\w\W*\w")
"""A line with less in it, such as a bracket, says nothing about where it comes from."""


class Fate(StrEnum):
    """What became of what a session wrote into a file."""

    KEPT = "kept"
    CHANGED = "changed"
    """Committed, and edited since."""
    REVERTED = "reverted"
    """The old lines are back."""
    UNCOMMITTED = "uncommitted"
    """In the work tree only: git cannot tell yet."""
    UNWRITTEN = "unwritten"
    """It may have been written, but nothing shows that it was."""
    UNKNOWN = "unknown"


class Settled(Struct, frozen=True):
    """What became of a written file when it was last looked at."""

    fate: Fate
    lines: int = 0
    """How many of the lines that were added are followed, …"""
    kept: int = 0
    """… and how many of them are still there."""
    commit: str = ""
    """The commit that landed the lines; for reverted ones the last commit of the file."""
    blob: str = ""
    """Git's name for the content that was compared."""


class Marks(Struct, frozen=True):
    """The lines that a session added to a file and removed from it, as hashes."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    before: str = ""
    """The digest of the whole file before, …"""
    after: str = ""
    """… and after the session wrote it."""
    commit: str = ""
    """What was checked out when this was noted."""


class Content(Struct, frozen=True):
    """A file at some time: the SHA-256 of its bytes (empty when it was not there), and the hashes of its lines."""

    digest: str = ""
    lines: tuple[str, ...] = ()


def content_of(data: bytes) -> Content:
    """Return the digest and the line hashes of a file; lines that differ by blanks only have the same hash."""
    lines = data.decode("utf-8", "replace").split("\n")
    hashes = []
    for line in lines if len(lines) <= MOST_LINES else ():
        words = " ".join(line.split())
        digest = blake2b(words.encode("utf-8", "replace"), digest_size=DIGITS // 2).hexdigest()
        hashes.append(digest if _TELLING.search(words) else "")
    return Content(sha256(data).hexdigest(), tuple(hashes))


def marks_between(before: Content, after: Content) -> Marks:
    """Return the lines that are only in one of two versions of a file."""
    old, new = set(before.lines), set(after.lines)
    added = dict.fromkeys(line for line in after.lines if line and line not in old)
    removed = dict.fromkeys(line for line in before.lines if line and line not in new)
    return Marks(tuple(added)[:MOST_MARKS], tuple(removed)[:MOST_MARKS])


def changed_lines(before: Content, after: Content) -> tuple[int, ...]:
    """Return the numbers of the lines of ``after`` that are new; for removed lines, those on both sides of the gap."""
    old = [line for line in before.lines if line]
    new = [(line, number) for number, line in enumerate(after.lines, 1) if line]
    numbers: set[int] = set()
    matched = SequenceMatcher(None, old, [line for line, _ in new], autojunk=False)
    for kind, _, _, start, end in matched.get_opcodes():
        if kind != "equal":
            touched = new[start:end] or new[max(0, start - 1) : start + 1]
            numbers.update(number for _, number in touched)
    return tuple(sorted(numbers))


def judge(file: WrittenFile, marks: Marks, now: Content) -> Settled:
    """Return what became of written lines, by what is in the file now."""
    present = set(now.lines)
    kept = sum(line in present for line in marks.added)
    back = sum(line in present for line in marks.removed)
    lines = len(marks.added)
    if now.digest == file.after:
        return Settled(Fate.KEPT, lines, lines)
    if now.digest == file.before:  # also a new file that was deleted again: both are empty
        return Settled(Fate.REVERTED, lines)
    if not now.digest or not (marks.added or marks.removed):
        return Settled(Fate.CHANGED, lines)
    if kept == lines and not back:
        return Settled(Fate.KEPT, lines, kept)
    if not kept and back == len(marks.removed):
        return Settled(Fate.REVERTED, lines)
    return Settled(Fate.CHANGED, lines, kept)


def is_undone(settled: Iterable[Settled]) -> bool:
    """Tell whether nothing is left of what a session wrote: every file that it wrote was reverted."""
    written = [one.fate for one in settled if one.fate is not Fate.UNWRITTEN]
    return bool(written) and all(fate is Fate.REVERTED for fate in written)


# --- noting what is written --------------------------------------------------------------------------------


def note_before(workspace: "Workspace", handle: str, path: str) -> None:
    """Note a file as it is before a session writes it; not if it may have been written already."""
    before = content_now(workspace, path)
    events = [event.body for event in workspace.journal.events(stream_of(handle))]
    checks = [event for event in events if event.get("kind") == "check" and event.get("path") == path]
    if before is None or any(check.get("allowed") is True for check in checks):
        return
    body = {"digest": before.digest, "lines": "".join(line or "-" * DIGITS for line in before.lines)}
    with suppress(Conflict):
        workspace.journal.put(BEFORE, f"{handle} {path}", body, expect=0)


def content_before(workspace: "Workspace", handle: str, path: str) -> Content:
    """Return a file as it was before a session wrote it; if nobody noted it, as git had it when the session began."""
    noted = workspace.journal.get(BEFORE, f"{handle} {path}")
    if noted is None:
        session = workspace.journal.get(SESSION, handle)
        begun = session.body.get("created_at") if session else ""
        commit = _git(workspace, "rev-list", "--max-count=1", f"--before={begun}", "HEAD") if begun else None
        return _content_of_blob(workspace, f"{(commit or b'HEAD').decode('ascii').strip()}:./{path}")
    text = str(noted.body.get("lines", ""))
    lines = (text[start : start + DIGITS].strip("-") for start in range(0, len(text), DIGITS))
    return Content(str(noted.body.get("digest", "")), tuple(lines))


def content_now(workspace: "Workspace", path: str) -> Content | None:
    """Return a file of the work tree; None when it is there and cannot be read."""
    if not (workspace.root / path).exists():
        return Content()
    try:
        return content_of(read_bytes(workspace.root, path, workspace.config.index.max_file_bytes))
    except ShirubeError:
        return None


def note_written(workspace: "Workspace", handle: str, paths: Sequence[str]) -> tuple[WrittenFile, ...]:
    """Note what a session wrote into the files it was allowed to write, and return them."""
    marks, head = _marks(workspace, handle), workspace.head() if paths else ""
    for path in paths:
        before, after = content_before(workspace, handle, path), content_now(workspace, path) or Content()
        if before.digest == after.digest and path in marks:
            continue  # reverted since this was last noted
        found = marks_between(before, after)
        marks[path] = replace(found, before=before.digest, after=after.digest, commit=head)
    if marks:
        workspace.journal.put(WRITTEN, handle, pack(marks))
        workspace.journal.remove(SETTLED, handle)  # other lines may be meant now
    return tuple(WrittenFile(path, marks[path].before, marks[path].after) for path in paths)


def _marks(workspace: "Workspace", handle: str) -> dict[str, Marks]:
    noted = workspace.journal.get(WRITTEN, handle)
    return unpack(dict[str, Marks], noted.body) if noted else {}


def note_left(workspace: "Workspace") -> None:
    """Note what the last sessions wrote whose outcome nobody has told; a commit may settle it."""
    told = {outcome.session_id for outcome in outcomes(workspace.journal)}
    for document in workspace.journal.documents(SESSION, LEFT):
        if document.key not in told and workspace.journal.get(WRITTEN, document.key) is None:
            known = read_facts(workspace.journal, document.key)
            note_written(workspace, document.key, known.targets if known else ())


def without_outcome(workspace: "Workspace", handles: Iterable[str]) -> list[Outcome]:
    """Return what sessions wrote whose outcome nobody has told, for ``settle``."""
    noted = ((handle, _marks(workspace, handle)) for handle in handles)
    return [
        Outcome(
            handle,
            Result.PARTIAL,
            files=tuple(WrittenFile(path, one.before, one.after) for path, one in marks.items()),
            commit=next(iter(marks.values())).commit,
        )
        for handle, marks in noted
        if marks
    ]


# --- looking at git ----------------------------------------------------------------------------------------


def settle(workspace: "Workspace", told: Sequence[Outcome]) -> dict[str, dict[str, Settled]]:
    """Return what became of the files of outcomes, by session and path; only what changed is looked at anew."""
    paths = dict.fromkeys(file.path for outcome in told for file in outcome.files)
    blobs = _blobs(workspace, tuple(paths)) if paths else {}
    settled: dict[str, dict[str, Settled]] = {}
    for outcome in told:
        handle, found = outcome.session_id, dict[str, Settled]()
        past, marks = workspace.journal.get(SETTLED, handle), _marks(workspace, handle)
        known = unpack(dict[str, Settled], past.body) if past else {}
        for file in outcome.files:
            before = known.get(file.path)
            blob = (blobs or {}).get(file.path, "")
            if before is not None and blob and before.blob == blob and before.fate in (Fate.KEPT, Fate.CHANGED):
                found[file.path] = before
                continue
            now = _look(workspace, outcome, file, marks.get(file.path, Marks()), blobs, before)
            has_landed = {one.fate for one in (before, now) if one} <= {Fate.KEPT, Fate.CHANGED}
            found[file.path] = replace(now, commit=before.commit) if before and has_landed else now
        if found and found != known:
            workspace.journal.put(SETTLED, handle, pack(found))
        settled[handle] = found
    return settled


def _look(
    workspace: "Workspace",
    told: Outcome,
    file: WrittenFile,
    marks: Marks,
    blobs: Mapping[str, str] | None,
    last: Settled | None,
) -> Settled:
    """Compare a written file with HEAD, and with the work tree if HEAD has nothing of it; ``last``: as last seen."""
    if file.before == file.after:
        return Settled(Fate.UNWRITTEN)
    path, tree = file.path, content_now(workspace, file.path)
    if tree == Content() and file.after and blobs is not None and path not in blobs:
        path = _path_today(workspace, told, file)
        tree, blobs = content_now(workspace, path), _blobs(workspace, (path,))
    blob = (blobs or {}).get(path, "")
    still = last is not None and last.blob == blob and last.fate is Fate.UNCOMMITTED  # HEAD has nothing of it
    committed = Settled(Fate.REVERTED) if still else judge(file, marks, _content_of_blob(workspace, blob))
    if blobs is not None and (committed.fate is Fate.KEPT or committed.kept):
        return replace(committed, commit=_commits(workspace, told, path)[-1], blob=blob)
    now = judge(file, marks, tree) if tree is not None else Settled(Fate.UNKNOWN)
    if now.fate is Fate.KEPT or now.kept:
        return replace(now, fate=Fate.UNKNOWN if blobs is None else Fate.UNCOMMITTED, blob=blob)
    if blobs is None:
        return now if now.fate is Fate.REVERTED else Settled(Fate.UNKNOWN)
    wanted = ["--max-count=1", _since(workspace, told), "--all", "^HEAD", "--", f":(literal){path}"]
    if _git(workspace, "rev-list", *wanted) != b"":  # another branch or a stash may have the lines
        return Settled(Fate.UNKNOWN)
    return replace(now, commit=_commits(workspace, told, path)[0])


def _git(workspace: "Workspace", *arguments: str) -> bytes | None:
    limits = Limits(5.0, workspace.config.index.max_file_bytes)
    return git_output(workspace.root, arguments, limits, child_environment())


def _blobs(workspace: "Workspace", paths: tuple[str, ...]) -> dict[str, str] | None:
    """Return git's names for files at HEAD; None without git or a commit."""
    output = _git(workspace, "ls-tree", "-z", "HEAD", "--", *paths)
    if output is None:
        return None
    rows = (row.partition("\t") for row in output.decode("utf-8", "surrogateescape").split("\0")[:-1])
    return {path: entry.split()[2] for entry, _, path in rows}


def _content_of_blob(workspace: "Workspace", blob: str) -> Content:
    data = _git(workspace, "show", blob) if blob else None
    return content_of(data) if data is not None else Content()


def _path_today(workspace: "Workspace", told: Outcome, file: WrittenFile) -> str:
    """Return the path of a file that is no longer there, by its content or by the renames since the outcome."""
    same = [other for other, record in workspace.store.files().items() if record.digest == file.after]
    if same:
        return same[0]
    wanted = ["--format=", "--name-status", "--diff-filter=R", "--find-renames=50%", "--relative", "--reverse"]
    output = _git(workspace, "log", "-z", *wanted, f"{told.commit}..HEAD") if told.commit else None
    parts = [part for part in (output or b"").decode("utf-8", "surrogateescape").split("\0") if part]
    path = file.path
    for old, new in zip(parts[1::3], parts[2::3], strict=False):
        path = new if old == path else path
    return path


def _since(workspace: "Workspace", told: Outcome) -> str:
    """Return the option that limits git to the time since a session began."""
    session = workspace.journal.get(SESSION, told.session_id)
    begun = session.body.get("created_at") if session else ""
    return f"--since={begun or told.timestamp}"


def _commits(workspace: "Workspace", told: Outcome, path: str) -> list[str]:
    """Return the commits of a file since an outcome, the newest first; if there are none, the last of its session."""
    form, file = "--format=%H", ("--", f":(literal){path}")
    output = _git(workspace, "log", form, f"{told.commit}..HEAD", *file) if told.commit else None
    output = output or _git(workspace, "log", form, "--max-count=1", _since(workspace, told), "HEAD", *file)
    return (output or b"").decode("ascii", "replace").split() or [""]


def undone_sessions(workspace: "Workspace") -> frozenset[str]:
    """Return the sessions of which nothing was left when they were last looked at."""
    documents = workspace.journal.documents(SETTLED)
    return frozenset(one.key for one in documents if is_undone(unpack(dict[str, Settled], one.body).values()))


def demote_reverted(workspace: "Workspace", most: int = 0) -> tuple[str, ...]:
    """Demote agreements from a success of which nothing is left; each session only once; return their labels."""
    journal = workspace.journal
    told = [
        outcome
        for outcome in list(last_words(outcomes(journal)).values())[-most:]
        if outcome.outcome == Result.SUCCESS and journal.get(REVERTED, outcome.session_id) is None
    ]
    undone = [handle for handle, files in settle(workspace, told).items() if is_undone(files.values())]
    demoted = []
    for item in workspace.map.load().own if undone else ():
        if item.session_id in undone and item.standing == Standing.AGREED:
            workspace.map.save(replace(item, failures=item.failures + 1, standing=Standing.DEMOTED))
            demoted.append(item.label)
    for handle in undone:
        journal.put(REVERTED, handle, {"at": workspace.moment()})
    if demoted:
        keep_pairs(workspace)
    return tuple(demoted)
