"""Which symbols a change touches, by real diffs of many languages."""

import pytest

from shirube.engine.history.hunks import MOST_SYMBOLS, touched_symbols
from tests.engine.history.repository import Repository, touched
from tests.stores import memory_store

CASES = {
    "a.py": ("class Session:\n  def start(self):\n    BODY\n\n  async def stop(self):\n    BODY\n", "stop"),
    "a.ts": (
        "export class Cart {\n  total() {\n    BODY\n  }\n}\nexport const format = (value: number) => {\n  BODY\n};\n",
        "format",
    ),
    "method.ts": (
        "export class Cart {\n  items = [];\n  async total(tax: number): Promise<number> {\n    BODY\n  }\n}\n",
        "total",
    ),
    "a.vue": ("<template>\n</template>\n<script setup>\nfunction onSave(text) {\n  BODY\n}\n</script>\n", "onSave"),
    "a.go": ("package a\n\nfunc (s *Server) Serve(port int) error {\n\tBODY\n}\n", "Serve"),
    "a.rs": ("impl Router {\n  pub(crate) async fn route(&self) -> Result<(), Error> {\n    BODY\n  }\n}\n", "route"),
    "a.c": ("#include <a.h>\n\nstatic int parseArgs(int argc, char **argv) {\n    BODY\n}\n", "parseArgs"),
    "brace.c": ("#include <a.h>\n\nvoid parseArgs(void)\n{\n    BODY\n}\n", "parseArgs"),
    "a.cpp": ("namespace net {\nint Client::connect(const std::string& host) {\n    BODY\n}\n}\n", "connect"),
    "A.java": (
        "class Gson {\n  public <T> T fromJson(String json, Class<T> type) throws Bad {\n    BODY\n  }\n}\n",
        "fromJson",
    ),
    "a.cs": ("class Store\n{\n  public async Task<int> SaveAsync(Item item)\n  {\n    BODY\n  }\n}\n", "SaveAsync"),
    "a.rb": ("module Sinatra\n  class Base\n    def self.call!(env)\n      BODY\n    end\n  end\nend\n", "call!"),
    "a.kt": ("class Table {\n  override suspend fun insert(row: Row): Int {\n    BODY\n  }\n}\n", "insert"),
    "a.swift": ("extension Session {\n  public func resume(after delay: Int) -> Bool {\n    BODY\n  }\n}\n", "resume"),
    "a.php": ("<?php\nclass Mailer {\n  public static function send(array $to): bool\n  {\n    BODY\n  }\n}\n", "send"),
    "a.ex": ("defmodule Phoenix.Router do\n  def match(conn, path) do\n    BODY\n  end\nend\n", "match"),
    "a.js": ("app.use = function use(fn) {\n  BODY\n};\n", "use"),
    "b.js": ("res.send = function (body) {\n  BODY\n};\n", "send"),
}
"""A file, and what is touched by a change in the middle of its last body."""


@pytest.mark.parametrize("path", CASES)
def test_a_line_inside_a_function_touches_it(repository: Repository, path: str):
    text, wanted = CASES[path]
    blanks = text[text.rindex("\n", 0, text.rindex("BODY")) : text.rindex("BODY")]
    for middle in ("before", "after"):
        head, _, tail = text.rpartition("BODY")
        body = blanks.join(["first", "second", middle, "third"])
        repository.commit("change", {path: f"{head.replace('BODY', 'nothing')}{body}{tail}"})
    assert touched(repository.read(memory_store(256))[0]) == {path: (wanted,)}


def diff(*hunks: str) -> str:
    return "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n" + "".join(hunks)


def test_a_hunk_that_begins_with_a_definition_does_not_touch_the_one_before():
    (found,) = touched_symbols(diff("@@ -9,0 +10,4 @@ def before(x):\n+\n+@decorated\n+def new(y):\n+    pass\n"))
    assert found == ("new",)


def test_a_hunk_that_goes_on_into_a_definition_touches_both():
    (found,) = touched_symbols(diff("@@ -9,1 +10,3 @@ def before(x):\n-    a\n+    b\n+def new(y):\n+    pass\n"))
    assert found == ("before", "new")


def test_what_was_removed_was_touched():
    (found,) = touched_symbols(diff("@@ -9,2 +8,0 @@ def before(x):\n-def gone(y):\n-    pass\n"))
    assert found == ("gone",)


def test_names_are_told_once_and_not_too_many():
    hunks = [f"@@ -{at} +{at} @@ def f{at % 50}():\n-    a\n+    b\n" for at in range(1, 200)]
    (found,) = touched_symbols(diff(*hunks))
    assert found == tuple(f"f{at}" for at in range(1, MOST_SYMBOLS + 1))


def test_each_file_has_its_own_and_one_without_hunks_none():
    binary = "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n"
    moved = "diff --git a/o.py b/n.py\nsimilarity index 100%\nrename from o.py\nrename to n.py\n"
    text = (
        diff("@@ -1 +1 @@ def one():\n-    a\n+    b\n")
        + binary
        + moved
        + diff("@@ -1 +1 @@ class Two:\n-    a\n+    b\n")
    )
    assert list(touched_symbols(text)) == [("one",), (), (), ("Two",)]


def test_lines_that_look_like_a_diff_are_only_lines():
    lines = "-  @@ -1 +1 @@ def fake():\n+diff --git a/fake b/fake\n\\ No newline at end of file\n"
    hunk = "@@ -1,2 +1,2 @@ def one():\n" + lines
    assert list(touched_symbols(diff(hunk))) == [("one",)]


@pytest.mark.parametrize(
    "heading", ["", "    if x == 1:", "#include <stdio.h>", "return 1;", "## A heading", "((((", "= ="]
)
def test_a_heading_without_a_definition_names_nothing(heading: str):
    assert list(touched_symbols(diff(f"@@ -1 +1 @@ {heading}\n-    a\n+    b\n"))) == [()]


def test_a_line_no_deeper_than_the_definition_is_outside_of_it():
    assert list(touched_symbols(diff("@@ -9 +9 @@     def one(self):\n-    x = 1\n+    x = 2\n"))) == [()]
    assert list(touched_symbols(diff("@@ -9 +9 @@     def one(self):\n-    else:\n+    elif x:\n"))) == [("one",)]
    assert list(touched_symbols(diff("@@ -9 +9 @@ def one():\n+\n+# about the next one\n"))) == [()]


def test_a_name_that_git_may_have_cut_is_left_out():
    long = "def " + "a" * 76
    assert list(touched_symbols(diff(f"@@ -9 +9 @@ {long}\n-    a\n+    b\n"))) == [()]
    assert list(touched_symbols(diff(f"@@ -9 +9 @@ {long[:60]}(\n-    a\n+    b\n"))) == [("a" * 56,)]


def test_prose_has_no_symbols():
    text = diff("@@ -1 +1 @@ def one():\n-    class of its own\n+    def two():\n").replace("a.py", "a.md")
    assert list(touched_symbols(text)) == [()]
    assert list(touched_symbols(diff("@@ -1 +1 @@\n-the type of a file\n+type of all files\n"))) == [()]


def test_endless_lines_do_not_keep_us_busy():
    """Squared, these would take hours."""
    lines = ["a (" * 500_000, "public " * 500_000, "def " + "(" * 500_000, "const a = " * 200_000, "<" * 500_000]
    text = diff(*(f"@@ -1 +1 @@ def one():\n+    {line}\n+    def two():\n" for line in lines))
    assert list(touched_symbols(text)) == [("one", "two")]
