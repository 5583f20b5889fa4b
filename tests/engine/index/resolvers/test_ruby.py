from tests.cases import for_each

PATHS = [
    "lib/app.rb",
    "lib/app/json.rb",
    "lib/app/b.rb",
    "app/models/user.rb",
    "engines/e/lib/engine.rb",
    "boot.rb",
]


@for_each(
    ("module", "expected"),
    [
        ("./b", "lib/app/b.rb"),
        ("../app", "lib/app.rb"),
        ("./gone", "unresolved:./gone"),
        ("app", "lib/app.rb"),
        ("app/b", "lib/app/b.rb"),
        ("app/b.rb", "lib/app/b.rb"),
        ("user", "app/models/user.rb"),
        ("engine", "engines/e/lib/engine.rb"),
        ("boot", "boot.rb"),
        ("json", "package:json"),
        ("active_support/core_ext", "package:active_support"),
        ("App/b", "package:App"),
    ],
)
def test_a_require_is_a_file_on_the_load_path_or_a_gem(ask, module, expected):
    assert ask("ruby", "lib/app/a.rb", module, PATHS) == [expected]


def test_a_file_requiring_its_namesake_means_the_gem(ask):
    assert ask("ruby", "lib/redis.rb", "redis") == ["package:redis"]
    assert ask("ruby", "a.rb", "") == []
