import pytest

from shirube.codec import replace
from shirube.engine.search.evidence import (
    LONG_RUN,
    READ_BY_SENSE,
    READ_BY_WORDS,
    RUNS,
    Evidence,
    gather,
    read_places,
    to_read,
)
from shirube.engine.search.question import read_question
from shirube.engine.store.port import Candidates
from shirube.engine.text.bm25 import idf
from shirube.types import Mode
from tests.cases import for_each
from tests.engine.search.conftest import EVEN, PRIMES, TENTHS, candidate, definition

CONFIG = replace(
    TENTHS, signals=replace(TENTHS.signals, coherence=2.0, sense_coherence=2.0, sense_floor=0.5, sense_whole=0.3)
)


def gathered(*items, text: str = "session", mode: Mode = Mode.LEXICAL, config=CONFIG, **found: object) -> Evidence:
    background = found.pop("background", 0.0)
    question = read_question(text, config)
    return gather(question, Candidates(items, **found), config, mode, (PRIMES, EVEN), background)


def by_path(known: Evidence, measure: str) -> dict[str, float]:
    return dict(zip(known.paths, map(pytest.approx, getattr(known, measure)), strict=True))


def test_chunks_are_gathered_by_file():
    known = gathered(candidate(1, "a.py", 1, 4.0), candidate(2, "b.py", 1, 2.0), candidate(3, "a.py", 9, 3.0))
    assert (known.paths, known.languages) == (("a.py", "b.py"), ("python", "python"))
    assert [(place.key, known.paths[owner]) for place, owner in zip(known.places, known.owners, strict=True)] == [
        (1, "a.py"),
        (2, "b.py"),
        (3, "a.py"),
    ]


def test_the_chunks_of_a_file_add_up_as_a_power_mean_and_the_best_text_is_worth_one():
    """√(4² + 3²) = 5 for a.py, so b.py with its one chunk of 2.5 is worth half."""
    known = gathered(candidate(1, "a.py", 1, 4.0), candidate(2, "b.py", 1, 2.5), candidate(3, "a.py", 9, 3.0))
    assert by_path(known, "words") == {"a.py": 1.0, "b.py": 0.5}
    assert by_path(known, "sense") == by_path(known, "whole") == {"a.py": 0.0, "b.py": 0.0}


def test_many_poor_chunks_do_not_beat_a_good_one():
    poor = [candidate(n, "long.py", n, 1.0) for n in range(1, 16)]
    short, long = gathered(candidate(99, "short.py", 1, 4.0), *poor).words
    assert short == 1.0 > long


def test_a_file_found_by_its_path_alone_has_no_text():
    known = gathered(candidate(1, "a/session.py"), files=5, in_paths={"session": 1})
    assert known.words[0] == 0.0
    assert known.in_path[0] == 1.0


def test_the_sense_alone_is_weighed_by_cosine():
    known = gathered(candidate(1, "a.py", 1, 9.0, 0.6), candidate(2, "b.py", 1, 0.0, 0.8), mode=Mode.DENSE)
    assert by_path(known, "sense") == {"a.py": 0.5, "b.py": 1.0}
    assert by_path(known, "words") == {"a.py": 0.0, "b.py": 0.0}


def test_a_file_that_is_near_as_a_whole_gains_a_share():
    """By chunks a.py has (0.6 - 0.4) / 0.4 of b.py, as a whole twice as much: 0.5 + 0.3 beside 1 + 0.15."""
    near = (candidate(1, "a.py", 1, 0.0, 0.6), candidate(2, "b.py", 1, 0.0, 0.8))
    known = gathered(*near, mode=Mode.DENSE, wholes={"a.py": 0.4, "b.py": 0.2, "elsewhere.py": 0.9})
    assert by_path(known, "sense") == {"a.py": 0.8 / 1.15, "b.py": 1.0}
    assert by_path(known, "whole") == {"a.py": 1.0, "b.py": 0.5}


def test_what_points_the_other_way_has_no_sense():
    assert by_path(gathered(candidate(1, "a.py", cosine=-0.2), mode=Mode.DENSE), "sense") == {"a.py": 0.0}


def test_only_what_is_nearer_than_unrelated_texts_are_counts_as_near():
    """Above a background of 0.5, 0.9 is 0.8 of the way and 0.7 is 0.4: exactly half as near, which is the floor."""
    near = (candidate(1, "a.py", cosine=0.9), candidate(2, "b.py", cosine=0.7), candidate(3, "c.py", cosine=0.8))
    known = gathered(*near, mode=Mode.DENSE, background=0.5)
    assert by_path(known, "sense") == {"a.py": 1.0, "b.py": 0.0, "c.py": 0.5}


def test_both_legs_are_worth_what_their_rank_is_when_that_is_wanted():
    """The first is worth 61/61, the second 61/62; nothing stays nothing."""
    known = gathered(
        candidate(1, "both.py", 1, 5.0, 0.7),
        candidate(2, "words.py", 1, 7.0),
        candidate(3, "sense.py", 1, 0.0, 0.9),
        mode=Mode.HYBRID,
        config=replace(CONFIG, fusion="rrf"),
    )
    assert by_path(known, "words") == {"both.py": 61 / 62, "words.py": 1.0, "sense.py": 0.0}
    assert by_path(known, "sense") == {"both.py": 61 / 62, "words.py": 0.0, "sense.py": 1.0}


def test_a_path_is_measured_beside_the_best_text():
    """Twice the best text makes the same path count half."""
    found = {"files": 9, "in_paths": {"session": 1}}
    (weak,) = gathered(candidate(1, "session.py", 1, 1.0), **found).in_path
    (strong,) = gathered(candidate(1, "session.py", 1, 2.0), **found).in_path
    assert strong == pytest.approx(weak / 2)


def test_a_path_means_nothing_where_only_the_sense_is_asked():
    known = gathered(candidate(1, "session.py", cosine=0.5), mode=Mode.DENSE, files=9, in_paths={"session": 1})
    assert known.in_path.tolist() == [0.0]


def test_definitions_go_to_their_files():
    here, there = definition("Session", path="a.py"), definition("Session", path="b.py")
    known = gathered(candidate(1, "a.py", 1, 1.0), candidate(2, "b.py", 1, 1.0), definitions=(here, there))
    assert known.definitions == {"a.py": (here,), "b.py": (there,)}


@for_each("mode", [Mode.LEXICAL, Mode.DENSE, Mode.HYBRID])
def test_nothing_found_is_nothing_gathered(mode: Mode):
    known = gathered(mode=mode)
    assert (known.paths, known.places, len(known.words), len(known.sense)) == ((), (), 0, 0)


@for_each("mode", [Mode.LEXICAL, Mode.DENSE, Mode.HYBRID])
@for_each("measure", ["words", "sense", "whole", "in_path"])
def test_the_order_of_the_store_changes_nothing(mode: Mode, measure: str):
    items = [candidate(n, f"{n % 3}.py", n, 1.0 + n % 2, 0.5) for n in range(7)]
    there, back = (gathered(*order, mode=mode) for order in (items, items[::-1]))
    assert by_path(there, measure) == dict(zip(back.paths, getattr(back, measure), strict=True))


# --- what the places say --------------------------------------------------------------------------------------------


def read(text: str, *texts: str, **found: object) -> tuple[Evidence, dict, dict]:
    """Return what is known after places with these texts were read, their concepts and their runs."""
    items = tuple(candidate(n, f"{n}.py", lexical=1.0) for n in range(len(texts)))
    known = gathered(*items, text=text, **found)
    return known, *read_places(known, dict(enumerate(texts)), Candidates(items, **found))


COMMON = {"chunks": 100, "in_content": {"alpha": 1, "beta": 50}}


def test_coverage_is_the_share_of_the_question_that_is_there_and_rare_words_count_more():
    known, present, _ = read("alpha beta", "alpha", "Beta", "alphabet and beta", "gamma", **COMMON)
    rare, common = idf(100, 1), idf(100, 50)
    assert present == {0: (True, False), 1: (False, True), 2: (True, True), 3: (False, False)}
    assert replace(known, present=present).shares.tolist() == [
        pytest.approx(rare / (rare + common)),
        pytest.approx(common / (rare + common)),
        1.0,
        0.0,
    ]


@for_each(
    ("question", "text"),
    [("configuration", "cfg"), ("認証", "authenticate"), ("retrying", "retry"), ("retry", "with_retries")],
)
def test_any_form_of_a_word_covers_it(question: str, text: str):
    assert read(question, text)[1] == {0: (True,)}


def test_a_question_without_a_word_is_not_covered():
    known, present, runs = read("!!!", "alpha")
    assert (known.rarity, present, runs) == ((), {0: ()}, {})
    assert replace(known, present=present).shares.tolist() == [0.0]


def test_a_run_is_looked_for_where_two_words_of_the_question_are():
    _, _, runs = read("no such user here", "raise E('no such user')", "user", "such a user and no one")
    assert runs[0].words == ("no", "such", "user")
    assert 1 not in runs
    assert runs[0].share > runs[2].share


HALF = 2 / (LONG_RUN - 1)
"""What a run of three words counts for its length."""


def test_the_rare_words_of_a_message_weigh_more_and_stop_words_little():
    """``the`` is a stop word (0.3); a word that the index does not know weighs 1."""
    _, _, runs = read("alpha the beta zeta", "alpha the beta", **COMMON)
    rare, common = idf(100, 1), idf(100, 50)
    assert runs[0].share == pytest.approx(HALF * (rare + 0.3 + common) / (rare + 0.3 + common + 1.0))


def test_runs_are_looked_for_in_the_places_with_most_of_the_question_only():
    texts = ["alpha beta"] * 5 + ["alpha beta gamma"] * RUNS
    _, present, runs = read("alpha beta gamma", *texts)
    assert set(runs) == set(range(5, 5 + RUNS))
    assert len(present) == len(texts)


def test_a_question_of_one_word_has_no_order():
    assert read("alpha", "alpha alpha")[2] == {}


def test_the_best_places_by_words_and_by_sense_are_read():
    by_words = [candidate(n, lexical=n) for n in range(1, READ_BY_WORDS + 3)]
    by_sense = [candidate(n, cosine=n / 100) for n in range(1, READ_BY_SENSE + 3)]
    chosen = to_read(gathered(*by_words, *by_sense, candidate(0), mode=Mode.HYBRID))
    assert chosen[:READ_BY_WORDS] == list(range(len(by_words) - 1, 1, -1))
    first = len(by_words)
    assert chosen[READ_BY_WORDS:] == list(range(first + len(by_sense) - 1, first + 1, -1))
