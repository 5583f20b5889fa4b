import shirube.doors.mcp
from shirube.doors.mcp.serve import serve_stdio


def test_the_door_offers_one_function():
    assert shirube.doors.mcp.__all__ == ["serve_stdio"]
    assert shirube.doors.mcp.serve_stdio is serve_stdio
