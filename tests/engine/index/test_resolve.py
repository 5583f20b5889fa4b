import string

from hypothesis import given
from hypothesis import strategies as st

from shirube.engine.index.resolvers import LANGUAGES, resolve_file
from shirube.engine.index.resolvers.toolkit import FileTable
from shirube.types import Edge, RawImport


def test_each_target_is_named_once_at_its_first_line_in_the_order_of_lines():
    table = FileTable.build(["pkg/a.py", "pkg/b.py", "pkg/c.py"])
    imports = (
        RawImport(".c", 9),
        RawImport(".b", 4),
        RawImport("os.path", 4),
        RawImport("os", 2),
        RawImport(".b", 1),
    )
    assert resolve_file("pkg/a.py", "python", imports, table) == (
        Edge("pkg/a.py", "pkg/b.py", "path", "import", 1),
        Edge("pkg/a.py", "os", "package", "import", 2),
        Edge("pkg/a.py", "pkg/c.py", "path", "import", 9),
    )


def test_a_file_is_never_its_own_target():
    table = FileTable.build(["a/x.h"])
    assert resolve_file("a/x.h", "c", (RawImport('"x.h"', 1),), table) == ()


def test_the_relation_follows_the_language():
    table = FileTable.build(["a.c", "a.h", "a.rb", "b.rb"])
    assert resolve_file("a.c", "c", (RawImport('"a.h"', 1),), table)[0].rel == "include"
    assert resolve_file("a.rb", "ruby", (RawImport("./b", 1),), table)[0].rel == "require"


def test_a_language_nobody_reads_is_unresolved_and_not_silent():
    (edge,) = resolve_file("a.cob", "cobol", (RawImport("THING", 3),), FileTable.build(["a.cob"]))
    assert (edge.kind, edge.target, edge.line) == ("unresolved", "THING", 3)


def test_a_file_without_imports_has_no_edges():
    assert resolve_file("b.py", "python", (), FileTable.build(["a.py", "b.py"])) == ()


def test_a_file_that_appears_or_goes_changes_the_edges_of_others():
    def edges(*paths):
        return resolve_file("src/a.ts", "typescript", (RawImport("./b", 1),), FileTable.build(paths))

    assert edges("src/a.ts")[0].kind == "unresolved"
    assert edges("src/a.ts", "src/b.ts")[0].target == "src/b.ts"


SEGMENT = st.sampled_from(["a", "b", "src", "lib", "index", "mod", "__init__", "include", "tests", "A"])
ENDINGS = [
    ".py",
    ".ts",
    ".js",
    ".go",
    ".rs",
    ".java",
    ".kt",
    ".php",
    ".rb",
    ".c",
    ".h",
    ".cs",
    ".ex",
    ".lua",
    ".scss",
]
PATHS = st.builds(
    lambda parts, ending: "/".join(parts) + ending,
    st.lists(SEGMENT, min_size=1, max_size=4),
    st.sampled_from(ENDINGS),
)
SEPARATORS = st.sampled_from(
    [".", "/", "::", "\\", "..", "./", "../", "#", "@/", "~", "$", "<", ">", '"', "*", "mod ", " "]
)
MODULES = st.one_of(
    st.lists(st.one_of(SEGMENT, SEPARATORS), max_size=7).map("".join),
    st.sampled_from(["crate::a::b", "super::*", "self::a", "a.b.*", "A\\a\\b", "<a/b.h>", "./a", "..a", "m/a/b"]),
    st.text(string.printable, max_size=12),
)
IMPORTS = st.lists(
    st.builds(RawImport, MODULES, st.integers(1, 9), st.lists(SEGMENT, max_size=2).map(tuple)), max_size=6
)
MANIFESTS = {
    "go.mod": "module m",
    "package.json": '{"name": "a", "imports": {"#*": "./src/*"}, "exports": {"./*": "./dist/*.js"}}',
    "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"], "*": ["../*"]}}}',
    "composer.json": '{"autoload": {"psr-4": {"A\\\\": "src/", "": "lib"}}}',
    "Cargo.toml": '[package]\nname = "a"',
}


@given(st.lists(PATHS, min_size=1, max_size=25), st.sampled_from(sorted(LANGUAGES)), IMPORTS)
def test_every_path_edge_leads_to_a_file_of_the_table(paths, language, imports):
    table = FileTable.build([*paths, *MANIFESTS], MANIFESTS)
    for path in paths[:3]:
        edges = resolve_file(path, language, imports, table)
        assert all(edge.target in table.paths and edge.target != path for edge in edges if edge.kind == "path")
        assert {edge.kind for edge in edges} <= {"path", "package", "unresolved"}
        assert all(edge.target for edge in edges)


@given(st.lists(PATHS, min_size=2, max_size=15, unique=True), st.sampled_from(sorted(LANGUAGES)), IMPORTS)
def test_what_was_asked_before_never_changes_an_answer(paths, language, imports):
    table = FileTable.build([*paths, *MANIFESTS], MANIFESTS)
    together = {path: resolve_file(path, language, tuple(imports), table) for path in paths}
    for path in paths:
        alone = FileTable.build([*reversed(paths), *MANIFESTS], MANIFESTS)
        assert together[path] == resolve_file(path, language, reversed(imports), alone)
