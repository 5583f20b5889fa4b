"""Gives a plan this project's search, counts, names, translations and whole files as plain functions."""

from collections.abc import Callable, Sequence
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from shirube.codec import record_from, replace
from shirube.deadline import Deadline
from shirube.engine.parse.languages import known_languages
from shirube.engine.repo.regex import Spelling, compile_pattern
from shirube.engine.search import Around, search
from shirube.engine.store.port import Ask
from shirube.engine.text.glossary import japanese_for
from shirube.engine.text.tokens import index_terms, split_identifier
from shirube.errors import BadArgument, Cancelled
from shirube.features.lookup.query_building import SearchInput, query_of
from shirube.features.map.answers import answers, looked_up
from shirube.features.map.meanings import telling_parts
from shirube.features.plan.evaluate import TOP, goal_words
from shirube.features.plan.record import PlanResult, Step, StepResults
from shirube.features.plan.refine import ProjectAccess
from shirube.features.plan.run import fuse_turns
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.plan.evaluate import Frequencies
    from shirube.workspace import Workspace

Place = tuple[str, str, str]
"""Path, symbol and text."""
LISTED = 30
"""How many results of one question a plan uses."""
WHOLE = 10_000
"""How many lines of a result are read: in effect all, because a result is judged by its whole text."""
MOST_AGREED = 3
"""How many agreements may add their symbols to a question."""
MOST_JOINED = 3
"""How many neighbouring words of a goal may form one name: session cookie store → ``SessionCookieStore``."""
PATIENCE = 0.1
"""Seconds between two checks of whether the caller gave up."""
Value = TypeVar("Value")


def similarity(workspace: "Workspace", goal: str) -> Callable[[Sequence[Place]], tuple[float | None, ...]]:
    """Return a function that rates how likely places are about a goal; None for each without a trained model.

    A step may use other words than the goal, but its results are judged by the goal.
    """
    seen: dict[Place, float] = {}

    def near(places: Sequence[Place]) -> tuple[float | None, ...]:
        embedder = workspace.embedder
        if not embedder.trained:
            return tuple(None for _ in places)
        new = [place for place in dict.fromkeys(places) if place not in seen]
        wanted = embedder.query(goal)[0]
        contents = embedder.contents([text for _, _, text in new], symbols=[symbol for _, symbol, _ in new])
        for row, place in enumerate(new):
            vector = embedder.place(contents[row : row + 1], place[0])[0]
            seen[place] = workspace.meaning.passage(float(vector @ wanted))
        return tuple(seen[place] for place in places)

    return near


def project_access(workspace: "Workspace", goal: str, deadline: Deadline) -> ProjectAccess:
    """Return the functions a plan for this goal needs; no search takes longer than the deadline."""
    alike = similarity(workspace, goal)
    return ProjectAccess(
        search=lambda step: within(deadline, lambda: _asked(workspace, step, alike)),
        frequencies=lambda terms: frequencies(workspace, terms),
        match=matcher,
        late=lambda: deadline.passed,
        clock=monotonic,
        translate=lambda text: _translate(workspace, text),
        terms=lambda text: _agreed(workspace, text),
        names=lambda words: names_of(workspace, words),
        read=workspace.store.text,
        language=lambda word: word.lower() if word.lower() in known_languages() else "",
    )


def _agreed(workspace: "Workspace", goal: str) -> tuple[str, ...]:
    """Return the symbols that agreements name for a goal."""
    _, agreements = looked_up(workspace, goal, MOST_AGREED, Call())
    return tuple(item.agreement.symbol for item in agreements if item.agreement.symbol and answers(workspace, (item,)))


def within(deadline: Deadline, work: Callable[[], Value]) -> Value:
    """Return the result of the work, or give up when the deadline passes; the work may then continue unobserved.

    It runs in a thread because a blocked store cannot be interrupted, and a plan must return a partial answer in time.
    """
    box: SimpleQueue[tuple[bool, Any]] = SimpleQueue()

    def run() -> None:
        try:
            box.put((True, work()))
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            box.put((False, error))

    Thread(target=copy_context().run, args=(run,), daemon=True, name="plan-search").start()
    while not deadline.passed:
        try:
            done, value = box.get(timeout=max(0.001, deadline.left(PATIENCE)))
        except Empty:
            continue
        if done:
            return cast("Value", value)
        raise value
    raise Cancelled("plan.time")


def _asked(workspace: "Workspace", step: Step, alike: Callable[..., Any]) -> StepResults:
    """Return what a step brings; where it has a second question, the results of both by their ranks."""
    found = _search(workspace, step, alike)
    return fuse_turns([found, _search(workspace, step.also, alike)]) if step.also else found


def _search(workspace: "Workspace", step: Step, alike: Callable[..., Any]) -> StepResults:
    asked = SearchInput(step.text, LISTED, mode=step.mode, path=step.path, languages=step.languages)
    query = query_of(workspace, asked)
    config = replace(workspace.config.search, preview_lines=WHOLE)
    around = Around((step.near,)) if step.near else None
    found = search(query, workspace.store, workspace.embedder, config, around)
    texts = tuple(f"{hit.path} {hit.symbol}\n{hit.preview}" for hit in found.hits)
    near = alike([(hit.path, hit.symbol, hit.preview) for hit in found.hits[:TOP]])
    near += (None,) * (len(found.hits) - len(near))
    shown = workspace.config.search.preview_lines
    results = tuple(
        record_from(PlanResult, hit, similarity=similar, preview="\n".join(hit.preview.split("\n")[:shown]))
        for hit, similar in zip(found.hits, near, strict=True)
    )
    return StepResults(results, texts, found.confidence)


def frequencies(workspace: "Workspace", terms: Sequence[str]) -> "Frequencies":
    """Return the number of chunks, and how many of them contain each term."""
    if not terms:
        return workspace.store.size(), {}
    found = workspace.store.candidates(Ask({"content": dict.fromkeys(terms, 1.0)}, limit=1))
    return found.chunks, found.in_content


def matcher(pattern: str) -> Callable[[str], bool]:
    """Return a test for a regular expression, which works line by line like grep and has no exponential run time."""
    compiled = compile_pattern(pattern, Spelling(regex=True))
    return lambda text: compiled.search(text.encode("utf-8", "replace")) is not None


def names_of(workspace: "Workspace", words: Sequence[str]) -> tuple[str, ...]:
    """Return names defined in the project that consist of neighbouring words."""
    plain = [word if word.isascii() else next(iter(_in_english(word)), "") for word in words]
    cut = [list(split_identifier(word)) for word in plain if word]
    joined: list[str] = []
    for size in range(MOST_JOINED, 1, -1):
        for place in range(len(cut) - size + 1):
            parts = [part for word in cut[place : place + size] for part in word]
            joined += ["".join(parts).lower(), "_".join(parts).lower()]
    if not joined:
        return ()
    found = workspace.store.candidates(Ask(names=tuple(dict.fromkeys(joined)), limit=LISTED)).definitions
    return tuple(dict.fromkeys(item.symbol.name for item in found))


def _translate(workspace: "Workspace", goal: str) -> tuple[str, ...]:
    """Return translations from the glossary; Japanese ones only if the index contains them."""
    if not goal.isascii():
        return _in_english(goal)
    offered = [word for english in goal_words(goal) for word in japanese_for(english)[:2]]
    _, counts = frequencies(workspace, sorted({term for word in offered for term in index_terms(word)}))
    return tuple(word for word in offered if all(counts.get(term, 0) for term in index_terms(word)))


def _in_english(text: str) -> tuple[str, ...]:
    """Return the English words of a text; katakana that is known by its sound stays, as a sound gives only a stem."""
    parts = [part for part in telling_parts(text) if part.english]
    return tuple(dict.fromkeys(part.english[0] if japanese_for(part.english[0]) else part.text for part in parts))


def checked_patterns(patterns: Sequence[str]) -> None:
    """Refuse an invalid pattern before anything is searched."""
    for pattern in patterns:
        if not pattern:
            raise BadArgument("plan.empty_pattern")
        matcher(pattern)
