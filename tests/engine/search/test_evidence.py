import pytest

from shirube.codec import replace
from shirube.engine.search.evidence import FileMatch, gather
from shirube.engine.search.question import read_question
from shirube.engine.store.port import Candidates
from shirube.types import Mode
from tests.cases import for_each
from tests.engine.search.conftest import TENTHS, candidate, definition, points

CONFIG = replace(
    TENTHS, signals=replace(TENTHS.signals, coherence=2.0, sense_coherence=2.0, sense_floor=0.5, sense_whole=0.3)
)
QUESTION = read_question("session", CONFIG)


def gathered(*items, mode: Mode = Mode.LEXICAL, config=CONFIG, **found: object) -> dict[str, FileMatch]:
    return gather(QUESTION, Candidates(items, **found), config, mode)


def texts(files: dict[str, FileMatch]) -> dict[str, dict[str, float]]:
    return {path: points(match.text) for path, match in files.items()}


def test_chunks_are_gathered_by_file():
    files = gathered(candidate(1, "a.py", 1, 4.0), candidate(2, "b.py", 1, 2.0), candidate(3, "a.py", 9, 3.0))
    assert {path: [chunk.key for chunk in match.chunks] for path, match in files.items()} == {
        "a.py": [1, 3],
        "b.py": [2],
    }
    assert files["a.py"].language == "python"


def test_the_chunks_of_a_file_add_up_as_a_power_mean_and_the_best_text_is_worth_one():
    """√(4² + 3²) = 5 for a.py, so b.py with its one chunk of 2.5 is worth half."""
    files = gathered(candidate(1, "a.py", 1, 4.0), candidate(2, "b.py", 1, 2.5), candidate(3, "a.py", 9, 3.0))
    assert texts(files) == {"a.py": {"text:words": pytest.approx(1.0)}, "b.py": {"text:words": pytest.approx(0.5)}}
    assert files["b.py"].worth == pytest.approx(0.5)


def test_many_poor_chunks_do_not_beat_a_good_one():
    poor = [candidate(n, "long.py", n, 1.0) for n in range(1, 16)]
    files = gathered(candidate(99, "short.py", 1, 4.0), *poor)
    assert files["short.py"].worth > files["long.py"].worth


def test_a_file_found_by_its_path_alone_has_no_text():
    files = gathered(candidate(1, "a/session.py"), files=5, in_paths={"session": 1})
    assert files["a/session.py"].text == ()
    assert files["a/session.py"].place > 0


def test_the_sense_alone_is_weighed_by_cosine():
    files = gathered(candidate(1, "a.py", 1, 9.0, 0.6), candidate(2, "b.py", 1, 0.0, 0.8), mode=Mode.DENSE)
    assert texts(files) == {"a.py": {"text:sense": pytest.approx(0.5)}, "b.py": {"text:sense": 1.0}}


def test_a_file_that_is_near_as_a_whole_gains_a_share():
    """By chunks a.py has (0.6 - 0.4) / 0.4 of b.py, as a whole twice as much: 0.5 + 0.3 beside 1 + 0.15."""
    near = (candidate(1, "a.py", 1, 0.0, 0.6), candidate(2, "b.py", 1, 0.0, 0.8))
    files = gathered(*near, mode=Mode.DENSE, wholes={"a.py": 0.4, "b.py": 0.2, "elsewhere.py": 0.9})
    assert texts(files) == {"a.py": {"text:sense": pytest.approx(0.8 / 1.15)}, "b.py": {"text:sense": 1.0}}


def test_what_points_the_other_way_has_no_sense():
    assert texts(gathered(candidate(1, "a.py", cosine=-0.2), mode=Mode.DENSE)) == {"a.py": {}}


def test_both_legs_are_fused_by_rank_and_the_best_is_worth_one():
    """both.py is second twice, 1/62 + 1/62, the others once first, 1/61."""
    files = gathered(
        candidate(1, "both.py", 1, 5.0, 0.5),
        candidate(2, "words.py", 1, 7.0),
        candidate(3, "sense.py", 1, 0.0, 0.9),
        mode=Mode.HYBRID,
        config=replace(CONFIG, fusion="rrf"),
    )
    assert texts(files) == {
        "both.py": {"text:words": pytest.approx(0.5), "text:sense": pytest.approx(0.5)},
        "words.py": {"text:words": pytest.approx(31 / 61)},
        "sense.py": {"text:sense": pytest.approx(31 / 61)},
    }


def test_a_place_is_measured_beside_the_best_text():
    """Twice the best text makes the same path count half."""
    found = {"files": 9, "in_paths": {"session": 1}}
    weak = gathered(candidate(1, "session.py", 1, 1.0), **found)["session.py"].place
    strong = gathered(candidate(1, "session.py", 1, 2.0), **found)["session.py"].place
    assert strong == pytest.approx(weak / 2)


def test_a_place_means_nothing_where_only_the_sense_is_asked():
    files = gathered(candidate(1, "session.py", cosine=0.5), mode=Mode.DENSE, files=9, in_paths={"session": 1})
    assert files["session.py"].place == 0.0


def test_definitions_go_to_their_files():
    here, there = definition("Session", path="a.py"), definition("Session", path="b.py")
    files = gathered(candidate(1, "a.py", 1, 1.0), candidate(2, "b.py", 1, 1.0), definitions=(here, there))
    assert (files["a.py"].definitions, files["b.py"].definitions) == ((here,), (there,))


@for_each("mode", [Mode.LEXICAL, Mode.DENSE, Mode.HYBRID])
def test_nothing_found_is_nothing_gathered(mode: Mode):
    assert gathered(mode=mode) == {}


@for_each("mode", [Mode.LEXICAL, Mode.DENSE, Mode.HYBRID])
def test_the_order_of_the_store_changes_nothing(mode: Mode):
    items = [candidate(n, f"{n % 3}.py", n, 1.0 + n % 2, 0.5) for n in range(7)]
    there, back = texts(gathered(*items, mode=mode)), texts(gathered(*items[::-1], mode=mode))
    assert there == {path: pytest.approx(legs) for path, legs in back.items()}
