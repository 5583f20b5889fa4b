"""The operations of group ``index``: what each takes, and what it answers."""

from typing import Annotated

from shirube.codec import Arg, Record
from shirube.features.lookup.results import IndexStatus, SyncResult
from shirube.operation import Context, operation


class SyncRequest(Record):
    """What ``sync_index`` takes."""

    full: Annotated[
        bool, Arg("Read every file again instead of trusting time stamps.", also="force", usage="--full")
    ] = False
    wait: Annotated[bool, Arg("Wait for the end; false returns at once, and index_status tells of the progress.")] = (
        True
    )
    cancel: Annotated[bool, Arg("Stop the sync that runs; what it has done is kept.")] = False
    path: Annotated[str, Arg("A file or directory; the whole project is synced whatever it names.", rare=True)] = ""
    sync_map: Annotated[bool, Arg("false: do not tell the state of the map.", rare=True)] = True


@operation(SyncRequest, "index", read_only=False, command="index")
def sync_index(project: Context, asked: SyncRequest) -> SyncResult:
    """Bring the index up to date with the files on disk and tell what changed; safe to call at any time."""
    from shirube.features.lookup.indexing import sync_index as answer

    return answer(project.workspace, asked, project.call)


class IndexStatusRequest(Record):
    """What ``index_status`` takes."""

    limit: Annotated[int, Arg("How many skipped files to name.", low=0, high=10000)] = 50
    look: Annotated[
        bool, Arg("Compare the whole tree with the index; false answers at once, and may leave needs_sync open.")
    ] = True


@operation(IndexStatusRequest, "index", command="status")
def index_status(project: Context, asked: IndexStatusRequest) -> IndexStatus:
    """What does the index hold, how fresh is it, and which files does it leave out and why?"""
    from shirube.features.lookup.indexing import index_status as answer

    return answer(project.workspace, asked, project.call)


class IndexMethods:
    """These operations as methods of a project."""

    sync_index = sync_index
    index_status = index_status
