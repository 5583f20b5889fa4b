"""Answers the three questions of a hook: may this tool run, what did it change, may the agent stop?

Most answers need neither the write rules nor the tree snapshot. Both are imported only where needed, to answer quickly.
"""

import os
import re
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shirube.features.guard.gate_memory import Memory, add_looks, forget_old, recall, remember, state_in, take_looks
from shirube.features.guard.hook_protocol import HookAnswer, HookEvent, ToolKind, advise, refuse
from shirube.messages import NOTHING, Message, Speech, language_of, pack_message, say

if TYPE_CHECKING:
    from shirube.features.guard.looks import Looked
    from shirube.features.guard.stored_session import StoredSession
    from shirube.features.guard.writes import Refused, WriteTarget

SHOWN, MOST = 120, 20
"""How many characters of a command, and how many targets, are recorded for one hook event."""
KEPT = 100
"""How many allowed files are recorded at once; a command may change thousands."""


class GateContext(NamedTuple):
    """Everything an answer depends on; only the three functions open the journal, so most answers never do."""

    root: Path
    mode: str
    memory: Path
    env: Mapping[str, str]
    find_session: "Callable[[], StoredSession | None]"
    note: Callable[[Mapping[str, object]], None]
    allow: "Callable[[str, Sequence[WriteTarget]], None]"
    """Records that a session may write some files."""
    bind: Callable[[str], bool]
    """Binds a session to the conversation; tells whether it now belongs to it."""
    look: Callable[[str, Mapping[str, object]], None]
    """Records in a session what the agent looked at with its own tools."""
    exempt: Sequence[str] = ()
    commands: Sequence[str] = ()
    own: Sequence[Path] = ()
    """The directories of shirube itself, which no agent may write."""


def remembered_tree(root: Path, memory: Path, env: Mapping[str, str]) -> Memory:
    """Return a client's memory; the first call takes the snapshot that later changes are compared with."""
    remembered = recall(memory)
    if remembered is None:
        from shirube.features.guard.tree_snapshot import take_snapshot

        remembered = Memory(take_snapshot(root, env))
        remember(memory, remembered)
        forget_old(memory.parent)
    return remembered


def is_harmless(event: HookEvent, commands: Sequence[str] = ()) -> bool:
    """Tell whether a tool call needs no session: it reads, builds or tests, or such tools are not judged beforehand."""
    if event.kind is not ToolKind.SHELL:
        return event.kind is not ToolKind.EDIT
    if event.tool == "PowerShell" and re.search(r"[\\{}@]|[^\x00-\x7f]", event.command):
        return False  # there these signs mean something else than in the shells that we parse
    from shirube.features.guard.git_trust import is_trusted
    from shirube.features.guard.shell import is_building

    return is_building(event.command, commands) and is_trusted(event.command, commands, Path(event.cwd or Path.cwd()))


def before(gate: GateContext, event: HookEvent) -> HookAnswer:
    """Answer whether a tool may run."""
    if is_harmless(event, gate.commands):
        return HookAnswer()
    edits = event.kind is ToolKind.EDIT
    refused = _refused_edit(gate, event) if edits else _refused_command(gate, event)
    _note(gate, event, refused)
    return _answer(gate, event, refused, "guard.writing" if edits else "guard.running") if refused else HookAnswer()


def after(gate: GateContext, event: HookEvent) -> HookAnswer:
    """Note which session a tool started and what it showed; report what it changed without permission."""
    if event.kind is not ToolKind.EDIT:
        _note_looks(gate, event)
    if event.kind not in (ToolKind.EDIT, ToolKind.SHELL):
        return HookAnswer()
    refused, fresh = _unjustified(gate, event)
    if gate.mode != "block" and event.kind is ToolKind.EDIT:
        advised = {_inside(gate, event, target) for target in event.targets}  # ``before`` gave advice on these
        fresh = [refusal for refusal in fresh if refusal.target not in advised]
    if not fresh:
        doubted = gate.mode == "advise" and event.kind is ToolKind.SHELL and not is_harmless(event, gate.commands)
        if doubted and not refused and _refused_command(gate, event):  # block mode would have refused it wrongly
            _keep(gate, event, "harmless", [event.command[:SHOWN]], NOTHING)
        return HookAnswer()
    _note(gate, event, fresh)
    return _answer(gate, event, fresh, "guard.changed")


def _note_looks(gate: GateContext, event: HookEvent) -> None:
    from shirube.features.guard.looks import Looked, looked_at, started_session

    handle = started_session(event)
    if handle and gate.bind(handle) and (seen := take_looks(gate.memory)):
        _record_looks(gate, handle, Looked(seen))
    looked = looked_at(event, gate.root)
    if not looked.seen and not looked.listed:
        return
    stored = gate.find_session()
    if stored is None:
        add_looks(gate.memory, looked.seen)
    elif looked.seen.items() - stored.looks.items() or set(looked.listed) - stored.listed - stored.looks.keys():
        _record_looks(gate, stored.handle, looked)


def _record_looks(gate: GateContext, handle: str, looked: "Looked") -> None:
    """Record a look as the server records its calls, but without loading the code of a session for it."""
    body = {"kind": "call", "operation": "read", "group": "search", "asked": looked.asked, "hits": len(looked.seen)}
    body["answer"] = "found" if looked.seen else "unknown"
    body |= {"seen": [*looked.seen], "digests": [*looked.seen.values()], "listed": list(looked.listed)}
    gate.look(handle, body)


def stop(gate: GateContext, event: HookEvent) -> HookAnswer:
    """Answer whether the agent may stop with the tree as it is; a stop is refused only once for the same state."""
    _, fresh = ([], []) if event.again else _unjustified(gate, event)
    if not fresh:
        return HookAnswer()
    _note(gate, event, fresh)
    return _answer(gate, event, fresh, "guard.changed")


def _answer(gate: GateContext, event: HookEvent, refused: "list[Refused]", what: str) -> HookAnswer:
    """Refuse or advise, in the language of the session's request."""
    from shirube.features.guard.writes import describe

    stored = gate.find_session()
    speech = Speech(language_of(str(stored.body.get("request", ""))) if stored else "en")
    if gate.mode == "block":
        return refuse(describe(refused, what, speech), event.moment, event.agent)
    return advise(describe(refused, what, speech, "guard.advice"), event.moment, event.agent)


def _refused_edit(gate: GateContext, event: HookEvent) -> "list[Refused]":
    own_files = [target for target in event.targets if any(map(_real(gate, event, target).is_relative_to, gate.own))]
    hidden = [target for target in event.targets if not target.isprintable()]
    if own_files or hidden or not event.targets:
        from shirube.features.guard.writes import Refused

        if own_files:
            return [Refused(own_files[0], say("guard.own_state"), (say("guard.leave_it"),))]
        reason = say("guard.invisible" if hidden else "guard.unnamed")
        return [Refused(hidden[0] if hidden else event.tool, reason, (say("guard.name_it"),))]
    inside = (_inside(gate, event, target) for target in event.targets)
    paths = [path for path in inside if path and not _is_exempt(gate, path)]
    stored = gate.find_session() if paths else None
    if stored and stored.may_write:
        paths = [path for path in paths if path not in stored.allowed]
    if not paths:
        return []
    from shirube.features.guard.tree_snapshot import is_ignored, target_on_disk

    refused = _judge(gate, stored, [target_on_disk(gate.root, path) for path in paths], 1, paths)
    return [refusal for refusal in refused if not is_ignored(gate.root, refusal.target, gate.env)]


def _judge(
    gate: GateContext, stored: "StoredSession | None", targets: "list[WriteTarget]", files: int, own: Container[str]
) -> "list[Refused]":
    """Return what may not be written; of what may, record the agent's own, so that it is not judged again."""
    from shirube.features.guard.writes import judge_paths

    refused = judge_paths(stored.session if stored else None, targets, files)
    names = {refusal.target for refusal in refused}
    allowed = [target for target in targets if target.path not in names and target.path in own]
    if stored and allowed:
        gate.allow(stored.handle, allowed[:KEPT])
    return refused


def _refused_command(gate: GateContext, event: HookEvent) -> "list[Refused]":
    stored = gate.find_session()
    if stored and stored.may_write:
        return []
    from shirube.features.guard.writes import judge_command

    refused = judge_command(stored.session if stored else None, event.command)
    return [refused] if refused else []


def _unjustified(gate: GateContext, event: HookEvent) -> "tuple[list[Refused], list[Refused]]":
    """Return all changes made without permission, and those of them whose current state is not yet complained about.

    Accepts all other changes into the memory.
    """
    from shirube.features.guard.tree_snapshot import TreeListing, changes_since

    listing = TreeListing(gate.root, gate.env)  # git lists while the memory is read
    memory = remembered_tree(gate.root, gate.memory, gate.env)
    changes = changes_since(gate.root, memory.files, listing)
    refused = _refused_changes(gate, event, memory, sorted(changes)) if changes else []
    states = {refusal.target: state_in(changes[refusal.target]) for refusal in refused}
    for path in changes.keys() - states.keys():
        memory.accept(path, changes[path])
    complained = memory.stopped if event.moment == "stop" else memory.told
    fresh = [refusal for refusal in refused if complained.get(refusal.target) != states[refusal.target]]
    complained.update({refusal.target: states[refusal.target] for refusal in fresh})
    if memory.touched or fresh:
        remember(gate.memory, memory)
    return refused, fresh


def _refused_changes(gate: GateContext, event: HookEvent, memory: Memory, changes: list[str]) -> "list[Refused]":
    stored = gate.find_session()
    allowed = stored.allowed if stored and stored.may_write else frozenset()
    paths = [path for path in changes if path not in allowed and not _is_exempt(gate, path)]
    if not paths:
        return []
    from shirube.features.guard.writes import targets_in

    own: list[str] = []  # what the tool itself changed, as far as can be told; somebody else may have made the others
    if event.kind is ToolKind.EDIT:
        own = [_inside(gate, event, target) for target in event.targets]
    elif event.kind is ToolKind.SHELL:
        from shirube.features.guard.shell import is_reading

        own = [] if is_reading(event.command) else paths
    return _judge(gate, stored, targets_in(paths, memory.files), len(memory.files), own)


def _is_exempt(gate: GateContext, path: str) -> bool:
    from shirube.engine.store.scope import PathFilter

    return any(PathFilter(pattern)(path) for pattern in gate.exempt)


def _real(gate: GateContext, event: HookEvent, target: str) -> Path:
    """Return the real path of a target, with links resolved."""
    return Path(os.path.realpath(Path(event.cwd or gate.root) / Path(target).expanduser()))


def _inside(gate: GateContext, event: HookEvent, target: str) -> str:
    """Return a target's path relative to the project; empty when it is outside."""
    real = _real(gate, event, target)
    return real.relative_to(gate.root).as_posix() if real.is_relative_to(gate.root) else ""


def _note(gate: GateContext, event: HookEvent, refused: "list[Refused]") -> None:
    verdict = "allow" if not refused else gate.mode
    asked = [_inside(gate, event, target) or target for target in event.targets]
    targets = [refusal.target for refusal in refused] or [*asked, event.command[:SHOWN]]
    _keep(gate, event, verdict, targets, refused[0].reason if refused else NOTHING)


def _keep(gate: GateContext, event: HookEvent, verdict: str, targets: list[str], reason: Message) -> None:
    body = {"verdict": verdict, "moment": event.moment, "kind": event.kind.value, "client": event.client}
    gate.note({**body, "targets": [target for target in targets if target][:MOST], "reason": pack_message(reason)})
