"""Each signal alone: "alpha beta" counts two words, and the weights are those of ``PRIMES`` and ``TENTHS``."""

import numpy as np
import pytest

from shirube.codec import replace
from shirube.engine.search.signals import FILE_SIGNALS, PLACE_SIGNALS, SITUATION, named_segments
from shirube.engine.search.verbatim import Run
from shirube.settings import Profile
from shirube.types import Mode
from tests.cases import for_each
from tests.engine.search.conftest import DEFAULTS, PRIMES, TENTHS, candidate, definition, evidence, weighed

A, B, C = (candidate(number, path) for number, path in enumerate(("src/a.py", "lib/b.py", "c.py")))


def defined(question: str, *found) -> dict[str, float]:
    """Return what ``src/a.py`` gains by its definitions."""
    known = weighed(evidence(question, definitions={"src/a.py": found}))["src/a.py"]
    return {name: worth for name, worth in known.items() if name.startswith("definition:")}


def measured(name: str, known) -> list[float]:
    """Return what a signal of places measures."""
    (signal,) = (one for one in PLACE_SIGNALS if one.name == name)
    return signal.measure(known).tolist()


# --- the text ----------------------------------------------------------------------------------------------------


@pytest.mark.requirement("001-SCORE-01")
def test_text_is_a_point_for_each_word_times_the_weight_of_the_profile():
    """2.0 (text) × 2 words × 0.5."""
    found = weighed(evidence("alpha beta", A._replace(lexical=3.0), B._replace(lexical=1.5)))
    assert found == {"src/a.py": {"text:words": 4.0}, "lib/b.py": {"text:words": 2.0}}


def test_the_sense_of_the_places_and_of_the_whole_file_are_one_reason():
    """2.0 (text) × 0.5 (sense) × 2 words × (0.5 + 0.25)."""
    known = evidence(sense=np.array([0.5]), whole=np.array([0.25]), words=np.array([0.25]))
    assert weighed(known) == {"src/a.py": {"text:words": 1.0, "text:sense": pytest.approx(1.5)}}


def test_coverage_is_the_share_of_the_question_in_a_file_and_together_that_of_its_best_place():
    """The first word is three times as rare as the second. Each is in a place of its own: 4/4 in all, 3/4 together."""
    places = (A, A._replace(key=7, start_line=5), B)
    known = evidence("alpha beta", *places, rarity=(3.0, 1.0), present={0: (True, False), 1: (False, True)})
    unit = 2.0 * 0.7 * 2
    assert weighed(known) == {
        "src/a.py": {"coverage": pytest.approx(unit), "together": pytest.approx(0.75 * unit)},
        "lib/b.py": {},
    }


def test_the_best_run_of_the_questions_words_counts_and_is_quoted():
    """2.0 (text) × 0.9 (verbatim) × 2 words × 0.75."""
    runs = {0: Run(0.25, 0, ("alpha",)), 1: Run(0.75, 0, ("alpha", "beta"))}
    known = evidence("alpha beta", A, A._replace(key=7, start_line=5), B, runs=runs)
    assert weighed(known) == {"src/a.py": {'verbatim:"alpha beta"': pytest.approx(2.7)}, "lib/b.py": {}}


def test_a_japanese_run_is_quoted_as_it_is_written():
    words = (*"ユーザー", "id", *"がない")
    assert 'verbatim:"ユーザー id がない"' in weighed(evidence(runs={0: Run(0.5, 0, words)}))["src/a.py"]


@pytest.mark.requirement("001-SCORE-01")
def test_a_compound_is_worth_its_weight_times_that_of_the_text_however_long_the_question_is():
    """2.0 (text) × 0.5 (phrase), and half of it where it stands half as often as in the best."""
    shares = {"page-agent": {"src/a.py": 1.0, "lib/b.py": 0.5}}
    for text in ("page-agent", "page-agent zeta theta"):
        assert weighed(evidence(text, A, B, C, phrases=shares)) == {
            "src/a.py": {"phrase:page-agent": 1.0},
            "lib/b.py": {"phrase:page-agent": 0.5},
            "c.py": {},
        }


# --- the path ----------------------------------------------------------------------------------------------------


def named(text: str, *paths: str) -> dict[str, dict[str, float]]:
    """Return what the question names outright of each path."""
    found = weighed(evidence(text, *(candidate(number, path) for number, path in enumerate(paths))))
    return {
        path: {name: worth for name, worth in reasons.items() if name.partition(":")[1]}
        for path, reasons in found.items()
    }


@pytest.mark.requirement("001-PATH-01")
def test_a_phrase_in_the_path_is_worth_one_and_a_half_of_the_paths_weight():
    """3.0 (path) × 1.5."""
    assert named("Page-Agent zeta", "lambda/page-agent/src/x.ts", "canvas-agent/x.ts") == {
        "lambda/page-agent/src/x.ts": {"path-phrase:Page-Agent": 4.5},
        "canvas-agent/x.ts": {},
    }


@pytest.mark.requirement("001-PATH-02")
def test_every_segment_of_a_path_in_the_question_is_worth_the_paths_weight_and_the_file_itself_more():
    """3.0 (path) for each segment, and × 1.5 for the path that ends so."""
    segments = {"path-segment:lambda": 3.0, "path-segment:foo": 3.0}
    assert named("lambda/Foo beta", "Lambda/foo/bar.ts", "lambda/x/foo.ts", "src/lambda/foo.ts", "lambda/y.ts") == {
        "Lambda/foo/bar.ts": segments,
        "lambda/x/foo.ts": segments,
        "src/lambda/foo.ts": {**segments, "path:lambda/foo": 4.5},
        "lambda/y.ts": {"path-segment:lambda": 3.0},
    }


@pytest.mark.requirement("001-PATH-03")
def test_words_in_the_path_count_by_how_well_it_fits_half_of_the_paths_weight():
    """3.0 (path) × 0.5 (keyword) × 2 words × 0.25."""
    assert weighed(evidence(in_path=np.array([0.25])))["src/a.py"] == {"path-keyword": pytest.approx(0.75)}


def test_the_part_of_a_files_name_that_is_in_the_question_counts():
    """3.0 (path) × 0.3 (file name) × 2 words × 1/2; ``store`` is not asked for, directories do not count."""
    known = evidence(
        "alpha beta", candidate(1, "alpha/x.py"), candidate(2, "src/alphaStore.py"), candidate(3, "beta/index.ts")
    )
    found = weighed(replace(known, in_path=np.zeros(3)))
    terms = 3  # alphastore, alpha, store
    half = 2.0 * 0.7 * 2 / 2  # a path counts for all of its places
    assert found == {
        "alpha/x.py": {"together": pytest.approx(half)},
        "src/alphaStore.py": {"together": pytest.approx(half), "file-name": pytest.approx(1.8 / terms)},
        "beta/index.ts": {"together": pytest.approx(half), "file-name": pytest.approx(1.8)},
    }


def test_a_compound_said_twice_counts_once_in_the_path():
    once, twice = (
        weighed(evidence(text, candidate(1, "lambda/page-agent/x.ts")))["lambda/page-agent/x.ts"]
        for text in ("page-agent", "page-agent and page-agent")
    )
    assert once == twice


@for_each(
    ("question", "path", "segments"),
    [
        ("src/auth/login.py", "src/auth/login.py", ["src", "auth", "login.py"]),
        ("auth/login", "src/auth/login.py", ["auth", "login"]),
        ("auth/login", "src/author/logins.py", []),
        ("login.py", "src/login.py", ["login.py"]),
        ("login", "src/login.py", []),
    ],
)
def test_segments_are_whole_parts_of_a_path(question: str, path: str, segments: list[str]):
    assert named_segments(evidence(question), path) == segments


# --- definitions -------------------------------------------------------------------------------------------------


@for_each(
    ("question", "found", "share"),
    [
        ("alpha BankAccount", definition("BankAccount"), 1.0),
        ("alpha BankAccount", definition("bankAccount"), 0.5),
        ("alpha bankAccount", definition("bankAccount", "function"), 0.5),
        ("alpha bankAccount", definition("Shop.bankAccount", "method"), 0.25),
        ("alpha Shop.bankAccount", definition("Shop.bankAccount", "method"), 0.5),
        ("alpha Other.bankAccount", definition("Shop.bankAccount", "method"), 0.25),
        ("alpha _private", definition("_private", "function"), 0.5),
        ("alpha Ecto::Query", definition("Ecto.Query", "module"), 1.0),
    ],
)
def test_a_definition_counts_by_its_kind_its_spelling_and_what_it_stands_in(question: str, found, share: float):
    """0.4 × the number of words × the share."""
    wanted = 0.4 * evidence(question).question.words * share
    assert defined(question, found) == {f"definition:{found.symbol.qualified}": pytest.approx(wanted)}


@for_each("text", ["Alpha beta", "森と地図の違い"])
def test_a_heading_that_is_the_question_counts_like_a_name(text: str):
    found = definition(f"Guide.{text}", "section")
    wanted = 0.4 * evidence(text.upper()).question.words
    assert defined(text.upper(), found) == {f"definition:Guide.{text}": pytest.approx(wanted)}
    assert defined(f"{text} 他", found) == {}


def test_a_plain_word_that_is_defined_counts_a_tenth():
    assert defined("session beta", definition("session")) == {"definition:session": pytest.approx(0.4 * 2 * 0.1)}


def test_only_the_best_definition_of_a_file_counts():
    both = (definition("Other.start", "method"), definition("start", "function"))
    assert set(defined("start()", *both)) == {"definition:start"}


def test_a_definition_of_another_name_says_nothing():
    assert defined("session", definition("cart")) == {}


# --- what is around the question -----------------------------------------------------------------------------------


@pytest.mark.requirement("001-SCORE-02")
def test_the_file_being_edited_has_the_profiles_points_for_every_word():
    """5.0 × 2."""
    found = weighed(evidence("alpha beta", A, B, editing=frozenset({"src/a.py"})))
    assert found == {"src/a.py": {"editing": 10.0}, "lib/b.py": {}}


@pytest.mark.requirement("001-SCORE-03")
def test_what_the_best_files_import_has_a_share_of_theirs_and_all_of_it_at_most():
    """7.0 × 0.1 × 2 words × 0.5."""
    known = evidence("alpha beta", A, B, C, imported={"src/a.py": (0.5, "m.py"), "c.py": (3.0, "m.py")})
    assert weighed(known) == {
        "src/a.py": {"dep:m.py": pytest.approx(0.7)},
        "lib/b.py": {},
        "c.py": {"dep:m.py": pytest.approx(1.4)},
    }


@pytest.mark.requirement("001-SCORE-04")
def test_what_stands_beside_the_best_files_has_a_share_of_theirs():
    """11.0 × 0.2 × 2 words × 0.5."""
    items = A, C, candidate(9, "src/deep/a.py")
    assert weighed(evidence("alpha beta", *items, near={"src": 0.5, "": 0.5})) == {
        "src/a.py": {"near:src": pytest.approx(2.2)},
        "c.py": {"near:.": pytest.approx(2.2)},
        "src/deep/a.py": {},
    }


@pytest.mark.requirement("001-SCORE-05")
def test_what_is_built_like_the_edited_file_has_a_share():
    """13.0 × 0.3 × 2 words × 0.5."""
    found = weighed(evidence("alpha beta", A, B, alike={"src/a.py": 0.5}))
    assert found == {"src/a.py": {"structural": pytest.approx(3.9)}, "lib/b.py": {}}


def test_what_was_changed_lately_or_together_with_the_edited_file_counts():
    """17.0 × 0.4 × 2 words × 0.5, and 19.0 × 0.6 × 2 × 0.25."""
    found = weighed(evidence("alpha beta", A, B, recent={"src/a.py": 0.5}, together={"src/a.py": 0.25}))
    assert found == {"src/a.py": {"recent": pytest.approx(6.8), "co-change": pytest.approx(5.7)}, "lib/b.py": {}}


def test_a_file_that_pasted_output_names_counts_by_its_line_nearest_to_the_fault():
    """0.8 (frame) × 2 words × 0.75; no profile weighs it."""
    found = weighed(evidence("alpha beta", A, B, frames={"src/a.py": {3: 0.25, 9: 0.75}}))
    assert found == {"src/a.py": {"frame:9": pytest.approx(1.2)}, "lib/b.py": {}}


def test_a_profile_that_gives_something_no_weight_gives_no_reason_for_it():
    nothing = Profile(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, {})
    known = {"imported": {"src/a.py": (1.0, "b.py")}, "near": {"src": 1.0}, "recent": {"src/a.py": 1.0}}
    assert weighed(evidence(profile=nothing, **known)) == {"src/a.py": {}}


def test_no_signal_speaks_where_nothing_is_known():
    known = evidence("!!!")
    assert weighed(known) == {"src/a.py": {}}
    for signal in (*FILE_SIGNALS, *SITUATION):
        assert signal.measure(known).tolist() == [0.0], signal.name


# --- places --------------------------------------------------------------------------------------------------------


def test_words_and_sense_of_a_place_are_measured_beside_the_best_of_the_file_and_of_all():
    items = (
        A._replace(lexical=2.0, cosine=0.2),
        A._replace(lexical=1.0, cosine=0.4),
        B._replace(lexical=4.0, cosine=-0.3),
    )
    known = evidence("alpha beta", *items, mode=Mode.HYBRID)
    assert measured("words in file", known) == [1.0, 0.5, 1.0]
    assert measured("words", known) == [0.5, 0.25, 1.0]
    assert measured("sense in file", known) == [0.5, 1.0, 0.0]
    assert measured("sense", known) == [0.5, 1.0, 0.0]


@for_each(("name", "share"), [("getAlpha", 0.6), ("Beta.alpha", 6 / 7), ("alpha_beta", 1.0), ("other", 0.0), ("", 0.0)])
def test_a_file_counts_by_how_far_the_name_of_a_symbol_and_the_question_say_the_same(name: str, share: float):
    """The first word is three times as rare: 2 × 3/4 × 1/2 ÷ (3/4 + 1/2), then 2 × 3/4 × 1 ÷ (3/4 + 1), …"""
    for kind, part in (("function", share), ("test", 0.0)):
        found = weighed(evidence("alpha beta", A._replace(symbol=name, kind=kind), rarity=(3.0, 1.0)))["src/a.py"]
        assert found.get("symbol", 0.0) == pytest.approx(0.8 * 2 * part)


def test_the_definition_of_a_name_is_a_sign_unless_it_is_a_plain_word_too():
    found = {"src/a.py": (definition("getUser", key=A.key),)}
    assert measured("defines", evidence("getUser", A, B, definitions=found)) == [1.0, 0.0]
    assert measured("defines", evidence("how to get a user", A, B, definitions=found)) == [0.0, 0.0]
    plain = {"src/a.py": (definition("session", key=A.key),)}
    assert measured("defines", evidence("session start", A, B, definitions=plain)) == [0.0, 0.0]


def test_a_function_is_told_from_a_type_and_from_a_text_without_a_symbol():
    items = A._replace(symbol="f", kind="method"), A._replace(symbol="T", kind="class"), A
    assert measured("callable", evidence("x", *items)) == [1.0, 0.0, 0.0]
    assert measured("no symbol", evidence("x", *items)) == [0.0, 0.0, 1.0]


def test_a_longer_place_is_worth_more_up_to_64_lines():
    items = [A._replace(start_line=1, end_line=end) for end in (1, 8, 64, 65, 500)]
    one, few, many, *most = measured("length", evidence("x", *items))
    assert (one, few, most) == (0.0, pytest.approx(3 / 6), [1.0, 1.0])
    assert few < many <= 1.0


def test_what_was_not_read_has_no_share_of_the_question():
    known = evidence(
        "alpha beta", A, B, rarity=(1.0, 1.0), present={1: (True, True)}, runs={1: Run(0.5, 0, ("alpha",))}
    )
    assert measured("coverage", known) == [0.0, 1.0]
    assert measured("verbatim", known) == [0.0, 0.5]


# --- the weights of the defaults -----------------------------------------------------------------------------------


WEIGHTS = {
    "text:words": "text",
    "text:sense": "text",
    "coverage": "text",
    "together": "text",
    'verbatim:"page agent"': "text",
    "phrase:page-agent": "text",
    "path-phrase:page-agent": "path",
    "path-keyword": "path",
    "file-name": "path",
    "editing": "editing",
    "dep:m.py": "dependency",
    "near:page-agent": "proximity",
    "structural": "structural",
    "recent": "recent",
    "co-change": "cochange",
}
"""Which weight of a profile each reason hangs on."""


@pytest.mark.requirement(
    "001-PROFILE-01", "001-PROFILE-02", "001-PROFILE-03", "001-PROFILE-04", "001-PROFILE-05", "001-PROFILE-06"
)
@for_each("name", sorted(DEFAULTS.profiles))
def test_every_weight_of_every_profile_in_the_defaults_reaches_its_reason(name: str):
    path = "page-agent/index.py"
    known = evidence(
        "page-agent",
        candidate(1, path, lexical=1.0),
        sense=np.array([1.0]),
        in_path=np.array([1.0]),
        present={0: (True,)},
        runs={0: Run(1.0, 0, ("page", "agent"))},
        phrases={"page-agent": {path: 1.0}},
        editing=frozenset({path}),
        imported={path: (1.0, "m.py")},
        near={"page-agent": 1.0},
        alike={path: 1.0},
        recent={path: 1.0},
        together={path: 1.0},
    )
    profile, by_primes = DEFAULTS.profiles[name], weighed(known)[path]
    shares = {reason: getattr(profile, weight) / getattr(PRIMES, weight) for reason, weight in WEIGHTS.items()}
    wanted = {reason: pytest.approx(by_primes[reason] * share) for reason, share in shares.items() if share}
    assert by_primes.keys() == WEIGHTS.keys()
    assert weighed(replace(known, profile=profile))[path] == wanted


SEED = {
    "default": (1.0, 1.5, 2.0, 0.6, 0.25, 0.6),
    "bugfix": (1.0, 1.5, 1.8, 0.7, 0.35, 0.7),
    "testfail": (1.0, 1.5, 1.6, 0.85, 0.3, 0.7),
    "typeerror": (1.0, 1.5, 1.4, 0.6, 0.4, 0.6),
    "feature": (1.0, 1.5, 1.5, 0.45, 0.5, 0.6),
}
"""textMatch, pathMatch, editingPath, dependency, proximity, structural of seed 001."""


@pytest.mark.requirement(
    "001-PROFILE-01", "001-PROFILE-02", "001-PROFILE-03", "001-PROFILE-04", "001-PROFILE-05", "001-PROFILE-06"
)
def test_the_profiles_of_the_defaults_have_the_seeds_weights_and_refactor_has_some():
    weights = {
        name: (one.text, one.path, one.editing, one.dependency, one.proximity, one.structural)
        for name, one in DEFAULTS.profiles.items()
    }
    assert {name: weights[name] for name in SEED} == SEED
    assert all(weight > 0 for weight in weights["refactor"])


@pytest.mark.requirement("001-PATH-01", "001-PATH-02", "001-PATH-03", "001-SCORE-01")
def test_the_factors_of_the_defaults_are_the_seeds():
    given = DEFAULTS.signals
    assert (given.phrase, given.path_phrase, given.path_segment, given.path_keyword) == (2.0, 1.5, 1.0, 0.5)


def test_the_settings_reckoned_with_here_are_not_those_of_the_defaults():
    assert TENTHS.signals != DEFAULTS.signals
