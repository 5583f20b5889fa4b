"""Which definitions are meant by a name, and which of them comes first."""

from shirube.engine.search.definitions import is_part, sought
from tests.cases import for_each
from tests.engine.search.conftest import candidate, definition, evidence

PATHS = ("src/a.py", "src/_internal/b.py", "tests/c.py", "src/d.py")
ITEMS = tuple(candidate(number, path) for number, path in enumerate(PATHS, 1))


def order(question: str, *found) -> list[str]:
    """Return the definitions that a question is about, in order: where they are and what they are called."""
    known: dict[str, tuple] = {}
    for one in found:
        known[one.path] = (*known.get(one.path, ()), one)
    return [f"{one.path}:{one.symbol.qualified}" for one in sought(evidence(question, *ITEMS, definitions=known))]


def test_a_source_is_before_a_test_a_type_before_a_function_and_the_public_before_the_internal():
    found = (
        definition("getUser", "function", 3, "tests/c.py"),
        definition("getUser", "function", 2, "src/_internal/b.py"),
        definition("getUser", "method", 4, "src/d.py"),
        definition("getUser", "class", 1, "src/a.py"),
    )
    assert [place.partition(":")[0] for place in order("getUser", *found)] == ["src/a.py", "src/d.py", *PATHS[1:3]]


def test_the_very_name_is_before_another_spelling_but_a_test_is_last():
    found = (
        definition("get_user", "function", 1, "src/a.py"),
        definition("getUser", "function", 4, "src/d.py"),
        definition("getUser", "field", 3, "tests/c.py"),
    )
    assert order("getUser", *found) == ["src/d.py:getUser", "src/a.py:get_user", "tests/c.py:getUser"]


def test_the_scope_and_the_path_before_and_behind_a_name_choose():
    found = (definition("Session.start", "method", 1), definition("Other.start", "method", 4, "src/d.py"))
    assert order("Session.start", *found) == ["src/a.py:Session.start"]
    assert order("start src/d.py", *found) == ["src/d.py:Other.start"]
    assert order("thing.start()", *found) == ["src/a.py:Session.start", "src/d.py:Other.start"]


@for_each(
    ("question", "is_about"),
    [
        ("where is getUser called", True),
        ("what does `session` hold", True),
        ("getUserの定義はどこ", True),
        ("how does Session work", True),
        ("getUser(name, 3)", True),
        ("where is session called", True),
        ("sessionの定義はどこ", True),
        ("how is session defined", False),
        ("session handling", False),
        ("fix the crash in getUser for empty names", False),
        ("ValueError: getUser takes no name", False),
    ],
)
def test_a_longer_sentence_is_not_about_the_name_in_it(question: str, is_about: bool):
    found = definition("getUser", "function"), definition("Session"), definition("session", "function")
    assert bool(order(question, *found)) is is_about


def test_a_name_with_many_equal_definitions_inside_a_question_is_not_told():
    many = [definition(f"A{at}.runAll", "method", 1) for at in range(9)]
    assert order("where is runAll called", *many) == []
    assert len(order("runAll", *many)) == 9


def test_a_plain_word_is_no_nested_variable():
    assert order("cache", definition("Shop.cache", "field")) == []
    assert order("cache", definition("cache", "variable")) == ["src/a.py:cache"]


@for_each(
    ("name", "longer", "is_one"),
    [
        ("ENGINE_STATE", "SET_ENGINE_STATE", True),
        ("resolvePlugin", "oxcResolvePlugin", True),
        ("applyPreset", "APPLY_PRESET_TO_ITEM", True),
        ("rate", "parse_rates", False),
        ("engine", "set_engine_state", False),
        ("late", "plate", False),
    ],
)
def test_a_part_of_a_name_is_its_first_or_its_last_words(name: str, longer: str, is_one: bool):
    assert is_part(name, longer) is is_one
