import json

import pytest


@pytest.mark.requirement("002-VIS-01", "002-VIS-02")
def test_a_plan_shows_its_turns_while_it_runs_and_the_six_measures_at_the_end(cli):
    ran = cli("plan", "how", "are", "payments", "retried", "--expect", "ATTEMPTS", "--fresh", "--no-color")
    assert ran.code == 0
    assert "turn 1 of 5: how are payments retried (the goal)" in ran.err
    assert "% sure" in ran.err
    for word in ("keyword", "pattern", "sense", "coverage", "precision", "recall", "fused", "next: read "):
        assert word in ran.out
    assert ran.out.splitlines()[0].startswith(("src/", "README", "tests/"))


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
