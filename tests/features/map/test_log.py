from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube.engine.store.journal import Journal
from shirube.features.map.facts import read_facts
from shirube.features.map.records import Decision, Outcome, Result, add_record, decisions, forget, lessons, outcomes


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal.sqlite", 5.0, lambda: 1)
    yield made
    made.close()


@pytest.mark.requirement("003-DECISION-01", "003-OUTCOME-01", "N003-LOG-01")
def test_decisions_and_outcomes_are_kept_with_the_project(journal: Journal):
    first = add_record(journal, Decision("a", "q"))
    add_record(journal, Outcome("a", Result.SUCCESS))
    second = add_record(journal, Outcome("b", Result.FAILURE))
    assert first.startswith("decision_a_")
    assert second.startswith("outcome_b_")
    assert [one.query for one in decisions(journal)] == ["q"]
    assert [one.outcome for one in outcomes(journal)] == [Result.SUCCESS, Result.FAILURE]
    assert [one.record_id for one in outcomes(journal, "b")] == [second]


def test_what_is_to_be_forgotten_teaches_nothing_more_and_is_still_recorded(journal: Journal):
    for name in "aab":
        add_record(journal, Outcome(name, Result.SUCCESS))
    assert len(lessons(journal)) == 2
    assert forget(journal) == 3
    assert lessons(journal) == ()
    add_record(journal, Outcome("c", Result.SUCCESS))
    assert [one.session_id for one in lessons(journal)] == ["c"]
    assert len(outcomes(journal)) == 4


def test_a_record_that_nobody_understands_is_left_out(journal: Journal):
    journal.append("outcomes", {"outcome": "sideways"})
    assert outcomes(journal) == ()


def test_a_session_is_read_from_the_journal(journal: Journal):
    assert read_facts(journal, "a") is None
    journal.put("session", "a", {"request": "r"})
    journal.append("session:a", {"kind": "call", "operation": "search", "seen": ["x.py"]})
    found = read_facts(journal, "a")
    assert found is not None
    assert (found.request, found.explored) == ("r", ("x.py",))
