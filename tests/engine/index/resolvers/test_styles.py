from tests.cases import for_each

PATHS = ["css/_vars.scss", "css/mix/_index.scss", "css/reset.css", "src/styles/theme.scss"]
MANIFESTS = {"package.json": '{"dependencies": {"bootstrap": "5", "@scope/kit": "1"}}'}


@for_each(
    ("module", "expected"),
    [
        ("vars", "css/_vars.scss"),
        ("./vars.scss", "css/_vars.scss"),
        ("mix", "css/mix/_index.scss"),
        ("reset.css", "css/reset.css"),
        ("url('reset.css')", "css/reset.css"),
        ("theme", "src/styles/theme.scss"),
        ("@/styles/theme", "src/styles/theme.scss"),
        ("./gone", "unresolved:./gone"),
        ("gone", "unresolved:gone"),
        ("sass:math", "package:sass:math"),
        ("~bootstrap/scss/x", "package:bootstrap"),
        ("pkg:other/x", "package:other"),
        ("bootstrap/scss/bootstrap", "package:bootstrap"),
        ("@scope/kit/x", "package:@scope/kit"),
        ("https://fonts.example/x.css", "package:https://fonts.example/x.css"),
    ],
)
def test_sheets_partials_and_packages_are_told_apart(ask, module, expected):
    assert ask("scss", "css/main.scss", module, PATHS, MANIFESTS) == [expected]


def test_data_is_no_import(ask):
    assert ask("css", "a.css", "url(data:text/css,x)") == []
