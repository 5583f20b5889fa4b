"""What a reply says is so, in both languages."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from shirube.deadline import Deadline
from shirube.doors.mcp.reply import called
from shirube.doors.mcp.server import Door
from shirube.doors.team.desk import OFFERED, TOOL_NAMES
from shirube.errors import PhaseBlocked
from shirube.messages import groups, render, say, section, step
from shirube.operation import Call
from shirube.operations import NAMES
from tests.conftest import StateDirs, needs_git, write_sample
from tests.doors.mcp.true_replies import Replies
from tests.features.past import write_past

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture
def past(tmp_path: Path, state_dirs: StateDirs) -> Iterator[Replies]:
    write_past(tmp_path / "shop")
    with closing(Replies(tmp_path / "shop")) as replies:
        yield replies


@needs_git
def test_a_sync_that_reads_the_history_alone_does_not_say_that_nothing_was_done(past: Replies, monkeypatch):
    monkeypatch.setattr("shirube.engine.index.history_keeper.HistoryKeeper.complete", lambda *given: 0)
    past("en", "sync_index")
    monkeypatch.undo()
    assert re.fullmatch(r"\d+ files: no changes \(\d commits read\) in \d+\.\d\d s", past("en", "sync_index"))
    assert re.fullmatch(r"\d+ ファイル: 変更なし、\d+\.\d\d 秒", past("ja", "sync_index"))
    read = past("ja", "sync_index", full=True)
    assert re.search(r"履歴のコミット \d 件を読み込み）、\d+\.\d\d 秒$", read)


@pytest.fixture
def commands(tmp_path: Path, state_dirs: StateDirs) -> Iterator[tuple[Replies, Path]]:
    shutil.copytree(EXAMPLES / "registry", tmp_path / "registry")
    with closing(Replies(tmp_path / "registry", {"serve": {"toolsets": "core,commands"}})) as replies:
        yield replies, tmp_path / "registry"


def test_a_registry_is_built_of_what_can_be_rendered_only(commands: tuple[Replies, Path]):
    replies, root = commands
    prompt = root / ".agent/climpt/prompts/git/greet/world/f_default.md"
    prompt.parent.mkdir(parents=True)
    prompt.write_text("---\nc1: git\nc2: greet\nc3: world\ndescription: Greet\n---\nHello.\n", "utf-8")
    for language, reason in (("en", "is rejected by params.two.directiveType.pattern"), ("ja", "pattern ^")):
        before = replies(language, "command_validate").splitlines()[-1]
        built = replies(language, "command_build").splitlines()
        assert any("prompts/git/greet/world/f_default.md" in line and reason in line for line in built)
        assert "30" in built[-1]
        assert replies(language, "command_validate").splitlines()[-1] == before


def test_a_search_without_a_match_says_nothing_else(commands: tuple[Replies, Path]):
    replies, _ = commands
    assert "none of 30 commands answers this" in replies("en", "command_search", query="zzzqqq")
    assert "wider search answers" not in replies("en", "command_search", query="zzzqqq")
    assert "wider search answers" in replies("en", "command_search", query="commit everything quickly please yesterday")
    assert "広い検索で回答" not in replies("ja", "command_search", query="zzzqqq")


def test_what_is_late_promises_nothing(commands: tuple[Replies, Path], monkeypatch: pytest.MonkeyPatch):
    replies, _ = commands
    late = Call(deadline=Deadline(0))
    monkeypatch.setattr("tests.doors.mcp.true_replies.Call", lambda **given: late)
    assert replies("en", "search", query="commit").endswith("ask again, for less if that happens twice")
    assert "残って" not in replies("ja", "search", query="commit")


def test_exported_plans_are_in_the_reply_and_can_be_handed_on(tmp_path: Path, state_dirs: StateDirs):
    one, other = (write_sample(tmp_path / name) for name in ("one", "other"))
    with closing(Replies(one)) as asked, closing(Replies(other)) as taken:
        asked("en", "query_plan", goal="where is the receipt \u202e made", maxIterations=1)
        for language, head in (("en", "1 plan, 0 templates; "), ("ja", "計画 1 件、ひな型 0 件。")):
            first, _, document = asked(language, "export_plans").partition("\n")
            assert first.startswith(head)
            assert "\u202e" not in document
            assert "1" in taken(language, "import_plans", document=document)
        assert json.loads(document)["plans"][0]["goal"] == "where is the receipt \u202e made"
        assert "receipt" in taken("en", "list_plans")
        written = asked("en", "export_plans", path="shared/plans.json")
        assert "shared/plans.json" in written
        assert (one / "shared/plans.json").read_text("utf-8") == f"{document}\n"


@pytest.fixture
def shop(tmp_path: Path, state_dirs: StateDirs) -> Iterator[Replies]:
    with closing(Replies(write_sample(tmp_path / "shop"), {"serve": {"toolsets": "all"}})) as replies:
        yield replies


def test_a_directory_that_does_not_define_a_symbol_is_not_told_by_that_symbol(shop: Replies):
    for language in ("en", "ja"):
        told = shop(language, "add_agreement", nl_term="checkout", symbol=["checkout"], path="web")
        assert told.splitlines()[1].endswith(": src/shop/payment.py")
        assert "src/shop/payment.py" in shop(language, "add_agreement", nl_term="pay", symbol=["checkout"], path="src")


def test_a_place_that_defines_a_name_the_parser_does_not_know_is_not_denied(tmp_path: Path, state_dirs: StateDirs):
    root = write_sample(tmp_path / "shop")
    (root / "web/store.ts").write_text("store.define(ADD_WORD, () => 1);\n")
    with closing(Replies(root)) as replies:
        told = replies("en", "symbol", symbol="ADD_WORD")
        assert "web/store.ts" in told
        assert "no definition of this name is known; these places have it, and one of them may define it" in told
        assert "この中で定義されている可能性があります" in replies("ja", "symbol", symbol="ADD_WORD")


def test_bananas_verify_nothing(shop: Replies):
    decided = {"hypothesis": "h1", "status": "confirmed"}
    call = {"tool": "search_text", "target": "ATTEMPTS", "result": "bananas"}
    for language, told in (("en", "quote a name or a line of it"), ("ja", "名前か行を引用してください")):
        begun = shop(language, "start_session", intent="MODIFY", query=f"retry for ever {language}")
        handle = re.search(r"s_\w+", begun)[0]  # type: ignore[index]
        shop(language, "search", query="retry for ever", session_id=handle)
        shop(language, "submit_understanding", session_id=handle)
        guess = [{"text": "with_retries in src/shop/retry.py counts wrongly", "confidence": "high"}]
        reason = "architecture_unknown"
        shop(language, "submit_semantic", session_id=handle, hypotheses=guess, semantic_reason=reason)
        shop(language, "search_text", patterns=["ATTEMPTS"], session_id=handle)
        refused = shop(language, "submit_verification", session_id=handle, verified=[{**decided, "evidence": call}])
        assert told in refused
        good = {**call, "result": "range(ATTEMPTS)"}
        accepted = shop(language, "submit_verification", session_id=handle, verified=[{**decided, "evidence": good}])
        assert "READY" in accepted


def test_what_may_be_missing_is_told_once_in_a_row(shop: Replies, monkeypatch: pytest.MonkeyPatch):
    unseen = [say("index.unseen", seconds=3)]
    for language in ("en", "ja"):
        shop(language, "sync_index")
    monkeypatch.setattr("shirube.engine.index.keeper.Keeper.refresh", lambda *given, **named: tuple(unseen))
    for language, told in (("en", "may be missing"), ("ja", "秒間の変更")):
        unseen[:] = []
        assert told not in shop(language, "search", query="receipt")
        unseen[:] = [say("index.unseen", seconds=3)]
        assert told in shop(language, "search", query="receipt")
        unseen[:] = [say("index.unseen", seconds=9)]
        assert told not in shop(language, "search", query="receipt")
        assert told not in shop(language, "symbol", symbol="checkout")
        unseen[:] = []
        assert told not in shop(language, "search", query="receipt")
        unseen[:] = [say("index.unseen", seconds=3)]
        assert told in shop(language, "search", query="receipt")


def test_no_sentence_names_a_tool_that_is_not_listed(tmp_path: Path, state_dirs: StateDirs):
    door = Door(tmp_path, {})
    for name in NAMES:
        for arguments in ({}, {"query": "x"}):
            call = door.speech("x").operation(name, arguments)
            assert call.startswith("`shirube ") or call.split(" ")[0] in door.tools
            team = partial(called, TOOL_NAMES)(name, arguments)
            assert team.startswith("`shirube ") or name in OFFERED
    raw = [
        (f"{group}.{key}", word)
        for group in groups()
        for key, row in section(group).items()
        for word in re.findall(r"[a-z]+(?:_[a-z]+)+", " ".join(re.sub(r"\{[^}]*\}", "", text) for text in row))
        if word in NAMES
    ]
    assert raw == [], "an operation is written {@name}, so that each door writes it as its reader has it"


def test_a_call_that_its_phase_forbids_is_named_as_it_was_called(tmp_path: Path, state_dirs: StateDirs):
    door, blocked = Door(tmp_path, {}), PhaseBlocked(step("search_text"), "READY", (), "")
    assert render(blocked.message, door.speech("x")) == "grep is not allowed in READY"
    assert render(blocked.message, door.speech("日本語")) == "grep は READY では使えません"


@needs_git
def test_a_status_and_what_is_left_out_are_said_in_the_readers_language(tmp_path: Path, state_dirs: StateDirs):
    root = write_sample(tmp_path / "shop")
    (root / "big.py").write_text("x = 1\n" * 400_000)
    (root / ".env").write_text("TOKEN=1\n")
    with closing(Replies(root)) as replies:
        english, japanese = (replies(language, "index_status", limit=0) for language in ("en", "ja"))
        assert "complete (up to date)" in replies("en", "index_status") or "empty" in english
        replies("en", "sync_index")
        english, japanese = (replies(language, "index_status") for language in ("en", "ja"))
        assert "state: complete (up to date)" in english
        assert re.search(r"left out: .*too large 1", english)
        assert "状態: 完了（最新）" in japanese
        assert re.search(r"除外: .*大きすぎる 1", japanese)
        assert "big.py (too large)" in replies("en", "symbol", symbol="NoSuchThing")
        assert "big.py（大きすぎる）" in replies("ja", "symbol", symbol="NoSuchThing")
        told = replies("en", "outline", path="big.py")
        assert "left out of the index: too large (2,400,000 bytes)" in told
        assert "大きすぎる（" in replies("ja", "outline", path="big.py")


def test_a_file_that_is_not_there_is_not_called_unindexed(shop: Replies):
    ask = {"file_path": "src/shop/paymet.py", "line": 3}
    told = shop("en", "get_function_at_line", **ask).splitlines()
    assert told == ["there is no file 'src/shop/paymet.py'", "did you mean 'src/shop/payment.py'?"]
    told = shop("ja", "get_function_at_line", **ask).splitlines()
    assert told[0] == "「src/shop/paymet.py」というファイルはありません"
    told = shop("en", "get_function_at_line", file_path="zzz.py", line=3).splitlines()
    assert told == ["there is no file 'zzz.py'", "files_search finds files by parts of their names"]
