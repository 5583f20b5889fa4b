from shirube.engine.index.resolvers.target import Target, files, found, package, unquoted, unresolved


def test_a_missing_file_is_unresolved_and_not_none():
    assert found(None, "./x") == unresolved("./x") == (Target("./x", "unresolved", "import"),)
    assert found("a.py", "./a") == files(["a.py"]) == (Target("a.py", "path", "import"),)


def test_a_target_carries_its_relation():
    assert package("gem", "require") == (Target("gem", "package", "require"),)


def test_left_over_quotes_are_removed():
    assert unquoted("\"a'") == "a"
    assert unquoted(" './x' ") == "./x"
