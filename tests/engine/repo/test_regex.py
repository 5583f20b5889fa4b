import re
import subprocess
import sys
import warnings

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.deadline import Deadline
from shirube.engine.repo.grep_scan import scan
from shirube.engine.repo.regex import MAX_PATTERN, Pattern, Spelling, compile_pattern, looks_like_regex
from shirube.errors import BadArgument, ShirubeError, ToolFailed

REGEX = Spelling(regex=True)


def spans(text: str, pattern: str, spelling: Spelling = REGEX) -> list[str]:
    """Return what matches first in each line that matches."""
    data = text.encode()
    found = scan(data, [compile_pattern(pattern, spelling)], Deadline()).found
    return [data[item.at : item.end].decode() for item in found]


def refusal(pattern: str) -> BadArgument:
    with pytest.raises(BadArgument) as caught:
        compile_pattern(pattern, REGEX)
    assert caught.value.hint
    return caught.value


@for_each("text", ["a.b", "(", "[", "\\", "a|b", "^$", "\\d", "x{2}", "\\Q.\\E", "#", "-", "é", "決済", "😀"])
def test_a_plain_text_is_only_itself(text: str):
    assert spans(f"zz{text}zz\naxb", text, Spelling()) == [text]


def test_case_counts_unless_it_is_ignored():
    assert spans("Foo\nfoo\nFOO", "foo", Spelling()) == ["foo"]
    assert spans("Foo\nfoo\nÉTÉ", "foo", Spelling(ignore_case=True)) == ["Foo", "foo"]
    assert spans("été\nÉTÉ\nete", "Été", Spelling(ignore_case=True)) == ["été", "ÉTÉ"]


@for_each(
    ("pattern", "text", "wanted"),
    [
        (r"\w+", "-カート_1é!", ["カート_1é"]),
        (r"\W+", "ab、 cd", ["、 "]),
        (r"\d+", "a12x\n１２", ["12", "１２"]),
        (r"\D+", "12ab\n１２", ["ab"]),
        (r"\s+", "a\u3000 b", ["\u3000 "]),
        (r"\S+", " \u3000決済 b", ["決済"]),
        (r"[\w-]+", "!a-カ!", ["a-カ"]),
        (r"[^\w]+", "aカ、b", ["、"]),
        (r"[\W\d]+", "aカ、1b", ["、1"]),
        (r"[\S]+", " 決 済", ["決"]),
        (r"\p{Han}+", "aカ決済", ["決済"]),
        (r"\u6c7a[\u{6e08}]", "決済", ["決済"]),
        (r"\x41\x{42}\103", "ABC", ["ABC"]),
        (r"a{,2}b", "aab", ["aab"]),
        (r"\Qa.b\E+", "a.bbb", ["a.bbb"]),
        (r"(?i)foo", "FoO", ["FoO"]),
        (r"(?P<x>a)(?<y>b)", "ab", ["ab"]),
        (r"[]a]+", "]a", ["]a"]),
        (r"[[:alpha:]]+", "1ab", ["ab"]),
        (r"[\]]", "]", ["]"]),
    ],
)
def test_an_expression_knows_all_of_unicode(pattern: str, text: str, wanted: list[str]):
    assert spans(text, pattern) == wanted


@for_each(
    ("pattern", "wanted"),
    [
        ("^a", ["a"]),
        ("b$", ["b"]),
        (r"\Aa", ["a"]),
        (r"b\z", ["b"]),
        (r"b\Z", ["b"]),
        ("^$", [""]),
        ("(?s)c.d", []),
        (r"c\sd", []),
        (r"c[^x]d", []),
        ("(?-m:^a)", ["a"]),
    ],
)
def test_every_line_is_searched_by_itself(pattern: str, wanted: list[str]):
    assert spans("xa\nab\n\nc\nd\n", pattern) == wanted


@for_each(
    ("text", "word", "matches"),
    [
        ("foo", "foo", True),
        ("a foo.", "foo", True),
        ("foobar foo", "foo", True),
        ("foobar", "foo", False),
        ("_foo", "foo", False),
        ("foo1", "foo", False),
        ("fooé", "foo", False),
        ("これはfooです", "foo", True),
        ("カートの合計", "カート", True),
        ("fooカートbar", "カート", True),
        ("カートfoo", "カートf", False),
        ("カートfoo", "トfoo", True),
        ("x -v y", "-v", True),
    ],
)
def test_a_whole_word_ends_where_letters_end_and_japanese_parts_words(text: str, word: str, matches: bool):
    assert bool(spans(text, word, Spelling(word=True))) is matches


def test_a_whole_word_is_where_the_word_is_and_not_what_stands_beside_it():
    assert spans("xfoo (foo)", "foo", Spelling(word=True)) == ["foo"]
    assert spans("foobar", "foo|foobar", Spelling(regex=True, word=True)) == ["foobar"]


@for_each(
    ("pattern", "part", "at"),
    [
        ("a(?=b)", "(?=", 2),
        ("a(?!b)", "(?!", 2),
        ("(?<=a)b", "(?<=", 1),
        ("(?<!a)b", "(?<!", 1),
        (r"(a)\1", r"\\1", 4),
        (r"(?P<n>a)(?P=n)", "(?P=", 9),
        (r"a\k<n>", r"\\k<", 2),
        ("x(?>a)", "(?>", 2),
        ("(?(1)a)", "(?(", 1),
        ("a(?#note)", "(?#", 2),
        (r"a\C", r"\\C", 2),
        (r"a\nb", r"\\n", 2),
        (r"a\x0ab", r"\\x0a", 2),
    ],
)
def test_what_no_linear_engine_can_do_is_named_with_its_place_and_a_way_out(pattern: str, part: str, at: int):
    assert f"'{part}' at character {at})" in refusal(pattern).message


@for_each(
    ("pattern", "cause", "at"),
    [
        ("(abc", "missing )", 1),
        ("(a)(b", "missing )", 4),
        ("((a)", "missing )", 1),
        ("a)b", "unexpected )", 2),
        ("x[abc", "missing ]", 2),
        (r"\[[abc", "missing ]", 3),
        ("*a", "no argument for repetition operator", 1),
        ("a*|*b", "no argument for repetition operator", 4),
        ("a**", "bad repetition operator", 2),
        ("ab++", "bad repetition operator", 3),
        ("a{1001}", "invalid repetition size", 2),
        ("[a-c][z-a]", "invalid character class range", 7),
        (r"x\p{Foo}", "invalid character class range", 2),
        ("a[[:foo:]]", "invalid character class range", 3),
        (r"ab\h", "invalid escape sequence", 3),
        ("(?x)a", "invalid perl operator", 1),
        ("ab\\", "trailing", 3),
        ("(?", "invalid perl operator", 1),
        (r"\u3042(", "missing )", 7),
    ],
)
def test_a_broken_expression_is_explained_with_its_place(pattern: str, cause: str, at: int):
    error = refusal(pattern)
    assert cause in error.message
    assert f"at character {at}" in error.message
    assert "plain text" in error.hint


@for_each("pattern", [r"(\w{100}){10}", r"(\pL{100}){10}x"])
def test_an_expression_that_grows_too_large_is_refused(pattern: str):
    assert "too large" in refusal(pattern).message


def test_an_edge_that_knows_ascii_only_is_not_used_beside_other_letters():
    error = refusal(r"\bカート\b")
    assert "at character 1 knows ASCII letters only" in error.message
    assert "word" in error.hint
    assert spans("a cart", r"\bcart\b") == ["cart"]


@for_each("pattern", ["", "a\nb", "a\rb", "a\0b", "x" * (MAX_PATTERN + 1), "x" * 100_000])
@for_each("spelling", [Spelling(), REGEX])
def test_patterns_that_make_no_sense_are_refused(pattern: str, spelling: Spelling):
    with pytest.raises(BadArgument) as caught:
        compile_pattern(pattern, spelling)
    assert caught.value.hint
    assert len(str(caught.value)) < 300


def test_the_message_repeats_only_the_beginning_of_a_long_pattern():
    assert len(refusal("x" * 900 + "(").message) < 200


@for_each("text", ["foo|bar", r"def \w+", "a.*b", "^import", "x$", "[a-z]", "colou?r"])
def test_a_text_that_looks_like_an_expression_is_seen(text: str):
    assert looks_like_regex(text)


@for_each("text", ["foo", "a.b", "f(x)", "x = y", "決済", "user@host"])
def test_a_plain_text_does_not_look_like_an_expression(text: str):
    assert not looks_like_regex(text)


def test_without_the_engine_the_cause_and_the_remedy_are_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(ToolFailed) as caught:
        compile_pattern("a", Spelling())
    assert "google-re2" in caught.value.hint


def test_what_returns_speak_of_is_known():
    assert compile_pattern(r"a\r$", REGEX).names_return
    assert compile_pattern(r"a[\r]", REGEX).names_return
    assert compile_pattern(r"\x0d", REGEX).names_return
    assert not compile_pattern("ar", REGEX).names_return


# --- the sieve ---------------------------------------------------------------------------------------------


@for_each(
    ("pattern", "wanted"),
    [
        ("abc", "abc"),
        (r"def \w+_x", r"def\x{20}.+\x{5f}x"),
        ("^a[b-d]{2,}$", "(?:)a.{2,}(?:)"),
        ("(?P<n>a|b)*?", "(?:a|b)*?"),
        (r"\Qa.\E", r"a\x{2e}"),
        ("a{,3}", "a{0,3}"),
        (r"[abc]+\d", ""),
        (".*", ""),
    ],
)
def test_the_sieve_keeps_letters_and_loosens_the_rest(pattern: str, wanted: str):
    assert compile_pattern(pattern, REGEX).sieve == wanted


def test_the_sieve_does_not_trust_another_engine_with_capitals_of_other_scripts():
    assert compile_pattern("éa", Spelling(ignore_case=True)).sieve == ".a"
    assert compile_pattern("é", Spelling(ignore_case=True)).sieve == ""
    assert compile_pattern("(?i)a", REGEX).fold


# --- against another reading -------------------------------------------------------------------------------

LETTERS = st.sampled_from(["a", "b", "é", "あ", "_", " ", "1", "-"])
ATOMS = st.one_of(
    LETTERS,
    st.sampled_from([".", r"\w", r"\W", r"\d", r"\s", r"\S", "[ab]", "[^a]", r"[\wé-]", r"[^\s1]", "^", "$"]),
)


def _grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "*?"])).map(lambda p: f"(?:{p[0]}){p[1]}"),
    )


EXPRESSIONS = st.recursive(ATOMS, _grow, max_leaves=6)
LINES = st.lists(st.lists(LETTERS, max_size=8).map("".join), max_size=5).map("\n".join)


@given(pattern=EXPRESSIONS, text=LINES)
@settings(max_examples=400)
def test_a_line_matches_when_python_says_so(pattern: str, text: str):
    wanted = [line for line in _lines(text) if re.search(pattern, line)]
    assert len(spans(text, pattern)) == len(wanted)


@given(pattern=st.text(min_size=1, max_size=12), text=st.text(max_size=60))
@settings(max_examples=300)
def test_a_plain_text_is_found_where_python_has_it_in_a_line(pattern: str, text: str):
    assume(not set("\n\r\0") & set(pattern))
    wanted = [line.index(pattern) for line in _lines(text) if pattern in line]
    data = text.encode()
    found = scan(data, [compile_pattern(pattern, Spelling())], Deadline()).found
    assert [len(data[item.start : item.at].decode()) for item in found] == wanted


@given(pattern=st.text(max_size=20))
@settings(max_examples=300)
def test_any_expression_is_taken_or_refused_in_our_words(pattern: str):
    refused = None
    try:
        assert isinstance(compile_pattern(pattern, REGEX), Pattern)
    except ShirubeError as error:
        refused = error
    assert refused is None or refused.hint


@given(pattern=st.lists(st.sampled_from([*r"()[]{}|*+?.^$\-:=!<>#,", "a", "1", "P", "(?", r"\p", "あ"])).map("".join))
@settings(max_examples=500)
def test_any_heap_of_signs_is_taken_or_refused_in_our_words(pattern: str):
    test_any_expression_is_taken_or_refused_in_our_words.hypothesis.inner_test(pattern)


def test_an_expression_that_makes_others_hang_returns():
    """In a process of its own, because an engine that runs away cannot be stopped."""
    program = (
        "from shirube.deadline import Deadline\n"
        "from shirube.engine.repo.regex import Spelling, compile_pattern\n"
        "from shirube.engine.repo.grep_scan import scan\n"
        "for text in (b'a' * 1_000_000 + b'!', b'a' * 1_000_000):\n"
        "    for pattern in ('(a+)+$', '(a|a)*b', '(a|aa)+$', '(.*)*x', '((a*)*)*b'):\n"
        "        scan(text, [compile_pattern(pattern, Spelling(regex=True))], Deadline())\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def test_no_expression_of_ours_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile_pattern(r"[[a-z]&&[b]]", REGEX)
