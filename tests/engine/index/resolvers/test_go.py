from tests.cases import for_each

REQUIRED = "require (\n\tgithub.com/x/y v1.2.3\n\tgopkg.in/z.v2 v2.0.0 // indirect\n)\n"
MOD = {"go.mod": f"module example.com/app\n\n{REQUIRED}"}


@for_each(
    ("module", "expected"),
    [
        ("example.com/app/pkg/db", ["pkg/db/a.go", "pkg/db/b.go"]),
        ("example.com/app", ["main.go"]),
        ("example.com/app/gone", ["unresolved:example.com/app/gone"]),
        ("example.com/application", ["package:example.com/application"]),
        ("github.com/x/y/z", ["package:github.com/x/y"]),
        ("github.com/other/lib/sub", ["package:github.com/other/lib/sub"]),
        ("net/http", ["package:net/http"]),
        ("./pkg/db", ["pkg/db/a.go", "pkg/db/b.go"]),
        ("../up", ["unresolved:../up"]),
    ],
)
def test_an_import_is_the_sources_of_a_directory(ask, module, expected):
    paths = ["main.go", "pkg/db/a.go", "pkg/db/b.go", "pkg/db/a_test.go", "pkg/db/README.md"]
    assert ask("go", "run.go", module, paths, MOD) == expected


def test_a_nested_module_has_its_own_path(ask):
    manifests = {**MOD, "tools/go.mod": "module example.com/tools"}
    assert ask("go", "a.go", "example.com/tools/x", ["tools/x/x.go"], manifests) == ["tools/x/x.go"]


def test_of_two_modules_of_one_name_the_nearer_is_meant(ask):
    manifests = {"one/go.mod": "module m", "two/go.mod": "module m"}
    assert ask("go", "two/a.go", "m/x", ["one/x/x.go", "two/x/x.go"], manifests) == ["two/x/x.go"]


def test_vendored_packages_are_files(ask):
    assert ask("go", "a/a.go", "github.com/x/y", ["vendor/github.com/x/y/y.go"], MOD) == ["vendor/github.com/x/y/y.go"]


def test_without_a_module_file_the_address_of_the_repository_is_dropped(ask):
    assert ask("go", "a.go", "github.com/me/app/db", ["db/db.go"]) == ["db/db.go"]
