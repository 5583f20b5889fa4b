"""The page that looks back."""

from shirube.doors.web.insights import gathered
from shirube.features.guard.session_store import record_event
from shirube.features.guard.state import WriteCheck
from shirube.features.map.records import Outcome, Result, WrittenFile, add_record
from tests.conftest import needs_git
from tests.doors.web.conftest import Site
from tests.features.mapped import PAYMENT, edit, git, session


def test_outcomes_failures_and_correlations_are_shown(site: Site):
    text = site.get("/insights").text
    assert "wrong file" in text
    assert "<code>find_references</code>" in text
    assert "not known: nothing was committed" in text
    assert "1 / 2" in text
    assert text.count('<span class="badge good">success</span>') == 1
    assert 'class="chart lines" role="img" aria-label="success 1, failure 1"' in text


def test_every_drawing_has_words_for_those_who_do_not_see_it(site: Site):
    text = site.get("/insights").text
    assert text.count("<svg") - text.count('aria-hidden="true"') == text.count('role="img" aria-label="')
    assert "as a table" in text


def test_what_the_gate_refused_is_counted_by_day(own_site: Site):
    journal = own_site.project.workspace.journal
    asked = {"moment": "before", "kind": "shell", "client": "c", "targets": ["make"]}
    journal.append("gate", {**asked, "verdict": "advise"})
    journal.append("gate", {**asked, "verdict": "harmless", "moment": "after"})
    text = own_site.get("/insights").text
    assert "advised against 1, harmless after all 1" in text
    assert "100%" in text
    assert "commands that changed nothing" in text


@needs_git
def test_written_lines_are_counted_by_what_git_has(own_site: Site):
    project = own_site.project
    root = project.workspace.root
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "one")):
        git(root, *words)
    handle = session(project)
    record_event(project.workspace, handle, WriteCheck(PAYMENT, True))
    edit(project, PAYMENT, "10_000", "20_000")
    project.record_outcome(handle, outcome="success")
    text = own_site.get("/insights").text
    assert "not committed yet" in text
    assert "not known: nothing was committed" in text
    git(root, "commit", "-qam", "two")
    assert "1 of 1" in own_site.get("/insights").text
    assert project.workspace.head()[:8] in own_site.get(f"/insights?id={handle}").text
    git(root, "revert", "--no-edit", "HEAD")
    text = own_site.get("/insights").text
    assert "0 of 1" in text
    assert "Told as a success, and nothing is left: 1" in text


def test_what_learning_does_is_measured_beside_the_page(own_site: Site):
    assert "from 8 on" in own_site.get("/insights/part/learning").text
    for number in range(10):
        told = Outcome(f"s{number}", Result.SUCCESS, request="retry policy", files=(WrittenFile("src/shop/retry.py"),))
        add_record(own_site.project.workspace.journal, told)
    part = own_site.get("/insights/part/learning").text
    assert part.count("chart dumbbell") == 2
    assert "2 past requests asked again" in part
    page = own_site.get("/insights").text
    assert 'data-later="/insights/part/learning"' in page
    assert "chart dumbbell" in own_site.get("/insights?measure=1").text


def test_many_days_are_gathered_by_month():
    days = {f"2026-{month:02}-{day:02}": {"success": 1} for month in (1, 2) for day in range(1, 21)}
    assert gathered(days) == {"2026-01": {"success": 20}, "2026-02": {"success": 20}}
    assert gathered({"2026-01-01": {"failure": 2}}) == {"2026-01-01": {"failure": 2}}


def test_nothing_recorded_says_what_to_do(own_site: Site):
    text = own_site.get("/insights").text
    assert "Nothing to look back on yet." in text
    assert "record_outcome" in text
    assert "<svg" not in text[text.index("<main") :]
