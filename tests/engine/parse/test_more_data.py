"""Symbols of SQL, YAML, TOML and JSON."""

import json

from tests.cases import for_each
from tests.engine.parse.samples import check_broken, check_doc, placed, read

from shirube.engine.parse.file import parse_file

SQL = """\
-- 利用者
CREATE TABLE IF NOT EXISTS app.users (
  id INT PRIMARY KEY,
  name TEXT
);
CREATE OR REPLACE VIEW active AS SELECT * FROM app.users;
CREATE MATERIALIZED VIEW daily AS SELECT 1;
CREATE UNIQUE INDEX users_name ON app.users (name);
CREATE FUNCTION add(a int, b int) RETURNS int AS $$
  SELECT a + b;
$$ LANGUAGE sql;
CREATE TRIGGER touch BEFORE INSERT ON app.users FOR EACH ROW EXECUTE FUNCTION add();
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE SCHEMA app;
SELECT * FROM active;
"""

YAML = """\
# 手順
name: CI
"on":
  push:
    branches: [main]
jobs:
  build:
    steps:
      - run: make
list:
  - a: 1
---
second: 2
"""

TOML = """\
# 設定
title = "x"
[package]
name = "x"
deps = { serde = "1" }

[tool.ruff.lint]
select = ["E"]
[[bin]]
name = "a"
"""

JSON = """\
{
  "name": "x",
  "scripts": {
    "build": "tsc",
    "deep": { "no": 1 }
  },
  "list": [{ "a": 1 }]
}
"""

SYMBOLS = {
    "sql": [
        ("table", "app.users", 2, 5),
        ("view", "active", 6, 6),
        ("view", "daily", 7, 7),
        ("key", "users_name", 8, 8),
        ("function", "add", 9, 11),
        ("rule", "touch", 12, 12),
        ("type", "mood", 13, 13),
        ("namespace", "app", 14, 14),
    ],
    "yaml": [
        ("key", "name", 2, 2),
        ("key", "on", 3, 5),
        ("key", "on.push", 4, 5),
        ("key", "jobs", 6, 9),
        ("key", "jobs.build", 7, 9),
        ("key", "list", 10, 11),
        ("key", "second", 13, 13),
    ],
    "toml": [
        ("key", "title", 2, 2),
        ("key", "package", 3, 5),
        ("key", "package.name", 4, 4),
        ("key", "package.deps", 5, 5),
        ("key", "tool.ruff.lint", 7, 8),
        ("key", "tool.ruff.lint.select", 8, 8),
        ("key", "bin", 9, 10),
    ],
    "json": [
        ("key", "name", 2, 2),
        ("key", "scripts", 3, 6),
        ("key", "scripts.build", 4, 4),
        ("key", "scripts.deep", 5, 5),
        ("key", "list", 7, 7),
    ],
}

SAMPLES = {"sql": SQL, "yaml": YAML, "toml": TOML, "json": JSON}

BROKEN = {
    "sql": ("CREATE TABLE ok (id INT);\nCREATE PROC dbo.x @a INT AS\nCREATE VIEW v AS SELECT 1;\n", "ok"),
    "yaml": ("ok: 1\nbad: [1, 2\n", "ok"),
    "toml": ("ok = 1\nbad = = 2\n", "ok"),
    "json": ('{"ok": 1, "bad": }\n', "ok"),
}


@for_each("language", SYMBOLS)
def test_definitions_are_named_scoped_and_placed(language):
    parsed = read(SAMPLES[language], language)
    assert placed(parsed) == SYMBOLS[language]
    assert parsed.imports == ()
    assert parsed.notes == ()


@for_each("language", BROKEN)
def test_a_syntax_error_costs_only_its_own_place(language):
    check_broken(language, *BROKEN[language])


@for_each(
    ("language", "name", "doc"), [("sql", "app.users", "利用者"), ("yaml", "name", "手順"), ("toml", "title", "設定")]
)
def test_a_japanese_comment_documents_what_follows(language, name, doc):
    check_doc(language, SAMPLES[language], name, doc)


def test_japanese_keys_are_names():
    assert [one.name for one in parse_file("住所: 東京\n".encode(), "yaml").symbols] == ["住所"]
    assert [one.name for one in parse_file('{"住所": 1}\n'.encode(), "json").symbols] == ["住所"]


def test_records_in_a_list_are_data_not_symbols():
    records = [{"id": number, "name": "x"} for number in range(500)]
    assert parse_file(json.dumps(records).encode(), "json").symbols == ()
    assert len(parse_file(json.dumps({"rows": records}, indent=1).encode(), "json").symbols) == 1
    lines = "".join(f"- id: {number}\n  name: x\n" for number in range(500))
    assert parse_file(lines.encode(), "yaml").symbols == ()


def test_keys_below_the_second_level_are_data():
    deep = {"a": {"b": {f"k{number}": number for number in range(500)}}}
    assert [one.qualified for one in parse_file(json.dumps(deep).encode(), "json").symbols] == ["a", "a.b"]


def test_the_keys_of_repeated_toml_tables_are_data():
    text = "".join(f'[[package]]\nname = "p{number}"\nversion = "1"\n' for number in range(3))
    assert [one.qualified for one in parse_file(text.encode(), "toml").symbols] == ["package"] * 3


def test_sql_that_the_grammar_cannot_read_keeps_the_table_name():
    text = b"CREATE TABLE IF NOT EXISTS part PARTITION OF parent FOR VALUES IN (1);\n"
    assert [(one.kind, one.name) for one in parse_file(text, "sql").symbols] == [("table", "part")]
