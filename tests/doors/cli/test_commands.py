import io
import json
import re
from pathlib import Path

import pytest

from shirube.doors.cli.commands import COMMANDS
from shirube.operations import OPERATIONS
from tests.cases import for_each
from tests.doors import agreed
from tests.doors.conftest import Runner
from tests.doors.test_doors import in_session, needed

CONTROL = {chr(number) for number in range(32)} - {"\n", "\t"}


def test_commands_have_one_line_of_help():
    listed = [*COMMANDS.values(), *(one for entry in COMMANDS.values() for one in entry.members.values())]
    assert all(entry.help and "\n" not in entry.help for entry in listed)


def test_the_commands_of_this_step_are_there():
    assert {"index", "status", "doctor", "search", "grep", "call", "serve"} <= {*COMMANDS}


def test_index_tells_what_it_did_and_then_that_nothing_is_left(fresh_cli: Runner):
    first, second = fresh_cli("index"), fresh_cli("index")
    assert first.code == second.code == 0
    assert "added" in first.out
    assert "no changes" in second.out


def test_index_as_json_is_the_result_of_the_operation(fresh_cli: Runner):
    assert json.loads(fresh_cli("index", "--full", "--json").out)["totals"]["added"] > 5


def test_index_takes_the_project_as_its_argument(
    fresh_cli: Runner, sample_repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ran = fresh_cli("index", str(sample_repo), "--json")
    assert "web/cart.ts" in json.loads(ran.out)["added"]


def test_index_with_a_project_named_works_from_anywhere(
    fresh_cli: Runner, sample_repo: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir("/")
    assert fresh_cli("index", str(sample_repo)).code == 0


def test_index_of_what_is_no_directory_is_refused(fresh_cli: Runner, tmp_path: Path):
    ran = fresh_cli("index", str(tmp_path / "missing"))
    assert (ran.code, ran.out) == (2, "")
    assert "not a directory" in ran.err


def test_a_call_that_would_leave_a_sync_behind_waits_for_it_and_says_so(fresh_cli: Runner):
    result = json.loads(fresh_cli("call", "sync_index", "--json", '{"wait": false}').out)
    assert (result["job"]["state"], result["totals"]["added"] > 5) == ("done", True)
    assert "waited for" in result["warnings"][0]
    assert json.loads(fresh_cli("index", "--json").out)["warnings"] == []


def test_search_joins_its_words(cli: Runner):
    assert json.loads(cli("search", "retry", "policy", "--json").out)["query"] == "retry policy"


def test_search_narrows_by_path_language_kind_and_number(cli: Runner):
    def hits(*options: str) -> list[dict[str, object]]:
        found = cli("search", "retry payment cart price shop", "--json", *options)
        return json.loads(found.out)["forest_hits"]

    assert {hit["path"] for hit in hits("--path", "web")} == {"web/cart.ts", "web/price.ts"}
    assert {hit["language"] for hit in hits("--lang", "typescript", "--lang", "markdown")} == {
        "typescript",
        "markdown",
    }
    assert {hit["kind"] for hit in hits("--kind", "class")} == {"class"}
    assert len(hits("-k", "2")) == len(hits("--limit", "2")) == 2


@for_each("mode", ["auto", "hybrid", "lexical", "dense"])
def test_search_takes_every_mode(cli: Runner, mode: str):
    assert cli("search", "cartTotal", "--mode", mode).code == 0


@for_each("number", ["0", "101", "-3"])
def test_search_refuses_a_number_out_of_bounds(cli: Runner, number: str):
    ran = cli("search", "retry", f"-k{number}")
    assert ran.code == 2
    assert "from 1 to 100" in ran.err


def test_search_shows_why_when_asked(cli: Runner):
    assert "text:words +" in cli("search", "cartTotal", "--why").out
    assert "text:words +" not in cli("search", "cartTotal").out


def test_the_points_shown_with_why_add_up_to_the_score(cli: Runner):
    for hit in json.loads(cli("search", "retry payment cart", "--json").out)["forest_hits"]:
        assert hit["score"] == pytest.approx(sum(reason["points"] for reason in hit["why"]), abs=1e-3)


def test_search_takes_what_it_is_for_and_which_files_come_first(cli: Runner):
    def first(*options: str) -> str:
        return json.loads(cli("search", "retry policy", "--json", *options).out)["forest_hits"][0]["path"]

    assert first() == "src/shop/retry.py"
    assert first("--boost-profile", "docs") == "README.md"
    assert "boost:test +" in cli("search", "checkout receipt", "--profile", "testfail", "--why").out


def test_search_takes_the_files_at_hand(cli: Runner):
    ran = cli("search", "retry", "--editing", "src/shop/payment.py", "--editing", "web/cart.ts", "--why")
    assert "editing +" in ran.out


@for_each(
    ("options", "words"),
    [
        (("--profile", "bugfx"), "did you mean 'bugfix'?"),
        (("--boost-profile", "dosc"), "did you mean 'docs'?"),
        (("--editing", "../x"), "leads out of the project"),
    ],
)
def test_search_refuses_a_profile_or_file_it_does_not_know(cli: Runner, options: tuple[str, ...], words: str):
    ran = cli("search", "retry", *options)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_search_goes_on_where_the_previous_page_ended(cli: Runner):
    _, place, *_, more = cli("search", "payment", "--max-tokens", "150").out.splitlines()
    command = more.removeprefix("more: ")
    assert re.fullmatch(r"shirube search payment --max-tokens 150 --skip \d+", command)
    further = cli(*command.split()[1:]).out
    assert place.startswith("src/shop/payment.py:")
    assert place not in further
    assert further.startswith("further places:\n")


def test_search_says_how_sure_it_is(cli: Runner):
    assert re.match(r"unsure \(\d+%\):\n", cli("search", "retry zebra quokka wombat").out)
    assert re.match(r"found \(\d+% sure\):\n", cli("search", "cartTotal").out)


def test_search_sends_no_control_character_of_the_project_to_the_terminal(fresh_cli: Runner, sample_repo: Path):
    evil = "\x1b]0;owned\x07\x1b[31mred\x9b2J\u202e"
    (sample_repo / "evil.py").write_text(f"def trap():\n    return '{evil} zebra'\n")
    (sample_repo / "evil.md").write_text(f"# Zebra {evil} title\n\nzebra\n")
    for options in ((), ("--why",)):
        out = fresh_cli("search", "zebra", *options).out
        assert "evil.py" in out
        assert "evil.md" in out
        assert not set(out) & (CONTROL | {"\x9b", "\u202e"})


def test_search_sends_no_control_character_of_a_file_name_to_the_terminal(fresh_cli: Runner, sample_repo: Path):
    (sample_repo / "a\x1b[2Jb.py").write_text("def zebra():\n    pass\n")
    for arguments in (("search", "zebra"), ("status",), ("index", "--full"), ("doctor",)):
        assert not set(fresh_cli(*arguments).out) & CONTROL


GOLDEN = """\
src/shop/payment.py-2-
src/shop/payment.py:3:24:from shop.retry import with_retries
src/shop/payment.py-4-
--
src/shop/payment.py-28-    \"\"\"Charge the card, trying again when the bank is slow.\"\"\"
src/shop/payment.py:29:12:    return with_retries(lambda: gateway.charge_card(amount))
--
src/shop/retry.py-9-
src/shop/retry.py:10:5:def with_retries(action: Callable[[], Result]) -> Result:
src/shop/retry.py:11:40:    \"\"\"Call the action until it works; 三回まで再試行する.\"\"\"
src/shop/retry.py-12-    for attempt in range(ATTEMPTS):
"""


def test_grep_shows_path_line_column_and_text_with_context(cli: Runner):
    ran = cli("grep", "with_retries", "-e", "三回まで", "--path", "src", "-C", "1")
    assert (ran.code, ran.out, ran.err) == (0, GOLDEN, "")


def test_grep_as_json_is_the_result_of_the_operation(cli: Runner):
    result = json.loads(cli("grep", "cartTotal", "--json").out)
    assert [(match["file"], match["line"]) for match in result["matches"]] == [("web/cart.ts", 9)]
    assert result["answer"] == "found"


def test_grep_takes_expressions_case_words_languages_and_a_number(cli: Runner):
    def places(*arguments: str) -> list[str]:
        return [":".join(line.split(":")[:2]) for line in cli("grep", *arguments).out.splitlines()]

    assert places("-E", r"^def \w+_retries", r"^class \w+Error") == ["src/shop/payment.py:8", "src/shop/retry.py:10"]
    assert places("CARTTOTAL", "-i") == ["web/cart.ts:9"]
    assert places("price", "-w", "--lang", "ts") == ["web/cart.ts:1", "web/cart.ts:5", "web/cart.ts:10"]
    assert places("def", "-k", "1") == ["src/shop/payment.py:15"]
    assert places("-e=--x", "-e", "cartTotal") == places("--", "cartTotal") == ["web/cart.ts:9"]


def test_grep_tells_beside_the_lines_what_is_not_shown(cli: Runner):
    ran = cli("grep", "a", "-k", "5")
    assert len(ran.out.splitlines()) == 5
    assert "5 of" in ran.err
    assert "--limit shows more" in ran.err


@for_each(
    ("arguments", "words"),
    [
        (("zyzzyva",), "none: no line of 9 files matches"),
        (("CARTTOTAL",), "1 line matches with --ignore-case"),
        (("cart|shop",), "--regex reads them as expressions"),
        (("retry", "--path", "gone"), "unknown: nothing at 'gone' is indexed"),
    ],
)
def test_grep_without_a_match_says_why_on_stderr_and_exits_with_one(
    cli: Runner, arguments: tuple[str, ...], words: str
):
    ran = cli("grep", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert words in ran.err
    silent = cli("grep", *arguments, "--json")
    assert (silent.code, silent.err) == (1, "")


@for_each("arguments", [(), ("",), ("(", "-E"), (*"abcdef",), ("x", "--path", "../.."), ("x", "-k0")])
def test_grep_refuses_what_makes_no_sense(cli: Runner, arguments: tuple[str, ...]):
    ran = cli("grep", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "→" in ran.err


def test_grep_sends_no_control_character_of_the_project_to_the_terminal(fresh_cli: Runner, sample_repo: Path):
    evil = "\x1b]0;owned\x07\x1b[31mred\x9b2J\u202e"
    (sample_repo / "evil\x1b[2J.py").write_text(f"# {evil} zebra {evil}\n# {evil}\n")
    ran = fresh_cli("grep", "zebra", "-C", "1")
    assert "zebra" in ran.out
    assert not set(ran.out + ran.err) & (CONTROL | {"\x9b", "\u202e"})


def test_status_says_what_is_held(fresh_cli: Runner, sample_repo: Path):
    assert "out of date" in fresh_cli("status").out
    fresh_cli("index")
    out = fresh_cli("status").out
    assert "up to date" in out
    assert str(sample_repo) in out
    assert "python 4" in out


def test_doctor_is_content_with_this_machine(cli: Runner):
    ran = cli("doctor", "--json")
    assert ran.code == 0
    assert all(finding["state"] != "bad" for finding in json.loads(ran.out)["findings"])


@for_each("operation", [row for row in OPERATIONS if row.name not in agreed.NEEDED])
def test_call_runs_every_operation(cli: Runner, operation):
    cli("call", "import_plans", "--json", json.dumps(needed("import_plans")))
    arguments = needed(operation.name)
    if operation.group == "session":
        arguments = in_session(
            lambda name, given: json.loads(cli("call", name, "--json", json.dumps(given)).out), operation.name
        )
    ran = cli("call", operation.name, "--json", json.dumps(arguments))
    # The shop has no registry, and says so; tests/doors has one.
    refused = {"command_execute": "unknown_name", "command_build": "bad_argument"}.get(operation.name)
    assert ran.code == (2 if refused else 0)
    assert json.loads(ran.out).get("error", {}).get("code") == refused


def test_call_prints_exactly_the_structured_result(cli: Runner):
    result = json.loads(cli("call", "search", "--json", '{"query": "再試行", "limit": 1}').out)
    assert result["query"] == "再試行"
    assert len(result["forest_hits"]) == 1


def test_call_reads_its_arguments_from_stdin(cli: Runner, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.StringIO('{"query": "cartTotal"}'))
    assert json.loads(cli("call", "search", "--json", "-").out)["forest_hits"]


@for_each(
    "text",
    ["", "{", '{"query": }', "nope", "[]", "3", "null", '"x"', "[" * 100_000],
)
def test_call_refuses_what_is_no_json_object_with_an_example(cli: Runner, text: str):
    ran = cli("call", "search", "--json", text)
    assert ran.code == 2
    assert "--json" in ran.err
    assert "for example" in ran.err


@for_each("form", ["--json={}", "--json"])
def test_call_tells_an_error_as_json(cli: Runner, form: str):
    arguments = ("call", "search", form) if "=" in form else ("call", "search", form, "{}")
    ran = cli(*arguments)
    assert ran.code == 2
    assert json.loads(ran.out)["error"]["message"] == "missing argument 'query'"


def test_call_refuses_an_unknown_operation_and_names_the_nearest(cli: Runner):
    ran = cli("call", "serch")
    assert ran.code == 2
    assert "did you mean 'search'?" in ran.err


def test_call_refuses_an_unknown_argument_and_names_the_nearest(cli: Runner):
    ran = cli("call", "search", "--json", '{"query": "x", "limti": 3}')
    assert ran.code == 2
    assert "did you mean 'limit'?" in ran.err


def test_call_survives_half_a_surrogate_pair(child: Runner):
    for text in ('{"query": "\\ud800"}', '{"\\ud800": 1}'):
        ran = child("call", "search", "--json", text)
        assert "Traceback" not in ran.err
        assert isinstance(json.loads(ran.out), dict)


def test_serve_refuses_an_unknown_toolset_and_names_the_nearest(child: Runner):
    ran = child("serve", "--toolsets", "cor", stdin=-3)
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean 'core'?" in ran.err
