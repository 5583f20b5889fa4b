import re
import time

from tests.cases import for_each

from shirube.engine.repo.ignore import Rule, literals, may_match_below, parse_line, suffixes, translate


def matches(pattern: str, text: str) -> bool:
    rule = parse_line(pattern.encode())
    source = translate(rule) if rule else None
    return source is not None and re.fullmatch(source, text.encode(), re.DOTALL) is not None


@for_each("line", ["", "# note", "   ", "/", "!", "!/", "//", "\r"])
def test_lines_that_can_match_nothing_are_no_rules(line):
    assert parse_line(line.encode()) is None


@for_each(
    ("line", "rule"),
    [
        ("a", Rule(b"a")),
        ("!a", Rule(b"a", negated=True)),
        ("a/", Rule(b"a", dir_only=True)),
        ("/a", Rule(b"a", anchored=True)),
        ("a/b", Rule(b"a/b", anchored=True)),
        ("a  ", Rule(b"a")),
        ("a\\  ", Rule(b"a\\ ")),
        ("a\\\\ ", Rule(b"a\\\\")),
        ("a\t", Rule(b"a\t")),
        ("a\r", Rule(b"a")),
        ("!/build/", Rule(b"build", negated=True, dir_only=True, anchored=True)),
    ],
)
def test_a_line_is_read_as_git_reads_it(line, rule):
    assert parse_line(line.encode()) == rule


@for_each(
    ("pattern", "text"),
    [
        ("*.py", "a.py"),
        ("a?c", "abc"),
        ("[ab]", "b"),
        ("[!a]", "b"),
        ("[^a]", "b"),
        ("[]a]", "]"),
        ("[a-c]", "b"),
        ("[a-]", "-"),
        ("[[:digit:]x]", "7"),
        ("\\*", "*"),
        ("\\!a", "!a"),
        ("\\#a", "#a"),
        ("a/**/b", "a/b"),
        ("a/**/b", "a/x/y/b"),
        ("a/**", "a/x/y"),
        ("**/a/b", "x/y/a/b"),
        ("**/a/b", "a/b"),
        ("a*b/c", "axxb/c"),
        ("x/a**b", "x/acb"),
        ("a**/b", "ax/y/b"),
        ("a*b*c*d", "abxcbcd"),
        ("**/a/**/b/**/c", "a/x/a/b/b/x/c"),
        ("a*", "a\nb"),
        ("**\\/a", "x/y/a"),
    ],
)
def test_a_pattern_matches_what_git_says_it_matches(pattern, text):
    assert matches(pattern, text)


@for_each(
    ("pattern", "text"),
    [
        ("a/*", "a/b/c"),
        ("a?b/c", "a/b/c"),
        ("/[!a]/b", "//b"),
        ("a/**", "a"),
        ("x/a**b", "x/a/b"),
        ("[a", "[a"),
        ("a\\", "a\\"),
        ("[[:nonsense:]]", "n"),
        ("[z-a]", "m"),
        ("a?", "aé"),
        ("\\/**/a", "a"),
        ("*.py", "a.pyc"),
        ("**\\/a", "a"),
    ],
)
def test_a_pattern_leaves_alone_what_git_leaves_alone(pattern, text):
    assert not matches(pattern, text)


def test_a_hostile_pattern_takes_no_more_than_a_few_passes():
    names, folders = "*a" * 60 + "b", "**/a/" * 40 + "b"
    spent = time.process_time()
    assert not matches(names, "a" * 255)
    assert not matches(folders, "a/" * 1000 + "c")
    assert time.process_time() - spent < 30  # without atomic groups this would not end in our lifetime


def test_plain_patterns_and_endings_need_no_regular_expression():
    assert literals(Rule(b"a")) == (b"a",)
    assert suffixes(Rule(b"*.pyc")) == (b".pyc",)
    anywhere = Rule(b"**/a/b", anchored=True)
    assert (literals(anywhere), suffixes(anywhere)) == ((b"a/b",), (b"/a/b",))
    assert (literals(Rule(b"a*b")), suffixes(Rule(b"a*b"))) == ((), ())


@for_each(
    ("glob", "directory", "expected"),
    [
        (b"vendor/ours/**", b"vendor", True),
        (b"vendor/ours/**", b"vendor/ours", True),
        (b"vendor/ours/**", b"vendor/theirs", False),
        (b"v*r/x", b"vendor", True),
        (b"vendor", b"vendor", False),
        (b"**/x", b"any/where", True),
        (b"[a/x", b"a", False),
    ],
)
def test_a_rule_knows_whether_it_could_match_inside_a_directory(glob, directory, expected):
    assert may_match_below(Rule(glob, anchored=True), directory) is expected


def test_a_rule_for_a_name_could_match_inside_any_directory():
    assert may_match_below(Rule(b"*.md"), b"any/where")
