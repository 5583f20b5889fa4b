"""Parses what comes with the goal (failing tests, a diff, edited files, hints) into places and words.

A ``Locator`` finds the file a tool means: by a path of another machine, a path in a subdirectory, or a bare name.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.store.port import Ask, Store
from shirube.engine.text.tokens import index_terms, index_tokens
from shirube.errors import BadDiff
from shirube.features.lookup.context.mentions import OutputPlace, Report, Sort, read_report
from shirube.features.lookup.context.patch import FilePatch, looks_like_patch, read_patch
from shirube.messages import Message, say

MOST_ALIKE = 3
"""A bare name that fits more files than this identifies none of them."""
LOOKED_AT = 60
_LIBRARIES = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|\.cargo|\.rustup|rustc|go/pkg/mod|lib/python\d|lib/go-|usr/include)(?:/|$|[\d.])"
    r"|^<|^node:"
)
WORDS_OF_A_MESSAGE = 12
"""How many words of an error message are searched for; later ones are mostly numbers and values."""
_PROFILES = {Sort.TYPES: "typeerror", Sort.TEST: "testfail", Sort.FAULT: "bugfix"}


class Locator:
    """Finds the project files that a path from elsewhere may mean, and caches the results."""

    def __init__(self, store: Store, root: str) -> None:
        self._store = store
        self._root = root.rstrip("/")
        self._known: dict[str, tuple[str, ...]] = {}

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
        if _LIBRARIES.search(plain):
            return ()
        return self._by_end(parts) or self._below(parts)

    def _by_end(self, parts: list[str]) -> tuple[str, ...]:
        """Drop leading directories: ``/builds/42/shop/src/a.py`` → ``src/a.py``.

        A bare name matches a file at the root only if its directory has the same name as the project's root.
        """
        ends = ["/".join(parts[at:]) for at in range(1, len(parts) - 1)]
        if len(parts) > 1 and parts[-2] == self._root.rpartition("/")[2]:
            ends.append(parts[-1])
        found = self._indexed(ends)
        return (max(found, key=len),) if found else ()

    def _below(self, parts: list[str]) -> tuple[str, ...]:
        """Find files whose path ends with these parts: ``cart_test.go`` → ``pkg/cart/cart_test.go``."""
        terms = dict.fromkeys(index_terms(parts[-1]), 1.0)
        found = self._store.candidates(Ask({"path": terms}, limit=LOOKED_AT))
        tail = "/" + "/".join(parts)
        fits = sorted({item.path for item in found.items if f"/{item.path}".endswith(tail)})
        return tuple(fits) if len(fits) <= MOST_ALIKE else ()

    def _indexed(self, paths: list[str]) -> tuple[str, ...]:
        return tuple(path for path, record in self._store.files(paths).items() if record.language) if paths else ()


class Artifacts(Struct, frozen=True):
    """What comes with a goal, unparsed."""

    editing: tuple[str, ...] = ()
    failing_tests: tuple[str, ...] = ()
    """Names of tests, or the output of a test run."""
    diff: str = ""
    hints: tuple[str, ...] = ()
    """Paths, names, words, more output, or a diff."""


class Clues(Struct, frozen=True):
    """The parsed artifacts."""

    question: str
    """What to search for: the goal, the words of the hints, and the first words of error messages."""
    mentions: tuple[OutputPlace, ...] = ()
    tests: tuple[str, ...] = ()
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
    """Parse the goal and everything that comes with it; refuse a ``diff`` that is not a diff."""
    patches = tuple(read_patch(artifacts.diff)) if artifacts.diff.strip() else ()
    hinted, rest, warnings = _diffs(artifacts.hints, locate)
    artifacts = replace(artifacts, hints=rest)
    reports = [read_report(text, locate) for text in (goal, *artifacts.failing_tests, *artifacts.hints)]
    runs = reports[1 : 1 + len(artifacts.failing_tests)]
    named = [
        _name_of(text, locate)
        for text, run in zip(artifacts.failing_tests, runs, strict=True)
        if "\n" not in text.strip() and not run.messages and not run.mentions
    ]
    hint_reports = reports[1 + len(artifacts.failing_tests) :]
    plain = [
        text
        for text, run in zip(artifacts.hints, hint_reports, strict=True)
        if not run.mentions and not (run.messages and " " in text)  # an error's name alone counts as a name
    ]
    files, names, words = _hints(plain, locate)
    tests = dict.fromkeys([*(name for name, _ in named if name), *(test for item in reports for test in item.tests)])
    mentions = [mention for report in reports for mention in report.mentions]
    return Clues(
        question=_question(goal, reports, words, tuple(tests)),
        mentions=(*mentions, *(OutputPlace(path, 0, 1.0) for _, paths in named for path in paths)),
        tests=tuple(tests),
        names=names,
        files=files,
        editing=artifacts.editing,
        patches=(*patches, *hinted),
        profile=_profile(reports, bool(artifacts.failing_tests)),
        elsewhere=sum(report.elsewhere for report in reports),
        warnings=warnings,
    )


def _diffs(hints: Sequence[str], locate: Locator) -> tuple[tuple[FilePatch, ...], tuple[str, ...], tuple[Message, ...]]:
    """Take the diffs out of the hints; text that only resembles one (a test's "expected" and "actual") stays a hint."""
    patches: list[FilePatch] = []
    rest: list[str] = []
    warnings: list[Message] = []
    for hint in hints:
        try:
            parsed = read_patch(hint) if looks_like_patch(hint) else []
        except BadDiff as error:
            parsed = []
            warnings.append(say("bundle.diff_as_output", why=error.message))
        known = [patch for patch in parsed if locate(patch.path) or (patch.old and locate(patch.old))]
        patches += parsed if known else []
        rest += [] if known else [hint]
    return tuple(patches), tuple(rest), tuple(warnings)


def _profile(reports: Sequence[Report], tests: bool) -> str:
    """Return the search profile for what the artifacts report: failing tests, type errors, or another fault."""
    sorts = {report.sort for report in reports} | ({Sort.TEST} if tests else set())
    return next((_PROFILES[sort] for sort in (Sort.TEST, Sort.TYPES, Sort.FAULT) if sort in sorts), "")


def _name_of(test: str, locate: Locator) -> tuple[str, tuple[str, ...]]:
    """Split a test id into the test's name and its files: ``a.py::T::b[1]`` → ``T.b``, ``tests/a.py``."""
    plain = test.strip().partition("[")[0]
    path, mark, name = plain.partition("::")
    if mark and (found := locate(path)):
        return name.replace("::", "."), found
    if not mark and "/" in plain and (found := locate(plain.partition(":")[0])):
        return "", found
    return plain.replace("::", ".").replace("#", "."), ()


def _hints(hints: Sequence[str], locate: Locator) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Sort hints into files of the project, names, and words."""
    files: list[str] = []
    names: list[str] = []
    words: list[str] = []
    for hint in (hint.strip() for hint in hints):
        looks_like_file = "/" in hint or "." in hint
        if not hint or "\n" in hint:
            continue
        if " " not in hint and looks_like_file and (found := locate(hint.partition(":")[0])):
            files += found
        elif " " not in hint:
            names.append(hint)
        else:
            words.append(hint)
    return tuple(dict.fromkeys(files)), tuple(dict.fromkeys(names)), tuple(words)


def _question(goal: str, reports: Sequence[Report], words: Sequence[str], tests: Sequence[str]) -> str:
    """Return the text to search for; output pasted into the goal is replaced by its error messages."""
    first = reports[0]
    # In a goal with pasted output, only the first line is the user's own words.
    plain = goal if "\n" not in goal.strip() or not first.mentions else goal.strip().split("\n")[0]
    messages = [" ".join(message.split()[:WORDS_OF_A_MESSAGE]) for report in reports for message in report.messages]
    titles = [test.rpartition(" > ")[2].rpartition(" › ")[2].rpartition(".")[2] for test in tests]
    parts = [part for part in (plain, *words, *dict.fromkeys(titles[:3]), *dict.fromkeys(messages[:3])) if part.strip()]
    whole = " ".join(parts)
    return whole if index_tokens(whole) else goal
