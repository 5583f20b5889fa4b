from tests.cases import for_each

PATHS = [
    "app/src/main/java/com/acme/Foo.java",
    "app/src/main/java/com/acme/util/Strings.java",
    "app/src/main/java/com/acme/util/Numbers.java",
    "app/src/test/java/com/acme/util/StringsTest.java",
    "app/src/main/java/util/Loose.java",
    "app/src/main/kotlin/com/acme/ext/Extensions.kt",
]
MAIN = "app/src/main/java/com/acme/Main.java"


@for_each(
    ("module", "names", "expected"),
    [
        ("com.acme.Foo", (), ["app/src/main/java/com/acme/Foo.java"]),
        ("com.acme.Foo.Inner.Deep", (), ["app/src/main/java/com/acme/Foo.java"]),
        ("com.acme.Foo", ("staticMember",), ["app/src/main/java/com/acme/Foo.java"]),
        ("com.acme.Foo.*", (), ["app/src/main/java/com/acme/Foo.java"]),
        (
            "com.acme.util.*",
            (),
            [f"app/src/main/java/com/acme/util/{name}.java" for name in ("Numbers", "Strings")],
        ),
        ("com.acme.util", ("*",), [PATHS[2], PATHS[1]]),
        ("com.acme.Foo", ("*",), [PATHS[0]]),
        ("com.acme.util", ("Strings", "Numbers"), [PATHS[2], PATHS[1]]),
        ("com.acme.Gone", (), ["unresolved:com.acme.Gone"]),
        ("com.acme.foo", (), ["unresolved:com.acme.foo"]),
        ("com.acme.ext.shout", (), ["app/src/main/kotlin/com/acme/ext/Extensions.kt"]),
        ("java.util.Loose", (), ["package:java.util"]),
        ("java.util.*", (), ["package:java.util"]),
        ("java.util.Map.Entry", (), ["package:java.util"]),
        ("org.junit.Assert", ("assertTrue",), ["package:org.junit"]),
        ("org.junit.jupiter.api.*", (), ["package:org.junit.jupiter.api"]),
        ("kotlinx.coroutines.launch", (), ["package:kotlinx.coroutines"]),
    ],
)
@for_each("language", ["java", "kotlin", "scala"])
def test_a_qualified_name_is_the_tail_of_a_path(ask, language, module, names, expected):
    assert ask(language, MAIN, module, PATHS, names=names) == expected


def test_a_test_sees_the_package_in_both_source_sets(ask):
    path = "app/src/test/java/com/acme/util/OtherTest.java"
    assert PATHS[3] in ask("java", path, "com.acme.util.*", PATHS)


def test_of_two_modules_with_the_class_the_nearer_is_meant(ask):
    paths = ["one/src/a/B.java", "two/src/a/B.java"]
    assert ask("java", "two/src/c/D.java", "a.B", paths) == ["two/src/a/B.java"]


def test_an_import_without_a_name_is_nothing(ask):
    assert ask("java", MAIN, ";") == []
