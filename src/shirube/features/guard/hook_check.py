"""The three questions of a hook: may this tool run, what did it change, may the agent stop?

Most answers need neither the rules for writes nor the tree, so both are imported where they are asked.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shirube.features.guard.gate_memory import Memory, forget_old, recall, remember, state_in
from shirube.features.guard.hook_protocol import HookAnswer, HookEvent, ToolKind, advise, refuse
from shirube.messages import NOTHING, Message, Speech, language_of, pack_message, render, say

if TYPE_CHECKING:
    from shirube.features.guard.stored_session import StoredSession
    from shirube.features.guard.writes import Refused, WriteTarget

SHOWN, MOST = 120, 20
"""Characters of a command, and targets, that are kept of one question."""
KEPT = 100
"""Files that are put on record at once; a command may change thousands."""


class GateContext(NamedTuple):
    """Everything an answer rests on; the three functions reach the journal, which is opened only by them."""

    root: Path
    mode: str
    memory: Path
    env: Mapping[str, str]
    find_session: "Callable[[], StoredSession | None]"
    note: Callable[[Mapping[str, object]], None]
    allow: "Callable[[str, Sequence[WriteTarget]], None]"
    """Puts on record that a session may write some files."""
    exempt: Sequence[str] = ()
    commands: Sequence[str] = ()
    own: Sequence[Path] = ()
    """Our own directories, which no agent writes."""


def remembered_tree(root: Path, memory: Path, env: Mapping[str, str]) -> Memory:
    """Return what is remembered of a client; the first look at the tree is what everything is held against."""
    held = recall(memory)
    if held is None:
        from shirube.features.guard.tree_snapshot import take_snapshot

        held = Memory(take_snapshot(root, env))
        remember(memory, held)
        forget_old(memory.parent)
    return held


def is_harmless(event: HookEvent, commands: Sequence[str] = ()) -> bool:
    """Tell whether a tool call needs no session: it reads, or it is none of ours to judge beforehand."""
    if event.kind is not ToolKind.SHELL:
        return event.kind is ToolKind.OTHER
    from shirube.features.guard.shell import is_reading

    return is_reading(event.command, commands)


def before(gate: GateContext, event: HookEvent) -> HookAnswer:
    """Answer whether a tool may run."""
    if is_harmless(event, gate.commands):
        return HookAnswer()
    edits = event.kind is ToolKind.EDIT
    refused = _refused_edit(gate, event) if edits else _refused_command(gate, event)
    _note(gate, event, refused)
    return _answer(gate, event, refused, "guard.writing" if edits else "guard.running") if refused else HookAnswer()


def after(gate: GateContext, event: HookEvent) -> HookAnswer:
    """Answer what a tool changed that it should not have."""
    refused, fresh = _unjustified(gate, event)
    if gate.mode != "block" and event.kind is ToolKind.EDIT:
        told = {_inside(gate, event, target) for target in event.targets}  # before the tool ran
        fresh = [one for one in fresh if one.target not in told]
    if not fresh:
        _note_harmless(gate, event, refused)
        return HookAnswer()
    _note(gate, event, fresh)
    return _answer(gate, event, fresh, "guard.changed")


def stop(gate: GateContext, event: HookEvent) -> HookAnswer:
    """Answer whether the agent may stop with the tree as it is; what was refused once is not refused again."""
    _, fresh = ([], []) if event.again else _unjustified(gate, event)
    if not fresh:
        return HookAnswer()
    _note(gate, event, fresh)
    return _answer(gate, event, fresh, "guard.not_understood")


def _answer(gate: GateContext, event: HookEvent, refused: "list[Refused]", what: str) -> HookAnswer:
    """Refuse or advise, in the language in which the request of the session was made."""
    from shirube.features.guard.writes import describe

    text = describe(refused, what)
    if event.moment != "before":
        text = say("guard.found", refusal=text)
    stored = gate.find_session()
    speech = Speech(language_of(str(stored.body.get("request", ""))) if stored else "en")
    if gate.mode == "block":
        return refuse(render(say("guard.blocked", text=text), speech))
    return advise(render(say("guard.advice", text=text), speech), event.moment, event.agent)


def _refused_edit(gate: GateContext, event: HookEvent) -> "list[Refused]":
    ours = [target for target in event.targets if any(map(_real(gate, event, target).is_relative_to, gate.own))]
    if ours or not event.targets:
        from shirube.features.guard.writes import Refused

        if ours:
            return [Refused(ours[0], say("guard.own_state"), say("guard.leave_it"))]
        return [Refused(event.tool, say("guard.unnamed"), say("guard.name_it"))]
    inside = (_inside(gate, event, target) for target in event.targets)
    paths = [path for path in inside if path and not _is_exempt(gate, path)]
    stored = gate.find_session() if paths else None
    if stored and stored.may_write:
        paths = [path for path in paths if path not in stored.allowed]
    if not paths:
        return []
    from shirube.features.guard.tree_snapshot import is_ignored, target_on_disk

    refused = _judge(gate, stored, [target_on_disk(gate.root, path) for path in paths], 1)
    return [one for one in refused if not is_ignored(gate.root, one.target, gate.env)]


def _judge(
    gate: GateContext, stored: "StoredSession | None", targets: "list[WriteTarget]", files: int
) -> "list[Refused]":
    """Return what may not be written; what may is put on record, as if it had been asked for, and not judged again."""
    from shirube.features.guard.writes import judge_paths

    refused = judge_paths(stored.session if stored else None, targets, files)
    names = {one.target for one in refused}
    if stored and len(names) < len(targets):
        gate.allow(stored.handle, [target for target in targets if target.path not in names][:KEPT])
    return refused


def _refused_command(gate: GateContext, event: HookEvent) -> "list[Refused]":
    stored = gate.find_session()
    if stored and stored.may_write:
        return []
    from shirube.features.guard.writes import judge_command

    refused = judge_command(stored.session if stored else None, event.command)
    return [refused] if refused else []


def _unjustified(gate: GateContext, event: HookEvent) -> "tuple[list[Refused], list[Refused]]":
    """Return what stands changed without leave, and what of it was not complained of in this state before.

    What was changed rightly is accepted.
    """
    from shirube.features.guard.tree_snapshot import TreeListing, changes_since

    listing = TreeListing(gate.root, gate.env)  # git lists while the memory is read
    memory = remembered_tree(gate.root, gate.memory, gate.env)
    changes = changes_since(gate.root, memory.files, listing)
    refused = _refused_changes(gate, memory, sorted(changes)) if changes else []
    states = {one.target: state_in(changes[one.target]) for one in refused}
    for path in changes.keys() - states.keys():
        memory.accept(path, changes[path])
    complained = memory.stopped if event.moment == "stop" else memory.told
    fresh = [one for one in refused if complained.get(one.target) != states[one.target]]
    complained.update({one.target: states[one.target] for one in fresh})
    if memory.touched or fresh:
        remember(gate.memory, memory)
    return refused, fresh


def _refused_changes(gate: GateContext, memory: Memory, changes: list[str]) -> "list[Refused]":
    stored = gate.find_session()
    allowed = stored.allowed if stored and stored.may_write else frozenset()
    paths = [path for path in changes if path not in allowed and not _is_exempt(gate, path)]
    if not paths:
        return []
    from shirube.features.guard.writes import targets_in

    return _judge(gate, stored, targets_in(paths, memory.files), len(memory.files))


def _is_exempt(gate: GateContext, path: str) -> bool:
    from shirube.engine.store.scope import PathFilter

    return any(PathFilter(pattern)(path) for pattern in gate.exempt)


def _real(gate: GateContext, event: HookEvent, target: str) -> Path:
    """Return where a target really lies, links followed."""
    return Path(os.path.realpath(Path(event.cwd or gate.root) / Path(target).expanduser()))


def _inside(gate: GateContext, event: HookEvent, target: str) -> str:
    """Return a target as a path of the project; empty when it lies outside."""
    real = _real(gate, event, target)
    return real.relative_to(gate.root).as_posix() if real.is_relative_to(gate.root) else ""


def _note(gate: GateContext, event: HookEvent, refused: "list[Refused]") -> None:
    verdict = "allow" if not refused else gate.mode
    asked = [_inside(gate, event, target) or target for target in event.targets]
    targets = [one.target for one in refused] or [*asked, event.command[:SHOWN]]
    _keep(gate, event, verdict, targets, refused[0].reason if refused else NOTHING)


def _note_harmless(gate: GateContext, event: HookEvent, refused: "list[Refused]") -> None:
    """Keep that a command which would have been refused has changed nothing: a false block, had it been one."""
    doubted = gate.mode == "advise" and event.kind is ToolKind.SHELL and not is_harmless(event, gate.commands)
    if doubted and not refused and _refused_command(gate, event):
        _keep(gate, event, "harmless", [event.command[:SHOWN]], NOTHING)


def _keep(gate: GateContext, event: HookEvent, verdict: str, targets: list[str], reason: Message) -> None:
    body = {"verdict": verdict, "moment": event.moment, "kind": event.kind.value, "client": event.client}
    gate.note({**body, "targets": [target for target in targets if target][:MOST], "reason": pack_message(reason)})
