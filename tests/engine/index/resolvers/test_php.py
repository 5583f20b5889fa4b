from tests.cases import for_each

COMPOSER = {"composer.json": '{"autoload": {"psr-4": {"App\\\\": "app/", "App\\\\Deep\\\\": ["deep/src"]}}}'}
PATHS = ["app/Models/User.php", "deep/src/Thing.php", "app/Support/Str.php", "inc/db.php", "app/x.php"]


@for_each(
    ("module", "names", "expected"),
    [
        ("App\\Models\\User", (), ["app/Models/User.php"]),
        ("\\App\\Models\\User", (), ["app/Models/User.php"]),
        ("App\\Models", ("User",), ["app/Models/User.php"]),
        ("App\\Deep\\Thing", (), ["deep/src/Thing.php"]),
        ("App\\Models\\Gone", (), ["unresolved:App\\Models\\Gone"]),
        ("App\\models\\user", (), ["unresolved:App\\models\\user"]),
        ("Illuminate\\Support\\Str", (), ["package:Illuminate"]),
        ("Exception", (), ["package:Exception"]),
        ("../inc/db.php", (), ["inc/db.php"]),
        ("/x.php", (), ["app/x.php"]),
        ("inc/db.php", (), ["inc/db.php"]),
        ("..\\inc\\db.php", (), ["inc/db.php"]),
        ("./gone.php", (), ["unresolved:./gone.php"]),
    ],
)
def test_classes_follow_composer_and_files_follow_paths(ask, module, names, expected):
    assert ask("php", "app/a.php", module, PATHS, COMPOSER, names) == expected


def test_without_composer_a_sole_tail_is_believed(ask):
    paths = ["src/Models/User.php", "one/Other.php", "two/Other.php"]
    assert ask("php", "a.php", "Acme\\Models\\User", paths) == ["src/Models/User.php"]
    assert ask("php", "a.php", "Acme\\Other", paths) == ["package:Acme"]


def test_the_older_map_keeps_the_namespace_in_the_path(ask):
    manifests = {"composer.json": '{"autoload": {"psr-0": {"Old\\\\": "lib/"}}}'}
    assert ask("php", "a.php", "Old\\Thing", ["lib/Old/Thing.php"], manifests) == ["lib/Old/Thing.php"]


def test_blade_views_are_found_by_their_dotted_name(ask):
    paths = ["resources/views/layouts/app.blade.php", "resources/views/components/card.blade.php"]
    here = "resources/views/home.blade.php"
    assert ask("blade", here, "layouts.app", paths) == ["resources/views/layouts/app.blade.php"]
    assert ask("blade", here, "x-card", paths) == ["resources/views/components/card.blade.php"]
    assert ask("blade", here, "gone", paths) == ["unresolved:gone"]
    assert ask("blade", here, "App\\Thing", ["app/Thing.php"], COMPOSER) == ["app/Thing.php"]
