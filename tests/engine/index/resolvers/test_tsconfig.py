from shirube.engine.index.resolvers.javascript import Alias, matches_alias, through_alias
from shirube.engine.index.resolvers.toolkit import FileTable


def table(paths, **configs):
    manifests = {name.replace("__", "/") + ".json": text for name, text in configs.items()}
    return FileTable.build([*paths, *manifests], manifests)


def test_the_longest_pattern_is_tried_first():
    text = '{"compilerOptions": {"paths": {"@/*": ["./src/*"], "@/ui/*": ["./design/*"],},}, /* c */}'
    known = table(["src/a.ts", "design/b.ts"], tsconfig=text)
    assert through_alias("src", "@/a", known) == "src/a.ts"
    assert through_alias("src", "@/ui/b", known) == "design/b.ts"
    assert through_alias("src", "@/gone", known) is None
    assert matches_alias("src", "@/gone", known)
    assert not matches_alias("src", "react", known)


def test_base_url_offers_its_children():
    known = table(["web/src/lib/a.ts"], web__jsconfig='{"compilerOptions": {"baseUrl": "src"}}')
    assert through_alias("web/src", "lib/a", known) == "web/src/lib/a.ts"
    assert through_alias("api", "lib/a", known) is None


def test_extended_configuration_is_relative_to_where_it_is_written():
    known = FileTable.build(
        ["tsconfig.base.json", "app/tsconfig.json", "libs/a.ts"],
        {
            "tsconfig.base.json": '{"compilerOptions": {"paths": {"#libs/*": ["libs/*"]}}}',
            "app/tsconfig.json": '{"extends": "../tsconfig.base"}',
        },
    )
    assert through_alias("app/src", "#libs/a", known) == "libs/a.ts"


def test_configurations_that_extend_each_other_come_to_an_end():
    known = table(["a.ts"], tsconfig='{"extends": "./tsconfig"}')
    assert through_alias("", "a", known) is None


def test_an_alias_without_a_star_matches_the_whole_name():
    assert list(Alias("cfg", None, ("src/cfg.ts",)).expand("cfg")) == ["src/cfg.ts"]
    assert list(Alias("cfg", None, ("src/cfg.ts",)).expand("cfg/x")) == []
    assert list(Alias("@/", ".js", ("src/*.ts",)).expand("@/a.js")) == ["src/a.ts"]


def test_an_alias_into_installed_packages_claims_nothing():
    text = '{"compilerOptions": {"paths": {"react": ["./node_modules/@types/react"]}}}'
    assert not matches_alias("", "react", table([], tsconfig=text))
