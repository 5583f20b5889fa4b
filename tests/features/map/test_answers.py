from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import Shown
from shirube.errors import BadArgument
from shirube.features.guard.recording import with_shown
from shirube.features.guard.state import Recorded
from shirube.features.map.agreement import Agreement
from shirube.features.map.answers import told
from shirube.features.map.files import AGREEMENTS, MapFolder
from shirube.features.map.states import State
from shirube.messages import Speech, render
from shirube.operation import Call
from shirube.types import Answer, Collection, Status
from tests.features.mapped import PAYMENT, edit, session


@pytest.fixture
def project(sample_repo: Path):
    with open_workspace(sample_repo) as made:
        made.sync_index()
        made.add_agreement("会計", symbol=["checkout"], code_evidence="`with_retries` を呼ぶ")
        made.add_agreement("命名規則", doc_type="convention", code_evidence="モジュール名は一語")
        yield made


@pytest.mark.requirement("004-SHORT-01", "003-MAP-01", "004-FIELDS-01")
def test_a_fresh_agreement_answers_and_the_forest_is_not_asked(project: Project):
    found = project.search("会計")
    assert (found.source, found.status, found.short_circuit) == (Collection.MAP, Status.PREVIOUS_SUCCESS, True)
    assert (found.answer, found.forest_hits) == (Answer.FOUND, ())
    (hit,) = found.map_hits
    assert (hit.path, hit.symbol, hit.fresh, hit.state) == (PAYMENT, "checkout", True, "fresh")
    assert hit.preview.startswith("def checkout(")
    assert hit.score == pytest.approx(sum(reason.points for reason in hit.why), abs=1e-3)
    assert "search_forest" in found.next


@pytest.mark.requirement("004-SHORT-02", "N003-MAPHITS-01")
def test_what_is_not_near_enough_is_named_beside_the_forest(project: Project):
    found = project.search("会計 receipt")
    assert (found.source, found.status, found.short_circuit) == (Collection.FOREST, Status.HYPOTHESIS, False)
    assert found.forest_hits
    assert [hit.nl_term for hit in found.map_hits] == ["会計"]


@pytest.mark.requirement("N004-STALE-02", "004-VERIFY-01")
def test_an_agreement_whose_code_changed_answers_no_more(project: Project):
    edit(project, PAYMENT, "trying again when", "once more when")
    found = project.search("会計")
    assert (found.source, found.short_circuit) == (Collection.FOREST, False)
    (hit,) = found.map_hits
    assert (hit.fresh, hit.state) == (False, "changed")
    assert project.search_map("会計").answer == Answer.PARTIAL


def test_of_two_that_are_as_near_the_fact_answers(project: Project):
    project.add_agreement("会計", symbol=["with_retries"])
    edit(project, PAYMENT, "trying again when", "once more when")
    found = project.search("会計")
    assert found.short_circuit
    assert [(hit.symbol, hit.fresh) for hit in found.map_hits] == [("with_retries", True), ("checkout", False)]


def test_a_change_that_nobody_indexed_yet_is_noticed(project: Project):
    file = project.workspace.root / PAYMENT
    file.write_text(file.read_text("utf-8").replace("def checkout", "def pay"), "utf-8")
    found = project.search_map("会計")
    assert found.map_hits[0].state == State.MOVED
    assert found.map_hits[0].now_symbol == "pay"
    assert not found.short_circuit


def test_an_agreement_that_moved_unchanged_still_answers_with_its_new_place(project: Project):
    root = project.workspace.root
    (root / "src/shop/cash.py").write_text((root / PAYMENT).read_text("utf-8"), "utf-8")
    (root / PAYMENT).unlink()
    project.sync_index()
    found = project.search("会計")
    assert found.short_circuit
    assert found.map_hits[0].path == "src/shop/cash.py"


@pytest.mark.requirement("004-CONV-01")
def test_a_convention_answers_as_a_fact(project: Project):
    found = project.search("命名規則")
    assert found.short_circuit
    assert found.map_hits[0].preview == "モジュール名は一語"
    assert found.map_hits[0].path.startswith(AGREEMENTS)


def test_a_narrowed_question_asks_the_forest(project: Project):
    for narrowed in ({"path": "web"}, {"languages": ["python"]}, {"kinds": ["class"]}, {"mode": "lexical"}):
        assert not project.search("会計", **narrowed).short_circuit
    assert not project.search("会計 lang:python").short_circuit


@pytest.mark.requirement("002-QUERY-02")
def test_a_question_that_is_to_be_judged_asks_the_forest_and_names_the_agreement_beside(project: Project):
    found = project.search("会計", evaluateResult=True)
    assert not found.short_circuit
    assert found.evaluation is not None
    assert [hit.nl_term for hit in found.map_hits] == ["会計"]


@pytest.mark.requirement("004-TOOLS-01")
def test_the_forest_alone_does_not_know_the_map(project: Project):
    assert project.search_forest("会計").map_hits == ()


@pytest.mark.requirement("003-SEMANTIC-01", "004-TOOLS-01")
def test_a_collection_can_be_named(project: Project):
    assert project.semantic_search("会計").source == Collection.MAP
    assert project.semantic_search("会計", collection="map").short_circuit
    forest = project.semantic_search("charge card", collection="forest")
    assert (forest.source, forest.map_hits) == (Collection.FOREST, ())
    assert forest.forest_hits
    empty = project.semantic_search("zyzzyva", collection="map")
    assert (empty.answer, empty.source) == (Answer.NONE, Collection.MAP)
    both = project.semantic_search("receipt", target_feature="会計")
    assert both.query == "receipt"


@pytest.mark.requirement("004-TOOLS-01", "004-CAMEL-03")
def test_the_map_is_searched_by_term_and_by_the_words_of_the_symbol(project: Project):
    project.add_agreement("店", symbol=["PaymentGateway"])
    found = project.search_map("payment gateway")
    assert found.map_hits[0].symbol == "PaymentGateway"
    assert found.map_hits[0].symbol_normalized == "payment gateway"
    assert found.tier == "ready"
    assert found.total_agreements == 3


@pytest.mark.requirement("004-SHORT-02")
def test_an_agreement_about_a_similar_term_never_answers_alone(project: Project):
    project.add_agreement("ログイン", symbol=["PaymentGateway"])
    found = project.search("ログアウト")
    assert (found.source, found.short_circuit) == (Collection.FOREST, False)
    assert all(not hit.alone for hit in found.map_hits)
    mapped = project.search_map("ログイン履歴")
    assert (mapped.short_circuit, mapped.tier, mapped.answer) == (False, "exploration", Answer.PARTIAL)
    assert [(view.nl_term, view.fresh, view.alone) for view in mapped.map_hits] == [("ログイン", True, False)]
    assert mapped.next.code == "map.similar"
    assert project.search_map("log in").map_hits[0].alone


def test_the_setting_decides_how_sure_a_translation_answers(sample_repo: Path):
    for enough, alone in ((0.7, True), (0.8, False)):
        with open_workspace(sample_repo, map__short_circuit=enough) as project:
            project.add_agreement("ユーザーの削除", symbol=["checkout"])
            found = project.search_map("remove user")
            assert (found.map_hits[0].similarity, found.map_hits[0].alone, found.short_circuit) == (0.75, alone, alone)


def test_a_session_is_told_what_the_map_has_about_its_request(project: Project):
    workspace = project.workspace
    (hit,) = told(workspace, "会計を直して。空のカートで落ちる", Call())
    assert (hit.nl_term, hit.symbol, hit.path, hit.alone) == ("会計", "checkout", PAYMENT, True)
    (similar,) = told(workspace, "会計の履歴", Call())
    assert (similar.nl_term, similar.alone) == ("会計", False)
    assert told(workspace, "zyzzyva", Call()) == told(workspace, "", Call()) == ()
    recorded = with_shown(Recorded("start_session", "session", asked="会計を直して"), Shown(map_hits=(hit,)))
    assert recorded.symbols == ("checkout",)
    assert [(one.term, one.alone) for one in recorded.maps] == [("会計", True)]


def test_a_term_inside_a_long_request_is_told_and_does_not_answer(project: Project):
    request = "レシートの印刷で会計の金額が合わず、ボタンを何度か押すと画面が固まって操作できなくなるのを調べて"
    (hit,) = told(project.workspace, request, Call())
    assert (hit.nl_term, hit.alone) == ("会計", False)


def test_telling_costs_nothing_when_the_map_is_empty(shop: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shirube.features.map.answers.look_up", None)  # would fail if it were called
    assert told(shop.workspace, "fix the login", Call()) == ()


def test_an_empty_map_says_so_and_costs_nothing(shop: Project, monkeypatch: pytest.MonkeyPatch):
    found = shop.search_map("login")
    assert (found.answer, found.map_hits) == (Answer.NONE, ())
    assert found.next.code == "map.not_agreed_empty"
    monkeypatch.setattr("shirube.features.lookup.search.looked_up", None)  # would fail if it were called
    assert shop.search("retry").map_hits == ()


def test_a_question_without_words_is_refused(project: Project):
    with pytest.raises(BadArgument):
        project.search_map(" ")


@pytest.mark.requirement("004-OPEN-04")
def test_an_added_map_answers_as_a_hypothesis(sample_repo: Path, tmp_path: Path):
    other = MapFolder(tmp_path / "other")
    other.save(Agreement("会計", "checkout", body="# x"))
    with open_workspace(sample_repo, map__extra=str(tmp_path / "other" / ".shirube")) as project:
        project.sync_index()
        found = project.search_map("会計")
        assert found.map_hits[0].origin
        assert not found.short_circuit
        assert project.search("会計").source == Collection.FOREST


@pytest.mark.requirement("004-OPEN-03")
def test_one_that_nobody_used_for_long_is_a_hypothesis_until_it_is_used(
    sample_repo: Path, monkeypatch: pytest.MonkeyPatch
):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        project.add_agreement("会計", symbol=["checkout"])
        project.add_agreement("返金", symbol=["PaymentGateway.refund"])
        clock = project.workspace._clock_ns
        later = clock() + 100 * 86_400 * 10**9
        project.workspace._clock_ns = lambda: later
        assert project.search("会計").short_circuit  # used now
        much_later = later + 100 * 86_400 * 10**9
        project.workspace._clock_ns = lambda: much_later
        assert project.search("会計").short_circuit
        unused = project.search_map("返金").map_hits[0]
        assert (unused.fresh, unused.standing) == (False, "expired")


@pytest.mark.requirement("N004-STALE-01")
def test_every_sync_tells_what_became_of_the_agreements(project: Project):
    assert project.sync_index().map == {"fresh": 2}
    (project.workspace.root / PAYMENT).write_text("x = 1\n")
    assert project.sync_index().map == {"gone": 1, "fresh": 1}


def test_the_map_itself_is_no_forest(project: Project):
    assert not any(path.startswith(".shirube/agreements") for path in project.workspace.store.files())
    assert session(project)


def test_a_session_records_the_agreements_it_shows_and_no_files(project: Project):
    for question, term, files in (
        ("会計", "会計", (PAYMENT,)),
        ("命名規則", "命名規則", (f"{AGREEMENTS}/命名規則.md",)),
    ):
        recorded = with_shown(Recorded("search_map", "search"), project.search_map(question).shown(), "found")
        assert [(one.term, one.files, one.similarity, one.fresh) for one in recorded.maps] == [(term, files, 1.0, True)]
        assert (recorded.seen, recorded.listed, recorded.guessed, recorded.hits) == ((), (), (), 0)
    assert project.search_map("zyzzyva").shown() == Shown()


def test_every_sentence_about_an_agreement_can_be_said_in_japanese(project: Project):
    japanese = Speech("ja")
    told = project.search_map("zyzzyva").next
    assert render(told, japanese) == "これについての合意はありません。コードからは search で探せます"
    edit(project, PAYMENT, "trying again when", "once more when")
    (view,) = project.check_agreements(query="checkout").agreements
    assert render(view.why, japanese).endswith("が合意の通り")
    assert render(project.search_map("会計").next, japanese).startswith("仮説にすぎません（")
    advice = render(project.check_agreements().next, japanese)
    assert advice.startswith("1 件の根拠のコードが変わりました。")
    assert "edit_agreement agreement='会計 → checkout' confirm=true" in advice
