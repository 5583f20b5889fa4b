"""``shirube ui``."""

import webbrowser
from pathlib import Path
from typing import Any

import pytest

from shirube.doors.cli import main


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    monkeypatch.setattr("shirube.doors.web.serve.serve_ui", lambda *arguments: calls.append(arguments))
    return calls


def test_it_opens_a_browser_unless_told_not_to(served: list[Any], tmp_path: Path):
    assert main(["--root", str(tmp_path), "ui"]) == 0
    assert main(["--root", str(tmp_path), "ui", "--no-open", "--port", "8123"]) == 0
    first, second = served
    assert first[1:] == ({}, 0, webbrowser.open)
    assert second[1:] == ({}, 8123, None)
