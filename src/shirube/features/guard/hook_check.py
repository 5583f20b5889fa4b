"""The three questions of a hook: may this tool run, what did it change, may the agent stop?"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shirube.features.guard.file_entry import state_in
from shirube.features.guard.gate_memory import Memory, forget_old, recall, remember
from shirube.features.guard.hook_answer import Answer, advise, refuse
from shirube.features.guard.hook_event import Event, Kind
from shirube.features.guard.write_rules import Place, Refused, judge_command, judge_paths, places_in, tell
from shirube.messages import NOTHING, Message, Speech, language_of, pack_message, render, say

if TYPE_CHECKING:
    from shirube.features.guard.client_session import Standing
    from shirube.features.guard.state import Session
    from shirube.features.guard.tree_snapshot import Listing

SHOWN, MOST = 120, 20
"""Characters of a command, and targets, that are kept of one question."""
KEPT = 100
"""Files that are put on record at once; a command may change thousands."""


class Ground(NamedTuple):
    """Everything an answer rests on; the three functions reach the journal, which is opened only by them."""

    root: Path
    mode: str
    memory: Path
    env: Mapping[str, str]
    standing: "Callable[[], Standing | None]"
    note: Callable[[Mapping[str, object]], None]
    allow: Callable[[str, Sequence[Place]], None]
    """Puts on record that a session may write some places."""
    exempt: Sequence[str] = ()
    commands: Sequence[str] = ()
    own: Sequence[Path] = ()
    """Our own directories, which no agent writes."""


def see(ground_root: Path, memory: Path, env: Mapping[str, str]) -> Memory:
    """Return what is remembered of a client; the first look at the tree is what everything is held against."""
    held = recall(memory)
    if held is None:
        from shirube.features.guard.tree_snapshot import take

        held = Memory(take(ground_root, env))
        remember(memory, held)
        forget_old(memory.parent)
    return held


def is_harmless(event: Event, commands: Sequence[str] = ()) -> bool:
    """Tell whether a tool call needs no session: it reads, or it is none of ours to judge beforehand."""
    if event.kind is not Kind.SHELL:
        return event.kind is Kind.OTHER
    from shirube.features.guard.shell import is_reading

    return is_reading(event.command, commands)


def before(ground: Ground, event: Event) -> Answer:
    """Answer whether a tool may run."""
    if is_harmless(event, ground.commands):
        return Answer()
    refused = _refused_edit(ground, event) if event.kind is Kind.EDIT else _refused_command(ground, event)
    _note(ground, event, refused)
    if not refused:
        return Answer()
    return _answer(ground, event, tell(refused, "guard.writing" if event.kind is Kind.EDIT else "guard.running"))


def after(ground: Ground, event: Event) -> Answer:
    """Answer what a tool changed that it should not have."""
    memory, listing = _looked(ground)
    refused, states = _unjustified(ground, memory, listing)
    fresh = [one for one in refused if memory.told.get(one.target) != states[one.target]]
    memory.told.update({one.target: states[one.target] for one in fresh})
    _save(ground, memory, fresh)
    if ground.mode != "block" and event.kind is Kind.EDIT:
        told = {_inside(ground, event, target) for target in event.targets}  # before the tool ran
        fresh = [one for one in fresh if one.target not in told]
    if not fresh:
        _note_harmless(ground, event, refused)
        return Answer()
    _note(ground, event, fresh)
    return _answer(ground, event, say("guard.found", refusal=tell(fresh, "guard.changed")))


def stop(ground: Ground, event: Event) -> Answer:
    """Answer whether the agent may stop with the tree as it is; what was refused once is not refused again."""
    if event.again:
        return Answer()
    memory, listing = _looked(ground)
    refused, states = _unjustified(ground, memory, listing)
    fresh = [one for one in refused if memory.stopped.get(one.target) != states[one.target]]
    memory.stopped.update({one.target: states[one.target] for one in fresh})
    _save(ground, memory, fresh)
    if not fresh:
        return Answer()
    _note(ground, event, fresh)
    return _answer(ground, event, say("guard.found", refusal=tell(fresh, "guard.not_understood")))


def _answer(ground: Ground, event: Event, text: Message) -> Answer:
    """Refuse or advise, in the language in which the request of the session was made."""
    standing = ground.standing()
    speech = Speech(language_of(str(standing.body.get("request", ""))) if standing else "en")
    if ground.mode == "block":
        return refuse(render(say("guard.blocked", text=text), speech))
    return advise(render(say("guard.advice", text=text), speech), event.moment, event.agent)


def _refused_edit(ground: Ground, event: Event) -> list[Refused]:
    if not event.targets:
        return [Refused(event.tool, say("guard.unnamed"), say("guard.name_it"))]
    paths = []
    for target in event.targets:
        if any(_real(ground, event, target).is_relative_to(own) for own in ground.own):
            return [Refused(target, say("guard.own_state"), say("guard.leave_it"))]
        path = _inside(ground, event, target)
        if path and not _is_exempt(ground, path):
            paths.append(path)
    standing = ground.standing() if paths else None
    if standing and standing.may_write:
        paths = [path for path in paths if path not in standing.allowed]
    places = [_on_disk(ground.root, path) for path in paths]
    refused = _judge(ground, standing, places, 1)
    if not refused:
        return []
    from shirube.features.guard.tree_snapshot import is_ignored

    return [one for one in refused if not is_ignored(ground.root, one.target, ground.env)]


def _judge(ground: Ground, standing: "Standing | None", places: list[Place], files: int) -> list[Refused]:
    """Return what may not be written; what may is put on record, as if it had been asked for, and not judged again."""
    refused = judge_paths(_session(standing), places, files) if places else []
    names = {one.target for one in refused}
    if standing and len(names) < len(places):
        ground.allow(standing.handle, [place for place in places if place.path not in names][:KEPT])
    return refused


def _refused_command(ground: Ground, event: Event) -> list[Refused]:
    standing = ground.standing()
    if standing and standing.may_write:
        return []
    refused = judge_command(_session(standing), event.command)
    return [refused] if refused else []


def _looked(ground: Ground) -> "tuple[Memory, Listing]":
    """Return what is remembered, and what git lists meanwhile."""
    from shirube.features.guard.tree_snapshot import Listing

    listing = Listing(ground.root, ground.env)
    return see(ground.root, ground.memory, ground.env), listing


def _unjustified(ground: Ground, memory: Memory, listing: "Listing") -> tuple[list[Refused], dict[str, str]]:
    """Return what stands changed without leave, with the state of each; what was changed rightly is accepted."""
    from shirube.features.guard.tree_snapshot import changed

    changes = changed(ground.root, memory.files, listing)
    if not changes:
        return [], {}
    standing = ground.standing()
    told = standing.allowed if standing and standing.may_write else frozenset()
    open_paths = [path for path in changes if path not in told and not _is_exempt(ground, path)]
    places = places_in(open_paths, memory.files)
    refused = _judge(ground, standing, places, len(memory.files))
    names = {one.target for one in refused}
    for path in changes.keys() - names:
        memory.accept(path, changes[path])
    return sorted(refused, key=lambda one: one.target), {path: state_in(changes[path]) for path in names}


def _save(ground: Ground, memory: Memory, fresh: list[Refused]) -> None:
    if memory.touched or fresh:
        remember(ground.memory, memory)


def _session(standing: "Standing | None") -> "Session | None":
    return standing.session if standing else None


def _is_exempt(ground: Ground, path: str) -> bool:
    from shirube.engine.store.scope import PathFilter

    return any(PathFilter(pattern)(path) for pattern in ground.exempt)


def _real(ground: Ground, event: Event, target: str) -> Path:
    """Return where a target really lies, links followed."""
    return Path(os.path.realpath(Path(event.cwd or ground.root) / Path(target).expanduser()))


def _inside(ground: Ground, event: Event, target: str) -> str:
    """Return a target as a path of the project; empty when it lies outside."""
    real = _real(ground, event, target)
    return real.relative_to(ground.root).as_posix() if real.is_relative_to(ground.root) else ""


def _on_disk(root: Path, path: str) -> Place:
    real = root / path
    above = next((folder for folder in real.parents if folder.is_dir()), root)
    folder = above.relative_to(root).as_posix() if above.is_relative_to(root) else "."
    return Place(path, os.path.lexists(real), folder, real.is_dir())


def _note(ground: Ground, event: Event, refused: list[Refused]) -> None:
    verdict = "allow" if not refused else ground.mode
    asked = [_inside(ground, event, target) or target for target in event.targets]
    targets = [one.target for one in refused] or [*asked, event.command[:SHOWN]]
    _keep(ground, event, verdict, targets, refused[0].reason if refused else NOTHING)


def _note_harmless(ground: Ground, event: Event, refused: list[Refused]) -> None:
    """Keep that a command which would have been refused has changed nothing: a false block, had it been one."""
    doubted = ground.mode == "advise" and event.kind is Kind.SHELL and not is_harmless(event, ground.commands)
    if doubted and not refused and _refused_command(ground, event):
        _keep(ground, event, "harmless", [event.command[:SHOWN]], NOTHING)


def _keep(ground: Ground, event: Event, verdict: str, targets: list[str], reason: Message) -> None:
    body = {"verdict": verdict, "moment": event.moment, "kind": event.kind.value, "client": event.client}
    ground.note({**body, "targets": [target for target in targets if target][:MOST], "reason": pack_message(reason)})
