"""What every language is checked for, against a sample of it."""

from shirube.engine.parse.file import parse_file
from shirube.types import Parsed

Placed = list[tuple[str, str, int, int]]


def read(source: str, language: str) -> Parsed:
    """Parse a sample."""
    return parse_file(source.encode(), language)


def placed(parsed: Parsed) -> Placed:
    """Return the kind, scoped name and lines of every symbol."""
    return [(one.kind, one.qualified, one.start_line, one.end_line) for one in parsed.symbols]


def imported(parsed: Parsed) -> list[tuple[str, int, tuple[str, ...]]]:
    """Return every import as written."""
    return [(one.module, one.line, one.names) for one in parsed.imports]


def check_broken(language: str, source: str, survivor: str) -> None:
    """A syntax error costs only its own place."""
    parsed = read(source, language)
    assert parsed.notes == ("syntax errors",)
    assert survivor in [one.qualified for one in parsed.symbols]


def check_doc(language: str, source: str, name: str, doc: str) -> None:
    """A comment documents what follows it."""
    assert next(one.doc for one in read(source, language).symbols if one.qualified == name) == doc


def check_details(language: str, source: str, name: str, details: tuple[str, str]) -> None:
    """A symbol has this signature and this doc."""
    found = next(one for one in read(source, language).symbols if one.qualified == name)
    assert (found.signature, found.doc) == details


class SampleChecks:
    """Tests for rows of language, source, symbols (a line each) and imports."""

    def test_symbols_have_kind_scope_and_lines(self, language: str, source: str, symbols: str, imports: object) -> None:
        parsed = read(source, language)
        assert _lines(parsed) == symbols.splitlines()
        assert parsed.notes == ()

    def test_imports_are_as_written(self, language: str, source: str, symbols: str, imports: object) -> None:
        assert imported(read(source, language)) == imports

    def test_windows_line_ends_change_nothing(self, language: str, source: str, symbols: str, imports: object) -> None:
        parsed = read(source.replace("\n", "\r\n"), language)
        assert _lines(parsed) == symbols.splitlines()
        assert imported(parsed) == imports


def _lines(parsed: Parsed) -> list[str]:
    return [f"{kind} {name} {start}-{end}" for kind, name, start, end in placed(parsed)]
