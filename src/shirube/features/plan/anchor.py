"""Finds what the operations of a route can be asked about: a name, a file and words as they are written."""

from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.engine.search import search
from shirube.engine.store.port import Ask
from shirube.engine.text.query_terms import TermKind, read_query
from shirube.features.lookup.query_building import SearchInput, query_of
from shirube.features.plan.evaluate import goal_words
from shirube.features.plan.frame import SLOTS, QueryFrame
from shirube.features.plan.project_access import frequencies, names_of

if TYPE_CHECKING:
    from shirube.workspace import Workspace

_NAMES = (TermKind.SYMBOL, TermKind.COMPOUND)


class Anchor(Struct, frozen=True):
    """What a request leads to."""

    name: str = ""
    """A name of code: symbols are looked up by it."""
    path: str = ""
    """A file of the project."""
    literal: str = ""
    """What may be written in the code as it stands in the request."""


def anchor_of(workspace: "Workspace", frame: QueryFrame, given: Anchor) -> Anchor:
    """Return what a request is about: what is given, what it names, names made of its words, or what a search finds."""
    texts = [text for text in (*map(frame.value, SLOTS), frame.raw_query) if text]
    name, place = (given.name, "") if given.name else _defined(workspace, texts)
    files = tuple(dict.fromkeys(path for text in texts for path in read_query(text).of(TermKind.PATH)))
    indexed = next(iter(workspace.store.files(files)), "") if files and not given.path else ""
    path = given.path or indexed or place
    if not (name and path):
        asked = frame.value("target_feature") or frame.raw_query
        query = query_of(workspace, SearchInput(asked, 1))
        hits = search(query, workspace.store, workspace.embedder, workspace.config.search).hits
        name = name or next((hit.symbol for hit in hits if hit.symbol and hit.kind not in ("section", "key")), "")
        path = path or next((hit.path for hit in hits), "")
    return Anchor(name, path, _literal(workspace, frame))


def _defined(workspace: "Workspace", texts: list[str]) -> tuple[str, str]:
    """Return the first name in some texts that the project defines, and where; else one that can only be code."""
    named = [name for text in texts for kind in _NAMES for name in read_query(text).of(kind)]
    words = names_of(workspace, goal_words(texts[0])) if texts else ()
    for name in (*named, *words):
        short = name.rpartition(".")[2].lower()
        found = workspace.store.candidates(Ask(names=(short,), limit=1)).definitions
        if found:
            return name, found[0].path
    return next(iter(named), ""), ""


def _literal(workspace: "Workspace", frame: QueryFrame) -> str:
    """Return what to look for as it is written: a quotation, a name, else the rarest word that the project has."""
    told = [text for text in map(frame.value, ("observed_issue", "trigger_condition", "target_feature")) if text]
    texts = told or [frame.raw_query]
    written = (text for each in texts for kind in (TermKind.PHRASE, *_NAMES) for text in read_query(each).of(kind))
    if literal := next(written, ""):
        return literal
    words = [word for text in texts for word in goal_words(text)]
    _, counts = frequencies(workspace, sorted({word.lower() for word in words}))
    there = [word for word in words if counts.get(word.lower())]
    return min(there, key=lambda word: counts[word.lower()]) if there else next(iter(words), "")
