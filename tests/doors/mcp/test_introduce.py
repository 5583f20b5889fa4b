from shirube.doors.mcp.server import ALWAYS_LOADED, SENTENCES, introduce

EVERY = {name for needed, _ in SENTENCES for name in needed}


def test_the_first_sentence_says_when_to_come_and_where_to_begin():
    first = introduce(EVERY).split(". ")[0:2]
    assert "before you read or edit files" in first[0]
    assert first[1].startswith("Begin with `search`")


def test_only_tools_that_are_listed_are_named():
    told = introduce({"search", "find_definitions"})
    assert "`search`" in told
    assert "find_references" not in told
    assert "start_session" not in told
    assert introduce(()) == ""


def test_it_stays_short_when_every_tool_is_listed():
    assert len(introduce(EVERY)) <= 1500


def test_two_or_three_tools_are_always_loaded():
    assert "search" in ALWAYS_LOADED
    assert 2 <= len(ALWAYS_LOADED) <= 3
