"""The page of the index."""

from shirube import operations
from shirube.codec import replace
from shirube.features.lookup.results import JobStatus
from shirube.types import SyncReport
from tests.doors.web.conftest import Site


def test_it_tells_what_is_indexed_and_what_is_left_out_and_why(site: Site):
    text = site.get("/index").text
    assert "complete" in text
    assert '<div class="cell">python</div>' in text
    assert "<code>.env</code>" in text
    assert '<div class="cell">secret</div>' in text
    assert str(site.project.workspace.root) in text


def test_a_form_brings_the_index_up_to_date(own_site: Site):
    root = own_site.project.workspace.root
    (root / "fresh.py").write_text("def freshly_made(): ...\n")
    answer = own_site.post("/index/sync")
    assert answer.headers["location"] == "/index?done=sync"
    job = own_site.project.workspace.keeper.job
    assert job is not None
    job.wait(None)
    assert "fresh.py" in (job.report or SyncReport()).added
    assert "being brought up to date" in own_site.get("/index?done=sync").text


def test_progress_is_shown_while_a_sync_runs(site: Site, monkeypatch):
    job = JobStatus(job_id="x", state="running", step="indexing", done=25, total=100, error="")
    status = replace(site.visit().ask(operations.index.index_status), job=job)
    monkeypatch.setattr("shirube.doors.web.pages.Visit.ask", lambda *_, **__: status)
    part = site.get("/index/part/live").text
    assert 'data-state="running"' in part
    assert "indexing: 25 of 100" in part
    assert 'width="25.0"' in part
    assert 'action="/index/stop"' in part


def test_whether_the_files_changed_is_found_out_beside_the_page(own_site: Site):
    page = own_site.get("/index").text
    assert 'data-later="/index/part/fresh"' in page
    assert "as the files are now" in own_site.get("/index/part/fresh").text
    (own_site.project.workspace.root / "fresh.py").write_text("x = 1\n")
    assert "files changed since" in own_site.get("/index/part/fresh").text
    assert "files changed since" in own_site.get("/index?look=1").text


def test_a_failed_sync_is_told(site: Site, monkeypatch):
    job = JobStatus(job_id="x", state="failed", step="", done=0, total=0, error="disk <full>")
    status = replace(site.visit().ask(operations.index.index_status), job=job)
    monkeypatch.setattr("shirube.doors.web.pages.Visit.ask", lambda *_, **__: status)
    assert "disk &lt;full&gt;" in site.get("/index/part/live").text


def test_stopping_what_does_not_run_is_told(own_site: Site):
    own_site.project.workspace.keeper.job = None
    answer = own_site.post("/index/stop")
    assert answer.status_code == 400
    assert "no sync runs" in answer.text
