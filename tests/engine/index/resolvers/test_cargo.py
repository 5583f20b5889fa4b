from shirube.engine.index.resolvers.rust import crates
from shirube.engine.index.resolvers.toolkit import FileTable


def read(paths=(), **texts):
    manifests = {f"{home}/Cargo.toml": text for home, text in texts.items()}
    return crates(FileTable.build([*paths, *manifests], manifests))


def test_a_crate_is_known_by_the_name_code_uses():
    known = read(["a/src/lib.rs"], a='[package]\nname = "my-crate"\nedition.workspace = true')
    assert known.by_name["my_crate"][0].library == "a/src/lib.rs"
    assert not known.by_home["a"].old_paths


def test_named_roots_must_exist():
    library = '[package]\nname = "x"\n[lib]\nname = "y"\npath = "y.rs"\n'
    text = library + '[[bin]]\npath = "b.rs"\n[[bin]]\npath = "no.rs"'
    crate = read(["a/y.rs", "a/b.rs"], a=text).by_home["a"]
    assert (crate.name, crate.library, crate.programs) == ("y", "a/y.rs", ("a/b.rs",))
    assert read(a=text).by_home["a"].library is None


def test_renamed_and_conditional_dependencies_keep_their_package():
    text = (
        '[package]\nname = "x"\n[dependencies]\nshort = { package = "long-name" }\nasync-trait = "1"\n'
        '[target."cfg(unix)".dependencies]\nlibc = "0.2"'
    )
    aliases = read(a=text).by_home["a"].aliases
    assert aliases == {"short": "long-name", "async_trait": "async-trait", "libc": "libc"}


def test_workspaces_without_a_package_and_broken_manifests_are_passed_over():
    assert read(a="[workspace]\nmembers = []", b="= broken").by_home == {}


def test_of_two_crates_of_one_name_the_nearer_is_meant():
    text = '[package]\nname = "x"'
    crate = read(one=text, two=text).called("x", "two/src")
    assert crate is not None
    assert crate.home == "two"
