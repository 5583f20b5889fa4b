"""What every command has in common."""

import argparse
import json
from pathlib import Path

import pytest

from shirube.doors.cli.command import ask, show
from shirube.errors import UnknownName


def test_a_result_is_printed_as_json_or_as_text(capsys):
    show(argparse.Namespace(json=True), {"名": 1}, lambda: "text")
    show(argparse.Namespace(json=False), {"名": 1}, lambda: "text")
    first, second = capsys.readouterr().out.splitlines()
    assert (json.loads(first), second) == ({"名": 1}, "text")


def test_an_operation_is_asked_in_the_project_that_is_meant(sample_repo: Path, state_dirs):
    options = argparse.Namespace(root=sample_repo, quiet=True, json=False, max_tokens=0)
    assert ask(options, "find_definitions", {"symbol": "cartTotal"}).definitions[0].file == "web/cart.ts"
    with pytest.raises(UnknownName, match="unknown operation"):
        ask(options, "find_definition", {})
