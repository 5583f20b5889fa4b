"""Decides which paths ignore files exclude: git's rules, as pure functions over bytes.

``parse`` turns the text of one ignore file into ``IgnoreRules``; ``IgnoreRules.decide`` answers for one path. Most
paths match nothing, and that case is fast: a set lookup, a suffix test and one regular expression.
"""

import re
from codecs import BOM_UTF8

from msgspec import Struct

_POSIX_CLASSES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"!-~",
    b"lower": rb"a-z",
    b"print": rb" -~",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb" \t\n\v\f\r",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}
_WILD = re.compile(rb"[*?\[\\]")
_STAR = b"*"
_SLASH = b"/"
_ESCAPED_SLASH = b"\\/"
_NEVER_BYTE = rb"[^\x00-\xff]"
# git compares the plain beginning separately, so a "**" directly after it counts as a whole segment
_PLAIN_THEN_STARS = re.compile(rb"([^*?\[\\]*?)\*\*+(?:\\?/|\Z)")


class Rule(Struct, frozen=True):
    """One pattern of an ignore file."""

    glob: bytes
    """The pattern without ``!``, leading or trailing slash."""
    negated: bool = False
    dir_only: bool = False
    anchored: bool = False
    """Whether it is matched against the path from the ignore file's directory, not only against the last name."""


def parse_line(line: bytes) -> Rule | None:
    r"""Parse one line; return None for blank lines, comments and patterns that can match nothing.

    ``b"!/build/"`` becomes ``Rule(b"build", negated=True, dir_only=True, anchored=True)``.
    """
    if line.startswith(b"#"):
        return None
    text = line.removesuffix(b"\r").partition(b"\0")[0]
    bare = text.rstrip(b" ")
    escapes = len(bare) - len(bare.rstrip(b"\\"))
    text = text[: len(bare) + 1] if escapes % 2 else bare  # a space after a backslash stays
    negated = text.startswith(b"!")
    text = text[negated:]
    dir_only = text.endswith(_SLASH)
    text = text[: len(text) - dir_only]
    anchored = _SLASH in text
    glob = text.removeprefix(_SLASH)
    return Rule(glob, negated, dir_only, anchored) if glob else None


def translate(rule: Rule) -> bytes | None:
    """Return the regular expression of a rule, to be matched in full; None when it can never match."""
    if not rule.anchored:
        parts = _tokens(rule.glob)
        return None if parts is None else _segment(parts)
    quirk = _PLAIN_THEN_STARS.match(rule.glob)
    plain = quirk[1] if quirk else b""
    parts = _tokens(rule.glob[len(plain) :])
    return None if parts is None else re.escape(plain) + _path(parts)


def literals(rule: Rule) -> tuple[bytes, ...]:
    """Return the text that a rule without wildcards matches; a leading ``**/`` does not count as a wildcard."""
    glob = _after_anywhere(rule)
    return () if _WILD.search(glob) else (glob,)


def suffixes(rule: Rule) -> tuple[bytes, ...]:
    """Return the endings that a rule matches: ``.pyc`` for ``*.pyc``, ``/a/b`` for ``**/a/b``."""
    if rule.anchored:
        glob = _after_anywhere(rule)
        return () if glob is rule.glob or _WILD.search(glob) else (_SLASH + glob,)
    tail = rule.glob[1:]
    return (tail,) if rule.glob.startswith(_STAR) and not _WILD.search(tail) else ()


def _after_anywhere(rule: Rule) -> bytes:
    return rule.glob[3:] if rule.anchored and rule.glob.startswith(b"**/") else rule.glob


def may_match_below(rule: Rule, directory: bytes) -> bool:
    """Tell whether the rule could match something inside a directory (given relative to the ignore file)."""
    if not rule.anchored:
        return True
    segments, names = rule.glob.split(_SLASH), directory.split(_SLASH)
    for segment, name in zip(segments, names, strict=False):
        if b"**" in segment:
            return True
        source = translate(Rule(segment))
        if source is None or not re.fullmatch(source, name, re.DOTALL):
            return False
    return len(segments) > len(names)


def _tokens(glob: bytes) -> list[bytes] | None:
    """Cut a glob into stars, slashes and the regular expression of each other byte."""
    out: list[bytes] = []
    at = 0
    while at < len(glob):
        char = glob[at : at + 1]
        at += 1
        if char == b"[":
            if (bracket := _char_class(glob, at)) is None:
                return None
            out.append(bracket[0])
            at = bracket[1]
        elif char == b"\\":
            if at == len(glob):
                return None
            out.append(_ESCAPED_SLASH if glob[at : at + 1] == _SLASH else re.escape(glob[at : at + 1]))
            at += 1
        else:
            out.append({b"*": _STAR, b"/": _SLASH, b"?": b"[^/]"}.get(char) or re.escape(char))
    return out


def _char_class(glob: bytes, at: int) -> tuple[bytes, int] | None:
    """Parse a bracket expression from just after its ``[``; None when it is unfinished or names an unknown class."""
    negated = glob[at : at + 1] in (b"!", b"^")
    at += negated
    members: list[bytes] = []
    previous = b""
    first = True
    while first or glob[at : at + 1] != b"]":
        first = False
        step = _class_member(glob, at, previous)
        if step is None:
            return None
        source, previous, at = step
        members.append(source)
    body = b"".join(members)
    if negated:
        return b"[^/" + body + b"]", at + 1
    return b"(?!/)[" + body + b"]" if body else _NEVER_BYTE, at + 1


def _class_member(glob: bytes, at: int, previous: bytes) -> tuple[bytes, bytes, int] | None:
    """Parse one member; return its source, the byte a following range would start from, and the next offset."""
    char = glob[at : at + 1]
    if char == b"[" and glob[at + 1 : at + 2] == b":":
        close = glob.find(b"]", at + 2)
        if close < 0:
            return None
        if close > at + 2 and glob[close - 1 : close] == b":":
            named = _POSIX_CLASSES.get(glob[at + 2 : close - 1])
            return None if named is None else (named, b"", close + 1)
    is_range = char == b"-" and previous and glob[at + 1 : at + 2] not in (b"", b"]")
    at += 1 if is_range else 0
    if glob[at : at + 1] == b"\\":
        at += 1
    char = glob[at : at + 1]
    if not char:
        return None
    if not is_range:
        return _hex(char), char, at + 1
    return (_hex(previous) + b"-" + _hex(char) if previous <= char else b""), b"", at + 1


def _hex(char: bytes) -> bytes:
    return b"\\x%02x" % char[0]


def _segment(parts: list[bytes]) -> bytes:
    """Join the tokens of one name; every star but the last matches lazily in an atomic group, to avoid backtracking."""
    runs: list[list[bytes]] = [[]]
    for part in parts:
        if part == _STAR:
            runs.append([])
        else:
            runs[-1].append(part)
    if len(runs) == 1:
        return b"".join(runs[0])
    first, *middle, last = (b"".join(run) for run in runs)
    return first + b"".join(b"(?>[^/]*?" + run + b")" for run in middle if run) + b"[^/]*" + last


def _path(parts: list[bytes]) -> bytes:
    """Join the tokens of a pattern with slashes; a segment ``**`` stands for any number of directories."""
    groups: list[list[bytes]] = [[]]
    for segment in _split(parts):
        if _is_anywhere(segment):
            if groups[-1] or len(groups) == 1:
                groups.append([])
        else:
            groups[-1].append(_segment(segment))
    if len(groups) == 1:
        return _SLASH.join(groups[0])
    first, *middle, last = (_SLASH.join(group) for group in groups)
    head = first + _SLASH if groups[0] else b""
    inner = b"".join(b"(?>(?:[^/]*/)*?" + group + b"/)" for group in middle)
    return head + inner + (b"(?:.*/)?" + last if groups[-1] else b".*")


def _split(parts: list[bytes]) -> list[list[bytes]]:
    r"""Cut at slashes; before an escaped slash ``**`` matches at least one directory, so ``**\/`` is ``*/**/``."""
    segments: list[list[bytes]] = [[]]
    for part in parts:
        if part == _ESCAPED_SLASH and _is_anywhere(segments[-1]):
            segments[-1:] = [[_STAR], segments[-1]]
        if part in (_SLASH, _ESCAPED_SLASH):
            segments.append([])
        else:
            segments[-1].append(part)
    return segments


def _is_anywhere(segment: list[bytes]) -> bool:
    return len(segment) > 1 and all(part == _STAR for part in segment)


def parse(data: bytes, ignore_case: bool = False) -> "IgnoreRules":
    """Read the text of an ignore file."""
    lines = data.removeprefix(BOM_UTF8).split(b"\n")
    return IgnoreRules([rule for line in lines if line and (rule := parse_line(line))], ignore_case)


class IgnoreRules:
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
        """Return True for ignored, False for included again by ``!``, None if no rule matches.

        The path is relative to the ignore file's directory and the name is its last part. Whether a parent is
        ignored is for the caller to check, as in git.
        """
        if self._ignore_case:
            path, name = path.lower(), name.lower()
        # this runs for every path of a tree, so the tests are inlined: calls would cost more
        bank, number = self._names, -1
        if name in bank.plain or name.endswith(bank.tails) or (bank.rest and bank.rest(name)):
            number = bank.last(name, is_dir)
        bank = self._paths
        if bank.filled and (path in bank.plain or path.endswith(bank.tails) or (bank.rest and bank.rest(path))):
            number = max(number, bank.last(path, is_dir))
        return None if number < 0 else not self.rules[number].negated

    def takes_back_below(self, directory: bytes, explicitly: bool = False) -> bool:
        """Tell whether a ``!`` pattern could match inside a directory.

        ``explicitly``: only patterns that name the path count, so that ``!*.md`` does not open every directory.
        """
        return any(
            may_match_below(rule, directory)
            for rule in self.rules
            if rule.negated and (not explicitly or (rule.anchored and not rule.glob.startswith(b"*")))
        )


class _Bank:
    """The patterns for one kind of text: for last names, or for paths.

    A text that is not in ``plain``, ends with none of ``tails`` and is not matched by ``rest`` matches nothing.
    """

    def __init__(self, rules: list[tuple[int, Rule]], ignore_case: bool) -> None:
        self.filled = bool(rules)
        self._ignore_case = ignore_case
        self._ordered: dict[bool, tuple[list[int], re.Pattern[bytes]]] = {}
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
        if is_dir not in self._ordered:  # one alternation with a group per rule, the last rule first
            rows = [row for row in reversed(self._rules) if is_dir or not row[1].dir_only]
            pattern = self._compile([b"(" + source + b")" for _, _, source in rows])
            self._ordered[is_dir] = [number for number, _, _ in rows], pattern
        numbers, pattern = self._ordered[is_dir]
        match = pattern.match(text)
        return numbers[match.lastindex - 1] if match and match.lastindex else -1

    def _compile(self, sources: list[bytes]) -> re.Pattern[bytes]:
        flags = re.DOTALL | (re.IGNORECASE if self._ignore_case else 0)
        return re.compile(b"(?:" + b"|".join(sources) + rb")\Z", flags)

    def _fold(self, text: bytes) -> bytes:
        return text.lower() if self._ignore_case else text
