"""The five steps of seed 001's ``context_bundle``: gather, add what is connected, rank, cut, fit."""

from msgspec import Struct

from shirube.engine.embed.port import Embedder
from shirube.engine.search import HitPage
from shirube.engine.store.port import Store
from shirube.features.lookup.context.clues import Clues
from shirube.features.lookup.context.cut import Pages
from shirube.features.lookup.context.expand import expand
from shirube.features.lookup.context.fit import Left, Room, Snippet, fit
from shirube.features.lookup.context.gather import Tools, gather
from shirube.features.lookup.context.pick import Picker
from shirube.messages import Message, say
from shirube.settings import ContextConfig, Profile


class Bundle(Struct, frozen=True):
    """What to read, and what was left out."""

    snippets: tuple[Snippet, ...]
    left: tuple[Left, ...]
    """The best of what did not fit, …"""
    left_total: int
    """… and how much that is in all."""
    tokens: int
    warnings: tuple[Message, ...]


class Bench(Struct, frozen=True):
    """What a bundle is made with."""

    store: Store
    embedder: Embedder
    config: ContextConfig
    profile: Profile


def assemble(clues: Clues, found: HitPage, bench: Bench, room: Room) -> Bundle:
    """Make a bundle of what the clues name, what the search found, and what is connected to either."""
    pages = Pages(bench.store)
    tools = Tools(bench.store, pages, Picker(pages, bench.embedder, clues.question), bench.config, bench.profile)
    offers, warnings = gather(clues, found, tools)
    expand(offers, tools)
    snippets, left, left_total = fit(offers.ranked(), pages, room)
    if clues.elsewhere:
        warnings += (say("bundle.no_file", count=clues.elsewhere),)
    return Bundle(snippets, left, left_total, sum(one.tokens for one in snippets), warnings)
