import pytest

from shirube.features.plan.refine import ExpansionRule, read_rule
from tests.cases import for_each


def language(word):
    return word.lower() if word.lower() in ("python", "rust") else ""


@pytest.mark.requirement("002-STRAT-03")
@for_each(
    ("text", "path", "languages"),
    [
        ("add file type filters for *.test.ts", "*.test.ts", ()),
        ("only in src/auth", "src/auth", ()),
        ("python files only", "", ("python",)),
        ("include related configuration files", "", ("json", "yaml", "toml")),
        ("search for best practices in docs", "", ("markdown",)),
        ("テストも見る", "*test*", ()),
    ],
)
def test_a_rule_in_words_becomes_filters(text, path, languages):
    assert read_rule(text, language) == ExpansionRule(text, path, languages)


def test_a_rule_without_a_filter_adds_its_words():
    assert read_rule("also search for retry backoff", language).words == ("retry", "backoff")
