"""What the sources ask of cutting files, shown from the outside: bytes in, pieces and symbols out."""

from pathlib import Path

import pytest

from shirube import open_workspace
from shirube.config import load_config
from shirube.engine.parse.chunks import MAX_BYTES
from shirube.engine.parse.file import parse_file
from shirube.engine.parse.languages import known_languages, language_of
from shirube.engine.store.lexical import cut, pack_text
from shirube.engine.store.port import Ask, Entry, StoreChange
from shirube.types import FileRecord, Parsed
from tests.cases import for_each
from tests.stores import embedded_store, memory_store, publish

BODY = "\n".join(f"    // {number} and so on and so on" for number in range(20))
"""Enough lines that a thing gets a piece of its own instead of sharing its container's."""
PYTHON_BODY = BODY.replace("//", "#")


def pieces(path: str, text: str) -> tuple[Parsed, set[tuple[str, str]]]:
    parsed = parse_file(text.encode(), language_of(path))
    return parsed, {(piece.kind, piece.symbol) for piece in parsed.pieces}


@pytest.mark.requirement("003-CHUNK-01", "003-CHUNK-02", "003-CHUNK-10", "003-CHUNK-12", "003-CHUNK-13")
def test_python_is_cut_into_functions_classes_and_methods():
    text = f"""
def alone():
{PYTHON_BODY}
    return 1


class Shop:
    size = 1

    def open(self):
{PYTHON_BODY}
        return 2

    def close(self):
{PYTHON_BODY}
        return 3
"""
    parsed, found = pieces("shop.py", text)
    assert parsed.language == "python"
    assert {("function", "alone"), ("class", "Shop"), ("method", "Shop.open"), ("method", "Shop.close")} <= found


@pytest.mark.requirement("003-CHUNK-03")
def test_php_is_cut_into_functions_classes_and_methods():
    text = f"""<?php
function alone() {{
{BODY}
}}
class Shop {{
  public $size = 1;
  public function open() {{
{BODY}
  }}
}}
"""
    _, found = pieces("shop.php", text)
    assert {("function", "alone"), ("class", "Shop"), ("method", "Shop.open")} <= found


@pytest.mark.requirement("003-CHUNK-04")
@for_each("path", ["shop.js", "shop.jsx"])
def test_javascript_is_cut_into_functions_classes_and_arrow_functions(path):
    text = f"function alone() {{\n{BODY}\n}}\nclass Shop {{\n{BODY}\n}}\nconst arrow = (x) => {{\n{BODY}\n}}\n"
    _, found = pieces(path, text)
    assert {("function", "alone"), ("class", "Shop"), ("function", "arrow")} <= found


@pytest.mark.requirement("003-CHUNK-05")
@for_each("path", ["shop.ts", "shop.tsx"])
def test_typescript_is_cut_into_functions_classes_and_interfaces(path):
    text = (
        f"function alone(): void {{\n{BODY}\n}}\nclass Shop {{\n{BODY}\n}}\ninterface Priced {{\n  price: number\n}}\n"
    )
    _, found = pieces(path, text)
    assert {("function", "alone"), ("class", "Shop"), ("interface", "Priced")} <= found


@pytest.mark.requirement("003-CHUNK-06")
def test_blade_knows_components_and_directives():
    text = "<x-alert type=\"error\">\n  text\n</x-alert>\n@section('content')\n  <p>x</p>\n@endsection\n"
    parsed, _ = pieces("view.blade.php", text)
    assert parsed.language == "blade"
    assert {("component", "x-alert"), ("directive", "content")} <= {(s.kind, s.qualified) for s in parsed.symbols}


@pytest.mark.requirement("003-CHUNK-11")
def test_a_broken_place_is_seen_as_only_a_parser_can():
    parsed, _ = pieces(
        "shop.py", "def good():\n    return 'def fake(): pass'\n\n\ndef (:\n\n\ndef after():\n    pass\n"
    )
    names = {symbol.name for symbol in parsed.symbols}
    assert {"good", "after"} <= names
    assert "fake" not in names


@pytest.mark.requirement("003-CHUNK-14", "N003-CHUNK-02", "N003-CHUNK-03")
@for_each("path", ["long.py", "long.js", "long.txt", "long.md", "長い.py"])
def test_long_things_are_split_and_nothing_is_lost_or_doubled(path):
    lines = "\n".join(f"    x{number} = '行 {number}'" for number in range(900))
    text = f"def long():\n{lines}\n"
    parsed, _ = pieces(path, text)
    assert len(parsed.pieces) > 1
    assert all(piece.end - piece.start <= MAX_BYTES for piece in parsed.pieces)
    ends = [0, *(piece.end for piece in parsed.pieces)]
    assert all(piece.start >= end for piece, end in zip(parsed.pieces, ends, strict=False))
    assert "".join("".join(cut(text, parsed.pieces)).split()) == "".join(text.split())


@pytest.mark.requirement("N003-CHUNK-01")
def test_methods_of_one_name_stay_apart():
    text = "".join(f"class {name}:\n    def run(self):\n        return '{name}'\n\n\n" for name in ("A", "B"))
    text += "def run():\n    return 1\n\n\ndef run():\n    return 2\n"
    parsed, _ = pieces("twins.py", text)
    assert {"A.run", "B.run", "run"} <= {symbol.qualified for symbol in parsed.symbols}
    places = [(symbol.qualified, symbol.start_line) for symbol in parsed.symbols]
    assert len(places) == len(set(places))
    joined = "".join(cut(text, parsed.pieces))
    assert [joined.count(f"return {end}") for end in ("'A'", "'B'", "1", "2")] == [1, 1, 1, 1]


@pytest.mark.requirement("N001-LANG-01")
def test_many_languages_have_symbols_and_every_other_text_is_cut_by_lines():
    samples = {
        "python": "def f(): pass",
        "javascript": "function f() {}",
        "typescript": "function f(): void {}",
        "php": "<?php function f() {}",
        "go": "package a\nfunc f() {}",
        "rust": "fn f() {}",
        "java": "class f {}",
        "kotlin": "fun f() {}",
        "scala": "object f {}",
        "c": "int f(void) { return 1; }",
        "cpp": "int f() { return 1; }",
        "csharp": "class f {}",
        "swift": "func f() {}",
        "ruby": "def f; end",
        "lua": "function f() end",
        "elixir": "defmodule A do\n  def f, do: 1\nend",
        "haskell": "f x = x",
        "zig": "fn f() void {}",
        "bash": "f() { true; }",
        "sql": "CREATE TABLE f (x INT);",
    }
    assert set(samples) <= set(known_languages())
    named = {
        language: {s.name for s in parse_file(text.encode(), language).symbols} for language, text in samples.items()
    }
    assert {language: names for language, names in named.items() if "f" not in names} == {}
    plain = parse_file(b"one\n\ntwo\n", language_of("notes.unknown"))
    assert (plain.language, len(plain.pieces)) == ("text", 1)


@pytest.mark.requirement("N003-SYNC-02", "N003-SYNC-03")
@pytest.mark.parametrize("full", [False, True])
def test_what_tools_make_and_what_is_excluded_is_left_out_at_every_depth(tmp_path: Path, full: bool):
    deep = ["node_modules/a.js", "src/node_modules/a/b/c.js", "gen/x.py", "src/deep/gen/y.py"]
    for name in [*deep, "src/kept.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "blob.bin").write_bytes(bytes(range(256)) * 8)
    with open_workspace(tmp_path, index__excludes=("gen/",), index__workers=1) as project:
        project.sync_index()
        project.sync_index(full=full)
        assert [path for path, record in project.workspace.store.files().items() if record.language] == ["src/kept.py"]


@pytest.mark.requirement("N003-CONFIG-01")
def test_the_settings_of_a_sync_have_their_defaults():
    index = load_config(environ={"HOME": "/nowhere"}).index
    assert (index.source_dirs, index.excludes, index.sync_ttl_hours, index.sync_on_start) == ((), (), 1.0, True)


@pytest.mark.requirement("001-FTS-03")
@pytest.mark.parametrize("engine", ["memory", "tantivy", "fallback"])
def test_any_of_several_words_is_enough_in_every_engine(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch):
    if engine == "fallback":
        monkeypatch.setattr("shirube.engine.store.tantivy._tantivy", _gone)
    store = memory_store(256) if engine == "memory" else embedded_store(tmp_path / "index", 256)
    store.write(
        StoreChange(
            tuple(_entry(path, text) for path, text in (("a.py", "alpha"), ("b.py", "beta"), ("c.py", "gamma")))
        )
    )
    publish(store)
    found = store.candidates(Ask({"content": {"alpha": 1.0, "beta": 1.0}}))
    store.close()
    assert sorted(item.path for item in found.items) == ["a.py", "b.py"]
    assert bool(found.degraded) == (engine == "fallback")


def _gone() -> None:
    raise ImportError("gone")


def _entry(path: str, text: str) -> Entry:
    parsed = parse_file(text.encode(), "text")
    return Entry(FileRecord(path, path, 1, "text", 1), pack_text(text), parsed.pieces)
