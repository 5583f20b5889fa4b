"""A pasted message leads to the string it was made from, whatever is around it and whatever its values match."""

from shirube.engine.search.message import PLAIN, PRINTED, TELLING, holding, least_share, pieces_of, terms_of, values_of
from tests.cases import for_each
from tests.engine.search.conftest import entry, filled
from tests.engine.search.test_pipeline import FILLER, find, paths

SOURCE = 'def spawn(command):\n    raise Failed(f"Failed to spawn: `{command}`")\n'
VALUES = tuple(entry(f"templates/{name}/app.vue", f"<App {name}/> foo bar spawn spawn\n") for name in ("one", "two"))


def asked(question: str, *others: tuple[str, str]) -> str:
    """Return the first path for a question, beside files that have its values and some words of its wrapping."""
    store = filled(entry("src/run.py", SOURCE), *(entry(*one) for one in others), *VALUES, *FILLER)
    return paths(store, question)[0]


@for_each(
    "question",
    [
        "Failed to spawn: `foo-bar`",
        "error: Failed to spawn: `templates/one/app.vue`",
        "× Failed to start\n╰─▶ Failed to spawn: `foo`",
        "[app] Internal server error: Failed to spawn: `foo bar`",
        "my.errors.kinds.Improper: Failed to spawn: `foo`",
        "ERROR [4711] app.vue.bar: Failed to spawn: `foo`",
        '{"level": "error", "app": "foo", "msg": "Failed to spawn: `bar`"}',
        'what does "Failed to spawn: `foo`" mean',
    ],
)
def test_the_string_of_a_message_comes_first_whatever_is_around_it(question: str):
    assert asked(question) == "src/run.py"


@for_each(
    ("path", "text"),
    [
        ("src/names.py", "from app.errors.kinds import Improper, failed, spawn\n"),
        ("tests/test_run.py", 'assert output == "Failed to spawn: `foo`"\n'),
        ("docs/run.md", "You may see `Failed to spawn: `foo`` there.\n"),
    ],
)
def test_imports_tests_and_documents_stand_behind_the_source(path: str, text: str):
    assert asked("app.errors.kinds.Improper: Failed to spawn: `foo`", (path, text)) == "src/run.py"


def test_a_string_that_ends_with_the_message_is_preferred_to_one_that_goes_on():
    longer = ("src/aaa.py", 'raise Failed("He failed to spawn foo in time")\n')
    assert asked("error: Failed to spawn: `foo`", longer) == "src/run.py"


def test_a_string_is_told_as_a_reason():
    store = filled(entry("src/run.py", SOURCE), *VALUES, *FILLER)
    hit = find(store, "error: Failed to spawn: `foo`").hits[0]
    assert any(reason.name == 'message:"failed to spawn"' for reason in hit.why)


def test_a_plain_question_has_no_string():
    store = filled(entry("src/run.py", SOURCE), *VALUES, *FILLER)
    page = find(store, "where is a command started that failed to spawn")
    assert not any(reason.name.startswith("message:") for hit in page.hits for reason in hit.why)


@for_each(
    ("text", "share"),
    [
        ("error: nothing there", PRINTED),
        ("a.b.C: nothing there", PRINTED),
        ("KeyError: nothing there", PRINTED),
        ("ERROR [3] here: nothing there", PRINTED),
        ("╰─▶ nothing there", PRINTED),
        ('what is "nothing was there"', PRINTED),
        ("Package `foo` was chosen", TELLING),
        ("the file could not be read", TELLING),
        ("how is a file read that is not there", PLAIN),
        ("read the file", PLAIN),
    ],
)
def test_how_much_a_string_has_to_have_depends_on_how_a_question_reads(text: str, share: float):
    assert least_share(text) == share


def test_what_is_looked_for_leaves_out_values():
    text = "Field name `x` is not valid for model `Foo`"
    assert pieces_of(text)[0] == ("field", "name", "…", "is", "not", "valid", "for", "model")
    assert values_of(text) == {"x", "foo"}
    assert terms_of(("is", "not", "valid", "for", "model")) == ("valid", "model")


def test_a_piece_stands_in_a_text_over_placeholders_quotes_and_lines():
    texts = {1: 'E("field name `{}` is "\n  "not valid")', 2: "a field is not valid", 3: "field name\n" * 90}
    assert holding([("field", "name", "…", "is", "not", "valid")], texts) == {1}
