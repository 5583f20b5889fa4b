"""How the simulated agents are played, without their trees."""

from pathlib import Path

import pytest
from benchmarks.agent import grep, semble
from benchmarks.agent.measurements import ratio
from benchmarks.agent.ours import read_reply
from benchmarks.agent.play import Outcome, Reply, Round, beginning, in_view, play, tokens_of
from benchmarks.agent.tasks import Task, spread
from benchmarks.agent.tree import Tree

LINES = [f"line {number}" for number in range(1, 101)]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    (tmp_path / "a.py").write_text("\n".join(LINES) + "\n", "utf-8")
    (tmp_path / "b.py").write_text("def retry(delay):\n    wait(delay)\n", "utf-8")
    (tmp_path / "notes.md").write_text("retry\n", "utf-8")
    return Tree(tmp_path, globs=("!*.md",))


def test_a_line_is_in_view_only_where_it_stands() -> None:
    reply = Reply("", (("a.py", 3, 5),), (("a.py", 1, 90),))
    assert in_view(reply, [("b.py", 4), ("a.py", 5)])
    assert not in_view(reply, [("a.py", 6)])


def test_tokens_are_rounded_up() -> None:
    assert [tokens_of(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]


def test_an_agent_opens_in_order_then_falls_back_then_reads_the_file(tree: Tree) -> None:
    listed = tuple(("a.py", at, at + 1) for at in (1, 11, 21, 31))
    first = Round(lambda: Reply("x" * 40, (), listed), tree.read)
    in_order = play([first], lambda: tree.whole("a.py"), [("a.py", 22)], picks=False)
    assert (in_order.calls, in_order.success, in_order.first) == (4, True, False)
    assert in_order.tokens == 10 + 4 + 4 + 4
    missed = play([first], lambda: tree.whole("a.py"), [("a.py", 32)], picks=False)
    assert (missed.calls, missed.success) == (5, False)
    assert missed.tokens > in_order.tokens + tokens_of("\n".join(LINES)) - 4


def test_an_agent_that_picks_opens_only_the_right_place(tree: Tree) -> None:
    listed = tuple(("a.py", at, at + 1) for at in (1, 11, 21, 31))
    first = Round(lambda: Reply("", (), listed), tree.read)
    assert play([first], lambda: tree.whole("a.py"), [("a.py", 32)], picks=True).calls == 2
    assert play([first], lambda: tree.whole("a.py"), [("a.py", 99)], picks=True).calls == 2


def test_a_stream_is_cut_at_a_number_of_tokens(tree: Tree) -> None:
    stream = [tree.read(("a.py", 1, 9)), tree.read(("a.py", 50, 59))]
    assert beginning(stream, 4).shown == (("a.py", 1, 1), ("a.py", 2, 2))
    assert len(beginning(stream, 1000).shown) == 19


def test_grep_looks_for_rare_words_first_and_reads_around_them(tree: Tree) -> None:
    assert grep.telling_words("how are failed requests retried after get_delay") == [
        "fail",
        "request",
        "retri",
        "after",
        "get_delay",
    ]
    (first,) = grep.rounds(tree, "which line waits with the delay")
    reply = first.ask()
    assert reply.text.splitlines()[:2] == ["b.py:1:def retry(delay):", "b.py:2:    wait(delay)"]
    assert reply.shown[:2] == (("b.py", 1, 1), ("b.py", 2, 2))
    assert reply.listed[0][0] == "b.py"
    assert first.open(("b.py", 1, 80)).shown == (("b.py", 1, 3),)


def test_grep_counts_the_lines_that_have_a_word(tree: Tree) -> None:
    assert len(tree.matches("line")) == 100
    assert [tree.place(line) for line in sorted(tree.matches("delay"))] == [("b.py", 1), ("b.py", 2)]
    assert not tree.matches("nowhere")


def test_a_reply_is_read_by_its_places(tree: Tree) -> None:
    text = "\n".join(
        [
            "sure (90%):",
            "a.py:10-20 function f",
            "line 10",
            "… 11-14",
            "line 15",
            "… 16-20",
            "b.py:1-2 def retry(a, b):, 5 f",
            "more: skip 1",
        ]
    )
    reply = read_reply(text, tree, lambda path, line: line + 4)
    assert reply.shown == (("a.py", 10, 10), ("a.py", 15, 15))
    assert reply.listed == (("b.py", 1, 2), ("b.py", 5, 9), ("a.py", 10, 20))


def test_text_that_is_not_the_file_is_not_in_view(tree: Tree) -> None:
    assert read_reply("a.py:10-12 function f\nsomething else\nline 12", tree, lambda path, line: line).shown == ()


def test_tasks_are_spread_evenly() -> None:
    assert spread(range(10), 4) == [0, 2, 5, 7]
    assert spread(range(3), 4) == [0, 1, 2]


def test_a_ratio_is_that_of_the_sums() -> None:
    tasks = [Task("place", name, number, "", ()) for number, name in enumerate(("x", "x", "y"))]
    own = {task: Outcome(10, 0, 1, True, True) for task in tasks}
    other = {task: Outcome(tokens, 0, 1, True, True) for task, tokens in zip(tasks, (20, 30, 50), strict=True)}
    value, low, high = ratio(tasks, own, other, "tokens", rounds=100)
    assert value == pytest.approx(0.3)
    assert low <= value <= high


def test_semble_lists_what_was_cut() -> None:
    pytest.importorskip("semble")
    from semble.types import Chunk, SearchResult

    chunk = Chunk("one\ntwo\nthree", "a.py", 5, 7, "python")
    reply = semble.reply("what", [SearchResult(chunk, 1.0)], [2])
    assert reply.shown == (("a.py", 5, 6),)
    assert reply.listed == (("a.py", 5, 7),)
    assert '"content": "one\\ntwo"' in reply.text
