from tests.cases import for_each

from shirube.engine.index.resolvers.javascript import package_name, packages, through_imports, through_workspace
from shirube.engine.index.resolvers.toolkit import FileTable


@for_each(
    ("name", "expected"),
    [("lodash/fp", "lodash"), ("@s/p/x/y", "@s/p"), ("react", "react"), ("@s/p", "@s/p")],
)
def test_a_name_belongs_to_its_package(name, expected):
    assert package_name(name) == expected


def project(manifest, *paths, **more):
    manifests = {"packages/p/package.json": manifest, **more}
    return FileTable.build([*paths, *manifests], manifests)


def test_a_sibling_package_gives_its_entry_and_its_inner_files():
    table = project('{"name": "@s/p"}', "packages/p/src/index.ts", "packages/p/src/deep.ts", "packages/p/top.js")
    assert through_workspace("packages/q", "@s/p", table) == "packages/p/src/index.ts"
    assert through_workspace("packages/q", "@s/p/deep", table) == "packages/p/src/deep.ts"
    assert through_workspace("packages/q", "@s/p/top.js", table) == "packages/p/top.js"
    assert through_workspace("packages/q", "@s/p/gone", table) is None
    assert through_workspace("packages/q", "other", table) is None


def test_exports_are_read_with_conditions_and_stars():
    text = '{"name": "p", "exports": {"./fp": {"import": "./dist/fp.mjs"}, "./x/*": "./lib/*.js"}}'
    table = project(text, "packages/p/src/fp.ts", "packages/p/lib/a.js")
    assert through_workspace("", "p/fp", table) == "packages/p/src/fp.ts"
    assert through_workspace("", "p/x/a", table) == "packages/p/lib/a.js"


def test_private_imports_are_those_of_the_nearest_manifest():
    table = project('{"imports": {"#a": "./a.js", "#in/*": "./in/*.ts"}}', "packages/p/a.js", "packages/p/in/b.ts")
    assert through_imports("packages/p/src", "#a", table) == "packages/p/a.js"
    assert through_imports("packages/p/src", "#in/b", table) == "packages/p/in/b.ts"
    assert through_imports("elsewhere", "#a", table) is None


def test_installed_packages_are_not_ours_and_dependencies_are_collected():
    manifests = {
        "node_modules/x/package.json": '{"name": "x"}',
        "package.json": '{"dependencies": {"y": "1"}}',
    }
    known = packages(FileTable.build(manifests, manifests))
    assert known.directories == {}
    assert known.dependencies == {"y"}
