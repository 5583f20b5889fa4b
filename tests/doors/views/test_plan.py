import json

import pytest

from shirube import Project
from shirube.codec import replace
from shirube.doors.views.compose import compose
from shirube.doors.views.plan import query, query_plan, show_plan
from shirube.doors.views.screen import Paint, Screen, columns
from shirube.engine.text.budget import tokens_of
from shirube.messages import Speech
from tests.cases import for_each

MODEL = Screen(Paint(False), Speech(), model=True)


@pytest.mark.requirement("002-VIS-01", "002-VIS-02")
def test_a_plan_shows_its_turns_while_it_runs_and_the_six_measures_at_the_end(cli):
    ran = cli("plan", "how", "are", "payments", "retried", "--expect", "ATTEMPTS", "--fresh", "--no-color")
    assert ran.code == 0
    assert "turn 1 of 5: how are payments retried (the goal)" in ran.err
    assert "% sure" in ran.err
    for word in ("keyword", "pattern", "sense", "coverage", "precision", "recall", "next: read "):
        assert word in ran.out
    assert ran.out.splitlines()[0].startswith(("src/", "README", "tests/"))
    assert all(columns(line) <= 80 for line in ran.out.splitlines() if not line.startswith("page: "))


def test_quiet_says_nothing_and_json_is_one_object(cli):
    ran = cli("plan", "cart total", "--quiet", "--json", "--pattern", "reduce", "--rule", "in web/", "--preset", "api")
    assert ran.err == ""
    report = json.loads(ran.out)
    assert report["goal"] == "cart total"
    assert set(report["finalResults"]["evaluation"]) >= {"keywordMatch", "recall"}


def test_nothing_found_is_exit_one(cli):
    assert cli("plan", "zyzzyva", "--quiet").code == 1


def test_plans_are_listed_shown_and_shared(fresh_cli, tmp_path):
    assert fresh_cli("plans").code == 1
    fresh_cli("plan", "再試行の方針", "--quiet")
    listed = fresh_cli("plans")
    assert "再試行の方針" in listed.out
    shown = fresh_cli("plans", listed.out.split()[0])
    assert fresh_cli("plans", "show", listed.out.split()[0]).out == shown.out
    assert "再試行の方針" in shown.out
    assert "1 plan," in fresh_cli("plans", "--export", "plans.json").out
    assert "1 known already" in fresh_cli("plans", "--import", "plans.json").out
    outside = tmp_path / "outside.json"
    assert f"→ {outside}" in fresh_cli("plans", "--export", str(outside)).out
    assert "1 known already" in fresh_cli("plans", "--import", str(outside)).out
    assert "tests  How this project is tested" in fresh_cli("plans", "--presets", "--no-color").out
    assert fresh_cli("plans", "zzz").code == 2


def test_what_gistdex_left_behind_is_taken_in(fresh_cli, sample_repo):
    folder = sample_repo / ".gistdex" / "cache" / "plans"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text('{"planId": "a", "goal": "g", "iterations": []}')
    assert "1 plan," in fresh_cli("import", "gistdex").out
    assert fresh_cli("import", "gistdex", "nowhere").code == 2


def test_everything_is_said_in_the_readers_language(fresh_cli):
    ran = fresh_cli("--lang", "ja", "plan", "再試行の方針", "--expect", "zebra", "--iterations", "1", "--no-color")
    assert "1 回中 1 回目: 再試行の方針（目的そのもの）→ " in ran.err
    assert "終了の理由: 回数の上限。" in ran.out
    assert "見つからない: zebra" in ran.out
    assert "を読んでください" in ran.out
    listed = fresh_cli("--lang", "ja", "plans")
    shown = fresh_cli("--lang", "ja", "plans", listed.out.split()[0])
    assert "再試行の方針（目的そのもの）" in shown.out
    assert "テストの方法" in fresh_cli("--lang", "ja", "plans", "--presets").out
    assert "計画「zzz」はありません" in fresh_cli("--lang", "ja", "plans", "zzz").err


def test_advice_names_commands(fresh_cli):
    assert fresh_cli("plans").out == "no plans: no plan was made yet: 'shirube plan' makes one\n"


def test_a_model_reads_the_goal_how_sure_it_is_the_places_the_turns_and_the_next_step(shop: Project):
    report = shop.query_plan("how are payments retried", initial_queries=("retry policy",), save="none", fresh=True)
    lines = query_plan(report, MODEL).whole.splitlines()
    sure, best = report.finalResults.confidence, report.finalResults.data[0]
    assert lines[0] == f"{report.status.value}, {sure:.0%} sure: how are payments retried"
    assert lines[1] == f"{best.path}:{best.start_line}-{best.end_line} {best.kind} {best.symbol}".rstrip()
    turn = report.iterations[0]
    assert f"turn 1: {turn.evaluationScore:.2f} how are payments retried (the goal)" in lines
    assert query_plan(report, MODEL).notes == (f"plan: {report.planId}", f"next: {report.next}")


@pytest.mark.requirement("002-SHARE-01", "002-OUT-07")
def test_a_model_reads_a_kept_plan_whole_page_by_page(shop: Project):
    expected = {"keywords": ["zebra"], "confidence": 0.99}
    report = shop.query_plan("how are payments retried", expected_results=expected, save="none", fresh=True)
    assert len(report.iterations) > 2
    pages, cursor = [], ""
    while not pages or cursor:
        page = shop.show_plan(report.planId, limit=2, cursor=cursor)
        cursor = page.next_cursor
        view = show_plan(page, MODEL)
        pages.append("\n".join([view.whole, *view.notes]))
        assert not cursor or cursor in pages[-1]
    text = "\n".join(pages)
    for turn in report.iterations:
        assert f"turn {turn.iterationNumber}: {turn.evaluationScore:.2f} {turn.confidence:.0%}" in text
        assert turn.query in text
        assert str(turn.feedback) in text
        assert all(f"{one.path}:{one.start_line}-{one.end_line}" in text for one in turn.actualResults)
        assert all(f"then: {step}" in text for step in turn.refinements)


@for_each("tokens", [60, 90, 150, 400])
def test_the_text_of_a_plan_keeps_its_budget(shop: Project, tokens: int):
    report = shop.query_plan("how are payments retried", save="none")
    screen = replace(MODEL, tokens=tokens)
    text = compose(query_plan(report, screen), screen).text
    assert tokens_of(text) <= tokens
    assert text.splitlines()[-1] == f"next: {report.next}"


def test_a_routed_question_is_how_it_was_read_and_its_places(shop: Project):
    result = shop.query("who calls with_retries?")
    text = query(result, MODEL).whole.splitlines()
    best = result.results[0]
    assert text[:2] == [str(result.reasoning), f"{best.path}:{best.start_line}-{best.end_line} {best.symbol}"]
    assert query(result, MODEL).notes == (f"next: {result.next}",)
