import pytest

from shirube.engine.parse.languages import language_of
from shirube.engine.search.rank import Role, is_internal, role_of, superseded
from tests.cases import for_each
from tests.engine.search.conftest import DEFAULTS

ROLES = {
    Role.IMPLEMENTATION: """
        src/auth.py lib/app.ts main.go app/models/user.rb Sources/App/Main.swift src/contest.py src/Latest.java
        src/config.py src/testing_ground.py src/specification.ts src/attestation.rs cmd/document.go
        bin/run src/kernel.cob src/api.rb src/map.js src/.hidden.js src/API.py
        """,
    Role.TEST: """
        tests/auth.py test/a.js src/auth_test.go src/auth.test.ts src/auth.spec.tsx src/AuthTest.java src/AuthTests.cs
        src/AuthSpec.scala spec/auth_spec.rb src/__tests__/a.js src/__mocks__/a.js test_auth.py src/tests.py
        fixtures/a.json e2e/login.ts src/auth-test.js
        """,
    Role.EXAMPLE: "examples/a.py demo/a.js benchmarks/speed.py src/sort_bench.go src/SortBenchmark.java",
    Role.DOC: """
        docs/a.md docs/conf.py README.md README src/notes.txt CHANGELOG.md LICENSE guide.rst documentation/x.py COPYING
        INSTALL MIT-LICENSE lib/generators/model/USAGE
        """,
    Role.CONFIG: """
        package.json config/app.yaml pyproject.toml src/data.csv Dockerfile Makefile .gitignore yarn.lock
        locale/ja/LC_MESSAGES/app.po src/translations/ja.arb ios/ja.lproj/Localizable.strings .eslintignore .mailmap
        Gemfile lib/Rakefile app.gemspec App.podspec requirements/dev.in configure.ac App.xcodeproj/project.pbxproj
        App.sln src/App.vcxproj assets/logo.svg
        """,
    Role.GENERATED: """
        dist/a.js build/x.py src/api_pb2.py src/api.pb.go src/app.min.js src/a.g.dart src/x_generated.go
        static/app.js.map static/app.mjs.map static/app.css.map core/api/core.api
        """,
    Role.VENDORED: "vendor/lib/a.go third_party/x.c node_modules/a/index.js external/z.py ios/Pods/a.m",
    Role.STUB: "src/auth.pyi types/index.d.ts types/a.d.mts",
}


@pytest.mark.requirement("N001-RANK-06")
@for_each(("role", "paths"), ROLES.items())
def test_a_role_is_told_by_the_path_alone(role: Role, paths: str):
    wrong = {path: found for path in paths.split() if (found := role_of(path, language_of(path))) is not role}
    assert wrong == {}


@for_each(
    ("path", "role"),
    [
        ("vendor/lib/tests/a_test.go", Role.VENDORED),
        ("tests/docs/readme.md", Role.TEST),
        ("build/docs/index.md", Role.GENERATED),
        ("examples/README.md", Role.EXAMPLE),
        ("docs/api.d.ts", Role.DOC),
        ("tests/fixtures/package.json", Role.TEST),
        ("TESTS/Auth.py", Role.TEST),
    ],
)
def test_of_several_roles_the_one_that_says_most_counts(path: str, role: Role):
    assert role_of(path, language_of(path)) is role


def test_every_role_has_a_factor_in_every_boost_profile():
    for boosts in DEFAULTS.boosts.values():
        assert all(getattr(boosts, role) > 0 for role in Role)


@for_each("path", ["src/internal/a.go", "a/_internal/b.py", "lib/Private/x.swift", "pkg/internals/x.rs"])
def test_what_is_below_an_inner_directory_is_internal(path: str):
    assert is_internal(path)


@for_each("path", ["src/a.py", "internal.go", "src/internal.py", "src/internalise/a.py"])
def test_what_merely_has_the_word_is_not_internal(path: str):
    assert not is_internal(path)


def test_an_older_version_beside_a_newer_one_is_over():
    paths = ["api/v1/users.py", "api/v2/users.py", "api/v10/users.py", "web/v1/page.ts", "api/v2.py"]
    assert superseded(paths) == {"api/v1/users.py", "api/v2/users.py"}


def test_a_version_alone_is_the_newest():
    assert superseded(["api/v1/users.py", "src/a.py"]) == frozenset()


def test_versions_inside_of_versions_are_compared_in_their_place():
    paths = ["v1/x/v1/a.py", "v1/x/v2/a.py", "v2/x/v1/a.py"]
    assert superseded(paths) == {"v1/x/v1/a.py", "v1/x/v2/a.py"}


@for_each("name", ["legacy", "deprecated", "old", "_archive", "Compat"])
def test_what_is_put_away_is_over(name: str):
    assert superseded([f"src/{name}/a.py", "src/a.py", f"src/{name}.py"]) == {f"src/{name}/a.py"}
