"""Checks claims against the recorded calls and the index, and parses symbol names and paths out of prose."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from shirube.codec import replace
from shirube.engine.store.port import Ask
from shirube.engine.text.glossary import stop_words
from shirube.engine.text.tokens import NAMES, index_terms
from shirube.features.guard.state import Recorded, Session, Understanding
from shirube.features.plan.frame import Intent, Slot, agree
from shirube.messages import NOTHING, Message, say
from shirube.types import Edge

if TYPE_CHECKING:
    from shirube.workspace import Workspace

MOST_DEFINITIONS = 2000
"""How many definitions of one name are examined; a name with more definitions identifies nothing."""
SHOWN = 3
QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|「([^」\n]+)」")
RARE = 0.05
"""A word is rare if at most this share of the places in the code have it."""
_ARGUMENTS = re.compile(r"\(.*$", re.DOTALL)
_JOINTS = re.compile(r"::|->|[.#/\\]")
_CODE = re.compile(r"`([^`\s]+)`|([A-Za-z_$][\w$]*(?:(?:::|->|[.#])[A-Za-z_$][\w$]*)*(?:\(\))?)", re.ASCII)
_PATH = re.compile(
    r"[\w@.+-]+(?:/[\w@.+-]+)*/[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7}"
    r"|(?<![\w/.])[\w-]+\.(?:py|ts|tsx|js|jsx|go|rs|rb|java|kt|php|c|h|cc|cpp|cs|swift|scala|md|toml|ya?ml|json)\b",
    re.ASCII,
)
_APART = re.compile(r"[\s:#の、,]+|::")
_WORD = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_ABSENT = re.compile(r"\b(?:0|no|none|nothing|not|never|absent|missing)\b|ない|なし|ません|無", re.IGNORECASE)
"""How a result says that a call found nothing."""
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_BRANDS = re.compile(f"(?:{NAMES})")


def plain_name(text: str) -> str:
    """Return a symbol's name, parts joined by dots: ``"Auth::login(user)"`` → ``"Auth.login"``."""
    return ".".join(name_parts(text))


def name_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a symbol's name: ``"auth.Service#login()"`` → ``("auth", "Service", "login")``."""
    return tuple(part.strip() for part in _JOINTS.split(_ARGUMENTS.sub("", text.strip())) if part.strip())


def is_part_of(name: str, other: str) -> bool:
    """Tell whether two names mean the same symbol: the parts of one are the first or the last parts of the other."""
    first, second = name_parts(name), name_parts(other)
    if not first or not second:
        return False
    short, long = sorted((first, second), key=len)
    return long[-len(short) :] == short or long[: len(short)] == short


def names_in(text: str) -> tuple[str, ...]:
    """Return the words of a text that are surely code names: backquoted, ``snake_case``, ``camelCase`` or ``f()``."""
    text = _PATH.sub(" ", text)
    matches = [(quoted or bare, bool(quoted)) for quoted, bare in _CODE.findall(text)]
    return tuple(dict.fromkeys(plain_name(name) for name, quoted in matches if quoted or _looks_like_code(name)))


def named_in(text: str) -> tuple[str, ...]:
    """Return the words of a text that may be names: those that surely are, and words joined like ``Flask.run``."""
    joined = (bare for _, bare in _CODE.findall(_PATH.sub(" ", text)) if bare and _JOINTS.search(bare))
    return tuple(dict.fromkeys((*names_in(text), *map(plain_name, joined))))


def paths_in(text: str) -> tuple[str, ...]:
    """Return the parts of a text that are surely file paths: ``"see src/a.py:3"`` → ``("src/a.py",)``."""
    return tuple(dict.fromkeys(match.removeprefix("./") for match in _PATH.findall(text)))


def is_blank(text: str) -> bool:
    """Tell whether a text is empty, or a placeholder that nobody filled in, ``"<…>"``."""
    plain = text.strip()
    return not plain or (plain.startswith("<") and plain.endswith(">"))


def _looks_like_code(name: str) -> bool:
    if _BRANDS.fullmatch(name):
        return False
    return name.endswith("()") or "_" in name.strip("_") or _CAMEL.search(name) is not None


class Facts:
    """The project as the index describes it now."""

    def __init__(self, workspace: "Workspace", operations: Iterable[str]) -> None:
        self._workspace = workspace
        self.operations = frozenset(operations)

    @cached_property
    def files(self) -> int:
        """How many files there are."""
        return self._workspace.store.coverage()[1]

    @cached_property
    def symbols(self) -> int:
        """How many symbols there are."""
        return self._workspace.store.totals().symbols

    def defined(self, name: str) -> tuple[str, ...]:
        """Return the files that define a name; a qualifier must be one of its scopes, or part of its path."""
        parts = name_parts(name)
        if not parts:
            return ()
        *outer, last = parts
        ask = Ask(names=(last.lower(),), outer=".".join(outer).lower(), limit=MOST_DEFINITIONS)
        definitions = self._workspace.store.candidates(ask).definitions
        fitting: dict[str, None] = {}
        for item in definitions:
            path = item.path.rpartition(".")[0] or item.path
            around = {*item.symbol.qualified.split("."), *path.split("/")}
            if item.symbol.name == last and around.issuperset(outer):
                fitting[item.path] = None
        return tuple(fitting)

    def known(self, paths: Collection[str]) -> frozenset[str]:
        """Return which of these files are indexed."""
        records = self._workspace.store.files(tuple(paths)) if paths else {}
        return frozenset(path for path, record in records.items() if record.language)

    def resolve(self, text: str) -> tuple[str, str]:
        """Return the file and the symbol that somebody means; each is empty when it is not clear.

        ``"controllers/validation.py の require_fields"`` → ``("app/controllers/validation.py", "require_fields")``,
        ``"signup_controller"`` → ``("app/signup_controller.rb", "")``.
        """
        words = self._words(text)
        path = next((found[0] for word in words if len(found := self._files(word)) == 1), "")
        names = (word for word in reversed(words) if not (path and self._files(word)))
        return path, next((plain_name(word) for word in names if self.defined(word)), "")

    def unclear(self, text: str) -> Message:
        """Return why a text does not say what is meant: it fits several files, or has a name that nothing defines."""
        for word in self._words(text):
            if len(files := self._files(word)) > 1:
                return say("session.several_files", name=word, paths=files[:SHOWN])
            if not files and not self.defined(word) and _WORD.fullmatch(word):
                return say("session.undefined", what=say("session.symbol"), name=word)
        return NOTHING

    def _words(self, text: str) -> list[str]:
        plain = text.strip().strip("`'\"「」").removeprefix("./")
        if self.known([plain]):
            return [plain]
        return [word.strip("`") for word in _APART.split(plain) if word and not word.isdecimal()]

    def _files(self, word: str) -> list[str]:
        """Return the files whose path ends so, with or without the ending of the name."""
        if self.known([word]):
            return [word]
        ending = [path for path in self._paths if path.endswith(f"/{word}")]
        return ending or [path for path in self._paths if f"/{path.rpartition('.')[0]}".endswith(f"/{word}")]

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        return tuple(self._workspace.store.files())

    def users(self, paths: Collection[str], symbols: Collection[str]) -> frozenset[str]:
        """Return the files that depend on one of these, and name one of the symbols if there are any."""
        using = {edge.source for edge in self.around(paths) if edge.target in paths}.difference(paths)
        names = {part for symbol in symbols for part in name_parts(symbol)[-1:]}
        return frozenset(path for path in using if not names or any(self.written(name, [path]) for name in names))

    def is_rare(self, words: Collection[str]) -> bool:
        """Tell whether one of these words is in few places of the project."""
        known = self._workspace.store.known(tuple(words), ()) if words else None
        most = RARE * self._workspace.store.size()
        return known is not None and any(known.in_content.get(word, 0) <= most for word in words)

    def near(self, paths: Collection[str]) -> frozenset[str]:
        """Return the files that import one of these, are imported by one, or used to change together with one."""
        from shirube.engine.history.together import companions

        linked = {end for edge in self.around(paths) for end in (edge.source, edge.target)}
        return frozenset(linked.union(companions(self._workspace.store, paths)).difference(paths))

    def written(self, word: str, paths: Iterable[str]) -> bool:
        """Tell whether the text of one of these files contains a word."""
        return any(word in self._workspace.store.text(path) for path in paths)

    def around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        """Return the dependency edges that start or end at one of these files."""
        return self._workspace.store.edges_around(paths)


def check_claims(session: Session, claims: Understanding, facts: Facts) -> tuple[Understanding, tuple[Message, ...]]:
    """Return what is understood, and an error for each false claim; recorded calls supply what a claim leaves out."""
    errors = [
        *_twice("session.symbol", claims.symbols),
        *_twice("session.file", claims.files),
        *(fault for name in claims.symbols if (fault := symbol_fault(session, name, facts))),
        *file_faults(session, claims.files, facts),
        *_entry_faults(session, claims, facts),
        *_pattern_faults(session, claims, facts),
        *_caller_faults(session, claims, facts),
    ]
    seen = facts.known(session.explored) if not claims.files else frozenset()
    understood = Understanding(
        symbols=tuple(map(plain_name, claims.symbols)) or session.symbols,
        entry_points=tuple(dict.fromkeys(map(plain_name, claims.entry_points))),
        files=claims.files or tuple(sorted(seen)),
        patterns=tuple(dict.fromkeys(claims.patterns)),
        callers=claims.callers,
        notes=claims.notes,
        shown=not claims.symbols,
    )
    return understood, tuple(dict.fromkeys(errors))


def check_targets(session: Session, claims: Understanding, facts: Facts) -> tuple[Understanding, tuple[Message, ...]]:
    """Return what will be changed, with paths and names as the project spells them, and an error for each false claim.

    The files of a claimed symbol are those that define it and were looked at. A file that does not exist may be meant
    where something new is asked for.
    """
    symbols: list[str] = []
    files: list[str] = []
    errors = [*_twice("session.symbol", claims.symbols), *_twice("session.file", claims.files)]
    for name in claims.symbols:
        path, symbol = ("", plain_name(name)) if facts.defined(plain_name(name)) else facts.resolve(name)
        symbols += [symbol] if symbol else []
        files += [path] if path else []
        errors += file_faults(session, [path], facts) if path else ()
        if not path and not symbol:
            errors.append(facts.unclear(name) or say("session.undefined", what=say("session.symbol"), name=name))
        elif symbol and path not in facts.defined(symbol):
            shown = [place for place in facts.defined(symbol) if place in session.explored]
            shown = [place for place in shown if place in claims.files] or shown
            files += shown
            if shown[1:] and not set(shown) <= set(claims.files):
                errors.append(say("session.several_files", name=name, paths=shown[:SHOWN]))
            elif not shown and set(claims.files).isdisjoint(facts.defined(symbol)):
                places = _likeliest(session, facts.defined(symbol))
                files += places[:1]
                errors.append(say("session.not_shown", what=say("session.symbol"), name=symbol, path=places[0]))
    for text in claims.files:
        path, symbol = facts.resolve(text)
        symbols += [symbol] if symbol else []
        files.append(path or text)
        if not path and session.intent is Intent.IMPLEMENT and _PATH.fullmatch(text):
            errors += _new_faults(session, text)
        elif doubt := facts.unclear(text):
            errors.append(doubt)
        else:
            errors += file_faults(session, [path or text], facts)
    targets = Understanding(tuple(dict.fromkeys(symbols)), files=tuple(dict.fromkeys(files)), notes=claims.notes)
    errors += _told_faults(session, replace(claims, symbols=targets.symbols), facts)
    return targets, tuple(dict.fromkeys(errors))


def _told_faults(session: Session, claims: Understanding, facts: Facts) -> Iterator[Message]:
    """Yield what is wrong with what is said about the targets."""
    if claims.notes.strip() and is_blank(claims.notes):
        yield say("session.unfilled", name="why")
    names = false_names(session, claims.notes, facts)
    if false := [name for name in names if not _is_new(name, session, claims, facts)]:
        yield say("session.why_false", names=false)
    yield from _pattern_faults(session, claims, facts)
    yield from _caller_faults(session, claims, facts)
    yield from _entry_faults(session, claims, facts)


def _is_new(name: str, session: Session, claims: Understanding, facts: Facts) -> bool:
    """Tell whether a name may be told though nothing has it: a call proved that, or a claimed new file is about it."""
    proven = {
        line.strip() for call in session.calls if call.tells and not call.hits for line in call.asked.splitlines()
    }
    made = [path for path in claims.files if session.intent is Intent.IMPLEMENT and not facts.resolve(path)[0]]
    stems = [path.rpartition("/")[2].partition(".")[0] for path in made]
    return not proven.isdisjoint({name, *name_parts(name)[-1:]}) or any(
        path.endswith(name) or agree(name, stem) for path, stem in zip(made, stems, strict=True)
    )


def _new_faults(session: Session, path: str) -> Iterator[Message]:
    """Yield what is wrong with a new file: it belongs beside a file that was looked at."""
    folder = path.rpartition("/")[0] or "."
    seen = session.looked_at
    if folder not in seen and folder not in {path.rpartition("/")[0] or "." for path in seen}:
        yield say("session.of", name=path, reason=say("guard.new_file"))


def symbol_fault(session: Session, name: str, facts: Facts, what: str = "session.symbol") -> Message:
    """Return what is wrong with a claimed symbol: it must exist, and a call of this session must have shown it."""
    places = facts.defined(plain_name(name))
    if not places:
        return say("session.undefined", what=say(what), name=name)
    if session.explored.intersection(places) or any(is_part_of(name, shown) for shown in session.symbols):
        return NOTHING
    return say("session.not_shown", what=say(what), name=name, path=_likeliest(session, places)[0])


def _likeliest(session: Session, places: tuple[str, ...]) -> tuple[str, ...]:
    """Return files in the order in which the request leads to them."""
    order = {place.path: number for number, place in enumerate(session.expected)}
    return tuple(sorted(places, key=lambda path: order.get(path, len(order))))


def file_faults(session: Session, paths: Iterable[str], facts: Facts) -> Iterator[Message]:
    """Yield what is wrong with claimed files: a call of this session must have shown some content of each."""
    unseen = [path for path in paths if path not in session.explored]
    known = facts.known(unseen)
    for path in unseen:
        if path in session.returned:
            yield say("session.only_named", path=path)
        else:
            yield say("session.not_returned" if path in known else "session.not_indexed", path=path)


def slot_evidence(session: Session, slot: Slot | None) -> str:
    """Return the evidence for a slot: ``confirmed``, ``hits``, ``absence`` (proven by a search), or empty for none."""
    if slot is None:
        return ""
    if any(item.approved and agree(slot.value, item.nl_term) for item in session.confirmed):
        return "confirmed"
    used = [call for call in session.calls if call.tells and uses(call.asked, slot)]
    if any(call.hits for call in used):
        return "hits"
    return "absence" if used else ""


def uses(asked: str, slot: Slot) -> bool:
    """Tell whether a call asked for a slot's value or quote, in Japanese or English."""
    return any(agree(text, line) for line in asked.splitlines() if line for text in (slot.value, slot.quote) if text)


def is_mapped(session: Session, feature: str, understood: Understanding) -> bool:
    """Tell whether the request's word for a feature is tied to a symbol: by its words, confirmation or agreement."""
    if any(item.approved and agree(feature, item.nl_term) for item in session.confirmed):
        return True
    if any(hit.fresh and agree(feature, hit.term) for call in session.calls for hit in call.maps):
        return True
    return any(agree(feature, name) for name in (*understood.symbols, *understood.entry_points))


def only_absence(session: Session) -> bool:
    """Tell whether the only evidence is that the feature does not exist yet; then only new files may be written."""
    slot = session.asked_frame.slots.get("target_feature")
    return slot_evidence(session, slot) == "absence"


def rests_on_absence(session: Session) -> bool:
    """Tell whether every confirmed hypothesis rests on a search without hits; then only new files may be written."""
    calls = {call.number: call for call in session.calls}
    deciding = [calls.get(item.call) for item in session.hypotheses if item.status == "confirmed" and item.call]
    return bool(deciding) and all(call is not None and not call.hits for call in deciding)


def false_names(session: Session, text: str, facts: Facts) -> tuple[str, ...]:
    """Return the names and paths of a text that appear neither in the request, the session nor the project."""
    shown = {part for name in session.symbols for part in name_parts(name)}
    unseen = [name for name in names_in(text) if not shown.issuperset(name_parts(name))]
    last = {name: name_parts(name)[-1] for name in unseen}
    unknown = [name for name in unseen if last[name] not in session.request and not facts.defined(name)]
    names = [name for name in unknown if not facts.written(last[name], session.explored)]
    seen = session.returned | session.explored
    seen |= {path.rpartition("/")[2] for path in seen}  # a bare file name is accepted for its path
    paths = [path for path in paths_in(text) if path not in seen and not facts.resolve(path)[0]]
    known = facts.known(paths)
    return (*names, *(path for path in paths if path not in known))


def tells_of(text: str, target: str, past: Recorded, facts: Facts) -> bool:
    """Tell whether a result names or quotes what its call asked for or showed, or says that there is nothing."""
    if not past.hits and _ABSENT.search(text):
        return True
    there = " ".join([target, past.asked, *past.seen, *past.listed, *past.symbols])
    if not stop_words().issuperset({*index_terms(text)}.intersection(index_terms(there))):
        return True
    words = [word for word in _WORD.findall(text) if len(word) > 2 and word.lower() not in stop_words()]
    return any(facts.written(word, past.seen) for word in (*words, *filter(None, chain(*QUOTED.findall(text)))))


def _twice(what: str, names: tuple[str, ...]) -> Iterator[Message]:
    counted = Counter(map(plain_name, names) if what == "session.symbol" else names)
    kind = say(what)
    return (
        say("session.given_twice", what=kind, name=name, count=times) for name, times in counted.items() if times > 1
    )


def _entry_faults(session: Session, claims: Understanding, facts: Facts) -> Iterator[Message]:
    for name in claims.entry_points:
        if fault := symbol_fault(session, name, facts, "session.entry_point"):
            yield fault
        elif claims.symbols and not any(is_part_of(name, symbol) for symbol in claims.symbols):
            yield say("session.entry_apart", name=name)


def _pattern_faults(session: Session, claims: Understanding, facts: Facts) -> Iterator[Message]:
    if claims.patterns and not (claims.files or session.explored):
        yield say("session.patterns_unseen")
    for pattern in claims.patterns:
        if false := false_names(session, pattern, facts):
            yield say("session.pattern_false", pattern=pattern[:80], names=false)
        elif not names_in(pattern) and not paths_in(pattern):
            words = set(_WORD.findall(pattern))  # a plain word counts when a call showed a symbol of that name
            if not any(name_parts(symbol)[-1] in words for symbol in session.symbols):
                yield say("session.pattern_bare", pattern=pattern[:80])


def _caller_faults(session: Session, claims: Understanding, facts: Facts) -> Iterator[Message]:
    if not claims.callers:
        return
    using = {edge.source for edge in facts.around(claims.callers) if edge.target in session.explored}
    using.update(path for call in session.calls if "find_references" in call.operations for path in call.seen)
    yield from (say("session.caller_apart", path=path) for path in claims.callers if path not in using)
