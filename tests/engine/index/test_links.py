"""Edges written by need."""

from tests.stores import write_edges

from shirube.engine.index.sync import Linker


def linked(tree, changed, *, everything: bool) -> list[str]:
    """Return the files whose edges differ from those that are stored."""
    found = Linker().link(tree.store, tree.store.files(), changed, {}, everything=everything)
    return sorted(path for edges in found for path in edges)


def test_only_the_changed_file_is_linked_when_no_file_came_or_went(tree):
    tree.put("a.py", "import b\n")
    tree.put("b.py", "import os\n")
    tree.sync()
    write_edges(tree.store, {"a.py": [], "b.py": []})
    assert linked(tree, {"a.py"}, everything=False) == ["a.py"]


def test_linking_everything_writes_only_what_differs(tree):
    tree.put("a.py", "import b\n")
    tree.put("b.py", "import os\n")
    tree.sync()
    assert linked(tree, (), everything=True) == []
    write_edges(tree.store, {"a.py": []})
    assert linked(tree, (), everything=True) == ["a.py"]


def test_a_changed_manifest_links_everything(tree):
    tree.put("tsconfig.json", '{"compilerOptions": {"baseUrl": "src"}}\n')
    tree.put("src/x/y.ts", "export const y = 1\n")
    tree.put("app/a.ts", "import { y } from 'x/y'\n")
    tree.sync()
    assert "src/x/y.ts" in {edge.target for edge in tree.store.edges("app/a.ts")}
    tree.put("tsconfig.json", '{"compilerOptions": {"baseUrl": "other"}}\n')
    tree.sync()
    assert "src/x/y.ts" not in {edge.target for edge in tree.store.edges("app/a.ts")}
