"""Each signal alone: "alpha beta" counts two words, and the weights are those of ``PRIMES`` and ``TENTHS``."""

import pytest

from shirube.codec import replace
from shirube.engine.search import signals
from shirube.engine.search.signals import SIGNALS, named_segments
from shirube.settings import Profile
from shirube.types import Reason
from tests.cases import for_each
from tests.engine.search.conftest import DEFAULTS, PRIMES, TENTHS, definition, evidence, match, points


def given_by(signal, known, file=None) -> dict[str, float]:
    return points(list(signal(known, file or match())))


@pytest.mark.requirement("001-SCORE-01")
def test_text_is_a_point_for_each_word_times_the_weight_of_the_profile():
    """2.0 (text) × 2 words × 0.5."""
    assert given_by(signals.text, evidence(), match(worth=0.5)) == {"text:words": pytest.approx(2.0)}


def test_both_legs_of_the_text_keep_their_names():
    file = replace(match(), text=(Reason("text:words", 0.5), Reason("text:sense", 0.25)))
    assert given_by(signals.text, evidence(), file) == {"text:words": 2.0, "text:sense": 1.0}


@pytest.mark.requirement("001-SCORE-01")
def test_a_phrase_is_worth_its_weight_times_that_of_the_text():
    """2.0 (text) × 0.5 (phrase), and half of it where it stands half as often as in the best."""
    known = evidence("page-agent", phrases={"page-agent": {"src/a.py": 1.0, "b.py": 0.5}})
    assert given_by(signals.phrases, known) == {"phrase:page-agent": 1.0}
    assert given_by(signals.phrases, known, match("b.py")) == {"phrase:page-agent": 0.5}
    assert given_by(signals.phrases, known, match("c.py")) == {}


@pytest.mark.requirement("001-PATH-01")
def test_a_phrase_in_the_path_is_worth_one_and_a_half_of_the_paths_weight():
    """3.0 (path) × 1.5."""
    known = evidence("Page-Agent alpha")
    found = given_by(signals.path_words, known, match("lambda/page-agent/src/x.ts"))
    assert found == {"path-phrase:Page-Agent": 4.5}
    assert given_by(signals.path_words, known, match("lambda/canvas-agent/x.ts")) == {}


@pytest.mark.requirement("001-PATH-02")
def test_every_segment_of_a_path_in_the_question_is_worth_the_paths_weight():
    found = given_by(signals.path_words, evidence("lambda/Foo beta"), match("Lambda/foo/bar.ts"))
    assert found == {"path-segment:lambda": 3.0, "path-segment:foo": 3.0}


@pytest.mark.requirement("001-PATH-03")
def test_words_in_the_path_count_by_how_well_it_fits_half_of_the_paths_weight():
    """3.0 (path) × 0.5 (keyword) × 2 words × 0.25; the unit is a path that fits like the best text: 1 / 0.75."""
    found = given_by(signals.path_words, evidence(), match(place=0.25))
    assert found == {"path-keyword": pytest.approx(3.0 * 0.5 * 2 * 0.25 / 0.75)}


def test_a_compound_said_twice_counts_once_in_the_path():
    known = evidence("page-agent and page-agent")
    found = list(signals.path_words(known, match("lambda/page-agent/x.ts")))
    assert found == [Reason("path-phrase:page-agent", 4.5)]


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
    known = evidence(question)
    wanted = 0.4 * known.question.words * share
    given = given_by(signals.definitions, known, match(definitions=(found,)))
    assert given == {f"definition:{found.symbol.qualified}": pytest.approx(wanted)}


@for_each("text", ["Alpha beta", "森と地図の違い"])
def test_a_heading_that_is_the_question_counts_like_a_name_that_is_all_of_it(text: str):
    known = evidence(text.upper())
    wanted = known.config.signals.bare_definition * known.question.words
    found = definition(f"Guide.{text}", "section")
    given = given_by(signals.definitions, known, match(definitions=(found,)))
    assert given == {f"definition:Guide.{text}": pytest.approx(wanted)}
    assert given_by(signals.definitions, evidence(f"{text} 他"), match(definitions=(found,))) == {}


def test_a_plain_word_that_is_defined_counts_a_tenth():
    given = given_by(signals.definitions, evidence("session beta"), match(definitions=(definition("session"),)))
    assert given == {"definition:session": pytest.approx(0.4 * 2 * 0.1)}


def test_a_definition_counts_more_when_the_question_is_nothing_but_the_name():
    given = given_by(signals.definitions, evidence("session"), match(definitions=(definition("session"),)))
    assert given == {"definition:session": pytest.approx(0.8)}


def test_only_the_best_definition_of_a_file_counts():
    both = (definition("Other.start", "method"), definition("start", "function"))
    assert set(given_by(signals.definitions, evidence("start()"), match(definitions=both))) == {"definition:start"}


def test_a_definition_of_another_name_says_nothing():
    assert given_by(signals.definitions, evidence("session"), match(definitions=(definition("cart"),))) == {}


@pytest.mark.requirement("001-SCORE-02")
def test_the_file_being_edited_has_the_profiles_points_for_every_word():
    """5.0 × 2."""
    known = evidence(editing=frozenset({"src/a.py"}))
    assert given_by(signals.editing, known) == {"editing": 10.0}
    assert given_by(signals.editing, known, match("b.py")) == {}


@pytest.mark.requirement("001-SCORE-03")
def test_what_the_best_files_import_has_a_share_of_theirs():
    """7.0 × 0.1 × 2 words × 0.5."""
    known = evidence(imported={"src/a.py": (0.5, "src/main.py")})
    assert given_by(signals.dependency, known) == {"dep:src/main.py": pytest.approx(0.7)}
    assert given_by(signals.dependency, known, match("b.py")) == {}


@pytest.mark.requirement("001-SCORE-04")
def test_what_stands_beside_the_best_files_has_a_share_of_theirs():
    """11.0 × 0.2 × 2 words × 0.5."""
    known = evidence(near={"src": 0.5, "": 0.5})
    assert given_by(signals.proximity, known) == {"near:src": pytest.approx(2.2)}
    assert given_by(signals.proximity, known, match("a.py")) == {"near:.": pytest.approx(2.2)}
    assert given_by(signals.proximity, known, match("src/deep/a.py")) == {}


@pytest.mark.requirement("001-SCORE-05")
def test_what_is_built_like_the_edited_file_has_a_share():
    """13.0 × 0.3 × 2 words × 0.5."""
    known = evidence(alike={"src/a.py": 0.5})
    assert given_by(signals.structural, known) == {"structural": pytest.approx(3.9)}
    assert given_by(signals.structural, known, match("b.py")) == {}


def test_what_was_changed_lately_or_together_with_the_edited_file_counts():
    """17.0 × 0.4 × 2 words × 0.5, and 19.0 × 0.6 × 2 × 0.25."""
    known = evidence(recent={"src/a.py": 0.5}, together={"src/a.py": 0.25})
    assert given_by(signals.history, known) == {"recent": pytest.approx(6.8), "co-change": pytest.approx(5.7)}
    assert given_by(signals.history, known, match("b.py")) == {}


def test_a_profile_that_gives_something_no_weight_gives_no_reason_for_it():
    nothing = Profile(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, {})
    known = evidence(profile=nothing, imported={"src/a.py": (1.0, "b.py")}, near={"src": 1.0}, recent={"src/a.py": 1.0})
    for signal in (signals.dependency, signals.proximity, signals.history):
        assert given_by(signal, known) == {}


def test_no_signal_speaks_where_nothing_is_known():
    for signal in SIGNALS:
        assert given_by(signal, evidence(), match(worth=0.0)) == {}


WEIGHTS = {
    "text:words": "text",
    "phrase:page-agent": "text",
    "path-phrase:page-agent": "path",
    "path-keyword": "path",
    "editing": "editing",
    "dep:m.py": "dependency",
    "near:page-agent": "proximity",
    "structural": "structural",
    "recent": "recent",
    "co-change": "cochange",
}
"""Which weight of a profile each reason hangs on."""


@for_each("name", sorted(DEFAULTS.profiles))
def test_every_weight_of_every_profile_in_the_defaults_reaches_its_reason(name: str):
    path = "page-agent/x.py"
    known = evidence(
        "page-agent",
        phrases={"page-agent": {path: 1.0}},
        editing=frozenset({path}),
        imported={path: (1.0, "m.py")},
        near={"page-agent": 1.0},
        alike={path: 1.0},
        recent={path: 1.0},
        together={path: 1.0},
    )

    def given(profile: Profile) -> dict[str, float]:
        file = match(path, place=1.0)
        return points([one for signal in SIGNALS for one in signal(replace(known, profile=profile), file)])

    profile, by_primes = DEFAULTS.profiles[name], given(PRIMES)
    shares = {reason: getattr(profile, weight) / getattr(PRIMES, weight) for reason, weight in WEIGHTS.items()}
    wanted = {reason: pytest.approx(by_primes[reason] * share) for reason, share in shares.items() if share}
    assert by_primes.keys() == WEIGHTS.keys()
    assert given(profile) == wanted


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
