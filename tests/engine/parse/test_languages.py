"""Recognising languages."""

from tests.cases import for_each

from shirube.engine.parse.languages import known_languages, language_of, language_row, languages


@for_each(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("a.pyi", "python"),
        ("a.jsx", "javascript"),
        ("a.mjs", "javascript"),
        ("a.ts", "typescript"),
        ("a.d.ts", "typescript"),
        ("a.tsx", "tsx"),
        ("views/home.blade.php", "blade"),
        ("a.php", "php"),
        ("a.KT", "kotlin"),
        ("a.rs", "rust"),
        ("a.hpp", "cpp"),
        ("a.c", "c"),
        ("Gemfile", "ruby"),
        ("Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"),
        ("sub/Makefile", "make"),
        ("CMakeLists.txt", "cmake"),
        ("notes.txt", "text"),
        ("README.md", "markdown"),
        ("locale/ja.po", "po"),
        ("main.tf", "terraform"),
        ("日本語.rst", "rst"),
        ("no_ending", "text"),
        (".gitignore", "gitignore"),
        ("a.unknown", "text"),
    ],
)
def test_a_name_tells_the_language(path: str, language: str) -> None:
    assert language_of(path) == language


@for_each(
    ("head", "language"),
    [
        (b"#!/bin/sh\n", "bash"),
        (b"#!/usr/bin/env python3.11\n", "python"),
        (b"#!/usr/bin/env -S node --x\n", "javascript"),
        (b"#! /usr/bin/perl -w\n", "perl"),
        (b"#!/opt/strange\n", "text"),
        (b"", "text"),
    ],
)
def test_a_first_line_tells_the_language_of_a_file_without_ending(head: bytes, language: str) -> None:
    assert language_of("bin/tool", head) == language


@for_each("head", [b"#pragma once\nclass A;\n", b"namespace a {\n", b"  template <class T>\n"])
def test_a_header_that_holds_cpp_is_cpp(head: bytes) -> None:
    assert language_of("a.h", head) == "cpp"


def test_any_other_header_is_c() -> None:
    assert language_of("a.h", b"/* class of its own */\nint f(void);\n") == "c"


def test_every_language_is_listed_once_and_has_a_row() -> None:
    names = known_languages()
    assert len(names) == len(set(names))
    assert all(language_row(name).name == name for name in names)
    assert language_row("klingon").name == "text"


def test_no_ending_belongs_to_two_languages() -> None:
    endings = [ending for row in languages().values() for ending in row.extensions.split()]
    assert sorted(endings) == sorted(set(endings))
