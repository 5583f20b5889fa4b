from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import replace
from shirube.engine.store.port import PastChange, TouchedFile
from shirube.features.map.proposals import DAY, ProposedTerm, propose
from shirube.types import Symbol
from tests.features.mapped import HOSTILE, PAYMENT, teach

GUIDE, PLAYER, STORE = "src/GuideState.ts", "src/player.py", "src/preset.ts"
REST, TEST = "src/rest.vue", "tests/guide.py"
SYMBOLS = {
    GUIDE: (Symbol("GuideState", "GuideState", "class", 1, 90), Symbol("draw", "GuideState.draw", "method", 5, 20)),
    PLAYER: (
        Symbol("Player", "Player", "class", 1, 40),
        Symbol("seek", "Player.seek", "method", 3, 9),
        Symbol("stop", "Player.stop", "method", 10, 19),
        Symbol("Clock", "Clock", "class", 50, 60),
        Symbol("stop", "Clock.stop", "method", 52, 55),
    ),
    STORE: (
        Symbol("presetState", "presetState", "constant", 1, 3),
        Symbol("presetStore", "presetStore", "constant", 5, 80),
    ),
    TEST: (Symbol("test_guide", "test_guide", "function", 1, 9),),
}
CODE = (GUIDE, PLAYER, STORE, REST)
KNOWN = {
    "再生位置": ("seek",),
    "プリセット": ("preset", "presetStore"),
    "番組数": ("guide", "GuideState"),
    "番組": ("guide", "GuideState"),
}
"""What the model knows: term → the names and words it means."""


def similarity(term: str, names: Sequence[str]) -> list[float]:
    known = KNOWN.get(term)
    return [0.0] * len(names) if known is None else [0.99 if name in known else 0.01 for name in names]


def change(day: int, subject: str, *files: str, **more: float) -> PastChange:
    """Return a commit; a file is written as ``path`` or ``path:symbol,symbol``."""
    touched = [file.partition(":") for file in files]
    listed = tuple(TouchedFile(path, tuple(filter(None, names.split(",")))) for path, _, names in touched)
    return PastChange(f"{day:08x}{hash_of(subject)}", day * DAY, "somebody", subject, files=listed, **more)


def hash_of(text: str) -> str:
    return f"{sum(text.encode()):032x}"


def others(count: int = 40) -> list[PastChange]:
    """Return changes about something else: nothing stands out of an empty background."""
    return [change(1000 + day, f"Tidy part {day}", REST) for day in range(count)]


def proposed(changes: Sequence[PastChange]) -> dict[str, ProposedTerm]:
    newest_first = sorted([*changes, *others()], key=lambda one: -one.seconds)
    return {one.term: one for one in propose(newest_first, SYMBOLS, CODE, similarity)}


def meant(changes: Sequence[PastChange]) -> dict[str, str]:
    return {term: one.symbol.qualified for term, one in proposed(changes).items()}


def test_a_term_that_nobody_can_translate_is_learned_from_history():
    about = [change(day, f"番組表の修正 {day}", GUIDE) for day in range(4)]
    found = proposed(about)["番組表"]
    assert (found.symbol.qualified, found.path) == ("GuideState", GUIDE)
    assert found.changes == tuple(reversed(about))
    assert 0.4 <= found.confidence < 1


def test_commits_of_few_days_are_not_enough():
    assert meant([change(7, f"番組表の修正 {number}", GUIDE) for number in range(9)]) == {}
    assert meant([change(day, "番組表の修正", GUIDE) for day in range(2)]) == {}


def test_two_days_are_enough_where_the_name_says_the_term():
    about = [change(day, "プリセットの修正", STORE) for day in range(2)]
    assert meant(about) == {"プリセット": "presetStore"}


def test_mass_changes_and_tests_say_nothing():
    many = [f"src/file{number}.py" for number in range(30)]
    assert meant([change(day, "番組表の修正", GUIDE, weight=0.0) for day in range(9)]) == {}
    assert meant([change(day, "番組表の修正", TEST) for day in range(9)]) == {}
    crowd = [change(day, "番組表の修正", GUIDE, *many) for day in range(9)]
    assert [one.term for one in propose(crowd, SYMBOLS, (*CODE, *many), similarity)] == []


def test_a_word_that_occurs_everywhere_names_nothing():
    spread = [change(day, "画質の修正", CODE[day % 4]) for day in range(30)]
    assert meant(spread) == {}


def test_words_about_the_change_name_nothing():
    assert meant([change(day, "不具合修正", GUIDE) for day in range(9)]) == {}
    assert meant([change(day, "Fix the guide", GUIDE) for day in range(9)]) == {}


def test_the_class_is_meant_when_several_of_its_methods_change():
    names = ("seek", "Player")
    about = [change(day, "映像の修正", f"{PLAYER}:{names[day % 2]}") for day in range(8)]
    assert meant(about)["映像"] == "Player"


def test_one_name_of_two_symbols_says_nothing():
    assert meant([change(day, "停止位置の修正", f"{PLAYER}:stop") for day in range(4)]) == {}


def test_the_symbol_a_file_is_named_after_stands_for_the_file():
    about = [change(day, "プリセットの修正", STORE) for day in range(4)]
    assert meant(about) == {"プリセット": "presetStore"}


def test_an_attribute_is_not_the_thing_that_has_it():
    whole = proposed([change(day, "番組の修正", GUIDE) for day in range(4)])["番組"]
    part = proposed([change(day, "番組数の修正", GUIDE) for day in range(4)])["番組数"]
    assert part.symbol == whole.symbol
    assert part.confidence < 0.8 * whole.confidence


def test_parts_of_a_proposed_term_are_not_proposed_beside_it():
    about = [change(day, "番組表の修正", GUIDE) for day in range(4)]
    alone = [change(20 + day, "番組の修正", GUIDE) for day in range(2)]
    assert len(meant([*about, *alone])) == 1


def test_a_name_that_holds_the_term_needs_no_proposal():
    symbols = {"a.php": (Symbol("会員登録", "会員登録", "function", 1, 9),)}
    changes = [*others(), *(change(day, "会員登録の修正", "a.php") for day in range(5))]
    assert propose(changes, symbols, ("a.php", *CODE), similarity) == []


def test_the_same_history_gives_the_same_proposals_in_the_same_order():
    about = [change(day, f"{term}の修正", GUIDE, PLAYER) for day in range(6) for term in ("番組表", "再生位置", "字幕")]
    first = propose([*about, *others()], SYMBOLS, CODE, similarity)
    assert first == propose([*about, *others()], dict(reversed(SYMBOLS.items())), frozenset(CODE), similarity)
    assert [one.confidence for one in first] == sorted((one.confidence for one in first), reverse=True)


# --- the operation -----------------------------------------------------------------------------------------


@pytest.fixture
def project(sample_repo: Path) -> Iterator[Project]:
    with open_workspace(sample_repo) as made:
        made.sync_index()
        teach(made)
        yield made


def test_a_proposal_names_its_commits_and_the_call_that_confirms_it(project: Project):
    found = project.list_proposals()
    (one,) = found.proposals
    assert (one.nl_term, one.symbol, one.path) == ("決済窓口", "PaymentGateway", PAYMENT)
    assert (found.total, found.commits, one.commits, len(one.evidence)) == (1, 36, 6, 5)
    newest = one.evidence[0]
    assert (newest.commit, newest.date, newest.subject) == ("00000000", "1970-01-06", HOSTILE)


def test_a_proposal_answers_no_question(project: Project):
    assert project.search_map("決済窓口").map_hits == ()
    assert not project.search("決済窓口").map_hits


def test_what_people_decided_is_not_proposed_again(project: Project):
    (one,) = project.list_proposals().proposals
    call = one.next.values["call"]
    assert call.operation == "add_agreement"
    project.add_agreement(**call.arguments)
    assert project.list_proposals().proposals == ()
    project.expire_agreement(one.nl_term)
    assert project.list_proposals().proposals == ()


def test_a_term_whose_other_meaning_expired_is_proposed(project: Project):
    project.add_agreement("決済窓口", symbol=["checkout"])
    assert project.list_proposals().proposals == ()
    project.expire_agreement("決済窓口")
    assert [one.symbol for one in project.list_proposals().proposals] == ["PaymentGateway"]


def test_proposals_can_be_narrowed(project: Project):
    assert project.list_proposals("gateway").total == 1
    nothing = project.list_proposals("zyxwvut")
    assert (nothing.total, nothing.next.code) == (0, "proposals.none")


def test_without_history_there_is_nothing_to_learn_from(sample_repo: Path):
    with open_workspace(sample_repo) as made:
        found = made.list_proposals()
    assert (found.proposals, found.commits, found.next.code) == ((), 0, "proposals.no_history")


def test_a_symbol_that_is_gone_is_not_proposed(project: Project):
    store = project.workspace.store
    gone = [replace(one, files=(TouchedFile("src/gone.py", ("Gone",)),)) for one in store.past_changes()]
    store.write_changes(gone)
    assert project.list_proposals().proposals == ()
