"""Parses what comes with the goal (failing tests, a diff, edited files, hints) into places and words.

A ``Locator`` finds the file a tool means: by a path of another machine, a path in a subdirectory, or a bare name.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import takewhile

from msgspec import Struct

from shirube.engine.search.verbatim import unwrapped
from shirube.engine.store.port import Ask
from shirube.engine.store.store import Store
from shirube.engine.text.tokens import index_terms, index_tokens
from shirube.features.lookup.context.mentions import (
    Output,
    OutputPlace,
    Report,
    Sort,
    find_output,
    in_lines,
    read_report,
    without_colours,
)
from shirube.features.lookup.context.named import names_in
from shirube.features.lookup.context.patch import DiffReading, FilePatch, paths_in, read_diff
from shirube.messages import Message, say

MOST_ALIKE = 3
"""A bare name that fits more files than this identifies none of them."""
LOOKED_AT = 60
MOST_SEARCHED = 100
"""How many paths are searched for by their end; a text with more is mostly about other projects."""
MOST_NAMES = 40
LISTED = 8
"""A hint with more lines than this is a log; a shorter one is a list of hints, one on each line."""
TOLD_AT_THE_END = 3
"""How many lines of a log without errors are searched for."""
LONGEST_GOAL = 2_000
"""Of a longer goal only the beginning, the end and the error messages are searched for."""
_LIBRARIES = re.compile(
    r"(?:^|/)(?:(?P<own>site-packages|dist-packages|node_modules|go/pkg/mod|\.cargo/registry/src/[^/]+"
    r"|\.cargo/git/checkouts/[^/]+/[^/]+)"
    r"|\.cargo|\.rustup|rustc|lib/python\d|lib/go-|usr/include)(?=/|$|[\d.])|^<|^node:"
)
"""Where libraries are installed; ``own``: the project itself may be one of them."""
_VERSION = re.compile(r"@v?[\d.][^/]*$|-\d+\.\d[\w.+-]*$")
_BUILT = frozenset({"dist", "build", "out", "target", "debug", "release"})
_PACKAGE = re.compile(r'"name"\s*:\s*"(?:@[^"/]+/)?([^"]+)"|^module (?:\S+/)?(\S+)', re.MULTILINE)
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
LEAST_TAIL, FARTHEST_ABOVE = 2, 2
"""How many parts of an absolute path a file has in common with it at least, and how far below the root an installed
package may stand."""
WORDS_OF_A_MESSAGE = 12
"""How many words of an error message are searched for; later ones are mostly numbers and values."""
OWN_LINES, LONGEST_OWN = 3, 300
"""How many lines above pasted output are taken for the user's own words, and how many characters of them."""
FURTHEST = 0.8
"""Of several places of the same weight, the last counts at least this much of the first."""
_EXCEPTION = re.compile(r"^(?:\w+(?:\.|::))*[A-Z]\w*: (?=\S+ \S)")
_NOT_OWN = re.compile(
    r"[^\w\"“「『'(]|\d|(?:Traceback|goroutine|Compiling|Checking|Finished|npm|collected|platform|rootdir|plugins"
    r"|TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|def|class|async|fn|func|function|import|from)\b"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d|\S+: In .*function"
)
"""What a tool, a log or code begins a line with, and a user does not."""
_TITLES = re.compile(r"\s+[>›]\s+")
"""What stands between the parts of a test's name in JavaScript."""
MOST_TOLD = 3
"""How many messages, and names of tests, are searched for."""
_QUOTE = re.compile(r"(?<!\w)['\"“‘`]|['\"”’`](?!\w)")
"""Quotes, but no apostrophe: what a compiler puts into them (``type 'string'``) is no phrase of the user's."""
_SYSTEM = re.compile(r"\(os error \d+\)$|^\[Errno \d+\]")
"""A message of the operating system stands in no source."""
_QUOTES = str.maketrans(dict.fromkeys('"“”', " "))
_PROFILES = {Sort.TEST: "testfail", Sort.TYPES: "typeerror", Sort.FAULT: "bugfix"}
"""The search profile for what the artifacts report; the first that applies."""


class Locator:
    """Finds the project files that a path from elsewhere may mean, and caches the results."""

    def __init__(self, store: Store, root: str) -> None:
        self._store = store
        self._root = root.rstrip("/")
        self._known: dict[str, tuple[str, ...]] = {}
        self._searched = 0

    def __call__(self, path: str) -> tuple[str, ...]:
        """Return the files a path may mean; empty when there are none."""
        if path not in self._known:
            self._known[path] = self._find(path)
        return self._known[path]

    def _find(self, path: str) -> tuple[str, ...]:
        plain = re.sub(r"^(?:[A-Za-z]:)?/+", "/", path.replace("\\", "/"))
        if plain.startswith(f"{self._root}/"):
            plain = plain[len(self._root) + 1 :]
        parts = [part for part in plain.split("/") if part not in ("", ".", "..")]
        if not parts:
            return ()
        if exact := self._indexed(["/".join(parts)]):
            return exact
        if libraries := list(_LIBRARIES.finditer(plain)):
            return self._installed(plain[libraries[-1].end() + 1 :].split("/")) if libraries[-1]["own"] else ()
        return self._by_end(parts) or self._below(parts, LEAST_TAIL if plain.startswith("/") else len(parts))

    def _installed(self, parts: list[str]) -> tuple[str, ...]:
        """Find a file of an installed copy of this project: ``rest_framework/fields.py``, ``cobra@v1.8.0/args.go``."""
        named = [_VERSION.sub("", part) for part in parts if not part.startswith("@")]
        if len(named) < LEAST_TAIL:
            return ()
        found = [path for path in self._below(named, len(named)) if not _LIBRARIES.search(path)]
        found = [path for path in found if path.count("/") < len(named) + FARTHEST_ABOVE]
        own = [at for at, name in enumerate(named) if name.lower() in self._names]
        return tuple(found) or (self._indexed(["/".join(named[own[0] + 1 :])]) if own else ())

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names that an installed copy of this project may have: those of its directory and of its package."""
        name = self._root.rpartition("/")[2].lower()
        package = _PACKAGE.search(self._store.text("package.json") or self._store.text("go.mod"))
        return frozenset({name, (package[1] or package[2]).lower() if package else name})

    def _by_end(self, parts: list[str]) -> tuple[str, ...]:
        """Drop leading directories: ``/builds/42/shop/src/a.py`` → ``src/a.py``.

        A bare name matches a file at the root only if its directory has the same name as the project's root.
        """
        ends = ["/".join(parts[at:]) for at in range(1, len(parts) - 1)]
        if len(parts) > 1 and parts[-2] == self._root.rpartition("/")[2]:
            ends.append(parts[-1])
        found = self._indexed(ends)
        return (max(found, key=len),) if found else ()

    def _below(self, parts: list[str], least: int) -> tuple[str, ...]:
        """Find the files with most of these parts at their end: ``cart_test.go`` → ``pkg/cart/cart_test.go``.

        A script that was built may have another ending and directory: ``shop/dist/cart.js`` → ``shop/src/cart.ts``.
        """
        self._searched += 1
        if self._searched > MOST_SEARCHED:
            return ()
        built = not _BUILT.isdisjoint(parts) and _SCRIPT.search(parts[-1]) is not None
        stem = _SCRIPT.sub("", parts[-1]) if built else parts[-1]
        found = self._store.candidates(Ask({"path": dict.fromkeys(index_terms(stem), 1.0)}, limit=LOOKED_AT))
        wanted = _tail(parts, built)
        pairs = {one.path: zip(_tail(one.path.split("/"), built), wanted, strict=False) for one in found.items}
        shared = {
            path: sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both)) for path, both in pairs.items()
        }
        best = max(shared.values(), default=0)
        fits = sorted(path for path, count in shared.items() if count == best)
        sure = best >= min(least, len(wanted)) and len(fits) <= (MOST_ALIKE if best == len(wanted) else 1)
        return tuple(fits) if sure else ()

    def nearest(self, path: str, number: int, code: str) -> int:
        """Return the line of a file that has this code, the nearest to a number; the number where none has it."""
        lines = self._store.text(path).split("\n")
        same = [at for at, line in enumerate(lines, 1) if line.strip() == code]
        return min(same, key=lambda at: abs(at - number), default=number)

    def _indexed(self, paths: list[str]) -> tuple[str, ...]:
        return tuple(path for path, record in self._store.files(paths).items() if record.language) if paths else ()


def _tail(parts: Sequence[str], built: bool) -> list[str]:
    """Return the parts of a path, from its end; of a script that was built, what it has in common with its source."""
    if built:
        parts = [_SCRIPT.sub("", part) for part in parts if part not in _BUILT and part != "src"]
    return list(reversed(parts))


class Artifacts(Struct, frozen=True):
    """What comes with a goal, unparsed."""

    editing: tuple[str, ...] = ()
    failing_tests: tuple[str, ...] = ()
    """Names of tests, or the output of a test run."""
    diff: str = ""
    """A diff, or any text about a change."""
    hints: tuple[str, ...] = ()
    """Paths, names, words, more output, or a diff."""


class Clues(Struct, frozen=True):
    """The parsed artifacts."""

    question: str
    """What to search for: the goal, the words of the hints, and the first words of error messages."""
    mentions: tuple[OutputPlace, ...] = ()
    tests: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    """Names in the goal."""
    names: tuple[str, ...] = ()
    """Names given as hints."""
    files: tuple[str, ...] = ()
    """Files given as hints."""
    editing: tuple[str, ...] = ()
    patches: tuple[FilePatch, ...] = ()
    profile: str = ""
    """The search profile that the artifacts suggest; empty when they suggest none."""
    elsewhere: int = 0
    """How many places in the output are outside this project."""
    warnings: tuple[Message, ...] = ()


def read_clues(goal: str, artifacts: Artifacts, locate: Locator) -> Clues:
    """Parse the goal and everything that comes with it."""
    diff = _changes(artifacts.diff, locate)
    hinted = [_diff_within(hint, locate) for hint in artifacts.hints]
    pasted = _diff_within(goal, locate)
    goal, hints = pasted.rest or goal, [one.rest for one in hinted if one.rest]
    tests = [in_lines(text) for text in artifacts.failing_tests]
    reports = [read_report(text, locate, locate.nearest) for text in (goal, *tests, *hints, diff.rest)]
    runs, hint_reports = reports[1 : 1 + len(tests)], reports[1 + len(tests) : -1]
    named = []
    for text, run in zip(tests, runs, strict=True):
        lines = [line.strip() for line in text.strip().split("\n")]
        if len(lines) > 1:  # a name on each line
            lines = [] if run.tests else [line for line in lines if line and " " not in line][:MOST_NAMES]
        named += [_name_of(name, locate) for name in lines if not (run.messages or run.mentions)]
    plain = [
        text
        for text, run in zip(hints, hint_reports, strict=True)
        if not run.mentions and not (run.messages and " " in text)  # an error's name alone counts as a name
    ]
    files, names, words = _hints(plain, locate)
    patches = [patch for one in (diff, *hinted, pasted) for patch in one.patches]
    faults = [fault for one in (diff, *hinted, pasted) for fault in one.faults]
    if artifacts.diff.strip() and not any(patch.files for patch in diff.patches):
        words = (*words, *_words_of(diff))
        if not diff.patches and not reports[-1].mentions:
            faults.append(say("bundle.no_diff"))
    found = dict.fromkeys([*(name for name, _ in named if name), *(test for item in reports for test in item.tests)])
    mentions = [mention for report in reports for mention in report.mentions]
    question = _question(goal, reports, words, tuple(found))
    sorts = {report.sort for report in reports} | ({Sort.TEST} if artifacts.failing_tests else set())
    profile = next((name for sort, name in _PROFILES.items() if sort in sorts), "")
    return Clues(
        question=question,
        called=names_in(question),
        mentions=(*mentions, *(OutputPlace(path, 0, 1.0) for _, paths in named for path in paths)),
        tests=tuple(found),
        names=names,
        files=files,
        editing=artifacts.editing,
        patches=tuple(patches),
        profile=profile,
        elsewhere=sum(report.elsewhere for report in reports),
        warnings=tuple(faults),
    )


def _read_diff(text: str, locate: Locator) -> DiffReading:
    """Read the diffs in a text, and find their files."""
    reading = read_diff(without_colours(text))
    for patch in reading.patches:
        # A new file is not the one of the same name in another directory.
        found = locate(patch.new) if patch.new else ()
        patch.files = tuple(path for path in found if patch.old or path == patch.new) or locate(patch.old)
    return DiffReading(reading.patches, in_lines(reading.rest), reading.faults)


def _changes(text: str, locate: Locator) -> DiffReading:
    """Read a text about a change: diffs, ``git diff --stat``, a list of files, or prose with paths."""
    diff = _read_diff(text, locate)
    patches = list(diff.patches)
    known = {path for patch in patches for path in (patch.old, patch.new, *patch.files)}
    for path in paths_in(diff.rest):
        files = tuple(file for file in locate(path) if file not in known) if path not in known else ()
        patches += [FilePatch(path, path, files=files)] if files else []
        known.update(files)
    return DiffReading(tuple(patches), diff.rest, diff.faults)


def _diff_within(text: str, locate: Locator) -> DiffReading:
    """Take the diffs out of a text; what only resembles one (a test's "expected" and "actual") stays where it is."""
    diff = _read_diff(text, locate)
    return diff if any(patch.files for patch in diff.patches) else DiffReading(rest=in_lines(text))


def _words_of(diff: DiffReading) -> list[str]:
    """Return what to search for when no file of a diff is here: its names, the lines it changes, or its prose."""
    stems = [patch.path.rpartition("/")[2].partition(".")[0] for patch in diff.patches[:3] if patch.path]
    hunks = [hunk for patch in diff.patches for hunk in patch.hunks][:3]
    lines = [hunk.heading or max((*hunk.before, *hunk.after), key=len) for hunk in hunks]
    prose = [line for line in diff.rest.split("\n") if " " in line.strip()][:3] if not diff.patches else []
    return [*stems, *(" ".join(line.split()[:WORDS_OF_A_MESSAGE]) for line in (*lines, *prose))]


def _name_of(test: str, locate: Locator) -> tuple[str, tuple[str, ...]]:
    """Split a test id into the test's name and its files: ``a.py::T::b[1]`` → ``T.b``, ``tests/a.py``.

    jest and vitest write ``a.test.ts > group > title``, or with ``›``.
    """
    first, *titles = _TITLES.split(test.strip())
    if titles and (found := locate(first)):
        return " > ".join(titles), found
    plain = test.strip().partition("[")[0]
    path, mark, name = plain.partition("::")
    if mark and (found := locate(path)):
        return name.replace("::", "."), found
    if not mark and "/" in plain and (found := locate(plain.partition(":")[0])):
        return "", found
    return plain.replace("::", ".").replace("#", "."), ()


def _hints(hints: Sequence[str], locate: Locator) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Sort hints into files of the project, names, and words; of a long text the last lines count."""
    files: list[str] = []
    names: list[str] = []
    words: list[str] = []
    for hint in (line.strip() for text in hints for line in _last_lines(text)):
        looks_like_file = "/" in hint or "." in hint
        if " " not in hint and looks_like_file and (found := locate(hint.partition(":")[0])):
            files += found
        elif " " not in hint:
            names.append(hint)
        else:
            words.append(hint)
    return tuple(dict.fromkeys(files)), tuple(dict.fromkeys(names)), tuple(words)


def _last_lines(text: str) -> list[str]:
    lines = [line for line in dict.fromkeys(text.split("\n")) if line.strip()]
    if len(lines) <= LISTED:
        return lines
    return [" ".join(line.split()[:WORDS_OF_A_MESSAGE]) for line in lines[-TOLD_AT_THE_END:]]


def _question(goal: str, reports: Sequence[Report], words: Sequence[str], tests: Sequence[str]) -> str:
    """Return the text to search for; output pasted into the goal is replaced by its error messages."""
    first = reports[0]
    plain = goal
    if "\n" in goal.strip() and (first.mentions or (len(goal) > LONGEST_GOAL and first.messages)):
        plain = goal.strip().split("\n")[0]  # in a goal with pasted output, only the first line is the user's own words
    elif len(goal) > LONGEST_GOAL:
        plain = f"{goal[: LONGEST_GOAL // 2]} {goal[-LONGEST_GOAL // 2 :]}"
    told = (_QUOTE.sub(" ", message) for report in reports for message in report.messages)
    messages = [" ".join(message.split()[:WORDS_OF_A_MESSAGE]) for message in told]
    parts = (plain, *words, *_titles(tests), *dict.fromkeys(messages[:MOST_TOLD]))
    whole = " ".join(part for part in parts if part.strip())
    return whole if index_tokens(whole) else plain


def _titles(tests: Sequence[str]) -> list[str]:
    """Return the names of the first tests without what they are in."""
    titles = [test.rpartition(" > ")[2].rpartition(" › ")[2].rpartition(".")[2] for test in tests[:MOST_TOLD]]
    return list(dict.fromkeys(titles))


class PastedText(Struct, frozen=True):
    """A question that is tool output, or contains some."""

    question: str
    """What to search for: the user's own words, failing tests and error messages."""
    output: str = ""
    """The lines that tell something; empty when there are none."""

    def frames(self, locate: Locator) -> tuple[dict[str, dict[int, float]], int]:
        """Return the files of this project that it names (path → line → weight), and how many places are outside."""
        report = read_report(self.output, locate, locate.nearest) if self.output else Report()
        frames: dict[str, dict[int, float]] = {}
        before: Counter[float] = Counter()
        for mention in report.mentions:
            near = FURTHEST + (1 - FURTHEST) / 2 ** before[mention.weight]
            frames.setdefault(mention.path, {})[mention.line] = mention.weight * near
            before[mention.weight] += 1
        return frames, report.elsewhere


@lru_cache(maxsize=8)
@lru_cache(maxsize=4)
def read_pasted(text: str) -> PastedText:
    """Read a question that may be tool output; any other text stays as it is, but for the middle of a long one."""
    lines = in_lines(text)
    output = find_output(lines)
    one_line = "\n" not in lines.strip()
    told = output.messages and (output.places or not one_line)
    if told or output.tests or (output.places and not one_line):
        parts = [*_own_words(output), *_titles(output.tests), "; ".join(dict.fromkeys(_messages(output)))]
        said = " ".join(dict.fromkeys(parts)).strip()
    else:
        said = ""
    is_one_word = text.isascii() and text.isalnum()  # too long a word is refused by its length
    if not is_one_word:
        text = _told_once(text)
    is_long = len(text) > LONGEST_GOAL and not is_one_word
    plain = f"{text[: LONGEST_GOAL // 2]} {text[-LONGEST_GOAL // 2 :]}" if is_long else text
    return PastedText(said if index_tokens(said) else plain, "\n".join(output.lines))


def _told_once(text: str) -> str:
    """Return a text with lines that differ only in numbers given once, and without runs of blanks."""
    alike: dict[str, str] = {}
    for line in text.split("\n"):
        plain = " ".join(line.split())
        alike.setdefault(re.sub(r"\d+", "0", plain), plain)
    lines = [line for line in alike.values() if line]
    counted = sorted(lines, key=lambda line: _LOUD.search(line) is None) if len(lines) > 1 else lines
    return "\n".join(counted)


_LOUD = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|panic|fail(?:ed|ure)?|exception)\b|エラー|失敗", re.IGNORECASE)
"""Lines of a log that tell what went wrong; they are read first."""


def _own_words(output: Output) -> Iterator[str]:
    """Yield what the user says about the output: the lines above it, and a question below it."""
    above = [line for line in output.before if line.strip()]
    own = list(takewhile(lambda line: not _NOT_OWN.match(line), above[: OWN_LINES + 1]))
    if len(own) <= OWN_LINES:
        yield " ".join(own)[:LONGEST_OWN]
    if output.last.rstrip().endswith(("?", "？")):
        yield output.last.strip()[:LONGEST_OWN]


def _messages(output: Output) -> Iterator[str]:
    """Yield the first error messages; what they quote is no phrase that the user asks for."""
    own = [message for message in output.messages if not _SYSTEM.search(message)] or output.messages
    alike = {re.sub(r"\d+", "", message): message for message in reversed(own)}
    for message in list(reversed(alike.values()))[:MOST_TOLD]:
        plain = _EXCEPTION.sub("", unwrapped(message))
        yield " ".join(plain.translate(_QUOTES).split()[:WORDS_OF_A_MESSAGE])
