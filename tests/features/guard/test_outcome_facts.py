import pytest

from shirube import Project, open_workspace
from shirube.errors import UnknownSession
from shirube.features.guard.outcomes import facts, keep_confirmed
from shirube.features.map.facts import ConfirmedSymbol
from tests.features.mapped import session


@pytest.fixture
def project(sample_repo):
    with open_workspace(sample_repo) as made:
        yield made


def test_a_session_is_read_and_an_unknown_one_refused(project: Project):
    session(project, "s1")
    assert facts(project.workspace, "s1").intent == "MODIFY"
    with pytest.raises(UnknownSession, match="no session 's2'"):
        facts(project.workspace, "s2")
    with pytest.raises(UnknownSession):
        keep_confirmed(project.workspace, "s2", ())


def test_confirmed_symbols_are_kept_with_the_session_and_the_latest_word_counts(project: Project):
    handle = session(project, intent="QUESTION")
    keep_confirmed(project.workspace, handle, (ConfirmedSymbol("会計", "checkout", "a.py", "fact", "one", 0.9),))
    known = keep_confirmed(
        project.workspace, handle, (ConfirmedSymbol("会計", "checkout", "a.py", "fact", "two", 0.9),)
    )
    assert [one.evidence for one in known.confirmed] == ["two"]
    assert known.risk == "LOW"


@pytest.mark.requirement("003-RELEVANT-02")
@pytest.mark.parametrize(("intent", "risk"), [("MODIFY", "HIGH"), ("IMPLEMENT", "HIGH"), ("QUESTION", "LOW")])
def test_a_doubtful_symbol_raises_the_risk_of_those_who_write(project: Project, intent: str, risk: str):
    handle = session(project, intent=intent)
    assert keep_confirmed(project.workspace, handle, (ConfirmedSymbol("会計", "checkout", tier="raised"),)).risk == risk
