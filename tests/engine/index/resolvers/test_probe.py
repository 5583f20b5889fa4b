from tests.cases import for_each

from shirube.engine.index.resolvers.javascript import built, entry, probe
from shirube.engine.index.resolvers.toolkit import FileTable


@for_each(
    ("base", "paths", "expected"),
    [
        ("a/x", ["a/x.ts", "a/x.js"], "a/x.ts"),
        ("a/x.js", ["a/x.ts"], "a/x.ts"),
        ("a/x.js", ["a/x.ts", "a/x.js"], "a/x.js"),
        ("a/x.mjs", ["a/x.mts"], "a/x.mts"),
        ("a/x", ["a/x/index.tsx"], "a/x/index.tsx"),
        ("a/x.config", ["a/x.config.ts"], "a/x.config.ts"),
        ("a/x", ["a/x.vue"], "a/x.vue"),
        ("a/x", ["a/X.ts"], None),
        (None, ["a/x.ts"], None),
    ],
)
def test_extensions_and_indexes_are_tried_in_order(base, paths, expected):
    assert probe(base, FileTable.build(paths)) == expected


def test_a_directory_with_a_manifest_gives_its_entry():
    table = FileTable.build(["p/package.json", "p/go.js"], {"p/package.json": '{"main": "./go.js"}'})
    assert probe("p", table) == "p/go.js"


def test_a_built_entry_leads_to_its_source():
    table = FileTable.build(["p/src/index.ts", "p/src/deep/a.ts"])
    assert entry("p", {"exports": {".": {"import": "./dist/esm/index.js"}}}, table) == "p/src/index.ts"
    assert built("p", "./dist/deep/a.d.ts", table) == "p/src/deep/a.ts"
    assert built("p", ".", table) is None
    assert entry("q", {"main": 3}, table) is None
