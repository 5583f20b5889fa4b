"""The metrics as Prometheus reads them."""

import re

from shirube.features.team.metrics import CallMetrics


def test_calls_are_counted_by_operation_and_how_they_ended():
    metrics = CallMetrics()
    metrics.answered("search", "ok", 0.02, 100)
    metrics.answered("search", "ok", 30.0, 5)
    metrics.answered("read", "unknown_file", 0.001, 0)
    metrics.refused(401)
    metrics.lost()
    text = metrics.text(open_repositories=2)
    assert 'shirube_calls_total{operation="search",outcome="ok"} 2' in text
    assert 'shirube_refused_total{status="401"} 1' in text
    assert 'shirube_call_seconds_bucket{operation="search",le="0.025"} 1' in text
    assert 'shirube_call_seconds_bucket{operation="search",le="10"} 1' in text
    assert 'shirube_call_seconds_bucket{operation="search",le="+Inf"} 2' in text
    assert 'shirube_call_seconds_count{operation="search"} 2' in text
    assert "shirube_answer_tokens_total 105" in text
    assert "shirube_audit_lost_total 1" in text
    assert "shirube_open_repositories 2" in text
    assert all(re.fullmatch(r"# TYPE \S+ \w+|[a-z_]+(\{[^{}]*\})? [0-9.e+]+", line) for line in text.splitlines())
