import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.engine.search.rank import Ranked, Role, rank
from shirube.settings import BoostProfile
from tests.cases import for_each
from tests.engine.search.conftest import DEFAULTS, candidate, definition, evidence, match, points

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
)
PLACES = ("src/a.py", "tests/test_a.py", "docs/a.md", "src/v1/a.py", "src/v2/a.py", "src/internal/b.py", "types/a.d.ts")


def ranked(text: str, *files, plain: bool = False, **known) -> list[Ranked]:
    return rank(evidence(text, *files, **{"boosts": FACTORS, **known}), plain)


def one(text: str, path: str, language: str = "python", **known) -> Ranked:
    (found,) = ranked(text, match(path, language=language), **known)
    return found


def test_files_stand_by_score_and_ties_go_by_path_whatever_their_order():
    files = [match("b.py", 0.5), match("c.py", 1.0), match("a.py", 0.5)]
    for order in (files, files[::-1]):
        assert [found.path for found in ranked("x", *order)] == ["c.py", "a.py", "b.py"]


def test_what_has_no_points_is_left_out():
    assert ranked("x", match("a.py", 0.0)) == []


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


def test_a_factor_of_one_is_no_reason():
    assert points(one("alpha beta", "types/a.d.ts").why) == {"text:words": 4.0}


def test_an_older_version_is_held_down_beside_the_newer_one_only():
    both = {found.path: points(found.why) for found in ranked("x", match("api/v1/a.py"), match("api/v2/a.py"))}
    assert "boost:superseded" in both["api/v1/a.py"]
    assert "boost:superseded" not in both["api/v2/a.py"]
    assert "boost:superseded" not in points(one("x", "api/v1/a.py").why)


@pytest.mark.requirement("001-BOOST-06")
def test_without_boosts_the_text_alone_counts():
    known = {"editing": frozenset({"docs/a.md"}), "near": {"docs": 1.0}, "imported": {"docs/a.md": (1.0, "m.py")}}
    (found,) = ranked("alpha beta", match("docs/a.md", place=1.0), plain=True, **known)
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
    held, lifted = points(one("beta", path).why), points(one(question, path).why)
    assert sum(value for name, value in held.items() if name.startswith("boost:")) < sum(
        value for name, value in lifted.items() if name.startswith("boost:")
    )
    assert all(value > 0 for value in lifted.values())


def test_the_file_being_edited_is_not_held_down():
    found = one("alpha beta", "tests/test_a.py", editing=frozenset({"tests/test_a.py"}))
    assert points(found.why) == {"text:words": 4.0, "editing": 10.0, "boost:test": 14.0}


def test_a_profile_may_raise_a_role_and_never_lowers_it():
    asked = evidence().profile
    raised = replace(asked, roles={"test": 1.5, "implementation": 0.1})
    assert one("x", "tests/test_a.py", profile=raised).why[-1].detail == "×1.5"
    assert one("x", "src/a.py", profile=raised).why[-1].detail == "×2"


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


@pytest.mark.requirement("001-SCORE-06")
@given(
    files=st.dictionaries(st.sampled_from(PLACES), st.tuples(st.floats(0, 1), st.floats(0, 3)), min_size=1),
    question=st.sampled_from(["alpha beta", "page-agent", "src/v1/a.py", "tests/test_a.py login", "getUser"]),
    boosts=st.sampled_from([FACTORS, *DEFAULTS.boosts.values()]),
    profile=st.sampled_from(sorted(DEFAULTS.profiles)),
    plain=st.booleans(),
)
def test_a_score_is_the_sum_of_its_reasons_and_the_order_is_that_of_the_scores(files, question, boosts, profile, plain):
    made = [match(path, worth, place=place) for path, (worth, place) in files.items()]
    known = {
        "boosts": boosts,
        "profile": DEFAULTS.profiles[profile],
        "near": {"src": 0.5},
        "imported": {"src/a.py": (0.5, "m.py")},
        "editing": frozenset({"src/a.py"}),
    }
    found = ranked(question, *made, plain=plain, **known)
    for file in found:
        assert file.score == pytest.approx(sum(reason.points for reason in file.why))
        assert file.score > 0
    assert [(-file.score, file.path) for file in found] == sorted((-file.score, file.path) for file in found)
    assert found == ranked(question, *made[::-1], plain=plain, **known)


def test_the_best_chunk_speaks_for_its_file():
    chunks = [candidate(1, line=9, lexical=1.0), candidate(2, line=5, lexical=3.0), candidate(3, line=1)]
    (found,) = ranked("x", replace(match("a.py"), chunks=chunks))
    assert [chunk.key for chunk in found.chunks] == [2, 1]


def test_what_defines_the_name_that_was_asked_for_comes_before_what_uses_it_more():
    chunks = [candidate(1, line=9, lexical=9.0), candidate(2, line=5, lexical=1.0)]
    file = replace(match("a.py"), chunks=chunks, definitions=(definition("getUser", "function", key=2),))
    assert [chunk.key for chunk in ranked("getUser", file)[0].chunks] == [2, 1]
    assert [chunk.key for chunk in ranked("user", file)[0].chunks] == [1, 2]


def test_a_file_found_by_its_path_alone_shows_its_first_chunk():
    (found,) = ranked("x", replace(match("a.py", 0.0), chunks=[candidate(7), candidate(8, line=4)], place=1.0))
    assert [chunk.key for chunk in found.chunks] == [7]


@pytest.mark.requirement("001-BOOST-01", "001-BOOST-02", "001-BOOST-03", "001-BOOST-04", "001-BOOST-05", "001-BLACK-04")
def test_the_boosts_of_the_defaults_prefer_what_the_seed_prefers_and_hide_nothing():
    boosts = DEFAULTS.boosts
    assert (boosts["default"].implementation, boosts["default"].doc, boosts["default"].config) == (1.5, 0.5, 0.5)
    assert (boosts["docs"].implementation, boosts["docs"].doc, boosts["docs"].config) == (0.7, 1.5, 1.5)
    assert {getattr(boosts["none"], role) for role in Role} == {1.0}
    for role in (Role.TEST, Role.VENDORED, Role.GENERATED):
        assert 0 < getattr(boosts["default"], role) < 1
        assert 0 < getattr(boosts["docs"], role) < 1
