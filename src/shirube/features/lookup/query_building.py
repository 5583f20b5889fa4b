"""What every search has in common: reading the request, asking the index, judging the answer."""

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from shirube.codec import replace
from shirube.errors import BadArgument, ModelFault, UnknownName
from shirube.features.lookup.coverage import (
    could_hold,
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
    from shirube.workspace import Workspace

MOST_EDITED = 20
"""Files at hand: each is compared with the best answers."""
ENOUGH = 0.9
"""Share of the files with vectors from which on the sense takes part: below it, files would win by having any."""
_BEGUN = re.compile(r"\w{3,}$")


class SearchInput(Struct, frozen=True):
    """What a caller said, before it is checked."""

    text: str
    limit: int
    cursor: str = ""
    mode: Mode = Mode.AUTO
    path: str = ""
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    profile: str = ""
    boost_profile: str = ""
    editing: tuple[str, ...] = ()
    preview_lines: int | None = None


def query_of(workspace: "Workspace", asked: SearchInput) -> Query:
    """Return the checked question: filters inside the text (``lang:``, ``path:``, ``kind:``) count as arguments."""
    from shirube.engine.text.query_terms import read_query

    read = read_query(asked.text)
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
    scope = Scope(
        _path(workspace, asked.path, read.filters),
        scope_languages(workspace, (*asked.languages, *read.filters.get("lang", ()))),
        kinds,
        tuple(tag.lower() for tag in read.filters.get("tag", ())),
    )
    mode = asked.mode if asked.mode != Mode.AUTO else Mode(config.mode)
    if mode == Mode.AUTO and not (workspace.embedder.trained and workspace.store.size() <= config.sense_chunks):
        mode = Mode.LEXICAL
    offset = offset_of(asked.cursor)
    return Query(asked.text, asked.limit, offset, mode, scope, asked.profile, asked.boost_profile)


def check_words(what: str, text: str, hint: Message) -> None:
    """Refuse a text in which there is no word that the index could have; ``what`` it is is a row of ``[terms]``."""
    from shirube.engine.text.tokens import LONGEST_TOKEN, index_tokens

    if index_tokens(text):
        return
    longest = max(map(len, text.split()), default=0)
    if longest > LONGEST_TOKEN:
        raise BadArgument("asking.long_word", what=say(f"terms.{what}"), count=longest, most=LONGEST_TOKEN)
    raise BadArgument("asking.no_word", hint, what=say(f"terms.{what}"))


def _path(workspace: "Workspace", path: str, filters: "Mapping[str, tuple[str, ...]]") -> str:
    wanted = tuple(dict.fromkeys([*([path] if path else []), *filters.get("path", ())]))
    if len(wanted) > 1:
        raise BadArgument("asking.two_paths", one=wanted[0], other=wanted[1])
    return scope_path(workspace, wanted[0]) if wanted else ""


def next_cursor(query: Query, found: "HitPage") -> str:
    """Return where the next page begins, or nothing."""
    return pack_cursor(query.offset + query.limit) if found.more else ""


def ask(workspace: "Workspace", query: Query, asked: SearchInput, call: Call) -> "tuple[HitPage, tuple[Message, ...]]":
    """Return what is found, and what stands in the way of calling it whole; an absence is looked at twice."""
    from shirube.engine.search import search

    config = workspace.config.search
    if asked.preview_lines is not None:
        config = replace(config, preview_lines=asked.preview_lines)
    passing = call.passing and not workspace.keeper.building
    notes = () if passing else workspace.keeper.refresh(call.progress, patient=call.patient)
    call.deadline.check()
    around = _around(workspace, query, asked.editing)

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
    elif not notes and (not found.hits or workspace.freshness(tuple({hit.path for hit in found.hits})).stale_files):
        # Before it is said that something is not there, or is where it no longer is, the tree is looked at once more.
        notes, is_another = refresh_now(workspace, call)
        if is_another:
            found, missing_vectors = searched()
    return found, (*notes, *missing_vectors)


def _completed(workspace: "Workspace", query: Query) -> Query | None:
    """Return the question with its last word, which is still being typed, made the shortest name that begins so."""
    begun = _BEGUN.search(query.text)
    names = workspace.store.names(begun[0].lower(), 1) if begun else ()
    if begun is None or not names or not names[0].lower().startswith(begun[0].lower()):
        return None
    return replace(query, text=query.text[: begun.start()] + names[0])


def _fitting(workspace: "Workspace", query: Query) -> tuple[Query, tuple[Message, ...]]:
    """Return the question without the sense that too few files have vectors for, and what to say of it."""
    notes = missing_vectors(workspace) if query.mode != Mode.LEXICAL else ()
    have, total = workspace.store.coverage()
    if query.mode in (Mode.AUTO, Mode.HYBRID) and have < ENOUGH * total:
        return replace(query, mode=Mode.LEXICAL), tuple(say("asking.words_alone", note=note) for note in notes)
    return query, notes


def missing_vectors(workspace: "Workspace") -> tuple[Message, ...]:
    """Say how many files the model has not read yet, and why if there is a reason."""
    missing = workspace.keeper.unembedded
    if not missing:
        return ()
    why = workspace.keeper.trouble
    code = "asking.no_vectors_why" if why else "asking.no_vectors"
    return (say(code, count=missing, model=workspace.embedder.name, why=why),)


def _around(workspace: "Workspace", query: Query, editing: tuple[str, ...]) -> "Around":
    """Return what is known about where the question comes from; history is read only for those who use it."""
    from shirube.engine.repo.history import cochange, recency
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
    commits = workspace.history() if recent or paths else ()
    learned: Mapping[str, float] = {}
    if workspace.config.outcomes.prior:
        from shirube.features.map.learning import prior_of

        learned = prior_of(workspace).shares(query.text)
    return Around(
        paths,
        recency(commits, workspace.now_seconds()) if recent else {},
        cochange(commits, paths) if paths else {},
        learned,
        workspace.meaning.passages(),
        workspace.embedder.background,
    )


def judge_answer(
    workspace: "Workspace", query: Query, found: "HitPage", notes: tuple[Message, ...]
) -> tuple[Answer, Message]:
    """Say what the hits mean and what to do next; "none" only where the index covers what was asked."""
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
        return Answer.PARTIAL, say("asking.behind_cursor")
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
