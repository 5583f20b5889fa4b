"""What every command has in common."""

import argparse
import json

import pytest

from shirube.cli.command import Command, common, family, show
from shirube.cli.main import Parser


@pytest.fixture
def told():
    return []


@pytest.fixture
def parser(told):
    members = (
        Command("list", "list them", common, lambda options: told.append(("list", options.json)) or 0),
        Command("add", "add one", lambda sub: sub.add_argument("name"), lambda options: told.append(options.name) or 0),
    )
    made = Parser(prog="shirube")
    fruit = family("fruit", "what there is", members)
    sub = made.add_subparsers(parser_class=Parser).add_parser("fruit")
    fruit.declare(sub)
    sub.set_defaults(run=fruit.run)
    return made


def test_a_family_runs_the_member_that_is_named(parser, told):
    for line in (["fruit", "list", "--json"], ["fruit", "add", "柿"]):
        options = parser.parse_args(line)
        assert options.run(options) == 0
    assert told == [("list", True), "柿"]


def test_a_family_takes_the_root_after_the_member(parser):
    assert parser.parse_args(["fruit", "list", "--root", "x"]).root == "x"


def test_a_member_nobody_knows_is_refused_with_the_nearest(parser):
    with pytest.raises(Exception, match="unknown command 'lst'"):
        parser.parse_args(["fruit", "lst"])


def test_a_result_is_printed_as_json_or_as_text(capsys):
    show(argparse.Namespace(json=True), {"名": 1}, lambda: "text")
    show(argparse.Namespace(json=False), {"名": 1}, lambda: "text")
    first, second = capsys.readouterr().out.splitlines()
    assert (json.loads(first), second) == ({"名": 1}, "text")
