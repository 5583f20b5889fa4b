"""Sections of Markdown."""

from shirube.engine.parse.markdown import parse_markdown

TEXT = """\
---
title: x
# no heading
---
Intro

# Install #
Do it.

## Linux
```sh
# not a heading
~~~
```
### Deep [link](x) `code`

Windows
-------
text
- item
---

使い方
=====
"""


def test_headings_are_sections_with_their_path() -> None:
    found = [(one.qualified, one.kind, one.start_line, one.end_line) for one in parse_markdown(TEXT.encode()).symbols]
    assert found == [
        ("Install", "section", 7, 21),
        ("Install.Linux", "section", 10, 15),
        ("Install.Linux.Deep link code", "section", 15, 15),
        ("Install.Windows", "section", 17, 21),
        ("使い方", "section", 23, 24),
    ]


def test_front_matter_is_kept_as_a_piece() -> None:
    first = parse_markdown(TEXT.encode()).pieces[0]
    assert (first.start_line, first.end_line, first.symbol, first.kind) == (1, 5, "", "module")


def test_long_sections_are_cut_at_their_subsections() -> None:
    text = "# A\n\n" + "".join(f"## S{n}\n\n{'word ' * 60}\n\n" for n in range(4))
    assert [one.symbol for one in parse_markdown(text.encode()).pieces] == ["A", "A.S0", "A.S1", "A.S2", "A.S3"]


def test_a_rule_under_a_blank_line_is_no_heading() -> None:
    assert parse_markdown(b"text\n\n---\n\nmore\n").symbols == ()


def test_an_unclosed_fence_hides_the_rest() -> None:
    assert [one.name for one in parse_markdown(b"# A\n```\n# B\n").symbols] == ["A"]


def test_windows_line_ends_change_nothing() -> None:
    crlf = parse_markdown(TEXT.replace("\n", "\r\n").encode()).symbols
    assert [one.qualified for one in crlf] == [one.qualified for one in parse_markdown(TEXT.encode()).symbols]


def test_a_heading_of_a_megabyte_is_read_quickly() -> None:
    parsed = parse_markdown(b"# " + b"[" * 1_000_000)
    assert len(parsed.symbols) == 1
