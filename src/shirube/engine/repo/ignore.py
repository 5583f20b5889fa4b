"""Which paths do ignore files leave out? Git's rules, as pure functions over bytes.

``parse`` turns the text of one ignore file into ``Rules``; ``Rules.decide`` answers for one path. Asking is
cheap where it matters: most paths match nothing, and a set, a suffix test and one alternation say so.
"""

import re
from functools import cached_property

from shirube.engine.repo.pattern import Rule, literals, may_match_below, parse_line, suffixes, translate

_BOM = b"\xef\xbb\xbf"


def parse(data: bytes, ignore_case: bool = False) -> "Rules":
    """Read the text of an ignore file."""
    lines = data.removeprefix(_BOM).split(b"\n")
    return Rules([rule for line in lines if line and (rule := parse_line(line))], ignore_case)


class Rules:
    """The patterns of one ignore file, in order; the last one that matches decides."""

    def __init__(self, rules: list[Rule], ignore_case: bool = False) -> None:
        self.rules = tuple(rules)
        self._ignore_case = ignore_case
        numbered = list(enumerate(rules))
        self._names = _Bank([(n, rule) for n, rule in numbered if not rule.anchored], ignore_case)
        self._paths = _Bank([(n, rule) for n, rule in numbered if rule.anchored], ignore_case)

    def __bool__(self) -> bool:
        return bool(self.rules)

    def decide(self, path: bytes, name: bytes, is_dir: bool) -> bool | None:
        """Return True for ignored, False for taken back by ``!``, None for no opinion.

        The path is relative to the ignore file's directory and the name is its last part. Whether a parent is
        ignored is the caller's business, as it is in git.
        """
        if self._ignore_case:
            path, name = path.lower(), name.lower()
        # asked for every path of a tree, so the question is asked in place: a call each way would cost more
        bank, number = self._names, -1
        if name in bank.plain or name.endswith(bank.tails) or (bank.rest and bank.rest(name)):
            number = bank.last(name, is_dir)
        bank = self._paths
        if bank.filled and (path in bank.plain or path.endswith(bank.tails) or (bank.rest and bank.rest(path))):
            number = max(number, bank.last(path, is_dir))
        return None if number < 0 else not self.rules[number].negated

    def takes_back_below(self, directory: bytes, explicitly: bool = False) -> bool:
        """Say whether a ``!`` pattern could match inside a directory.

        Explicitly means that the pattern spells the way there, so that ``!*.md`` does not open every one.
        """
        return any(
            may_match_below(rule, directory)
            for rule in self.rules
            if rule.negated and (not explicitly or (rule.anchored and not rule.glob.startswith(b"*")))
        )


class _Bank:
    """Patterns compared with the same text: all last names, or all paths.

    A text that is not in ``plain``, ends with none of ``tails`` and is not matched by ``rest`` matches nothing.
    """

    def __init__(self, rules: list[tuple[int, Rule]], ignore_case: bool) -> None:
        self.filled = bool(rules)
        self._ignore_case = ignore_case
        self._rules = [(number, rule, source) for number, rule in rules if (source := translate(rule)) is not None]
        plain, tails, rest = list[bytes](), list[bytes](), list[bytes]()
        for _, rule, source in self._rules:
            plain += map(self._fold, literals(rule))
            tails += map(self._fold, suffixes(rule))
            if not (literals(rule) or suffixes(rule)):
                rest.append(source)
        self.plain = frozenset(plain)
        self.tails = tuple(set(tails))
        self.rest = self._compile(rest).match if rest else None

    def last(self, text: bytes, is_dir: bool) -> int:
        """Return the number of the last rule that matches, or -1."""
        numbers, pattern = self._for_dirs if is_dir else self._for_files
        found = pattern.match(text)
        return numbers[found.lastindex - 1] if found and found.lastindex else -1

    @cached_property
    def _for_dirs(self) -> tuple[list[int], re.Pattern[bytes]]:
        return self._ordered(with_dir_only=True)

    @cached_property
    def _for_files(self) -> tuple[list[int], re.Pattern[bytes]]:
        return self._ordered(with_dir_only=False)

    def _ordered(self, with_dir_only: bool) -> tuple[list[int], re.Pattern[bytes]]:
        """Build one alternation with a group per rule, the last rule first: the first that fits decides."""
        rows = [row for row in reversed(self._rules) if with_dir_only or not row[1].dir_only]
        return [number for number, _, _ in rows], self._compile([b"(" + row[2] + b")" for row in rows])

    def _compile(self, sources: list[bytes]) -> re.Pattern[bytes]:
        flags = re.DOTALL | (re.IGNORECASE if self._ignore_case else 0)
        return re.compile(b"(?:" + b"|".join(sources) + rb")\Z", flags)

    def _fold(self, text: bytes) -> bytes:
        return text.lower() if self._ignore_case else text
