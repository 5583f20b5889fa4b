"""Wrong files that an agent could take for the right one, and how it comes to look at them."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.guard.changes import SEED, Change, Target
from benchmarks.guard.conversation import Conversation, Server


@dataclass(frozen=True)
class Wrong:
    """A wrong file, and the look by which the agent came upon it."""

    kind: str
    target: Target
    look: Callable[[Conversation], object]


def wrong_files(server: Server, change: Change, unrelated: str) -> Iterator[Wrong]:
    """Yield a file that the search shows, a sibling read in two ways, and the first hit of an unrelated question."""
    chance = random.Random(f"{SEED} {change.name}")
    asked = Conversation(server, "what a search shows")
    asked.call("search", query=change.request)
    if shown := _others(asked, change):
        yield Wrong("shown beside the right one", chance.choice(shown), lambda talk: None)
    if sibling := _sibling(server, change, chance):
        path = sibling.path
        yield Wrong("a sibling that it read", sibling, lambda talk: talk.call("read", path=path))
        yield Wrong("a sibling that it read by its own tool", sibling, lambda talk: talk.own_read(path))
    astray = Conversation(server, "an unrelated question")
    astray.call("search", query=unrelated)
    if found := _others(astray, change):
        yield Wrong("the answer to another question", found[0], lambda talk: talk.call("search", query=unrelated))


def _others(talk: Conversation, change: Change) -> list[Target]:
    """Return the places that were shown in files that the change does not touch, one of each file."""
    found: dict[str, Target] = {}
    for path, symbol in talk.places():
        if path not in change.paths and symbol:
            found.setdefault(path, Target(path, symbol))
    return list(found.values())


def _sibling(server: Server, change: Change, chance: random.Random) -> Target | None:
    """Return a file with symbols beside the changed one, or failing that anywhere."""
    folder = change.paths[0].rpartition("/")[0]
    files = [path for path in sorted(server.files) if path not in change.paths]
    beside = [path for path in files if path.rpartition("/")[0] == folder]
    for paths in (beside, files):
        chance.shuffle(paths)
        for path in paths:
            if symbols := server.store.symbols(path):
                return Target(path, symbols[0].qualified)
    return None
