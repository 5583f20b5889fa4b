import pytest

from shirube.features.commands.find import command_tokens
from tests.cases import for_each


@pytest.mark.requirement(
    "000-TOKEN-01", "000-TOKEN-02", "000-TOKEN-03", "000-TOKEN-04", "000-TOKEN-05", "N000-SEARCH-01"
)
@for_each(
    ("text", "tokens"),
    [
        ("group the changes", ["group", "the", "changes"]),
        ("group-commit", ["group", "commit", "group-commit"]),
        ("unstaged_changes", ["unstaged", "changes", "unstaged_changes"]),
        ("groupCommit", ["group", "commit", "groupcommit"]),
        ("GroupCommit now", ["group", "commit", "groupcommit", "now"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("c3l v2", ["c3l", "v2"]),
        ("a-b_c", ["a", "b", "c", "a-b_c"]),
        ("commit commit", ["commit", "commit"]),
        ("-", ["-"]),
        ("  ", []),
    ],
)
def test_compounds_give_their_parts_and_then_the_whole(text, tokens):
    assert command_tokens(text) == tokens


@pytest.mark.requirement("N000-SEARCH-03")
@for_each(
    ("text", "tokens"),
    [
        ("変更を", ["変更", "更を"]),
        ("型", ["型"]),
        ("PRを作成", ["pr", "を作", "作成"]),
        ("getUserを探す", ["get", "user", "getuser", "を探", "探す"]),
        ("ｺﾐｯﾄ", ["コミ", "ミッ", "ット"]),
    ],
)
def test_japanese_gives_pairs(text, tokens):
    assert command_tokens(text) == tokens
