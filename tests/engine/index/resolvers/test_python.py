from tests.cases import for_each


@for_each(
    ("module", "names", "expected"),
    [
        (".", ("b",), ["app/core/b.py"]),
        (".b", ("thing",), ["app/core/b.py"]),
        ("..", ("core",), ["app/core/__init__.py"]),
        ("..models", ("User",), ["app/models.py"]),
        (".", ("b", "VERSION"), ["app/core/__init__.py", "app/core/b.py"]),
        ("...", ("x",), ["unresolved:..."]),
        ("....", ("x",), ["unresolved:...."]),
        (".missing", (), ["unresolved:.missing"]),
        (".stubbed", ("f",), ["app/core/stubbed.pyi"]),
        (".B", (), ["unresolved:.B"]),
    ],
)
def test_relative_dots_are_followed(ask, module, names, expected):
    paths = [
        "app/__init__.py",
        "app/models.py",
        "app/core/__init__.py",
        "app/core/b.py",
        "app/core/stubbed.pyi",
    ]
    assert ask("python", "app/core/a.py", module, paths, names=names) == expected


@for_each("root", ["", "src/", "services/api/"])
def test_absolute_names_are_found_below_any_source_root(ask, root):
    paths = [f"{root}pkg/__init__.py", f"{root}pkg/sub/__init__.py", f"{root}pkg/sub/mod.py"]
    asking = ("python", "services/api/tests/test_x.py")
    assert ask(*asking, "pkg.sub.mod", paths) == [f"{root}pkg/sub/mod.py"]
    assert ask(*asking, "pkg.sub", paths, names=("mod",)) == [f"{root}pkg/sub/mod.py"]
    assert ask(*asking, "pkg.sub", paths, names=("mod", "X")) == [
        f"{root}pkg/sub/__init__.py",
        f"{root}pkg/sub/mod.py",
    ]
    assert ask(*asking, "pkg.gone", paths) == ["unresolved:pkg.gone"]


def test_the_nearest_of_several_roots_is_meant(ask):
    paths = ["one/pkg/__init__.py", "two/pkg/__init__.py"]
    assert ask("python", "two/app.py", "pkg", paths) == ["two/pkg/__init__.py"]
    assert ask("python", "one/tests/test.py", "pkg", paths) == ["one/pkg/__init__.py"]


def test_namespace_packages_need_no_init(ask):
    paths = ["src/space/part/mod.py"]
    assert ask("python", "src/space/other.py", "space.part.mod", paths) == ["src/space/part/mod.py"]
    assert ask("python", "src/space/other.py", "space.part", paths, names=("mod",)) == ["src/space/part/mod.py"]
    assert ask("python", "src/space/other.py", "space.part", paths, names=("gone",)) == ["package:space"]


@for_each(
    ("module", "expected"),
    [("numpy.linalg", "package:numpy"), ("os.path", "package:os"), ("types", "package:types")],
)
def test_everything_else_is_a_package_by_its_top_level_name(ask, module, expected):
    paths = ["src/app/__init__.py", "src/app/types.py", "src/app/os.py"]
    assert ask("python", "src/app/a.py", module, paths) == [expected]


def test_a_module_importing_its_namesake_means_the_package(ask):
    assert ask("python", "scripts/redis.py", "redis") == ["package:redis"]
    assert ask("python", "app/a.py", "redis", ["app/__init__.py", "app/redis.py"]) == ["package:redis"]


def test_a_script_finds_the_module_beside_it(ask):
    assert ask("python", "scripts/run.py", "settings", ["scripts/settings.py"]) == ["scripts/settings.py"]


def test_fixtures_and_examples_do_not_offer_packages_to_the_rest(ask):
    paths = ["tests/fixtures/requests/__init__.py"]
    assert ask("python", "src/app.py", "requests", paths) == ["package:requests"]
    assert ask("python", "tests/fixtures/a.py", "requests", paths) == ["tests/fixtures/requests/__init__.py"]


def test_the_tested_package_is_preferred_to_its_folder_of_tests(ask):
    paths = ["src/pkg/__init__.py", "tests/pkg/__init__.py"]
    assert ask("python", "tests/pkg/test_a.py", "pkg", paths, names=("X",)) == ["src/pkg/__init__.py"]


def test_a_package_does_not_depend_on_itself(ask):
    assert ask("python", "pkg/__init__.py", ".", ["pkg/a.py"], names=("a", "NAME")) == ["pkg/a.py"]
    assert ask("python", "pkg/__init__.py", ".", names=("NAME",)) == []
