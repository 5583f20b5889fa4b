"""``shirube gate --hook …``: runs the gate for an agent's hook, and decides what happens when the gate fails.

It does not use ``workspace``, because that imports the whole engine. In block mode every failure (a crash, a hang, no
JSON, an unreadable journal) refuses the write; in the other modes the agent learns that nothing was checked.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import Timer
from time import time_ns
from typing import TYPE_CHECKING

from shirube.config import MARKS, child_environment, find_root, own_directories, upwards
from shirube.engine.store.disk import GATE, JOURNAL, project_directory, stream_of
from shirube.errors import BadArgument, ShirubeError, UnknownName
from shirube.features.guard.gate_memory import GateSettings, mark_new_context, memory_file, read_rules
from shirube.features.guard.hook_check import GateContext, after, before, is_harmless, remembered_tree, stop
from shirube.features.guard.hook_protocol import (
    AGENTS,
    BLOCK,
    BLOCKED,
    FAILED,
    MODES,
    MOMENTS,
    NAMING,
    HookAnswer,
    HookEvent,
    ToolKind,
    read_event,
    refuse,
)
from shirube.messages import say

if TYPE_CHECKING:
    from shirube.engine.store.journal import Journal
    from shirube.features.guard.stored_session import StoredSession
    from shirube.features.guard.writes import WriteTarget

SECONDS = 5.0
"""Less than the six seconds that the shell command allows, so that we can still report what happened."""
BUSY_SECONDS = 3.0
MOST_BYTES = 64 << 20
MOST_TOLD = 120
"""How many characters of an unexpected error are told."""
RULES = "rules.json"


def main(argv: Sequence[str]) -> int:
    """Answer one hook and return the exit code."""
    closable = "before" in argv  # later hooks cannot prevent the write; refusing "stop" would never end
    closed = closable and "block" in argv
    timer = Timer(SECONDS, _give_up, (closable, closed))
    timer.daemon = True
    timer.start()
    try:
        options = read_options(argv)
        answer = answer_hook(options, sys.stdin.buffer.read(MOST_BYTES + 1))
    except Exception as error:  # noqa: BLE001 - the one broad handler of this door
        closed = closed or (closable and _user_blocks())
        what = error.message if isinstance(error, ShirubeError) else f"{type(error).__name__}: {error}"[:MOST_TOLD]
        code, word = (BLOCKED, BLOCK) if closed else (FAILED, "FAILED")
        answer = HookAnswer(word, _failed(what, closed), code)
    timer.cancel()
    sys.stderr.write(f"{answer.err}\n" if answer.err else "")
    sys.stdout.write(f"{answer.out}\n")
    sys.stdout.flush()
    return answer.code


def read_options(argv: Sequence[str]) -> dict[str, str]:
    """Read pairs of options; argparse would take longer than the whole answer."""
    known = {"--hook": MOMENTS, "--agent": AGENTS, "--mode": MODES, "--root": ()}
    options = {"--hook": "", "--agent": AGENTS[0], "--mode": "advise", "--root": ""}
    words = iter(argv)
    for name in words:
        value = next(words, "")
        if name not in known:
            raise UnknownName("argument", name, known)
        if known[name] and value not in known[name]:
            raise UnknownName(say("terms.value", name=name), value, known[name])
        options[name] = value
    return options


def answer_hook(options: Mapping[str, str], question: bytes) -> HookAnswer:
    """Return the answer to one hook event of an agent."""
    if len(question) > MOST_BYTES:
        raise BadArgument("guard.too_large", most=MOST_BYTES >> 20)
    event = read_event(question.decode("utf-8", "replace"), options["--hook"], options["--agent"])
    if event.moment == "before" and event.kind is ToolKind.OTHER and not event.tool and event.agent in NAMING:
        raise BadArgument("guard.no_tool")
    given = Path(options["--root"]) if options["--root"] else None
    answers = [_answer_in(root, part, options["--mode"]) for root, part in _projects(event, given)]
    return next((answer for answer in answers if answer != HookAnswer()), answers[0])


def _projects(event: HookEvent, given: Path | None) -> "list[tuple[Path, HookEvent]]":
    """Return the project an event is about; an edit of files elsewhere is about the projects these lie in."""
    cwd = Path(event.cwd or Path.cwd())
    root = _real(find_root(given, cwd))
    targets: dict[Path, list[str]] = {}
    for target in event.targets if event.kind is ToolKind.EDIT else ():
        place = _real(cwd / Path(target).expanduser())
        around = () if place.is_relative_to(root) else upwards(place.parent)
        own = next((folder for folder in around if any((folder / mark).exists() for mark in MARKS)), root)
        targets.setdefault(own, []).append(target)
    if targets.keys() <= {root}:
        return [(root, event)]
    return [(own, event._replace(targets=tuple(files))) for own, files in targets.items()]


def _real(place: Path) -> Path:
    return Path(os.path.realpath(place))


def _answer_in(root: Path, event: HookEvent, of_hook: str) -> HookAnswer:
    """Return the answer of one project."""
    places = own_directories()
    folder = project_directory(places["state"], root)
    if event.forgot:
        mark_new_context(folder / GATE)
    memory = memory_file(folder / GATE, event.client)
    if event.moment == "before" and memory.exists() and is_harmless(event):
        return HookAnswer()
    forgeable = places["state"].is_relative_to(root)
    rules = read_rules(root, None if forgeable else folder / RULES)
    mode = choose_mode(rules.mode, of_hook)
    if mode == "off":
        return HookAnswer()
    if mode == "block" and forgeable:
        return refuse(say("guard.forgeable", path=str(places["state"])), event.moment, event.agent)
    if event.moment in ("start", "before") and not memory.exists():
        remembered_tree(root, memory, child_environment())
    owners = (f"{event.client}/{event.helper}", event.client) if event.helper else (event.client,)
    with closing(_Record(root, folder / JOURNAL, rules, owners if event.client else ())) as record:
        gate = GateContext(
            root=root,
            mode=mode,
            memory=memory,
            env=child_environment(),
            find_session=record.find_session,
            note=record.note,
            allow=record.allow,
            bind=record.bind,
            look=record.look,
            exempt=rules.exempt,
            commands=rules.commands,
            own=tuple(places.values()),
        )
        answers = {"before": before, "after": after, "stop": stop}
        return answers[event.moment](gate, event) if event.moment in answers else HookAnswer()


class _Record:
    """The journal, opened at first use; ``owners`` are the sub-agent and the conversation that the event is about."""

    def __init__(self, root: Path, file: Path, rules: GateSettings, owners: Sequence[str]) -> None:
        self._root, self._file, self._rules, self._owners = root, file, rules, owners
        self._journal: Journal | None = None

    def find_session(self) -> "StoredSession | None":
        from shirube.features.guard.stored_session import find_client_session

        stored = find_client_session(self._opened(), self._owners, time_ns(), self._rules.expire_hours)
        return stored.on_branch_of(self._root) if stored else None

    def bind(self, handle: str) -> bool:
        from shirube.features.guard.stored_session import bind_session

        return bool(self._owners) and bind_session(self._opened(), handle, self._owners[0])

    def look(self, handle: str, body: Mapping[str, object]) -> None:
        self._opened().append(stream_of(handle), body)

    def note(self, body: Mapping[str, object]) -> None:
        self._opened().append(GATE, body)

    def allow(self, handle: str, targets: "Sequence[WriteTarget]") -> None:
        from shirube.features.guard.state import WriteCheck, pack_event
        from shirube.features.guard.stored_session import WRITTEN

        for target in targets:
            check = pack_event(WriteCheck(target.path, True, not target.exists))
            self._opened().append(stream_of(handle), {**check, WRITTEN: True})

    def _opened(self) -> "Journal":
        if self._journal is None:
            from shirube.engine.store.journal import Journal

            # No check of the whole file, to be fast: reading a damaged record fails, and a failure refuses the write.
            busy = min(BUSY_SECONDS, self._rules.busy_seconds)
            self._journal = Journal(self._file, busy, time_ns, check=False)
        return self._journal

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()


def choose_mode(configured: str, of_hook: str) -> str:
    """Return the gate's mode: the hook's option can make it stricter; only the user's settings can switch it off."""
    if "block" in (configured, of_hook):
        return "block"
    return "off" if configured == "off" else "advise"


def _failed(what: str, closed: bool) -> str:
    return say("guard.failed_closed" if closed else "guard.failed_open", what=what)


def _user_blocks() -> bool:
    """Tell whether the user's own settings say block; an unreadable file of the project must not change that."""
    from shirube.config import load_config

    try:
        return load_config(None).gate.mode == "block"
    except ShirubeError:
        return False


def _give_up(closable: bool, closed: bool) -> None:
    """Report that it took too long and exit at once, without waiting for whatever hangs."""
    closed = closed or (closable and _user_blocks())
    os.write(1, f"{BLOCK}\n".encode() if closed else b"FAILED\n")
    try:
        os.write(2, f"{_failed(say('guard.no_answer', seconds=f'{SECONDS:g}'), closed)}\n".encode())
    finally:
        os._exit(BLOCKED if closed else FAILED)
