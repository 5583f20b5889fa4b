"""What the request says beside the goal: failing tests, a diff, files at hand and hints, read into places and words."""

from collections.abc import Sequence

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.text.tokens import index_tokens
from shirube.errors import BadDiff
from shirube.features.lookup.context.locate import Locator
from shirube.features.lookup.context.mentions import Mention, Report, Sort, read_report
from shirube.features.lookup.context.patch import FilePatch, looks_like_patch, read_patch
from shirube.messages import Message, say

WORDS_OF_A_MESSAGE = 12
"""A message is mostly numbers and values; its first words are what it says."""
_PROFILES = {Sort.TYPES: "typeerror", Sort.TEST: "testfail", Sort.FAULT: "bugfix"}


class Artifacts(Struct, frozen=True):
    """What comes with a goal, as it was sent."""

    editing: tuple[str, ...] = ()
    failing_tests: tuple[str, ...] = ()
    """Names of tests, or what the test run printed."""
    diff: str = ""
    hints: tuple[str, ...] = ()
    """Paths, names, words, more output, or a diff."""


class Clues(Struct, frozen=True):
    """The same, read."""

    question: str
    """What to search for: the goal, the words of the hints, and what the messages say."""
    mentions: tuple[Mention, ...] = ()
    tests: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Names of things that were hinted at."""
    files: tuple[str, ...] = ()
    """Files that were hinted at."""
    editing: tuple[str, ...] = ()
    patches: tuple[FilePatch, ...] = ()
    profile: str = ""
    """What the artifacts say it is for; empty when they say nothing."""
    elsewhere: int = 0
    warnings: tuple[Message, ...] = ()


def read_clues(goal: str, artifacts: Artifacts, locate: Locator) -> Clues:
    """Read everything that was sent; a diff that is none is refused."""
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
    told = reports[1 + len(artifacts.failing_tests) :]
    plain = [
        text
        for text, run in zip(artifacts.hints, told, strict=True)
        if not run.mentions and not (run.messages and " " in text)  # the name of an error alone is a name
    ]
    files, names, words = _hints(plain, locate)
    tests = dict.fromkeys([*(name for name, _ in named if name), *(test for one in reports for test in one.tests)])
    mentions = [mention for report in reports for mention in report.mentions]
    return Clues(
        question=_question(goal, reports, words, tuple(tests)),
        mentions=(*mentions, *(Mention(path, 0, 1.0) for _, paths in named for path in paths)),
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
    """Take the diffs out of the hints; what only looks like one (a test's "expected" beside "actual") stays a hint."""
    patches: list[FilePatch] = []
    rest: list[str] = []
    told: list[Message] = []
    for hint in hints:
        try:
            found = read_patch(hint) if looks_like_patch(hint) else []
        except BadDiff as error:
            found = []
            told.append(say("bundle.diff_as_output", why=error.message))
        known = [patch for patch in found if locate(patch.path) or (patch.old and locate(patch.old))]
        patches += found if known else []
        rest += [] if known else [hint]
    return tuple(patches), tuple(rest), tuple(told)


def _profile(reports: Sequence[Report], tests: bool) -> str:
    """Choose by what the artifacts tell of: tests that fail, types that do not fit, any other fault."""
    sorts = {report.sort for report in reports} | ({Sort.TEST} if tests else set())
    return next((_PROFILES[sort] for sort in (Sort.TEST, Sort.TYPES, Sort.FAULT) if sort in sorts), "")


def _name_of(test: str, locate: Locator) -> tuple[str, tuple[str, ...]]:
    """Cut the name of a test into what it is called and where it is: ``a.py::T::b[1]`` → ``T.b``, ``tests/a.py``."""
    plain = test.strip().partition("[")[0]
    path, mark, name = plain.partition("::")
    if mark and (found := locate(path)):
        return name.replace("::", "."), found
    if not mark and "/" in plain and (found := locate(plain.partition(":")[0])):
        return "", found
    return plain.replace("::", ".").replace("#", "."), ()


def _hints(hints: Sequence[str], locate: Locator) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Tell hints apart: files of the project, names, words."""
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
    """Return the text to search for; output that was pasted into the goal gives way to what it says."""
    first = reports[0]
    plain = goal if "\n" not in goal.strip() or not first.mentions else _prose(goal)
    said = [" ".join(message.split()[:WORDS_OF_A_MESSAGE]) for report in reports for message in report.messages]
    titles = [test.rpartition(" > ")[2].rpartition(" › ")[2].rpartition(".")[2] for test in tests]
    parts = [part for part in (plain, *words, *dict.fromkeys(titles[:3]), *dict.fromkeys(said[:3])) if part.strip()]
    whole = " ".join(parts)
    return whole if index_tokens(whole) else goal


def _prose(goal: str) -> str:
    """Return the first paragraph: what somebody wrote above what they pasted."""
    return goal.strip().split("\n\n")[0].split("\n")[0]
