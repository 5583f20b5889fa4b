"""Brings the past changes in the store up to date with the checked-out commit.

The store then holds the same as after reading everything again, whatever happened in between: the commits to be read
are compared with those that are known, so a rebase, another branch or an interrupted reading need no special case.
"""

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.history.commits import GitHistory, Listed
from shirube.engine.store.lexical import keep_note, kept_note
from shirube.engine.store.port import Store, TouchedFile
from shirube.errors import ToolFailed, told
from shirube.messages import NOTHING, Message, say
from shirube.types import Progress

BATCH = 250
"""Commits read and written at a time; an interrupted reading loses at most these."""
VERSION = "1"
"""Increment this when other things are read of a commit: everything is then read again."""
STAMP, READ, TROUBLE = "history_stamp", "history_read", "history_trouble"
"""Facts in the store: the state of git's files at the last reading; version, limits, ends of a shallow clone and head
of the last complete reading; what went wrong in the last one."""


def is_current(store: Store, git: GitHistory) -> bool:
    """Tell whether nothing has happened in git since the last reading; cheap enough for every question."""
    return store.noted(STAMP) == git.stamp()


def trouble(store: Store) -> Message:
    """Return what went wrong in the last reading; NOTHING when it went well."""
    return kept_note(store.noted(TROUBLE))


def bring_up_to_date(store: Store, git: GitHistory, progress: Progress, deadline: Deadline) -> None:
    """Read the commits that the store lacks, and remove those that no longer lead to the checked-out one."""
    stamp = git.stamp()
    store.note(STAMP, "")
    try:
        problem = _read(store, git, progress, deadline)
    except ToolFailed as error:
        _clear(store)
        problem = say("history.left_out", error=told(error))
    store.note(TROUBLE, keep_note(problem))
    store.note(STAMP, stamp)


def _clear(store: Store) -> None:
    store.note(READ, "")
    store.write_changes((), store.commits())


def _read(store: Store, git: GitHistory, progress: Progress, deadline: Deadline) -> Message:
    head = git.head()
    if head is None:
        _clear(store)
        return NOTHING
    version, limits, ends, last = [*store.noted(READ).split("|"), "", "", "", ""][:4]
    if version != VERSION:
        _clear(store)
    known = {commit: Listed(seconds, commit) for commit, seconds in store.commits().items()}
    for commit in {*ends.split()} ^ git.ends:  # a shallow clone that was deepened shows what its ends really changed
        if known.pop(commit, None) is not None:
            store.write_changes((), (commit,))
    newer = git.since(last, head) if last and limits == git.limits else None
    wanted = git.every(head) if newer is None else git.within(head, [*known.values(), *newer])
    missing = [one for one in wanted if one.commit not in known]
    store.note(READ, "")
    store.write_changes((), known.keys() - {one.commit for one in wanted})
    is_plain = newer is not None and min(missing, default=head) >= max(known.values(), default=head)
    for start in range(0, len(missing), BATCH):
        deadline.check()
        progress(say("steps.history"), start, len(missing))
        changes = git.read([one.commit for one in missing[start : start + BATCH]])
        is_plain = is_plain and not any(file.before for change in changes for file in change.files)
        store.write_changes(changes)
    if not is_plain:
        _follow_renames(store)
    store.note(READ, "|".join([VERSION, git.limits, " ".join(sorted(git.ends)), head.commit]))
    return say("history.unreadable", count=git.unreadable) if git.unreadable else NOTHING


def _follow_renames(store: Store) -> None:
    """Give every file its path of today: going back in time, what a commit renamed had its old name before."""
    today: dict[str, str] = {}
    moved = []
    for change in store.past_changes():
        files = tuple(_followed(file, today) for file in change.files)
        today.update((file.before, file.path) for file in files if file.before)
        if files != change.files:
            moved.append(replace(change, files=_distinct(files)))
    store.write_changes(moved)


def _followed(file: TouchedFile, today: dict[str, str]) -> TouchedFile:
    then = file.then or file.path
    path = today.get(then, then)
    return replace(file, path=path, then=then if then != path else "")


def _distinct(files: tuple[TouchedFile, ...]) -> tuple[TouchedFile, ...]:
    """Return files without those that have the path of another one today."""
    return tuple({file.path: file for file in files}.values())
