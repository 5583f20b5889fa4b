def test_a_swift_target_is_its_folder(ask):
    paths = ["Sources/Kit/A.swift", "Sources/Kit/B.swift", "Sources/Kit/notes.md"]
    assert ask("swift", "Sources/App/main.swift", "Kit", paths) == paths[:2]
    assert ask("swift", "Sources/App/main.swift", "Foundation", paths) == ["package:Foundation"]
    assert ask("swift", "Sources/App/main.swift", "kit", paths) == ["package:kit"]


def test_a_haskell_module_is_the_tail_of_a_path(ask):
    assert ask("haskell", "app/Main.hs", "Data.Tree.Red", ["src/Data/Tree/Red.hs"]) == ["src/Data/Tree/Red.hs"]
    assert ask("haskell", "app/Main.hs", "Data.Map", ["src/Data/Tree/Red.hs"]) == ["package:Data.Map"]


def test_a_zig_file_is_relative_and_a_zig_name_is_a_package(ask):
    assert ask("zig", "src/main.zig", "a/b.zig", ["src/a/b.zig"]) == ["src/a/b.zig"]
    assert ask("zig", "src/main.zig", "gone.zig") == ["unresolved:gone.zig"]
    assert ask("zig", "src/main.zig", "std") == ["package:std"]
