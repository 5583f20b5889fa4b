"""The agents of the benchmark of the guard, on the sample project."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.guard.agents import Follower, hasty
from benchmarks.guard.changes import Change, Target, change_of, choose
from benchmarks.guard.conversation import Conversation, Server
from benchmarks.guard.judge import judge, refusals
from benchmarks.guard.lies import LIES, tell
from benchmarks.guard.measure import Played, Player
from benchmarks.guard.replies import gaps, read_call, read_reply
from benchmarks.guard.report import markdown, twelve
from benchmarks.guard.sums import middle_and_high, numbers
from benchmarks.guard.wrong import wrong_files
from benchmarks.quality.data import load
from tests.cases import for_each
from tests.conftest import needs_git, write_sample
from tests.features.guard.conftest import git

from shirube.messages import say

CHANGE = Change(
    "shop", 0, "0" * 40, "charge_card fails for an empty card", (Target("src/shop/payment.py", "charge_card"),)
)
JAPANESE = Change("shop", 1, "0" * 40, "cartTotal が空のカートで失敗する", (Target("web/cart.ts", "cartTotal"),), True)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    root = write_sample(tmp_path / "shop").resolve()
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "begin")):
        git(root, *words)
    serving = Server(root)
    yield serving
    serving.close()


@for_each(
    ("text", "tool", "arguments"),
    [
        ("search query='a b'", "search", {"query": "a b"}),
        ("read path=a/b.py start_line=3", "read", {"path": "a/b.py", "start_line": 3}),
        ("grep patterns=[a.b, 'c d'] regex=true", "grep", {"patterns": ["a.b", "c d"], "regex": True}),
        ("x a={value: it, quote: 'it''s'}", "", {}),
        ("x a={value: '<who>', quote: \"it's\"}", "x", {"a": {"value": "<who>", "quote": "it's"}}),
        ("`shirube call x --json '{\"a\": [1]}'`", "x", {"a": [1]}),
    ],
)
def test_a_proposed_call_is_read(text: str, tool: str, arguments: dict[str, object]):
    read = read_call(text)
    assert (read.tool, read.arguments) == (tool, arguments) if tool else read is None


def test_a_reply_is_read_as_a_model_reads_it():
    reply = read_reply("not yet (EXPLORATION)\nnext\n  read path=a.py\n   look\n  submit why='<why>'\n")
    assert (reply.phase, [one.tool for one in reply.next], reply.next[0].why) == (
        "EXPLORATION",
        ["read", "submit"],
        "look",
    )
    assert gaps(reply.next[1].arguments) == ["<why>"]
    assert read_reply("session_id s_1 MODIFY READY").phase == "READY"
    assert read_reply("src/a.py:1-2\nREADY").phase == ""


@needs_git
@for_each("change", [CHANGE, JAPANESE])
def test_a_careful_agent_comes_to_write_the_right_file(server: Server, change: Change):
    outcome = Follower("careful", server, change, change.targets).play()
    assert outcome.written == dict.fromkeys(change.paths, True), outcome.talk.transcript()
    assert not outcome.dead_end
    assert 0 < outcome.ready <= outcome.calls
    assert 0 < outcome.tokens <= outcome.talk.tokens
    assert [one for one in refusals(outcome.talk, change.name) if one.verdict.startswith("untrue")] == []


@needs_git
def test_hasty_agents_write_nothing(server: Server):
    wrong = Target("src/shop/retry.py", "with_retries")
    outcomes = [one for begins in (False, True) for one in hasty(server, CHANGE, wrong, begins)]
    assert [allowed for one in outcomes for allowed in one.written.values()] == [False] * 4
    assert all(one.refusals for one in outcomes)


@needs_git
def test_no_lie_is_believed(server: Server):
    told = {what: tell(server, CHANGE, what) for what in LIES}
    assert [what for what, (believed, _) in told.items() if believed] == []
    assert all(talk.exchanges[0].tool == "start_session" for _, talk in told.values())


@needs_git
def test_wrong_files_are_never_the_right_ones(server: Server):
    found = list(wrong_files(server, CHANGE, "formatPrice"))
    assert {one.target.path for one in found}.isdisjoint(CHANGE.paths)
    assert len({one.kind for one in found}) == len(found) >= 3
    outcome = Follower("lost", server, CHANGE, (found[-1].target,)).play(found[-1].look)
    assert list(outcome.written) == [found[-1].target.path]


@needs_git
def test_a_refusal_is_held_against_the_repository(server: Server):
    talk = Conversation(server, "")
    talk.call("search", query="charge_card")
    shown = next(path for path, _ in talk.places())
    assert judge(say("guard.not_looked", path=shown), talk, 1) == f"untrue: {shown} was shown"
    assert judge(say("guard.not_looked", path=shown), talk, 0) == "true"
    assert judge(say("session.not_indexed", path="payment.py"), talk, 1).startswith("untrue: payment.py is there")
    assert judge(say("session.not_indexed", path="nowhere.py"), talk, 1) == "true"
    assert judge(say("session.no_file"), talk, 1) == "read"


@needs_git
def test_commits_are_chosen_played_and_reported(tmp_path: Path):
    root = write_sample(tmp_path / "repos" / "shop")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "begin")):
        git(root, *words)
    rows = [
        {"query": f"{name} fails", "relevant": [path], "category": "commit", "sha": "HEAD"}
        for name, path in (("charge_card", "src/shop/payment.py"), ("with_retries", "src/shop/retry.py")) * 4
    ]
    rows.append({"query": "a file that is gone", "relevant": ["gone.py"], "category": "commit", "sha": "HEAD"})
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "shop.json").write_text(json.dumps(rows))
    (tmp_path / "repos.json").write_text(json.dumps([{"name": "shop", "language": "python"}]))
    first, others = choose(tmp_path, load(tmp_path))
    assert choose(tmp_path, load(tmp_path)) == (first, others)
    assert (len(first), len(others)) == (1, 2)
    assert not {one.question.number for one in first} & {one.question.number for one in others}
    player = Player(tmp_path / "kept")
    player.play(others[:1], lies_each=2)
    found = numbers(player.played)
    assert (found["changes"], found["lies"]["told"]) == (1, 2)
    assert sorted(path.name for path in (tmp_path / "kept").iterdir())[:1] == ["careful"]
    head = {"date": "", "machine": "", "command": "", "seed": 1}
    page = markdown({**head, "parts": {"one": found, "none": numbers(Played())}})
    assert "| careful agent |" in page
    assert "| hasty | 1 |" in page
    assert len(twelve(found["rows"]).splitlines()) == 2
    assert middle_and_high([1, 2, 3]) == [2, 2.8]


@needs_git
def test_the_symbol_of_a_change_is_that_of_its_lines(tmp_path: Path):
    root = write_sample(tmp_path / "repos" / "shop").resolve()
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "begin")):
        git(root, *words)
    path = root / "src/shop/payment.py"
    old = path.read_text("utf-8")
    line = next(text for text in old.split("\n") if text.startswith("    ") and old.count(f"{text}\n") == 1)
    path.write_text(old.replace(f"{line}\n", f"{line}  # changed\n"), "utf-8")
    git(root, "commit", "-qam", "change it")
    path.write_text(old, "utf-8")
    row = {"query": "change it", "relevant": ["src/shop/payment.py"], "category": "commit", "sha": "HEAD"}
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "shop.json").write_text(json.dumps([row]))
    (tmp_path / "repos.json").write_text(json.dumps([{"name": "shop", "language": "python"}]))
    (picked,), _ = choose(tmp_path, load(tmp_path))
    serving = Server(root)
    (target,) = change_of(picked, serving.store).targets
    serving.close()
    assert target.symbol
    assert target.symbol.rpartition(".")[2] in old.partition(line)[0]
