from shirube.engine.index.resolvers.toolkit import MANIFESTS, FileTable, is_manifest


def test_files_are_found_by_the_tail_of_their_path():
    table = FileTable.build(["a/b/c.h", "b/c.h", "xb/c.h", "c.h"])
    assert set(table.matches("b/c.h")) == {"a/b/c.h", "b/c.h"}
    assert len(table.matches("c.h")) == 4
    assert table.matches("z/c.h") == ()


def test_matches_agree_whichever_list_is_shorter():
    many_folders = FileTable.build([f"r{i}/lib/other.h" for i in range(9)] + ["r1/lib/x.h"])
    many_names = FileTable.build([f"r{i}/x.h" for i in range(9)] + ["r1/lib/x.h"])
    assert many_folders.matches("lib/x.h") == many_names.matches("lib/x.h") == ("r1/lib/x.h",)


def test_directories_without_files_are_known_too():
    table = FileTable.build(["a/b/c.py"])
    assert table.directories["a"] == ()
    assert table.folders("b") == ("a/b",)
    assert table.folders("a/b") == ("a/b",)


def test_manifests_that_are_not_in_the_project_are_forgotten():
    table = FileTable.build(["go.mod"], {"go.mod": "module m", "gone/go.mod": "module n"})
    assert table.named("go.mod") == {"": "module m"}


def test_a_fact_is_made_once():
    made = []
    table = FileTable.build([])
    for _ in range(3):
        table.once(made.append)
    assert len(made) == 1


def test_names_of_manifests_are_recognised_in_any_directory():
    assert is_manifest("go.mod")
    assert is_manifest("a/tsconfig.base.json")
    assert is_manifest("a/b/Cargo.toml")
    assert not is_manifest("a/go.sum")
    assert not is_manifest("notsconfig.json")
    assert "package.json" in MANIFESTS
