from tests.cases import for_each

from shirube.engine.repo.ignore import parse


def decide(rules: str, path: str, is_dir: bool = False, ignore_case: bool = False) -> bool | None:
    name = path.rpartition("/")[2]
    return parse(rules.encode(), ignore_case).decide(path.encode(), name.encode(), is_dir)


@for_each(
    ("rules", "path", "verdict"),
    [
        ("*.log", "a/b.log", True),
        ("*.log\n!b.log", "a/b.log", False),
        ("!b.log\n*.log", "b.log", True),
        ("a/*.log\n!b.log", "a/b.log", False),
        ("!a/b.log\n*.log\n", "a/b.log", True),
        ("*.log", "a.txt", None),
        ("", "a", None),
        ("/a", "a", True),
        ("/a", "b/a", None),
        ("\ufeffa", "a", True),
        ("a\r\nb\r\n", "b", True),
    ],
)
def test_the_last_pattern_that_matches_decides(rules, path, verdict):
    assert decide(rules, path) is verdict


def test_a_trailing_slash_means_directories_only():
    assert decide("build/", "build", is_dir=True) is True
    assert decide("build/", "build", is_dir=False) is None
    assert decide("build\n!build/", "build", is_dir=False) is True


def test_case_matters_unless_told_otherwise():
    assert decide("*.LOG\nReadme\n[A-C]x", "a.log") is None
    for path in ("a.log", "README", "bX"):
        assert decide("*.LOG\nReadme\n[A-C]x", path, ignore_case=True) is True


def test_a_broken_pattern_matches_nothing_and_spares_the_others():
    assert decide("[a\nfoo\\\nb", "b") is True
    assert decide("[a\nfoo\\\nb", "[a") is None


def test_many_patterns_resolve_to_the_last_one():
    rules = "\n".join(f"name{number}\n!name{number}" for number in range(500))
    assert decide(rules, "name250") is False


def test_rules_know_what_they_take_back():
    rules = parse(b"vendor/\n!vendor/ours/**\n!*.md")
    assert rules.takes_back_below(b"anything")
    assert rules.takes_back_below(b"vendor", explicitly=True)
    assert not rules.takes_back_below(b"other", explicitly=True)
    assert not parse(b"a").takes_back_below(b"a")


def test_no_rules_are_falsy():
    assert not parse(b"# nothing\n\n")
    assert parse(b"a")
