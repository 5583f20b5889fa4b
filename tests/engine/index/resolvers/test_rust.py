from tests.cases import for_each

DEPENDENCIES = '[dependencies]\nserde-json = "1"\nmy-lib = { path = "../lib" }\n'
PACKAGE = f'[package]\nname = "app"\nedition = "2021"\n{DEPENDENCIES}'
CARGO = {"app/Cargo.toml": PACKAGE, "lib/Cargo.toml": '[package]\nname = "my-lib"\n'}
PATHS = [
    "app/src/lib.rs",
    "app/src/main.rs",
    "app/src/a.rs",
    "app/src/a/b.rs",
    "app/src/a/c/mod.rs",
    "app/src/a/c/d.rs",
    "app/tests/common/mod.rs",
    "app/tests/it.rs",
    "lib/src/lib.rs",
    "lib/src/x.rs",
]


@for_each(
    ("path", "module", "names", "expected"),
    [
        ("app/src/a.rs", "crate::a::b", ("T",), ["app/src/a/b.rs"]),
        ("app/src/lib.rs", "crate::a", ("b", "Item"), ["app/src/a.rs", "app/src/a/b.rs"]),
        ("app/src/lib.rs", "crate::a::c", ("d",), ["app/src/a/c/d.rs"]),
        ("app/src/a/b.rs", "crate", ("Root",), ["app/src/lib.rs"]),
        ("app/src/a/b.rs", "super", ("Item",), ["app/src/a.rs"]),
        ("app/src/a/b.rs", "super::super", ("Root",), ["app/src/lib.rs"]),
        ("app/src/a/c/d.rs", "super", ("Item",), ["app/src/a/c/mod.rs"]),
        ("app/src/a/c/d.rs", "super::super::b", (), ["app/src/a/b.rs"]),
        ("app/src/a.rs", "self::b", ("T",), ["app/src/a/b.rs"]),
        ("app/src/a.rs", "b", ("T",), ["app/src/a/b.rs"]),
        ("app/src/a.rs", "self::inline", ("T",), []),
        ("app/src/a.rs", "super", ("*",), []),
        ("app/src/a.rs", "mod b", (), ["app/src/a/b.rs"]),
        ("app/src/lib.rs", "mod a", (), ["app/src/a.rs"]),
        ("app/src/a/c/mod.rs", "mod d", (), ["app/src/a/c/d.rs"]),
        ("app/src/lib.rs", "mod gone", (), ["unresolved:mod gone"]),
        ("app/tests/it.rs", "mod common", (), ["app/tests/common/mod.rs"]),
        ("app/tests/it.rs", "app::a", ("Item",), ["app/src/a.rs"]),
        ("app/src/main.rs", "app", ("run",), ["app/src/lib.rs"]),
        ("app/src/a.rs", "my_lib::x", ("T",), ["lib/src/x.rs"]),
        ("app/src/a.rs", "my_lib", ("x", "y"), ["lib/src/lib.rs", "lib/src/x.rs"]),
        ("app/src/a.rs", "std::collections", ("HashMap",), ["package:std"]),
        ("app/src/a.rs", "serde_json::value", ("Value",), ["package:serde-json"]),
        ("app/src/a.rs", "tokio", (), ["package:tokio"]),
        ("app/src/a.rs", "Enum", ("*",), []),
    ],
)
def test_paths_are_followed_to_the_deepest_module_file(ask, path, module, names, expected):
    assert ask("rust", path, module, PATHS, CARGO, names) == expected


def test_a_program_named_by_the_manifest_is_a_root(ask):
    manifests = {"Cargo.toml": '[package]\nname = "rg"\nedition = "2024"\n[[bin]]\npath = "core/main.rs"'}
    paths = ["core/main.rs", "core/flags.rs"]
    assert ask("rust", "core/search.rs", "crate::flags", paths, manifests, ("F",)) == ["core/flags.rs"]
    assert ask("rust", "core/main.rs", "mod flags", paths, manifests) == ["core/flags.rs"]


def test_old_editions_start_at_the_root(ask):
    manifests = {"Cargo.toml": '[package]\nname = "old"'}
    paths = ["src/lib.rs", "src/util.rs"]
    assert ask("rust", "src/deep/a.rs", "util", paths, manifests, ("f",)) == ["src/util.rs"]


def test_without_a_manifest_the_root_is_found_beside_or_above(ask):
    assert ask("rust", "k/deep/a.rs", "crate::b", ["k/lib.rs", "k/b.rs"]) == ["k/b.rs"]
