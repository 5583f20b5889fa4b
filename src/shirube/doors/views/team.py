"""Text about a team's repositories and the work on them."""

from shirube.doors.views.screen import Screen, columns
from shirube.features.team.results import (
    BranchRow,
    RepositoryRow,
    TeamAdded,
    TeamListing,
    TeamRemoved,
    TeamStatus,
    WorkReport,
)

STYLES = {"complete": "good", "dead": "bad", "working": "bold", "waiting": "dim"}
STATE_COLUMNS = 9
MINUTE, HOUR, DAY = 60, 3600, 86_400


def added(result: TeamAdded, screen: Screen) -> str:
    """Return what is followed now."""
    code = "team_view.added" if result.new else "team_view.changed"
    lines = [screen.words(code, name=result.repository, branches=_branches(result.branches, screen))]
    return "\n".join([screen.paint("good", lines[0]), *screen.warn([result.note] if result.note else [])])


def listing(result: TeamListing, screen: Screen) -> str:
    """Return a line for each repository, and its trouble."""
    if not result.repositories:
        return screen.words("team_view.none")
    return "\n".join(line for row in result.repositories for line in _repository(row, screen))


def removed(result: TeamRemoved, screen: Screen) -> str:
    """Return what is followed no longer."""
    return screen.words("team_view.removed", name=result.repository, count=len(result.branches))


def status(result: TeamStatus, screen: Screen) -> str:
    """Return who works, then each repository with its branches."""
    words = screen.words
    head = words(
        "team_view.head",
        server=result.server,
        workers=result.workers,
        waiting=f"{result.waiting:,}",
        running=f"{result.running:,}",
        dead=f"{result.dead:,}",
    )
    total = words("team_view.total", files=result.files, rate=f"{result.files_per_second:,.1f}")
    lines = [head, total]
    for row in result.repositories:
        lines += _repository(row, screen)
        lines += [line for one in result.branches if one.repository == row.repository for line in _branch(one, screen)]
    return "\n".join([*lines, *screen.warn(result.warnings)])


def troubles(result: TeamStatus, screen: Screen) -> str:
    """Return the repositories and branches that something is wrong with; empty if there are none."""
    lines: list[str] = []
    for row in result.repositories:
        bad = [one for one in result.branches if one.repository == row.repository and one.problem]
        if row.problem or bad:
            lines += _repository(row, screen) + [line for one in bad for line in _branch(one, screen)]
    return "\n".join(lines)


def worked(result: WorkReport, screen: Screen) -> str:
    """Return what a worker has done."""
    return screen.words("team_view.worked", count=result.jobs, dead=result.dead, seconds=f"{result.seconds:.1f}")


def _repository(row: RepositoryRow, screen: Screen) -> list[str]:
    words = screen.words
    looked = words("team_view.never") if row.looked is None else words("team_view.ago", time=_time(row.looked))
    about = words("team_view.about", branches=_branches(row.branches, screen), looked=looked)
    return [
        f"{screen.paint('path', row.repository)}  {screen.paint('dim', about)}",
        *(f"  {line}" for line in screen.warn([row.problem] if row.problem else [])),
    ]


def _branch(row: BranchRow, screen: Screen) -> list[str]:
    state = screen.words(f"team_view.{row.state}")
    pad = " " * max(0, STATE_COLUMNS - columns(state))
    about = ""
    if row.state == "working":
        code = "team_view.at" if row.total else "team_view.taken"
        about = screen.words(code, done=f"{row.done:,}", total=f"{row.total:,}", worker=row.worker)
    elif row.commit:
        ago = _time(row.changed)
        about = screen.words("team_view.made", commit=row.commit[:12], files=row.files, seconds=row.seconds, time=ago)
    line = f"  {screen.paint(STYLES.get(row.state, 'dim'), state)}{pad} {screen.paint('bold', row.branch)}  {about}"
    return [line.rstrip(), *(f"    {note}" for note in screen.warn([row.problem] if row.problem else []))]


def _branches(patterns: tuple[str, ...], screen: Screen) -> str:
    return ", ".join(patterns) or screen.words("team_view.default")


def _time(seconds: float) -> str:
    """Return a length of time in one unit: ``90`` → ``1 min``."""
    for unit, length in (("d", DAY), ("h", HOUR), ("min", MINUTE)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds:.0f} s"
