from tests.cases import for_each


@for_each("language", ["javascript", "typescript", "tsx"])
@for_each(
    ("module", "expected"),
    [
        ("./b", "src/b.ts"),
        ("./b.js", "src/b.ts"),
        ("../lib", "lib/index.js"),
        ("./data.json", "src/data.json"),
        ("./icon.svg?raw", "src/icon.svg"),
        ("'./b'", "src/b.ts"),
        ("raw-loader!./data.json", "src/data.json"),
        ("./gone", "unresolved:./gone"),
        ("../../out", "unresolved:../../out"),
        ("./B", "unresolved:./B"),
        ("@/b", "src/b.ts"),
        ("~/gone", "unresolved:~/gone"),
        ("/logo.png", "public/logo.png"),
        ("/gone.png", "unresolved:/gone.png"),
        ("#private", "unresolved:#private"),
        ("node:fs", "package:fs"),
        ("node:fs/promises", "package:fs"),
        ("react", "package:react"),
        ("@scope/pkg/deep", "package:@scope/pkg"),
        ("npm:chalk@5", "package:chalk"),
        ("https://esm.sh/x", "package:https://esm.sh/x"),
        ("astro:content", "package:astro:content"),
    ],
)
def test_a_specifier_means_a_file_or_a_package(ask, language, module, expected):
    paths = ["src/b.ts", "lib/index.js", "src/data.json", "src/icon.svg", "public/logo.png"]
    assert ask(language, "src/a.ts", module, paths) == [expected]


def test_configured_aliases_come_before_packages_and_missing_ones_are_unresolved(ask):
    manifests = {"tsconfig.json": '{"compilerOptions": {"paths": {"app/*": ["src/*"]}}}'}
    assert ask("typescript", "src/a.ts", "app/b", ["src/b.ts"], manifests) == ["src/b.ts"]
    assert ask("typescript", "src/a.ts", "app/gone", ["src/b.ts"], manifests) == ["unresolved:app/gone"]


def test_sibling_packages_are_files_of_the_project(ask):
    manifests = {"packages/p/package.json": '{"name": "@s/p"}'}
    assert ask("tsx", "packages/q/a.tsx", "@s/p", ["packages/p/index.ts"], manifests) == ["packages/p/index.ts"]


def test_an_empty_specifier_is_no_import(ask):
    assert ask("javascript", "a.js", "") == []
