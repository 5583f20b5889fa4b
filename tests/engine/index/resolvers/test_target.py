from shirube.engine.index.resolvers.toolkit import (
    ImportTarget,
    file_or_unresolved,
    files,
    package,
    unquoted,
    unresolved,
)


def test_a_missing_file_is_unresolved_and_not_none():
    assert file_or_unresolved(None, "./x") == unresolved("./x") == (ImportTarget("./x", "unresolved", "import"),)
    assert file_or_unresolved("a.py", "./a") == files(["a.py"]) == (ImportTarget("a.py", "path", "import"),)


def test_a_target_carries_its_relation():
    assert package("gem", "require") == (ImportTarget("gem", "package", "require"),)


def test_left_over_quotes_are_removed():
    assert unquoted("\"a'") == "a"
    assert unquoted(" './x' ") == "./x"
