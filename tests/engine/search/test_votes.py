import pytest

from shirube.codec import replace
from shirube.engine.search.pipeline import Around, search
from shirube.engine.search.votes import SHORT_SUBJECT, TELLING_TERMS, TRANSLATED, most_voted, translation, votes
from shirube.engine.store.memory import MemoryStore
from shirube.engine.store.port import PastChange, SimilarChange, TouchedFile
from shirube.types import Mode, Query
from tests.engine.search.conftest import DEFAULTS, EMBEDDER, entry, filled


def change(number: int, subject: str, *files: TouchedFile | str, **known: object) -> PastChange:
    touched = tuple(TouchedFile(file) if isinstance(file, str) else file for file in files)
    return PastChange(f"{number:040x}", 1_700_000_000 + number, "Ann", subject, files=touched, **known)


def similar(share: float, *files: TouchedFile | str, **known: object) -> SimilarChange:
    return SimilarChange(change(1, "Fix it", *files, **known), share)


# --- the rule ------------------------------------------------------------------------------------------------------


def test_a_commit_that_says_nearly_the_same_is_worth_more_than_many_that_share_a_word():
    voted = votes([similar(0.9, "near.py"), *(similar(0.3, "far.py") for _ in range(10))])
    assert 0 < voted["far.py"].share < voted["near.py"].share < 1


def test_a_commit_with_more_files_says_less_of_each():
    alone, beside = votes([similar(0.5, "a.py")]), votes([similar(0.5, "a.py", "b.py", "c.py")])
    assert alone["a.py"].share > beside["a.py"].share == beside["c.py"].share > 0


def test_a_mass_change_says_nothing_and_a_routine_one_little():
    assert votes([similar(1.0, "a.py", weight=0.0)]) == {}
    assert votes([similar(1.0, "a.py", weight=0.2)])["a.py"].share < votes([similar(1.0, "a.py")])["a.py"].share


def test_a_message_longer_than_the_question_counts_no_more_than_the_whole_of_it():
    assert votes([similar(1.7, "a.py")])["a.py"].share == votes([similar(1.0, "a.py")])["a.py"].share


def test_the_symbols_of_a_file_share_its_votes():
    both = TouchedFile("a.py", ("start", "stop"))
    voted = votes([similar(0.5, both), similar(0.5, TouchedFile("a.py", ("start",)))])["a.py"]
    assert (voted.symbols["start"], voted.symbols["stop"]) == (1.0, 0.5)


def test_the_reason_is_the_commit_that_says_most():
    said = SimilarChange(change(0xABCDEF, "Fix session expiry", "a.py"), 0.9)
    voted = votes([SimilarChange(change(2, "Other"), 0.9), similar(0.2, "a.py"), said])
    assert voted["a.py"].reason == f'history:{said.change.commit[:7]} "Fix session expiry"'
    long = votes([SimilarChange(change(3, "word " * 40, "b.py"), 0.9)])["b.py"].reason
    assert long.endswith('…"')
    assert len(long) < SHORT_SUBJECT + 20


def test_files_are_put_in_order_by_votes_and_then_by_path():
    voted = votes([similar(0.9, "b.py", "a.py"), similar(0.95, "c.py")])
    assert [path for path, _ in most_voted(voted, 2)] == ["c.py", "a.py"]


def test_a_translation_takes_names_from_what_was_touched_and_not_what_is_known():
    voted = votes([similar(0.9, TouchedFile("src/guide.py", ("ProgramGuide", "go")))])
    told = translation(voted, {"guid"})
    assert "program" in told
    assert "guid" not in told  # the question has it already
    assert "go" not in told  # too short to tell anything
    assert 0 < told["program"] < TRANSLATED  # the best is the file's name, which the question has
    many = votes([similar(0.9, TouchedFile("a.py", tuple(f"name{n} other{n}x" for n in range(30))))])
    assert len(translation(many, ())) == TELLING_TERMS


# --- in a search ---------------------------------------------------------------------------------------------------

GUIDE = entry("src/guide.py", "class ProgramGuide: cells", "def paint(): cells", names=["ProgramGuide", "paint"])
PLAYER = entry("src/player.py", "def play(): stream", names=["play"])
QUEUE = entry("src/queue.py", "def queue(): session session", names=["queue"])


@pytest.fixture
def store() -> MemoryStore:
    filler = [entry(f"other/f{number}.py", f"nothing {number}") for number in range(8)]
    made = filled(GUIDE, PLAYER, QUEUE, *filler)
    made.write_changes(
        [
            change(1, "Fix expiry of the ticket", TouchedFile("src/player.py", ("play",))),
            change(2, "薔薇園の表示を修正", TouchedFile("src/guide.py", ("paint",))),
            change(3, "Reformat everything", *(f"other/f{number}.py" for number in range(8)), weight=0.0),
            change(4, "Rename queue", "src/queue.py"),
        ]
    )
    return made


def asked(store: MemoryStore, text: str, around: Around | None = None, config=DEFAULTS, **how: object):
    return search(Query(text, **how), store, EMBEDDER, config, around).hits


def why(hits, path: str) -> dict[str, float]:
    return {reason.name: reason.points for hit in hits if hit.path == path for reason in hit.why}


def test_a_file_without_a_word_of_the_question_is_found_by_its_history(store: MemoryStore):
    hits = asked(store, "ticket expiry", mode=Mode.LEXICAL)
    assert hits[0].path == "src/player.py"
    assert [name for name in why(hits, "src/player.py") if name.startswith("history:")] == [
        f'history:{change(1, "").commit[:7]} "Fix expiry of the ticket"'
    ]
    assert (hits[0].start_line, hits[0].symbol) == (1, "play")


def test_the_place_shown_is_the_one_that_was_touched(store: MemoryStore):
    (first, *_) = asked(store, "薔薇園の表示", mode=Mode.LEXICAL)
    assert (first.path, first.symbol) == ("src/guide.py", "paint")


def test_a_japanese_question_finds_the_symbol_by_what_the_project_calls_it(store: MemoryStore):
    store.write_changes([change(9, "番組表を実装", TouchedFile("src/gone.py", ("ProgramGuide",)))])
    hits = asked(store, "番組表を実装", mode=Mode.LEXICAL)
    assert "text:words" in why(hits, "src/guide.py")  # it has "program guide", which is not in the question


def test_history_can_be_switched_off_and_is_left_out_where_only_the_text_counts(store: MemoryStore):
    off = replace(DEFAULTS, signals=replace(DEFAULTS.signals, history=0.0))
    assert asked(store, "ticket expiry", config=off, mode=Mode.LEXICAL) == ()
    assert asked(store, "ticket expiry", boost_profile="none", mode=Mode.LEXICAL) == ()
    by_sense = asked(store, "ticket expiry", mode=Mode.DENSE)
    assert not any(reason.name.startswith("history") for hit in by_sense for reason in hit.why)


def test_how_often_a_file_changes_counts_only_where_a_change_is_asked_for(store: MemoryStore):
    plain = why(asked(store, "session", mode=Mode.LEXICAL), "src/queue.py")
    assert plain
    assert "changes" not in plain
    wanted = asked(store, "rename session", Around(is_change=True), mode=Mode.LEXICAL)
    assert why(wanted, "src/queue.py")["changes"] > 0


def test_a_mass_change_brings_no_file_in(store: MemoryStore):
    assert asked(store, "reformat everything", mode=Mode.LEXICAL) == ()
