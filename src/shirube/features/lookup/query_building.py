"""The steps that every search shares: validating the request, querying the index, judging the answer."""

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shirube.codec import replace
from shirube.errors import BadArgument, ModelFault, UnknownName
from shirube.features.lookup.coverage import (
    could_hold,
    is_current,
    not_read,
    nothing_indexed,
    refresh_now,
    scope_languages,
    scope_path,
    skipped_in,
)
from shirube.messages import NOTHING, Message, say
from shirube.operation import Call, offset_of, pack_cursor
from shirube.types import KINDS, Answer, Mode, Query, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shirube.engine.search import Around, HitPage
    from shirube.engine.store.port import Lookup
    from shirube.features.lookup.context.clues import PastedText
    from shirube.workspace import Workspace

MOST_EDITED = 20
"""How many files being edited a request may name; each is compared with the best hits."""
ENOUGH = 0.9
"""Semantic ranking needs vectors for this share of the files; with fewer, a file would win just by having one."""
LONG = 2_000
"""In characters; a longer question is pasted text."""
_BEGUN = re.compile(r"\w{3,}$")
_PASTED = re.compile(r"\S\s*\n\s*\S|[:(]\d|line \d")
"""What pasted output has: several lines, or a place. Any other question costs no more than this look."""


class SearchInput(Struct, frozen=True):
    """A search request before validation."""

    text: str
    limit: int
    cursor: str = ""
    skip: int = 0
    by_turns: bool = False
    mode: Mode = Mode.AUTO
    path: str = ""
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    profile: str = ""
    boost_profile: str = ""
    editing: tuple[str, ...] = ()
    preview_lines: int | None = None
    may_be_pasted: bool = True
    """Whether tool output in the text is to be read; a bundle has done so before."""

    def pasted(self) -> "PastedText | None":
        """Return the text as pasted tool output, or None when it cannot be any."""
        if not self.may_be_pasted or (len(self.text) <= LONG and _PASTED.search(self.text) is None):
            return None
        from shirube.features.lookup.context.clues import read_pasted

        return read_pasted(self.text)

    def said(self) -> str:
        """Return what to search for: the text, or what the pasted output in it says."""
        pasted = self.pasted()
        return pasted.question if pasted else self.text


def query_of(workspace: "Workspace", asked: SearchInput) -> Query:
    """Return the validated query; filters in the text (``lang:``, ``path:``, ``kind:``) count as arguments.

    Of a text with pasted output the query has only what is to be searched for.
    """
    from shirube.engine.text.query_terms import read_query

    text = asked.said()
    foresee(workspace, text, asked.editing)
    read = read_query(text)
    check_words("query", read.text, say("asking.say_what"))
    config = workspace.config.search
    kinds = tuple(kind.lower() for kind in (*asked.kinds, *read.filters.get("kind", ())))
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName("kind", kind, KINDS)
    for what, name, known in (
        ("profile", asked.profile, config.profiles),
        ("boost_profile", asked.boost_profile, config.boosts),
    ):
        if name and name not in known:
            raise UnknownName(what, name, known)
    paths = tuple(dict.fromkeys([*([asked.path] if asked.path else []), *read.filters.get("path", ())]))
    if len(paths) > 1:
        raise BadArgument("asking.two_paths", one=paths[0], other=paths[1])
    scope = Scope(
        scope_path(workspace, paths[0]) if paths else "",
        scope_languages(workspace, (*asked.languages, *read.filters.get("lang", ()))),
        kinds,
        tuple(tag.lower() for tag in read.filters.get("tag", ())),
    )
    mode = asked.mode if asked.mode != Mode.AUTO else Mode(config.mode)
    if mode == Mode.AUTO and not (workspace.embedder.trained and workspace.store.size() <= config.sense_chunks):
        mode = Mode.LEXICAL
    offset = offset_of(asked.cursor) + asked.skip
    query = Query(text, asked.limit, offset, mode, scope, asked.profile, asked.boost_profile)
    return replace(query, by_turns=asked.by_turns)


def foresee(workspace: "Workspace", text: str, editing: tuple[str, ...] = (), *, recent: bool = False) -> None:
    """Let what a search for a text looks up first come along with the first look at the index."""
    paths = tuple(dict.fromkeys(editing))

    def likely() -> "list[Lookup[Any]]":
        from shirube.engine.history.together import companion_lookup, recent_lookup
        from shirube.engine.search.pipeline import first_lookups

        first = [*first_lookups(text, workspace.config.search), *workspace.meaning.first_lookups()]
        first += [companion_lookup(paths)] if paths else []
        return [*first, recent_lookup(workspace.now_seconds())] if recent else first

    workspace.store.intend(likely)


def check_words(what: str, text: str, hint: Message) -> None:
    """Refuse a text without any word that can be indexed; ``what`` is the key in ``[terms]`` that names the text."""
    from shirube.engine.text.tokens import LONGEST_TOKEN, index_tokens

    if index_tokens(text):
        return
    longest = max(map(len, text.split()), default=0)
    if longest > LONGEST_TOKEN:
        raise BadArgument("asking.long_word", what=say(f"terms.{what}"), count=longest, most=LONGEST_TOKEN)
    raise BadArgument("asking.no_word", hint, what=say(f"terms.{what}"))


def next_cursor(query: Query, found: "HitPage") -> str:
    """Return the cursor of the next page; empty when there is none."""
    return pack_cursor(query.offset + query.limit) if found.more else ""


def ask(workspace: "Workspace", query: Query, asked: SearchInput, call: Call) -> "tuple[HitPage, tuple[Message, ...]]":
    """Return the hits, and notes on why they may be incomplete; before an empty answer the tree is checked again."""
    from shirube.engine.search import search

    config = workspace.config.search
    if asked.preview_lines is not None:
        config = replace(config, preview_lines=asked.preview_lines)
    passing = call.passing and not workspace.keeper.building
    notes = () if passing else workspace.keeper.refresh(call.progress, patient=call.patient)
    call.deadline.check()
    around = _around(workspace, query, asked.editing)
    if (pasted := asked.pasted()) is not None:
        from shirube.features.lookup.context.clues import Locator

        frames, elsewhere = pasted.frames(Locator(workspace.store, str(workspace.root)))
        around = replace(around, frames=frames, printed=bool(pasted.output))

    def searched(query: Query = query) -> "tuple[HitPage, tuple[Message, ...]]":
        fit, missing_vectors = _fitting(workspace, query)
        try:
            return search(fit, workspace.store, workspace.embedder, config, around), missing_vectors
        except ModelFault as error:
            fit = replace(query, mode=Mode.LEXICAL)
            found = search(fit, workspace.store, workspace.embedder, config, around)
            return found, (say("asking.model_fault", error=error.told),)

    found, missing_vectors = searched()
    if not found.hits and passing:
        notes = (say("asking.unproven"),)
        if (whole := _completed(workspace, query)) is not None:
            found, missing_vectors = searched(whole)
            notes = (say("asking.typed", text=whole.text),) if found.hits else notes
    elif is_current(notes) and (
        not found.hits or workspace.freshness(tuple({hit.path for hit in found.hits})).stale_files
    ):
        # Before answering with no hits, or with hits in changed files, check the tree for changes once more.
        notes, is_another = refresh_now(workspace, call)
        if is_another:
            found, missing_vectors = searched()
    if pasted is not None and elsewhere:
        found = replace(found, degraded=(*found.degraded, say("bundle.no_file", count=elsewhere)))
    by_sense = query.mode in (Mode.DENSE, Mode.HYBRID) and not workspace.embedder.trained
    no_model = (say("asking.no_model"),) * by_sense
    found = replace(found, degraded=(*found.degraded, *no_model, *workspace.keeper.history.notes()))
    return found, (*notes, *missing_vectors)


def _completed(workspace: "Workspace", query: Query) -> Query | None:
    """Return the query with its last word, still being typed, completed to the first known name with that prefix."""
    prefix = _BEGUN.search(query.text)
    names = workspace.store.names(prefix[0].lower(), 1) if prefix else ()
    if prefix is None or not names or not names[0].lower().startswith(prefix[0].lower()):
        return None
    return replace(query, text=query.text[: prefix.start()] + names[0])


def _fitting(workspace: "Workspace", query: Query) -> tuple[Query, tuple[Message, ...]]:
    """Return the query, without semantic ranking if too few files have vectors, and notes about missing vectors."""
    notes = missing_vectors(workspace) if query.mode != Mode.LEXICAL else ()
    have, total = workspace.store.coverage()
    if query.mode in (Mode.AUTO, Mode.HYBRID) and have < ENOUGH * total:
        return replace(query, mode=Mode.LEXICAL), tuple(say("asking.words_alone", note=note) for note in notes)
    return query, notes


def missing_vectors(workspace: "Workspace") -> tuple[Message, ...]:
    """Say how many files have no vectors yet, and why if the reason is known."""
    missing = workspace.keeper.unembedded
    if not missing:
        return ()
    why = workspace.keeper.trouble
    code = "asking.no_vectors_why" if why else "asking.no_vectors"
    return (say(code, count=missing, model=workspace.embedder.name, why=why),)


def _around(workspace: "Workspace", query: Query, editing: tuple[str, ...]) -> "Around":
    """Return the context of a query: edited files, history and lessons; history is read only if it has an effect."""
    from shirube.engine.history.together import companions, recency
    from shirube.engine.repo.read import resolve_inside
    from shirube.engine.search import Around

    paths = tuple(dict.fromkeys(resolve_inside(workspace.root, path) for path in editing))
    if len(paths) > MOST_EDITED:
        raise BadArgument("asking.at_hand", count=len(paths), most=MOST_EDITED)
    known = workspace.store.files(paths)
    if unknown := [path for path in paths if path not in known]:
        raise UnknownName("file_at_hand", unknown[0], workspace.store.files())
    config = workspace.config.search
    recent = config.profiles[query.profile or config.profile].recent > 0
    learned: Mapping[str, float] = {}
    if workspace.config.outcomes.prior:
        from shirube.features.map.learning import prior_of

        learned = prior_of(workspace).shares(query.text)
    return Around(
        paths,
        recency(workspace.store, workspace.now_seconds()) if recent else {},
        {path: one.share for path, one in companions(workspace.store, paths).items()} if paths else {},
        learned,
        workspace.meaning.passages(),
        workspace.embedder.background,
        is_change=workspace.asks_for_change(query.text),
    )


def judge_answer(
    workspace: "Workspace", query: Query, found: "HitPage", notes: tuple[Message, ...]
) -> tuple[Answer, Message]:
    """Return what the hits mean and what to do next; "none" only if the index covers the scope."""
    hits = found.hits
    if workspace.keeper.building:
        return (Answer.PARTIAL if hits else Answer.UNKNOWN), say("index.building")
    if hits:
        sure = found.confidence >= workspace.config.search.confidence.found
        advice = say("asking.read_lines", path=hits[0].path, start=hits[0].start_line, end=hits[0].end_line)
        return (Answer.FOUND if sure else Answer.PARTIAL), advice
    return _absent(workspace, query, found, notes)


def _absent(
    workspace: "Workspace", query: Query, found: "HitPage", notes: tuple[Message, ...]
) -> tuple[Answer, Message]:
    """Judge an empty page."""
    from shirube.engine.text.query_terms import read_query

    if found.total:
        return Answer.PARTIAL, say("asking.no_further")
    if notes:
        return Answer.UNKNOWN, say("index.may_miss")
    if not workspace.covers(query.scope.path):
        return Answer.UNKNOWN, nothing_indexed(query.scope.path)
    words = read_query(query.text).text
    if len(words) == 1 and not words.isascii():
        return Answer.UNKNOWN, say("asking.single")
    skips = skipped_in(workspace, query.scope)
    if unread := could_hold(skips):
        return Answer.UNKNOWN, say("asking.words_unread", unread=not_read(unread))
    return Answer.NONE, say("asking.no_words", unread=say("asking.see_status", count=len(skips)) if skips else NOTHING)
