import shirube.mcp
from shirube.mcp.serve import serve_stdio


def test_the_door_offers_one_function():
    assert shirube.mcp.__all__ == ["serve_stdio"]
    assert shirube.mcp.serve_stdio is serve_stdio
