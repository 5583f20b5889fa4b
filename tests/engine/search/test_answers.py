"""Which place of a file is shown and how much of it, where further ones stand, and what stands as it was asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.engine.search.places import WHOLE_LINES, shown_span
from shirube.engine.store.memory import MemoryStore
from shirube.engine.store.port import Entry
from shirube.types import Chunk, Hit, Mode, Symbol
from tests.cases import for_each
from tests.engine.search.conftest import DEFAULTS, candidate, entry, filled, points
from tests.engine.search.test_pipeline import FILLER, find, paths, why

MESSAGE = "could not open the ledger of customer"


def pieces(path: str, *texts: str, name: str = "work", kind: str = "function") -> Entry:
    """Return a file whose one function was cut into these pieces, each of them some lines."""
    plain = entry(path, *texts)
    chunks, line = [], 1
    for chunk, text in zip(plain.pieces, texts, strict=True):
        chunks.append(Chunk(chunk.start, chunk.end, line, line + text.count("\n") - 1, name, kind))
        line += text.count("\n")
    return replace(plain, pieces=tuple(chunks), symbols=(Symbol(name, name, kind, 1, line - 1),))


def lines(*written: str) -> str:
    return "".join(f"{line}\n" for line in written)


# --- as it stands in the question -----------------------------------------------------------------------------------


@for_each(
    "question",
    [
        f"ValueError: {MESSAGE} 4711",
        f"panic: {MESSAGE} bob",
        f"error[E0382]: {MESSAGE} bob",
        f"2024-01-02 03:04:05,123 ERROR [main] {MESSAGE} bob",
        f"src/app.c:3:4: error: {MESSAGE} bob",
    ],
)
def test_a_pasted_message_finds_where_it_is_raised(question: str):
    store = filled(
        entry("src/book.py", "ledger customer: a customer has a ledger, which is open or not\n"),
        entry("src/errors.py", "x = 1\n" * 9, f'raise E(f"{MESSAGE} {{name}}")\n'),
        *FILLER,
    )
    hit = find(store, question).hits[0]
    assert (hit.path, hit.start_line) == ("src/errors.py", 2)
    assert f'verbatim:"{MESSAGE}"' in points(hit.why)


def test_the_preview_is_around_the_line_that_matched_and_says_where_it_begins():
    body = [f"    step_{number}()" for number in range(30)]
    body[20] = f'    raise E("{MESSAGE} %s")'
    hit = find(filled(pieces("a.py", lines("def work():", *body)), *FILLER), f"{MESSAGE} bob").hits[0]
    shown = hit.preview.split("\n")
    assert (hit.start_line, hit.end_line) == (1, 31)
    assert len(shown) == DEFAULTS.preview_lines
    assert shown[22 - hit.preview_line] == body[20]
    assert hit.preview_line > hit.start_line


def test_without_a_run_the_preview_is_around_the_line_with_most_of_the_question():
    body = [f"    step_{number}()" for number in range(30)]
    body[18] = "    ledgers.open_for(customer)"
    hit = find(filled(pieces("a.py", lines("def work():", *body)), *FILLER), "customer ledger opened").hits[0]
    assert hit.preview.split("\n")[20 - hit.preview_line] == body[18]


def test_a_match_within_the_first_lines_is_shown_from_the_beginning():
    body = [f"    step_{number}()" for number in range(30)]
    body[2] = "    ledgers.open_for(customer)"
    hit = find(filled(pieces("a.py", lines("def work():", *body)), *FILLER), "customer ledger opened").hits[0]
    assert (hit.preview_line, hit.preview.split("\n")[0]) == (1, "def work():")


# --- quoted phrases --------------------------------------------------------------------------------------------------


@for_each("mode", [Mode.LEXICAL, Mode.HYBRID, Mode.AUTO])
@for_each("profile", sorted(DEFAULTS.profiles))
def test_files_with_a_quoted_phrase_come_first_always(mode: Mode, profile: str):
    store = filled(
        entry(
            "src/oauth/handler.py", "class OauthHandler: oauth, handler, token", names=["OauthHandler"], kind="class"
        ),
        entry("src/handler.py", "handler of oauth handler_oauth token token", names=["handler"]),
        entry("tests/vendor/notes.md", "somewhere the oauth handler is named " + "among many words " * 9),
        *FILLER,
    )
    found = paths(store, 'token "the oauth handler"', mode=mode, profile=profile)
    assert found[0] == "tests/vendor/notes.md"


def test_what_a_pasted_message_quotes_is_not_asked_for():
    store = filled(
        entry("src/people.py", "users = list(users) # users users"),
        entry("src/errors.py", 'raise E("Table \\"%s\\" does not exist in this database")'),
        *FILLER,
    )
    question = 'Table "users" does not exist in this database'
    assert paths(store, question)[0] == "src/errors.py"
    assert not any(name.startswith("phrase:") for name in why(store, question, "src/errors.py"))
    assert paths(store, '"users"')[0] == "src/people.py"


# --- places ----------------------------------------------------------------------------------------------------------


def test_a_function_that_was_cut_into_pieces_is_shown_once_and_whole():
    one, two = (lines(*(f"ledger {part} {number}" for number in range(20))) for part in ("first", "second"))
    store = filled(pieces("a.py", one, two), *FILLER)
    page = find(store, "ledger second")
    assert [(hit.path, hit.start_line, hit.end_line) for hit in page.hits] == [("a.py", 1, 40)]
    assert page.hits[0].also == ()
    assert not page.more


def test_a_longer_function_is_shown_by_its_pieces():
    half = WHOLE_LINES // 2 + 1
    one, two = (lines(*(f"ledger {part} {number}" for number in range(half))) for part in ("first", "second"))
    found = find(filled(pieces("a.py", one, two), *FILLER), "ledger second").hits
    assert [(hit.start_line, hit.end_line) for hit in found] == [(half + 1, 2 * half), (1, half)]


@for_each(
    ("kind", "name", "length", "span"),
    [
        ("function", "work", WHOLE_LINES, (1, WHOLE_LINES)),
        ("function", "work", WHOLE_LINES + 1, (10, 20)),
        ("method", "work", 30, (1, 30)),
        ("class", "work", 30, (10, 20)),
        ("function", "other", 30, (10, 20)),
    ],
)
def test_only_functions_are_shown_whole(kind: str, name: str, length: int, span: tuple[int, int]):
    chunk = candidate(1, line=10, end_line=20, symbol="work", kind=kind)
    assert shown_span(chunk, (Symbol(name, name, kind, 1, length),)) == span


def test_of_two_functions_of_one_name_the_one_around_the_place_is_shown():
    chunk = candidate(1, line=40, end_line=45, symbol="work", kind="function")
    both = (Symbol("work", "work", "function", 1, 20), Symbol("work", "work", "function", 38, 50))
    assert shown_span(chunk, both) == (38, 50)


def test_a_function_that_answers_stands_for_the_file_and_not_its_head():
    store = filled(
        entry(
            "a.py",
            "ledger licence of the customer ledger\n",
            "import ledger, customer\n",
            "class Ledger: customer\n",
            "def open_ledger(customer): opens the ledger of a customer\n",
            names=["", "", "Ledger", "open_ledger"],
        ),
        *FILLER,
    )
    assert find(store, "how is the ledger of a customer opened").hits[0].symbol == "open_ledger"


# --- further places ------------------------------------------------------------------------------------------------


def many(files: int, places: int) -> MemoryStore:
    return filled(
        *(entry(f"{n}.py", *["ledger customer " + "x " * (n + at) for at in range(places)]) for n in range(files))
    )


def test_one_further_place_stands_among_the_files_and_the_rest_after_them():
    found = [hit.path for hit in find(many(4, 3), "ledger customer", limit=100).hits]
    assert len(found) == 12
    assert len(set(found[:5])) == 4
    further = ["further place" in points(hit.why) for hit in find(many(4, 3), "ledger customer", limit=100).hits]
    assert (further[0], sum(further[:5]), all(further[5:])) == (False, 1, True)


def test_by_turns_a_place_comes_by_the_rank_of_its_file_times_its_rank_in_it():
    page = find(many(6, 3), "ledger customer", limit=100)
    files = list(dict.fromkeys(hit.path for hit in page.hits))
    turns = find(many(6, 3), "ledger customer", limit=100, by_turns=True).hits
    seen: dict[str, int] = {}
    products = []
    for hit in turns:
        seen[hit.path] = seen.get(hit.path, 0) + 1
        products.append((files.index(hit.path) + 1) * seen[hit.path])
    assert products == sorted(products)
    assert sorted((hit.path, hit.start_line) for hit in turns) == sorted(
        (hit.path, hit.start_line) for hit in page.hits
    )
    assert turns[0] == page.hits[0]


def test_pages_by_turns_are_the_whole_order():
    store = many(6, 3)
    whole = find(store, "ledger customer", limit=100, by_turns=True).hits
    pages = [find(store, "ledger customer", limit=4, offset=at, by_turns=True).hits for at in range(0, 20, 4)]
    assert tuple(hit for page in pages for hit in page) == whole


def test_a_search_for_files_has_no_further_places():
    page = find(many(4, 3), "ledger customer", files=True)
    assert (sorted(hit.path for hit in page.hits), page.total, page.more) == (
        ["0.py", "1.py", "2.py", "3.py"],
        4,
        False,
    )
    first, second = (find(many(4, 3), "ledger customer", files=True, limit=3, offset=offset) for offset in (0, 3))
    assert (*first.hits, *second.hits) == page.hits
    assert (first.more, second.more) == (True, False)


def check(hits: tuple[Hit, ...]) -> None:
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    for hit in hits:
        assert hit.score == pytest.approx(sum(points(hit.why).values()), abs=1e-5)


words = st.lists(st.sampled_from(("ledger", "customer", "opened", "the", "x", "y")), min_size=1, max_size=6).map(
    " ".join
)


@pytest.mark.requirement("001-SCORE-06")
@given(
    texts=st.lists(st.lists(words, min_size=1, max_size=4), min_size=1, max_size=4),
    question=st.sampled_from(["ledger", "customer ledger", '"the ledger" opened', "how is the ledger opened"]),
    mode=st.sampled_from([Mode.LEXICAL, Mode.HYBRID, Mode.DENSE]),
    boosts=st.sampled_from(["default", "docs", "none"]),
)
def test_scores_descend_and_each_is_the_sum_of_its_reasons_whatever_is_found(texts, question, mode, boosts):
    places = ("src/ledger.py", "tests/test_ledger.py", "docs/a.md", "legacy/b.py")
    store = filled(*(entry(path, *(f"{one}\n" for one in some)) for path, some in zip(places, texts, strict=False)))
    check(find(store, question, mode=mode, boost_profile=boosts, limit=100).hits)
