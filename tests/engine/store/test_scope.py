"""Which paths a question is about."""

from tests.cases import for_each

from shirube.engine.store.scope import MOST_SPREAD, PathFilter, ScopeFilter, is_glob, spread
from shirube.types import Scope


@for_each(
    ("pattern", "path", "meant"),
    [
        ("src", "src/a.py", True),
        ("src/", "src/deep/a.py", True),
        ("./src", "src/a.py", True),
        ("src", "srcs/a.py", False),
        ("src/a.py", "src/a.py", True),
        ("*.py", "deep/er/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**", "src/deep/a.py", True),
        ("**/test_*.py", "tests/x/test_a.py", True),
        ("**/test_*.py", "test_a.py", True),
        ("a?.py", "ab.py", True),
        ("app/[id]/*", "app/[id]/page.tsx", True),
        ("app/[id]", "app/[id]/page.tsx", True),
        ("a.py", "axpy", False),
        ("src/**/*.{ts,tsx}", "src/deep/a.tsx", True),
        ("src/**/*.{ts,tsx}", "src/a.ts", True),
        ("src/**/*.{ts,tsx}", "src/a.py", False),
        ("{src,web}", "web/a.ts", True),
        ("{src,web}", "lib/a.ts", False),
        ("{a,b{1,2}}/*.py", "b2/x.py", True),
        ("{a,b{1,2}}/*.py", "b/x.py", False),
        ("a{b}/*", "a{b}/x", True),
    ],
)
def test_a_pattern_means_a_path(pattern, path, meant):
    assert PathFilter(pattern)(path) is meant


def test_braces_cannot_be_made_to_spread_without_end():
    assert len(spread("{a,b}" * 40)) <= 2 * MOST_SPREAD
    assert len(spread("{" + "a," * 10_000 + "}")) <= 2 * MOST_SPREAD


def test_brackets_are_no_wildcards():
    assert is_glob("*.py")
    assert is_glob("a?")
    assert not is_glob("app/[id]")


@for_each(
    ("scope", "meant"),
    [
        (Scope(), True),
        (Scope(path="src"), True),
        (Scope(path="*.ts"), False),
        (Scope(languages=("python",)), True),
        (Scope(languages=("go", "python")), True),
        (Scope(languages=("go",)), False),
        (Scope("src", ("python",)), True),
        (Scope("docs", ("python",)), False),
        (Scope("src", ("go",)), False),
    ],
)
def test_a_file_is_meant_when_path_and_language_both_are(scope: Scope, meant: bool):
    assert ScopeFilter(scope)("src/a.py", "python") is meant
