"""Files in their order: factors of roles, quoted phrases, the best place of a file, and the sum of the reasons."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.engine.search.rank import SEED_IMPLEMENTATION, Ranked, rank
from shirube.engine.search.roles import Role
from shirube.engine.search.shapes import Shapes, shapes
from shirube.engine.search.verbatim import Run
from shirube.engine.store.port import Candidate
from shirube.settings import BoostProfile
from shirube.types import Mode
from tests.cases import for_each
from tests.engine.search.conftest import DEFAULTS, IDENTITY, PRIMES, candidate, definition, evidence, points

FACTORS = BoostProfile(
    implementation=2.0,
    test=0.5,
    example=0.6,
    doc=0.25,
    config=0.4,
    generated=0.3,
    vendored=0.1,
    stub=1.0,
    superseded=0.75,
    internal=0.8,
    plus={"test": -3.0, "doc": 1.5},
)
PLACES = ("src/a.py", "tests/test_a.py", "docs/a.md", "src/v1/a.py", "src/v2/a.py", "src/internal/b.py", "types/a.d.ts")


def place(path: str = "src/a.py", worth: float = 1.0, language: str = "python", **known: object) -> Candidate:
    """Return a place whose text is worth something."""
    return candidate(known.pop("key", 1), path, lexical=worth, language=language, **known)


def ranked(
    text: str, *items: Candidate, plain: bool = False, table: Shapes = IDENTITY, **known: object
) -> list[Ranked]:
    return rank(evidence(text, *items, **{"boosts": FACTORS, **known}), table, plain).ranked()


def one(text: str, path: str, language: str = "python", **known: object) -> Ranked:
    """Return the only file; its path and what is read there have no points, so that the text alone has some."""
    (found,) = ranked(text, place(path, language=language), **{"in_path": np.zeros(1), **known})
    return found


def test_files_stand_by_score_and_ties_go_by_path_whatever_their_order():
    items = [place("b.py", 0.5), place("c.py", 1.0), place("a.py", 0.5)]
    for order in (items, items[::-1]):
        assert [found.path for found in ranked("x", *order)] == ["c.py", "a.py", "b.py"]


def test_what_has_no_points_is_left_out():
    assert ranked("x", place("a.py", 0.0)) == []


@pytest.mark.requirement("N001-RANK-03")
def test_a_multiplier_is_recorded_as_the_difference_it_made():
    """Two words at 2.0 are 4 points; a document keeps a quarter of them."""
    found = one("alpha beta", "docs/a.md", "markdown")
    assert points(found.why) == {"text:words": 4.0, "boost:doc": -3.0}
    assert (found.score, found.role, found.why[-1].detail) == (1.0, Role.DOC, "×0.25")


def test_multipliers_follow_one_another():
    """4 × 2.0 (implementation) × 0.75 (legacy) × 0.8 (internal) = 4.8."""
    found = one("alpha beta", "legacy/internal/a.py")
    assert points(found.why) == {
        "text:words": pytest.approx(4.0),
        "boost:implementation": pytest.approx(4.0),
        "boost:superseded": pytest.approx(-2.0),
        "boost:internal": pytest.approx(-1.2),
    }
    assert found.score == pytest.approx(4.8)


def test_the_table_corrects_the_factors_of_the_boost_profile():
    """0.5 (test) × 0.4, 0.75 (superseded) × 2, 0.8 (internal) × 0.5; the implementation is what they are beside."""
    table = replace(IDENTITY, roles={"test": 0.4, "superseded": 2.0, "internal": 0.5})
    test = one("alpha beta", "tests/a.py", table=table)
    assert (test.score, test.why[-1].detail) == (pytest.approx(4.0 * 0.2), "×0.2")
    old = one("alpha beta", "legacy/internal/a.py", table=table)
    assert old.score == pytest.approx(4.0 * 2.0 * 1.5 * 0.4)


def test_a_factor_of_one_is_no_reason():
    assert points(one("alpha beta", "types/a.d.ts").why) == {"text:words": 4.0}


def test_an_older_version_is_held_down_beside_the_newer_one_only():
    both = {found.path: points(found.why) for found in ranked("x", place("api/v1/a.py"), place("api/v2/a.py"))}
    assert "boost:superseded" in both["api/v1/a.py"]
    assert "boost:superseded" not in both["api/v2/a.py"]
    assert "boost:superseded" not in points(one("x", "api/v1/a.py").why)


@pytest.mark.requirement("001-BOOST-06")
def test_without_boosts_the_text_alone_counts():
    known = {
        "editing": frozenset({"docs/a.md"}),
        "near": {"docs": 1.0},
        "imported": {"docs/a.md": (1.0, "m.py")},
        "in_path": np.ones(1),
        "runs": {0: Run(1.0, 0, ("alpha", "beta"))},
        "present": {0: (True, True)},
        "phrases": {"alpha": {"docs/a.md": 1.0}},
        "learned": {"docs/a.md": 0.5},
    }
    (found,) = ranked('"alpha" beta', place("docs/a.md"), plain=True, **known)
    assert points(found.why) == {"text:words": 4.0}


@for_each(
    ("question", "path"),
    [
        ("tests/test_a.py beta", "tests/test_a.py"),
        ("vendor/lib beta", "vendor/lib/a.py"),
        ("legacy/shop beta", "legacy/shop/a.py"),
    ],
)
def test_a_path_in_the_question_lifts_what_holds_a_file_down(question: str, path: str):
    held, lifted = (
        [(reason.name, reason.detail) for reason in one(text, path).why if reason.name.startswith("boost:")]
        for text in ("beta", question)
    )
    assert len(lifted) == 1
    assert lifted[0][1] == "×2"
    assert held != lifted


def test_the_file_being_edited_is_not_held_down():
    found = one("alpha beta", "tests/test_a.py", editing=frozenset({"tests/test_a.py"}))
    assert points(found.why) == {"text:words": 4.0, "editing": 10.0, "boost:test": 14.0}


def test_a_test_that_defines_just_what_is_asked_for_is_first_though_it_is_held_down():
    path = "tests/bank.py"
    found = one("Bank", path, definitions={path: (definition("Bank", path=path),)})
    assert {"name:Bank", "boost:test"} <= {reason.name for reason in found.why}
    assert found.score == pytest.approx(sum(reason.points for reason in found.why))


def test_a_role_that_a_profile_asks_for_is_meant_beside_the_implementation():
    """The seed gives an implementation 1.5, so test = 1.5 puts a test level with it under any boosts: here ×2."""
    asked = replace(PRIMES, roles={"test": SEED_IMPLEMENTATION, "doc": SEED_IMPLEMENTATION / 2})
    assert one("x", "tests/test_a.py", profile=asked).why[-1].detail == "×2"
    assert points(one("x", "docs/a.md", profile=asked).why) == {"text:words": 2.0}  # ×1
    even = replace(FACTORS, implementation=0.6)
    assert one("x", "tests/test_a.py", profile=asked, boosts=even).why[-1].detail == "×0.6"


def test_a_profile_may_raise_a_role_and_never_lowers_it():
    asked = replace(PRIMES, roles={"test": 0.1, "implementation": 0.1})
    assert one("x", "tests/test_a.py", profile=asked).why[-1].detail == "×0.5"
    assert one("x", "src/a.py", profile=asked).why[-1].detail == "×2"


def test_what_past_outcomes_say_is_a_factor_too():
    found = one("alpha beta", "types/a.d.ts", learned={"types/a.d.ts": 0.25})
    assert points(found.why) == {"text:words": 4.0, "boost:learned": 1.0}
    assert one("alpha beta", "types/a.d.ts", learned={"types/a.d.ts": -3.0}).score > 0
    assert points(one("alpha beta", "types/a.d.ts", learned={"types/a.d.ts": 0.0}).why) == {"text:words": 4.0}


@pytest.mark.requirement("N001-RANK-08")
@pytest.mark.parametrize(
    ("path", "bonus", "score"),
    [("docs/a.md", 1.5, 1.0 + 1.5), ("tests/a.py", -1.8, 2.0 - 1.8), ("src/a.py", None, 8.0)],
)
def test_where_boosts_are_added_a_role_has_its_bonus_once(path: str, bonus: float | None, score: float):
    """1.5 for a document, however many words are asked for; -3 for a test, but nine tenths of its 2 points at most."""
    known = evidence("alpha beta", place(path), boosts=FACTORS, in_path=np.zeros(1))
    (found,) = rank(known, IDENTITY, additive=True).ranked()
    bonuses = {name: worth for name, worth in points(found.why).items() if name.startswith("bonus:")}
    assert bonuses == ({} if bonus is None else {f"bonus:{found.role.value}": pytest.approx(bonus)})
    assert found.score == pytest.approx(score)
    assert rank(known, IDENTITY).ranked()[0].score == pytest.approx(score - (bonus or 0.0))


@pytest.mark.requirement("N001-RANK-08")
def test_a_file_without_a_word_of_the_goal_is_given_nothing_for_its_role():
    known = evidence("alpha beta", place("docs/a.md", 0.0), place("docs/b.md", key=2), boosts=FACTORS)
    known = replace(known, in_path=np.ones(2))
    found = {file.path: points(file.why) for file in rank(known, IDENTITY, additive=True).ranked()}
    assert "bonus:doc" not in found["docs/a.md"]
    assert found["docs/b.md"]["bonus:doc"] == 1.5


@for_each("name", sorted(DEFAULTS.boosts))
def test_every_factor_of_every_boost_profile_in_the_defaults_reaches_the_score(name: str):
    boosts = DEFAULTS.boosts[name]
    places = {
        "implementation": "src/a.py",
        "test": "tests/a.py",
        "example": "examples/a.py",
        "doc": "docs/a.md",
        "config": "a.toml",
        "generated": "dist/a.py",
        "vendored": "vendor/a.py",
        "stub": "a.pyi",
    }
    for role, path in places.items():
        found = one("alpha beta", path, "toml" if role == "config" else "python", boosts=boosts)
        assert found.score == pytest.approx(4.0 * getattr(boosts, role)), role
    for mark, path in (("superseded", "legacy/a.py"), ("internal", "internal/a.py")):
        found = one("alpha beta", path, boosts=boosts)
        assert found.score == pytest.approx(4.0 * boosts.implementation * getattr(boosts, mark)), mark


@for_each("name", sorted(set(DEFAULTS.boosts) - {"none", "docs"}))
@for_each("profile", [name for name, one in DEFAULTS.profiles.items() if "test" not in one.roles])
def test_an_implementation_comes_before_its_test_unless_the_profile_asks_for_tests(name: str, profile: str):
    known = {"boosts": DEFAULTS.boosts[name], "profile": DEFAULTS.profiles[profile], "table": shapes()}
    found = ranked("alpha beta", place("src/a.py"), place("tests/test_a.py"), **known)
    assert [file.path for file in found] == ["src/a.py", "tests/test_a.py"]


def test_a_failing_test_is_level_with_the_implementation_in_the_profile_for_it():
    known = {"boosts": DEFAULTS.boosts["default"], "profile": DEFAULTS.profiles["testfail"], "table": shapes()}
    test, implementation = ranked("zeta", place("lib/x_test.py"), place("lib/x.py"), **known)
    assert test.score == implementation.score


# --- quoted phrases ------------------------------------------------------------------------------------------------


def test_a_file_with_a_quoted_phrase_comes_before_a_better_one_without_it():
    """The best file has 2.0 × 1 × 2 words × 2 (implementation); that is what the phrase adds."""
    items = place("src/a.py", 10.0), place("docs/b.md", 1.0), place("vendor/c.py", 0.1)
    shares = {"alpha beta": {"docs/b.md": 1.0, "vendor/c.py": 1.0}}
    found = ranked('"alpha beta"', *items, phrases=shares)
    assert [file.path for file in found] == ["docs/b.md", "vendor/c.py", "src/a.py"]
    assert points(found[0].why) == {
        "text:words": pytest.approx(0.4),
        "boost:doc": pytest.approx(-0.3),
        "phrase:alpha beta": pytest.approx(found[2].score),
    }


def test_of_two_quoted_phrases_the_file_with_both_comes_first():
    items = place("a.py", 1.0), place("b.py", 10.0), place("c.py", 0.1)
    shares = {"alpha beta": {"a.py": 1.0, "c.py": 1.0}, "gamma": {"b.py": 1.0, "c.py": 1.0}}
    found = ranked('"alpha beta" "gamma"', *items, phrases=shares)
    assert [file.path for file in found] == ["c.py", "b.py", "a.py"]
    assert {"phrase:alpha beta", "phrase:gamma"} <= points(found[0].why).keys()


def test_what_is_in_single_quotes_counts_as_a_compound_does():
    items = place("a.py", 10.0), place("b.py", 1.0)
    found = ranked("'alpha beta' x", *items, phrases={"alpha beta": {"b.py": 1.0}})
    assert [file.path for file in found] == ["a.py", "b.py"]
    assert "phrase:alpha beta" in points(found[1].why)


# --- every score is a sum --------------------------------------------------------------------------------------------

share = st.floats(0, 1)
known_file = st.fixed_dictionaries(
    {
        "words": share,
        "sense": share,
        "whole": share,
        "in_path": st.floats(0, 3),
        "run": share,
        "phrase": st.sampled_from([0.0, 0.5, 1.0]),
        "frame": st.sampled_from([0.0, 0.5]),
        "learned": st.sampled_from([0.0, 0.25, -0.25, -2.0]),
        "present": st.tuples(st.booleans(), st.booleans()),
    }
)


@pytest.mark.requirement("001-SCORE-06")
@given(
    files=st.dictionaries(st.sampled_from(PLACES), known_file, min_size=1),
    question=st.sampled_from(
        ["alpha beta", '"alpha beta" src', "page-agent x", "src/v1/a.py", "tests/test_a.py login"]
    ),
    boosts=st.sampled_from([FACTORS, *DEFAULTS.boosts.values()]),
    profile=st.sampled_from(sorted(DEFAULTS.profiles)),
    table=st.sampled_from([IDENTITY, shapes()]),
    plain=st.booleans(),
)
def test_a_score_is_the_sum_of_its_reasons_and_the_order_is_that_of_the_scores(
    files, question, boosts, profile, table, plain
):
    def found(order: list[str]) -> list[Ranked]:
        read = evidence(question)
        concepts = len(read.question.concepts)
        measures = {name: np.array([files[path][name] for path in order]) for name in ("words", "sense", "whole")}
        return ranked(
            question,
            *(place(path, 0.0, key=number) for number, path in enumerate(order)),
            plain=plain,
            table=table,
            boosts=boosts,
            profile=DEFAULTS.profiles[profile],
            mode=Mode.HYBRID,
            **measures,
            in_path=np.array([files[path]["in_path"] for path in order]),
            rarity=(1.0, 2.0, 1.0, 2.0, 1.0, 2.0)[:concepts],
            present={at: (files[path]["present"] * 3)[:concepts] for at, path in enumerate(order)},
            runs={at: Run(files[path]["run"], 0, ("alpha", "beta")) for at, path in enumerate(order)},
            phrases={
                phrase.text: {path: files[path]["phrase"] for path in order if files[path]["phrase"]}
                for phrase in read.question.phrases
            },
            frames={path: {1: files[path]["frame"]} for path in order if files[path]["frame"]},
            learned={path: files[path]["learned"] for path in order},
            near={"src": 0.5},
            imported={"src/a.py": (0.5, "m.py")},
            editing=frozenset({"src/a.py"}),
        )

    there = found(list(files))
    for file in there:
        assert file.score == pytest.approx(sum(points(file.why).values()))
        assert file.score > 0
    assert [(-file.score, file.path) for file in there] == sorted((-file.score, file.path) for file in there)
    back = found(list(files)[::-1])
    assert [(file.path, file.why) for file in there] == [
        (file.path, tuple(replace(reason, points=pytest.approx(reason.points)) for reason in file.why)) for file in back
    ]


# --- the place of a file ---------------------------------------------------------------------------------------------


def shown(text: str, *items: Candidate, table: Shapes = IDENTITY, **known: object) -> list[int]:
    """Return the keys of the places of the only file, best first."""
    (found,) = ranked(text, *items, table=table, **known)
    return [chunk.key for chunk in found.chunks]


def test_the_best_chunk_speaks_for_its_file():
    items = candidate(1, line=9, lexical=1.0), candidate(2, line=5, lexical=3.0), candidate(3, line=1)
    assert shown("x", *items) == [2, 1]


def test_of_equal_places_the_first_is_shown():
    assert shown("x", candidate(1, line=9, lexical=1.0), candidate(2, line=5, lexical=1.0)) == [2, 1]


def test_what_defines_the_name_that_was_asked_for_comes_before_what_uses_it_more():
    items = candidate(1, line=9, lexical=9.0), candidate(2, line=5, lexical=8.0)
    known = {"definitions": {"a.py": (definition("getUser", "function", key=2, path="a.py"),)}}
    assert shown("getUser", *items, **known) == [2, 1]
    assert shown("user", *items, **known) == [1, 2]


def test_a_file_found_by_its_path_alone_shows_its_first_chunk():
    assert shown("x", candidate(8, line=4), candidate(7), in_path=np.ones(1)) == [7]


def test_the_place_with_a_quoted_phrase_is_shown_whatever_the_others_have():
    items = [
        candidate(1, lexical=9.0, cosine=0.9, symbol="alpha", kind="function", end_line=60),
        candidate(2, line=70, lexical=0.1),
    ]
    assert shown('"alpha"', *items, table=shapes(), mode=Mode.HYBRID, present={0: (True,)}) == [1, 2]
    found = shown('"alpha"', *items, table=shapes(), mode=Mode.HYBRID, present={0: (True,)}, written=frozenset({2}))
    assert found == [2, 1]


def test_a_function_that_answers_is_shown_before_a_licence_an_import_block_and_the_head_of_a_class():
    places = {
        1: {"lexical": 1.2, "end_line": 20},
        2: {"lexical": 1.2, "line": 21, "end_line": 40, "symbol": "imports", "kind": "import"},
        3: {"lexical": 1.2, "line": 41, "end_line": 44, "symbol": "Alpha", "kind": "class"},
        4: {"lexical": 1.0, "line": 45, "end_line": 60, "symbol": "Alpha.beta", "kind": "method"},
    }
    items = [candidate(key, **known) for key, known in places.items()]
    present = dict.fromkeys(range(4), (True, True))
    assert shown("how alpha beta", *items, table=shapes(), present=present)[0] == 4


def test_a_function_named_like_the_question_is_shown_before_a_type_that_shares_a_word():
    kinds = {1: ("class", "AlphaOptions"), 2: ("function", "load_alpha")}
    items = [candidate(key, line=key * 20, lexical=1.0, kind=kind, symbol=name) for key, (kind, name) in kinds.items()]
    present = dict.fromkeys(range(2), (True, True))
    assert shown("load the alpha", *items, table=shapes(), present=present) == [2, 1]


@pytest.mark.requirement("001-BOOST-01", "001-BOOST-02", "001-BOOST-03", "001-BOOST-04", "001-BOOST-05", "001-BLACK-04")
def test_the_boosts_of_the_defaults_prefer_what_the_seed_prefers_and_hide_nothing():
    boosts = DEFAULTS.boosts
    assert (boosts["default"].implementation, boosts["default"].doc, boosts["default"].config) == (1.5, 0.5, 0.5)
    assert (boosts["docs"].implementation, boosts["docs"].doc, boosts["docs"].config) == (0.7, 1.5, 1.5)
    assert {getattr(boosts["none"], role) for role in Role} == {1.0}
    for role in (Role.TEST, Role.VENDORED, Role.GENERATED):
        assert 0 < getattr(boosts["default"], role) < 1
        assert 0 < getattr(boosts["docs"], role) < 1
