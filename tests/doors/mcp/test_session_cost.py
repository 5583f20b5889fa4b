"""What a session costs on the wire, as agents get it: the calls, and the tokens of questions and answers."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from shirube.engine.text.budget import tokens_of
from tests.cases import for_each
from tests.doors.mcp.client import Server

PAYMENT, RETRY = "src/shop/payment.py", "src/shop/retry.py"
JAPANESE = re.compile("[぀-ヿ一-鿿]")
WORDS = re.compile(r"[A-Za-z]{3,} [a-z]{2,} [a-z]{2,}")
"""Three words of English prose in a row."""


class Agent:
    """Counts what it says and hears."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.calls = self.tokens = 0
        self.handle = ""

    def call(self, name: str, **arguments: Any) -> str:
        given = {**({"session_id": self.handle} if self.handle else {}), **arguments}
        reply = self.server.call(name, given)
        assert not reply["isError"], reply
        text: str = reply["content"][0]["text"]
        self.calls += 1
        self.last = tokens_of(text)
        self.tokens += self.last + tokens_of(json.dumps(given, ensure_ascii=False))
        return text

    def begin(self, request: str, **more: Any) -> str:
        told = self.call("start_session", intent="MODIFY", query=request, **more)
        self.handle = re.findall(r"s_\w+", told)[0]
        return told

    def follow(self, told: str) -> str:
        """Make the look that an answer proposes first."""
        path, start, end = re.findall(r"read path=(\S+) start_line=(\d+) end_line=(\d+)", told)[0]
        return self.call("read", path=path, start_line=int(start), end_line=int(end))


@pytest.fixture(scope="module")
def own_server(served: Any) -> Iterator[Server]:
    started = Server(*served, "--toolsets", "core,session", text=True)
    started.initialize()
    started.call("search", {"query": "retry"})
    yield started
    started.close()


@pytest.fixture
def agent(own_server: Server) -> Callable[[], Agent]:
    return lambda: Agent(own_server)


SMALL = [
    ("with_retries gives up after the first OSError: it should wait first", "with_retries", RETRY),
    ("retry.py: wait a second before the next attempt", "with_retries", RETRY),
    ("with_retries が最初の OSError で諦める。待ってから再試行して", "with_retries", RETRY),
    ("payment.py の charge_card で 0 円を断って", "PaymentGateway.charge_card", PAYMENT),
]


@for_each(("request_", "symbol", "path"), SMALL)
def test_a_small_aimed_change_takes_three_calls(agent: Callable[[], Agent], request_: str, symbol: str, path: str):
    one = agent()
    told = one.begin(request_)
    one.follow(told)
    ready = one.call("submit_understanding", symbols=[symbol], why="it is there")
    assert ready.startswith("READY")
    assert path in ready.splitlines()[0]
    assert one.calls == 3
    assert one.tokens <= 1500


def test_another_file_is_one_check_of_few_tokens_and_several_are_one_call(agent: Callable[[], Agent]):
    one = agent()
    one.follow(one.begin(SMALL[0][0]))
    one.call("read", path=PAYMENT)
    assert one.call("submit_understanding", symbols=["with_retries"], why="it is there").startswith("READY")
    told = one.call("check_write_target", file_path=PAYMENT)
    assert told.startswith(f"{PAYMENT} may be written")
    assert one.last <= 80
    told = one.call("check_write_target", file_path=[PAYMENT, RETRY, "src/shop/backoff.py"])
    assert all(path in told.splitlines()[0] for path in (PAYMENT, RETRY, "src/shop/backoff.py"))
    assert one.last <= 80


def test_a_frame_may_come_with_the_request(agent: Callable[[], Agent]):
    one = agent()
    frame = {"target_feature": {"value": "the first OSError", "quote": "the first OSError"}}
    told = one.begin(SMALL[0][0], frame=frame)
    assert "!" not in told
    assert "feature=" not in told


def test_a_japanese_request_is_answered_in_japanese_throughout(agent: Callable[[], Agent]):
    one = agent()
    told = [one.begin("with_retries が最初の OSError で諦める。待ってから再試行して")]
    one.follow(told[0])
    told.append(one.call("submit_understanding", symbols=["WarpDrive"]))
    told.append(one.call("submit_understanding", symbols=["PaymentGateway"]))
    told.append(one.call("check_write_target", file_path=RETRY))
    told.append(one.call("submit_understanding", symbols=["with_retries"], why="OSError を捕まえる"))
    told.append(one.call("check_write_target", file_path=["web/cart.ts", RETRY]))
    for text in told:
        assert JAPANESE.search(text), text
        assert not WORDS.search(text), text
