import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from shirube import __version__
from shirube.doors.cli import commands
from shirube.doors.cli.command import NO_MATCH, OK
from shirube.doors.cli.main import FAILED, INTERRUPTED, build_parser, main
from shirube.engine.store.connection import Connection
from shirube.engine.text.query_terms import read_query
from shirube.errors import ShirubeError, UnknownName
from tests.cases import for_each
from tests.doors.conftest import Runner


def test_a_match_exits_zero_with_data_on_stdout_alone(cli: Runner):
    ran = cli("search", "cartTotal")
    assert ran.code == OK == 0
    assert "web/cart.ts" in ran.out
    assert ran.err == ""


def test_a_search_reads_settings_model_and_question_once(cli: Runner, monkeypatch: pytest.MonkeyPatch):
    cli("index")
    counts: Counter[str] = Counter()

    def counted(place: str, name: str) -> None:
        module = import_module(place)
        work = getattr(module, name)

        def count(*args: Any, **options: Any) -> Any:
            counts[name] += 1
            return work(*args, **options)

        monkeypatch.setattr(module, name, count)

    for place in ("shirube.doors.cli.main", "shirube.workspace"):
        counted(place, "load_config")
    counted("shirube.engine.embed.open", "open_embedder")
    counted("shirube.engine.text.query_terms", "_read")
    read_query.cache_clear()
    ask = Connection.reading
    monkeypatch.setattr(Connection, "reading", lambda self: counts.update(reading=1) or ask(self))
    assert cli("search", "how", "are", "payments", "retried").code == OK
    reading = counts.pop("reading")
    assert counts == {"load_config": 1, "open_embedder": 1, "_read": 1}
    assert reading <= 45  # however many files and hits there are


def test_no_match_exits_one(cli: Runner):
    ran = cli("search", "zyzzyva")
    assert ran.code == NO_MATCH == 1
    assert ran.out.startswith("none: ")


def test_an_error_exits_two_and_is_told_on_stderr_with_the_next_step(cli: Runner):
    ran = cli("search", "retry", "--lang", "pyhton")
    assert ran.code == FAILED == 2
    assert ran.out == ""
    assert ran.err == "shirube: unknown language 'pyhton'\n  → did you mean 'python'?\n"


def test_json_is_one_object_on_stdout(cli: Runner):
    ran = cli("search", "cartTotal", "--json")
    assert ran.code == 0
    assert ran.out.count("\n") == 1
    assert json.loads(ran.out)["forest_hits"][0]["path"] == "web/cart.ts"


def test_an_error_under_json_is_json_too(cli: Runner):
    ran = cli("search", "  ", "--json")
    assert ran.code == 2
    error = json.loads(ran.out)["error"]
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == "bad_argument"
    assert error["message"] in ran.err


@for_each(("typed", "nearest"), [("--jsn", "--json"), ("--rot", "--root"), ("--pth", "--path"), ("--limt", "--limit")])
def test_an_unknown_option_is_refused_and_the_nearest_named(cli: Runner, typed: str, nearest: str):
    ran = cli("search", "retry", typed, "x")
    assert ran.code == 2
    assert typed in ran.err
    assert f"did you mean '{nearest}'?" in ran.err


def test_an_unknown_command_is_refused_and_the_nearest_named(cli: Runner):
    ran = cli("serch", "retry")
    assert ran.code == 2
    assert "'serch'" in ran.err
    assert "search" in ran.err.splitlines()[-1]


@for_each("arguments", [("defs",), ("search", "x", "-k", "many"), ("call",)])
def test_a_command_that_lacks_something_points_to_its_help(cli: Runner, arguments: tuple[str, ...]):
    ran = cli(*arguments)
    assert ran.code == 2
    assert f"shirube {arguments[0]} --help" in ran.err


def test_words_that_are_missing_are_named_as_they_are_typed(cli: Runner):
    ran = cli("search")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("shirube: missing argument 'QUERY'")


@pytest.mark.parametrize("place", ["before", "after", "equals"])
def test_the_root_may_stand_before_or_after_the_command(
    fresh_cli: Runner, sample_repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
):
    monkeypatch.chdir(tmp_path)
    root = str(sample_repo)
    arguments = {
        "before": ("--root", root, "status", "--json"),
        "after": ("status", "--root", root, "--json"),
        "equals": (f"--root={root}", "status", "--json"),
    }[place]
    assert json.loads(fresh_cli(*arguments).out)["root"] == root


@pytest.mark.parametrize("name", ["missing", "file.txt"])
def test_a_root_that_is_no_directory_is_refused(cli: Runner, tmp_path: Path, name: str):
    (tmp_path / "file.txt").write_text("x")
    ran = cli("--root", str(tmp_path / name), "status")
    assert ran.code == 2
    assert f"not a directory: {tmp_path / name}" in ran.err
    assert "give the directory of a project" in ran.err


def test_a_broken_configuration_is_an_error_like_any_other(fresh_cli: Runner, sample_repo: Path):
    (sample_repo / ".shirube/config.toml").write_text("[search]\nlimt = 1\n")
    ran = fresh_cli("status")
    assert ran.code == 2
    assert "did you mean 'limit'?" in ran.err


def test_an_error_cannot_steer_the_terminal(fresh_cli: Runner, sample_repo: Path):
    (sample_repo / ".shirube/config.toml").write_text('[search]\n"\\u001b[2Jlimt" = 1\n')
    ran = fresh_cli("status")
    assert ran.code == 2
    assert "\x1b" not in ran.err


def test_no_command_shows_the_help(cli: Runner):
    ran = cli()
    assert ran.code == 0
    assert "usage: shirube" in ran.out


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_end_well(cli: Runner, capsys: pytest.CaptureFixture[str], option: str):
    with pytest.raises(SystemExit) as caught:
        main([option])
    assert caught.value.code == 0
    assert {"--help": "usage: shirube", "--version": __version__}[option] in capsys.readouterr().out


def test_the_help_lists_every_command(capsys: pytest.CaptureFixture[str]):
    text = build_parser().format_help()
    for name in commands.COMMANDS:
        assert re.search(rf"^ +{name} +\S", text, re.M)


def test_a_family_takes_the_root_after_the_member_and_names_the_nearest_member():
    assert build_parser().parse_args(["commands", "build", "--root", "x"]).root == "x"
    with pytest.raises(UnknownName, match="unknown command 'bild'") as caught:
        build_parser().parse_args(["commands", "bild"])
    assert caught.value.nearest == "build"


def test_an_interruption_exits_as_shells_expect(cli: Runner, monkeypatch: pytest.MonkeyPatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shirube.doors.cli.derived.ask", interrupted)
    ran = cli("search", "retry")
    assert ran.code == INTERRUPTED == 130
    assert ran.err == "shirube: interrupted\n"
    assert cli("--lang", "ja", "search", "retry").err == "shirube: 中断しました\n"


def test_nothing_is_coloured_and_nothing_on_stderr_when_piped(child: Runner):
    for arguments in (("search", "cartTotal", "--why"), ("status",), ("doctor",), ("index",)):
        ran = child(*arguments)
        assert ran.code == 0
        assert ran.err == ""
        assert "\x1b" not in ran.out
        assert "\r" not in ran.out


def test_a_reader_that_went_away_is_no_error(child: Runner):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = child("search", "retry", stdout=writing)
    finally:
        os.close(writing)
    assert (ran.code, ran.err) == (0, "")


def test_a_word_is_never_taken_for_json_output(cli: Runner):
    """After ``--`` everything is a word, and an error is told to a person."""
    ran = cli("search", "--lang", "pyhton", "--", "--json")
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk to write to")
def test_output_that_cannot_be_written_is_an_error_without_a_traceback(sample_repo):
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "shirube", "--root", str(sample_repo), "status"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "the system refused" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_path_cannot_steer_the_terminal(cli: Runner):
    done = cli("search", "retry", "--path", "x\x1b[31m")
    assert "\x1b" not in done.out
    assert "nothing at" in done.out


def test_an_option_in_front_of_the_command_is_told_where_it_belongs(cli: Runner):
    assert "write it behind the command" in cli("--json", "search", "x").err
    assert cli("search", "x", "--zzz").err.count("--root") <= 1


@pytest.mark.parametrize("typed", ["db --port 1 a b", "db a --port 1 b", "db a b --port 1", "--port 1 db a b"])
def test_any_number_of_words_stands_on_both_sides_of_an_option(typed):
    options = build_parser().parse_args(["team", "trial", *typed.split()])
    assert (options.directory.name, options.places, options.port) == ("db", ["a", "b"], 1)


@pytest.mark.parametrize("typed", ["install claude --quiet --wrong codex", "ui a", "team sync a main more"])
def test_a_word_that_has_no_place_is_refused(typed):
    with pytest.raises(ShirubeError):
        build_parser().parse_args(typed.split())


def test_the_command_that_shows_more_can_be_pasted(cli: Runner):
    words = ["search", "retry payment cart", "--max-tokens", "150"]
    (more,) = (line for line in cli(*words).out.splitlines() if line.startswith("more: "))
    program, *typed = shlex.split(more.removeprefix("more: "))
    assert (program, typed[:4], typed[4]) == ("shirube", words, "--skip")
    assert cli(*typed).out.startswith("further places:")
