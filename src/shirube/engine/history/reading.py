"""Brings the past changes in the store up to date with the checked-out commit.

The store then holds the same as after reading everything again, whatever happened in between: the commits to be read
are compared with those that are known, so a rebase, another branch or an interrupted reading need no special case.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, repeat

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.history.commits import GitHistory, Listed
from shirube.engine.store.lexical import keep_note, kept_note
from shirube.engine.store.port import TouchedFile
from shirube.engine.store.stamps import Stamps
from shirube.engine.store.store import Store
from shirube.errors import ToolFailed, told
from shirube.messages import NOTHING, Message, say
from shirube.types import Progress

BATCHES = (25, 50, 100, 250)
"""How many commits to read and write at a time: few at first, since a short-lived process may not get further. The
last number is repeated. An interrupted reading loses at most one batch."""
VERSION = "1"
"""Increment this when other things are read of a commit, or messages have other terms: all is then read again."""
STAMP, READ, TROUBLE, LACKS = "history_stamp", "history_read", "history_trouble", "history_lacks"
"""Facts: the state of git's files at the last reading; version, limits, ends of a shallow clone and head of the last
complete reading (an incomplete one leaves out the time of its head); what went wrong in the last one; what the clone
does not have. All but the second are true on one machine only."""
Notes = Store | Stamps
"""Where facts are noted."""
READING = "reading"
"""The stamp during a reading."""


def is_current(store: Store, stamp: str, local: Notes | None = None) -> bool:
    """Tell whether nothing has happened in git since the last reading; cheap enough for every question."""
    return (local or store).noted(STAMP) == _stamp_for(store, stamp)


def _stamp_for(store: Store, stamp: str) -> str:
    """Return a stamp that is worth nothing for another index, or when another machine has read something else."""
    return f"{store.noted('begun_ns')} {store.noted(READ)} {stamp}"


def trouble(local: Notes) -> Message:
    """Return what went wrong in the last reading; NOTHING when it went well."""
    return kept_note(local.noted(TROUBLE))


def forget(store: Store, local: Notes) -> None:
    """Remove everything that was read, so that the next reading begins from nothing."""
    local.note(STAMP, READING)
    store.note(READ, "")
    store.write_changes((), store.commits())


def bring_up_to_date(
    store: Store, git: GitHistory, progress: Progress, deadline: Deadline, local: Notes | None = None
) -> int:
    """Read the commits that the store lacks, remove those that no longer lead to the checked-out one; count the read.

    ``local`` notes what is true on this machine only. Where git cannot read the repository, it says why (``trouble``),
    and a store that nobody else uses forgets what was read. Raises ``ToolFailed`` without git.
    """
    git, stamp, local, read = git.anew(), git.stamp(), local or store, 0
    local.note(STAMP, READING)
    try:
        problem, read = _read(store, local, git, progress, deadline)
        local.note(LACKS, keep_note(git.lacks(store.commits().keys())))
    except ToolFailed as error:
        if not store.backend.remote:
            forget(store, local)
        if error.message.code == "repo.no_git":  # another process may have it
            raise
        problem = say("history.left_out", error=told(error))
    local.note(TROUBLE, keep_note(problem))
    local.note(STAMP, _stamp_for(store, stamp))
    return read


def _read(store: Store, local: Notes, git: GitHistory, progress: Progress, deadline: Deadline) -> tuple[Message, int]:
    head = git.head()
    version, limits, ends, seconds, last = [*store.noted(READ).split("|"), *[""] * 5][:5]
    if head is None or version != VERSION:
        forget(store, local)
    if head is None:
        return NOTHING, 0
    known = {commit: Listed(seconds, commit) for commit, seconds in store.commits().items()}
    now = [VERSION, git.limits, " ".join(sorted(git.ends))]
    newer = git.since(Listed(int(seconds), last), head) if seconds and [version, limits, ends] == now else None
    wanted = git.every(head) if newer is None else git.within(head, [*known.values(), *newer])
    # A shallow clone that was deepened shows what its ends really changed.
    again = ({*ends.split()} - git.ends) & {one.commit for one in wanted}
    if git.ends:
        wanted = git.within(head, [*wanted, *git.cut_off(known, last, wanted)])
    kept = known.keys() & ({one.commit for one in wanted} - again)
    missing, gone = [one for one in wanted if one.commit not in kept], known.keys() - kept
    finished = "|".join([*now, str(head.seconds), head.commit])
    if store.noted(READ) == finished and not missing and not gone:  # another machine has read it
        return trouble(local), 0
    store.note(READ, "|".join([*now, "", last]))
    store.write_changes((), gone)
    done = 0
    for size in chain(BATCHES, repeat(BATCHES[-1])):
        if done >= len(missing):
            break
        deadline.check()
        progress(say("steps.history"), len(wanted) - len(missing) + done, len(wanted))
        store.write_changes(git.read(missing[done : done + size]))
        done += size
    if newer is None or wanted[: len(missing)] != missing:
        _follow_renames(store)
    elif missing:
        _follow_renames(store, missing)
    store.note(READ, finished)
    if git.unreadable:
        return say("history.unreadable", count=git.unreadable), len(missing)
    return (NOTHING if newer is None else trouble(local)), len(missing)


def _follow_renames(store: Store, newest: Sequence[Listed] = ()) -> None:
    """Give every file its path of today: going back in time, what a commit renamed had its old name before.

    With ``newest``, the paths of all other changes were right when these were not known yet.
    """
    today: dict[str, str] = {}
    moved, new = [], {one.commit for one in newest}
    for change in store.past_changes(since=newest[-1].seconds if newest else 0):
        if not new or change.commit in new:
            files = tuple(_moved(file, file.then or file.path, today) for file in change.files)
            today.update((file.before, file.path) for file in files if file.before)
            moved += [replace(change, files=files)] if files != change.files else []
    for change in store.past_changes(today) if new else ():
        if change.commit not in new:
            moved.append(replace(change, files=tuple(_moved(file, file.path, today) for file in change.files)))
    store.write_changes(moved)


def _moved(file: TouchedFile, path: str, today: Mapping[str, str]) -> TouchedFile:
    then, path = file.then or file.path, today.get(path, path)
    return replace(file, path=path, then="" if then == path else then)
