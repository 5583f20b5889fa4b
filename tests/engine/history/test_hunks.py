"""Which symbols a change touches, by real diffs of many languages."""

import pytest

from shirube.engine.history.hunks import MOST_SYMBOLS, touched_symbols
from shirube.engine.store.memory import MemoryStore
from tests.engine.history.repository import Repository, touched

LONG = "\n".join(f"    step({number})" for number in range(6))
CASES = {
    "a.py": (
        "class Session:\n    def start(self):\n        x = 1\n        y = 2\n        return x\n\n"
        "    async def stop(self):\n        a = 1\n        b = 2\n        return b\n",
        "        return b\n",
        "        return a\n",
        ("stop",),
    ),
    "a.ts": (
        "export class Cart {\n  total(): number {\n    const a = 1;\n    const b = 2;\n    return a;\n  }\n}\n\n"
        "export const formatPrice = (value: number) => {\n  const x = 1;\n  const y = 2;\n  return value;\n};\n",
        "  return value;\n",
        "  return value + 1;\n",
        ("formatPrice",),
    ),
    "method.ts": (
        "export class Cart {\n  private items = [];\n\n  async total(tax: number): Promise<number> {\n    const a = 1;\n"
        "    const b = 2;\n    if (a > b) {\n      return a;\n    }\n    return b;\n  }\n}\n",
        "    return b;\n",
        "    return b + tax;\n",
        ("total",),
    ),
    "a.vue": (
        "<template>\n  <p>{{ text }}</p>\n</template>\n<script setup lang='ts'>\nfunction onSave(text: string) {\n"
        "  const a = 1\n  const b = 2\n  return text\n}\n</script>\n",
        "  return text\n",
        "  return text + a\n",
        ("onSave",),
    ),
    "a.go": (
        "package a\n\nfunc (s *Server) Serve(port int) error {\n\ta := 1\n\tb := 2\n\tc := 3\n\treturn nil\n}\n",
        "\treturn nil\n",
        "\treturn err\n",
        ("Serve",),
    ),
    "a.rs": (
        "impl Router {\n    pub(crate) async fn route(&self) -> Result<(), Error> {\n        let a = 1;\n        let b = 2;\n"
        "        let c = 3;\n        Ok(())\n    }\n}\n",
        "        Ok(())\n",
        "        Err(a)\n",
        ("route",),
    ),
    "a.c": (
        "#include <a.h>\n\nstatic int parseArgs(int argc, char **argv) {\n    int a = 1;\n    int b = 2;\n    int c = 3;\n"
        "    return a;\n}\n",
        "    return a;\n",
        "    return b;\n",
        ("parseArgs",),
    ),
    "a.cpp": (
        "namespace net {\nint Client::connect(const std::string& host) {\n    int a = 1;\n    int b = 2;\n    int c = 3;\n"
        "    return a;\n}\n}\n",
        "    return a;\n",
        "    return b;\n",
        ("connect",),
    ),
    "A.java": (
        "class Gson {\n  public <T> T fromJson(String json, Class<T> type) throws Bad {\n    int a = 1;\n    int b = 2;\n"
        "    int c = 3;\n    return null;\n  }\n}\n",
        "    return null;\n",
        "    return cast(a);\n",
        ("fromJson",),
    ),
    "a.rb": (
        "module Sinatra\n  class Base\n    def self.call!(env)\n      a = 1\n      b = 2\n      c = 3\n      nil\n    end\n"
        "  end\nend\n",
        "      nil\n",
        "      env\n",
        ("call!",),
    ),
    "a.kt": (
        "class Table {\n    override suspend fun insert(row: Row): Int {\n        val a = 1\n        val b = 2\n"
        "        val c = 3\n        return a\n    }\n}\n",
        "        return a\n",
        "        return b\n",
        ("insert",),
    ),
    "a.swift": (
        "extension Session {\n    public func resume(after delay: Int) -> Bool {\n        let a = 1\n        let b = 2\n"
        "        let c = 3\n        return a\n    }\n}\n",
        "        return a\n",
        "        return b\n",
        ("resume",),
    ),
    "a.php": (
        "<?php\nclass Mailer {\n    public static function send(array $to): bool\n    {\n        $a = 1;\n        $b = 2;\n"
        "        $c = 3;\n        return true;\n    }\n}\n",
        "        return true;\n",
        "        return false;\n",
        ("send",),
    ),
    "a.ex": (
        "defmodule Phoenix.Router do\n  def match(conn, path) do\n    a = 1\n    b = 2\n    c = 3\n    conn\n  end\nend\n",
        "    conn\n",
        "    path\n",
        ("match",),
    ),
    "a.cs": (
        "class Store\n{\n    public async Task<int> SaveAsync(Item item)\n    {\n        int a = 1;\n        int b = 2;\n"
        "        int c = 3;\n        return a;\n    }\n}\n",
        "        return a;\n",
        "        return b;\n",
        ("SaveAsync",),
    ),
    "a.js": (
        "app.use = function use(fn) {\n  var a = 1;\n  var b = 2;\n  var c = 3;\n  return this;\n};\n",
        "  return this;\n",
        "  return fn;\n",
        ("use",),
    ),
    "b.js": (
        "res.send = function (body) {\n  var a = 1;\n  var b = 2;\n  var c = 3;\n  return this;\n};\n",
        "  return this;\n",
        "  return body;\n",
        ("send",),
    ),
}


@pytest.mark.parametrize("path", CASES)
def test_a_line_inside_a_function_touches_it(repository: Repository, path: str):
    before, old, new, wanted = CASES[path]
    assert before.count(old) == 1 or old == "    return a;\n"
    head, _, tail = before.rpartition(old)
    repository.commit("begin", {path: before})
    repository.commit("change", {path: head + new + tail})
    assert touched(repository.read(MemoryStore(256))[0]) == {path: wanted}


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
    hunk = "@@ -1,2 +1,2 @@ def one():\n-  @@ -1 +1 @@ def fake():\n+diff --git a/fake b/fake\n\\ No newline at end of file\n"
    assert list(touched_symbols(diff(hunk))) == [("one",)]


@pytest.mark.parametrize(
    "heading", ["", "    if x == 1:", "#include <stdio.h>", "return 1;", "## A heading", "((((", "= ="]
)
def test_a_heading_without_a_definition_names_nothing(heading: str):
    assert list(touched_symbols(diff(f"@@ -1 +1 @@ {heading}\n-    a\n+    b\n"))) == [()]
