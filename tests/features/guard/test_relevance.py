from collections.abc import Sequence

import pytest

from shirube import Project, open_workspace
from shirube.codec import replace
from shirube.errors import BadArgument, UnknownSession
from shirube.features.guard.session_store import change_session
from shirube.features.guard.state import Phase, Verdict
from tests.cases import for_each
from tests.features.mapped import PAYMENT, edit, session


@pytest.fixture
def project(sample_repo, monkeypatch: pytest.MonkeyPatch):
    """A project with a similarity that is known beforehand; the real one has a test of its own below."""
    near = {"checkout": 0.9, "with_retries": 0.45, "formatPrice": 0.1, "PaymentGateway.refund": 0.6, "refund": 0.3}

    def similarity(term: str, names: Sequence[str]) -> tuple[float, ...]:
        return tuple(near.get(name, 0.0) for name in names)

    with open_workspace(sample_repo) as made:
        made.sync_index()
        monkeypatch.setattr(made.workspace, "similarity", similarity, raising=False)
        yield made


@pytest.mark.requirement("003-RELEVANT-01", "003-RELEVANT-02", "003-RELEVANT-03", "N003-TIERS-01")
def test_the_three_tiers_of_seed_003(project: Project):
    names = ["checkout", "with_retries", "formatPrice", "PaymentGateway.refund", "nowhere"]
    found = project.validate_symbol_relevance(names, target_feature="会計")
    assert {one.symbol: one.tier for one in found.results} == {
        "checkout": "fact",
        "with_retries": "raised",
        "formatPrice": "refused",
        "PaymentGateway.refund": "raised",  # 0.6 is not above 0.6
        "nowhere": "unknown",
    }
    assert found.risk_level == "HIGH"
    assert found.accepted == ("checkout", "with_retries", "PaymentGateway.refund")
    assert found.refused == ("formatPrice",)
    assert found.not_found == ("nowhere",)
    assert "confirm_symbol_relevance" in found.next


def test_a_refusal_says_what_to_do(project: Project):
    found = project.validate_symbol_relevance(["formatPrice"], target_feature="会計")
    assert found.accepted == ()
    assert "search query=会計 shows where the words lead" in found.guidance
    assert found.risk_level == ""


@pytest.mark.requirement("N003-RELEVANT-01")
def test_learned_pairs_come_first_while_they_hold(project: Project):
    project.add_agreement("会計", symbol=["formatPrice"])
    found = project.validate_symbol_relevance(["formatPrice"], target_feature="会計")
    assert [(one.tier, one.source) for one in found.results] == [("fact", "agreement")]
    assert found.cached_matches == ("formatPrice",)
    other = project.validate_symbol_relevance(["checkout"], target_feature="会計")
    assert other.suggestions == ("formatPrice",)
    edit(project, "web/price.ts", "¥", "$")
    assert project.validate_symbol_relevance(["formatPrice"], target_feature="会計").refused == ("formatPrice",)


def test_the_feature_may_come_from_the_session(project: Project):
    frame = {"slots": {"target_feature": {"value": "会計", "quote": "会計"}}}
    found = project.validate_symbol_relevance(["checkout"], session_id=session(project, frame=frame))
    assert found.target_feature == "会計"
    assert (
        project.validate_symbol_relevance(["checkout"], session_id=session(project, "s2")).target_feature
        == "会計の再試行を直す"
    )
    with pytest.raises(BadArgument, match="target_feature"):
        project.validate_symbol_relevance(["checkout"])
    with pytest.raises(BadArgument):
        project.validate_symbol_relevance([" "], target_feature="x")


@pytest.mark.requirement("004-CONFIRM-01", "004-CONFIRM-02")
def test_confirming_keeps_symbol_similarity_and_evidence(project: Project):
    handle = session(project)
    found = project.confirm_symbol_relevance(
        handle, ["checkout"], "`with_retries` を呼んで会計する", target_feature="会計"
    )
    assert [(one.symbol, one.tier, one.similarity, one.path) for one in found.confirmed] == [
        ("checkout", "fact", 0.9, PAYMENT)
    ]
    assert found.evidence_found
    document = project.workspace.journal.get("session", handle)
    assert document is not None
    (kept,) = document.body["confirmed"]
    assert (kept["nl_term"], kept["symbol"], kept["similarity"]) == ("会計", "checkout", 0.9)
    assert "with_retries" in kept["evidence"]


@for_each(("phase", "call"), [(Phase.EXPLORATION, "submit_understanding"), (Phase.READY, "check_write_target")])
def test_the_next_call_is_one_that_the_phase_allows(project: Project, phase: Phase, call: str):
    handle = session(project)
    change_session(project.workspace, handle, lambda now: (replace(now, phase=phase), Verdict(True)))
    found = project.confirm_symbol_relevance(handle, ["checkout"], "`with_retries`", target_feature="会計")
    assert found.next.values["call"].operation == call


def test_a_scaled_session_is_led_to_the_claim_of_what_was_confirmed(project: Project):
    handle = project.start_session("MODIFY", "会計の再試行を直す").session_id
    found = project.confirm_symbol_relevance(handle, ["checkout"], "`with_retries`", target_feature="会計")
    asked = found.next.values["call"]
    assert (asked.operation, asked.arguments["symbols"]) == ("submit_understanding", ["checkout"])


def test_names_that_do_not_exist_are_not_called_far(project: Project):
    found = project.confirm_symbol_relevance(session(project), ["nowhere"], "`with_retries`", target_feature="会計")
    assert found.next == "nothing indexed has these names: search query=会計 shows where the words lead"


def test_what_is_not_near_needs_a_quote_from_its_code(project: Project):
    handle = session(project)
    refused = project.confirm_symbol_relevance(
        handle, ["formatPrice", "nowhere"], "it is the price", target_feature="会計"
    )
    assert refused.confirmed == ()
    assert [one.symbol for one in refused.refused] == ["formatPrice"]
    assert refused.not_found == ("nowhere",)
    assert not refused.evidence_found
    own_name = project.confirm_symbol_relevance(handle, ["formatPrice"], "`formatPrice` does it", target_feature="会計")
    assert own_name.confirmed == ()
    quoted = project.confirm_symbol_relevance(
        handle, ["formatPrice"], "`value.toLocaleString()`", target_feature="会計"
    )
    assert [one.tier for one in quoted.confirmed] == ["raised"]
    assert quoted.risk_level == "HIGH"


def test_evidence_that_is_not_in_the_code_makes_no_fact(project: Project):
    handle = session(project)
    for symbol in ("checkout", "with_retries"):
        found = project.confirm_symbol_relevance(handle, [symbol], "x", target_feature="会計")
        assert (found.confirmed, found.evidence_found) == ((), False)
        assert found.next.code == "session.quote_it"
    named = project.confirm_symbol_relevance(handle, ["checkout"], "checkout() charges", target_feature="会計")
    assert [one.tier for one in named.confirmed] == ["fact"]


@pytest.mark.requirement("003-SRISK-05")
def test_a_doubtful_symbol_raises_the_risk_at_once(project: Project):
    handle = project.start_session("MODIFY", "会計の再試行を直す").session_id
    found = project.confirm_symbol_relevance(handle, ["with_retries"], "`range(ATTEMPTS)`", target_feature="会計")
    assert found.risk_level == project.get_session_status(handle).risk == "HIGH"


def test_a_similarity_below_a_limit_does_not_read_as_the_limit(project: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(project.workspace, "similarity", lambda term, names: (0.5999,))
    (found,) = project.validate_symbol_relevance(["checkout"], target_feature="会計").results
    assert (found.tier, found.why.values["value"]) == ("raised", "0.59")


def test_an_unknown_session_and_empty_evidence_are_refused(project: Project):
    with pytest.raises(UnknownSession):
        project.confirm_symbol_relevance("nobody", ["checkout"], "e")
    with pytest.raises(BadArgument, match="evidence"):
        project.confirm_symbol_relevance(session(project), ["checkout"], " ")


@pytest.mark.requirement("N003-JAPANESE-01")
@pytest.mark.parametrize(
    ("term", "meant", "other"),
    [
        ("再試行", "with_retries", "formatPrice"),
        ("返金", "PaymentGateway.refund", "ATTEMPTS"),
        ("payment gateway", "PaymentGateway", "cartTotal"),
    ],
)
def test_a_japanese_term_is_near_to_the_english_symbol_it_means(sample_repo, term: str, meant: str, other: str):
    with open_workspace(sample_repo, embed__model="static") as project:
        project.sync_index()
        found = {
            one.symbol: one.similarity
            for one in project.validate_symbol_relevance([meant, other], target_feature=term).results
        }
        assert found[meant] > 0.6
        assert found[other] < found[meant]
