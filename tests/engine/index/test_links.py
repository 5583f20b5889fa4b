"""Edges written by need."""

from shirube.engine.index.sync import Linker
from shirube.engine.store.memory import MemoryStore


class Counting(MemoryStore):
    """Remembers whose edges were written."""

    def __init__(self):
        super().__init__(256)
        self.written: list[str] = []

    def write_edges(self, edges):
        self.written += sorted(edges)
        super().write_edges(edges)


def test_only_the_changed_file_is_linked_when_no_file_came_or_went(tree):
    tree.store = Counting()
    tree.put("a.py", "import b\n")
    tree.put("b.py", "import os\n")
    tree.sync()
    tree.store.write_edges({"a.py": [], "b.py": []})
    tree.store.written.clear()
    Linker().link(tree.store, tree.store.files(), {"a.py"}, everything=False)
    assert tree.store.written == ["a.py"]


def test_linking_everything_writes_only_what_differs(tree):
    tree.store = Counting()
    tree.put("a.py", "import b\n")
    tree.put("b.py", "import os\n")
    tree.sync()
    tree.store.written.clear()
    Linker().link(tree.store, tree.store.files(), (), everything=True)
    assert tree.store.written == []
    tree.store.write_edges({"a.py": []})
    tree.store.written.clear()
    Linker().link(tree.store, tree.store.files(), (), everything=True)
    assert tree.store.written == ["a.py"]


def test_a_changed_manifest_links_everything(tree):
    tree.put("tsconfig.json", '{"compilerOptions": {"baseUrl": "src"}}\n')
    tree.put("src/x/y.ts", "export const y = 1\n")
    tree.put("app/a.ts", "import { y } from 'x/y'\n")
    tree.sync()
    assert "src/x/y.ts" in {edge.target for edge in tree.store.edges("app/a.ts")}
    tree.put("tsconfig.json", '{"compilerOptions": {"baseUrl": "other"}}\n')
    tree.sync()
    assert "src/x/y.ts" not in {edge.target for edge in tree.store.edges("app/a.ts")}
