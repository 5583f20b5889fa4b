import re

from shirube import errors
from shirube.errors import ShirubeError, UnknownName, nearest
from shirube.messages import verbatim
from tests.cases import for_each

CLASSES = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ShirubeError)]


def drawn_tree() -> dict[str, str]:
    """Return child → parent as the module's docstring draws it."""
    parents, path = {}, []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^((?:│   |    )*)(├── |└── )?([A-Z]\w+)(?:\s{2,}|$)", line)
        if not found or not (found[2] or found[3] == "ShirubeError"):
            continue
        depth = len(found[1]) // 4 + bool(found[2])
        path[depth:] = [found[3]]
        if depth:
            parents[found[3]] = path[depth - 1]
    return parents


def test_the_drawn_tree_is_the_real_one():
    real = {kind.__name__: kind.__bases__[0].__name__ for kind in CLASSES if kind is not ShirubeError}
    assert drawn_tree() == real


def test_every_code_is_different_and_a_plain_word():
    codes = [kind.code for kind in CLASSES]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)


@for_each("kind", [kind for kind in CLASSES if "__init__" not in vars(kind) or kind is ShirubeError])
def test_an_error_shows_code_message_and_hint(kind: type[ShirubeError]):
    error = kind("the disk is gone", "put it back")
    assert error.as_dict() == {"code": kind.code, "message": "the disk is gone", "hint": "put it back"}
    assert str(error) == "the disk is gone (put it back)"


def test_an_error_without_a_hint_reads_as_its_message():
    assert str(ShirubeError("gone")) == "gone"
    assert ShirubeError("gone").as_dict()["hint"] == ""


def test_an_unknown_name_offers_the_nearest_known_one():
    error = UnknownName("language", "pyton", ["typescript", "python", "go"])
    assert error.message == "unknown language 'pyton'"
    assert error.hint == "did you mean 'python'?"
    assert error.nearest == "python"


def test_an_unknown_name_with_nothing_near_lists_what_is_known():
    error = UnknownName("language", "qqq", ["python", "go"])
    assert error.nearest is None
    assert error.hint == "known: go, python"


def test_an_unknown_name_where_nothing_is_known_says_so():
    assert UnknownName("plan", "x", []).hint == "there is no plan here"
    assert UnknownName("symbol", "x", [], verbatim("search finds by meaning")).hint == "search finds by meaning"


def test_a_long_list_of_known_names_is_cut():
    hint = UnknownName("option", "zzzz", [f"a{i:03}" for i in range(500)]).hint
    assert hint == "known: a000, a001, a002, a003, a004, … (495 more)"


def test_names_from_outside_stand_between_quotes_on_one_line():
    error = UnknownName("kind", "x\ny'z", ["do this now, please", "plain_name"])
    assert error.message == "unknown kind 'x?y?z'"
    assert error.hint == "known: 'do this now, please', plain_name"


@for_each(
    ("typed", "meant"),
    [
        ("serach", "search"),
        ("mpa", "map"),
        ("find_definition", "find_definitions"),
        ("findDefinitions", "find_definitions"),
        ("func", "function"),
        ("--limt", "--limit"),
        ("--languge", "--lang"),
        ("PYTHON3", "python"),
    ],
)
def test_what_is_nearly_spelled_or_begins_alike_is_proposed(typed: str, meant: str):
    known = ["search", "find_definitions", "function", "--limit", "--lang", "--at", "python", "erlang", "text", "map"]
    assert nearest(typed, known) == meant


@for_each("typed", ["test", "app", "golang", "--fast", "user", "hello", "zebra", "認証", "x", ""])
def test_what_is_only_a_little_alike_is_not(typed: str):
    known = ["--at", "erlang", "text", "map", "serve", "query", "haskell", "extra", "--help"]
    assert nearest(typed, known) is None


def test_no_name_is_proposed_for_itself():
    assert "did you mean" not in UnknownName("symbol", "RateLimiter", ["RateLimiter"]).hint
    assert UnknownName("symbol", "RateLimiter", ["RateLimiter", "RateLimiters"]).nearest == "RateLimiters"
