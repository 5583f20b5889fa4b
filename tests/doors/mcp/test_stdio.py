"""What may come over the wire, and what the server says to it. Each fault is followed by an ordinary question."""

import json
import sys
from collections.abc import Callable

from tests.cases import for_each
from tests.doors.mcp.client import Server


def call_line(number: object, arguments: str, *, id_last: bool = False) -> bytes:
    rest = f'"method":"tools/call","params":{{"name":"search","arguments":{arguments}}}'
    parts = [rest, f'"id":{json.dumps(number)}'] if id_last else [f'"id":{json.dumps(number)}', rest]
    return ("{" + ",".join(['"jsonrpc":"2.0"', *parts]) + "}").encode()


FAULTS = {
    "bad json": (b"{bad json", None),
    "invalid utf-8": (b"\xff\xfe\x00", None),
    "empty batch": (b"[]", None),
    "batch": (b'[{"jsonrpc":"2.0","id":80,"method":"tools/list"}]', 80),
    "lone surrogate": (call_line(91, '{"query":"\\ud800\\u0000"}'), 91),
    "not a number": (call_line(92, '{"query":"x","limit":NaN}'), 92),
    "depth 100k": (call_line(94, '{"query":"a","d":' + "[" * 100_000 + "]" * 100_000 + "}"), 94),
    "8 MiB line": (call_line(93, '{"query":"' + "x" * (8 << 20) + '"}'), 93),
    "8 MiB line, id last": (call_line(95, '{"query":"' + "x" * (8 << 20) + '"}', id_last=True), 95),
    "line just over the limit, id last": (call_line(96, '{"query":"' + "x" * (4 << 20) + '"}', id_last=True), 96),
    "text id": (b'{"jsonrpc":"2.0","id":"q-1","method":"m","params":"x"}', "q-1"),
    "params are a list": (b'{"jsonrpc":"2.0","id":97,"method":"tools/list","params":[]}', 97),
    "unknown method": (b'{"jsonrpc":"2.0","id":98,"method":"no/such"}', 98),
    "huge id": (b'{"jsonrpc":"2.0","id":100000000000000000000000000000,"method":"no/such"}', 10**29),
    "fractional id": (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', None),
    "tools/call without params": (b'{"jsonrpc":"2.0","id":99,"method":"tools/call"}', 99),
    "arguments are a list": (call_line(100, "[1]"), 100),
}


@for_each("fault", FAULTS)
def test_a_fault_gets_an_error_under_its_id_and_the_next_list_answers(server: Server, fault: str):
    line, number = FAULTS[fault]
    server.send(line)
    reply = server.reply()
    assert reply["id"] == number
    assert reply["error"]["code"] < 0
    assert reply["error"]["message"]
    assert len(json.dumps(reply)) < 5000
    assert server.tools()


@for_each("line", [b"", b"   ", b"\r"])
def test_a_blank_line_is_passed_over_and_the_next_list_answers(server: Server, line: bytes):
    server.send(line)
    assert server.tools()


def test_a_reply_nobody_waits_for_is_passed_over(server: Server):
    server.send({"jsonrpc": "2.0", "id": 5555, "result": {}})
    assert server.tools()


def test_a_long_argument_within_a_sound_line_is_refused_by_the_operation(server: Server):
    result = server.call("search", {"query": "x" * (1 << 20)})
    assert result["isError"]
    assert result["structuredContent"]["code"] == "bad_argument"


def test_two_messages_in_one_write_are_two_messages(server: Server):
    server.send(b'{"jsonrpc":"2.0","id":301,"method":"tools/list"}\n{"jsonrpc":"2.0","id":302,"method":"tools/list"}')
    assert {server.receive()["id"], server.receive()["id"]} == {301, 302}


def test_a_message_in_pieces_is_one_message(server: Server):
    line = b'{"jsonrpc":"2.0","id":303,"method":"tools/list"}'
    assert server.process.stdin is not None
    for byte in line:
        server.process.stdin.write(bytes([byte]))
        server.process.stdin.flush()
    server.send(b"")
    assert server.answer(303)["result"]


def test_windows_line_ends_are_understood(server: Server):
    server.send(b'{"jsonrpc":"2.0","id":304,"method":"tools/list"}\r')
    assert server.answer(304)["result"]


def test_a_last_line_without_an_end_is_still_answered(start: Callable[..., Server]):
    one = start()
    one.initialize()
    assert one.process.stdin is not None
    one.process.stdin.write(b"{bad json")
    assert one.end() == 0
    assert [json.loads(line)["error"]["code"] for line in one.rest()] == [-32700]


STRAY = """
import os, sys, subprocess
from pathlib import Path
from shirube.features.lookup.operations import search
real = search.function
def noisy(project, request):
    print("stray print")
    os.write(1, b"stray write\\n")
    subprocess.run([sys.executable, "-c", "print('stray child', repr(input_left := __import__('sys').stdin.read()))"])
    return real(project, request)
object.__setattr__(search, "function", noisy)
from shirube.doors.mcp.serve import serve_stdio
serve_stdio(Path(sys.argv[1]), {"serve.structured": True})
"""


def test_stray_output_of_ours_and_of_children_stays_off_the_wire(start: Callable[..., Server], served):
    one = start(program=[sys.executable, "-c", STRAY, str(served[0])])
    one.initialize()
    assert one.call("search", {"query": "retry"})["structuredContent"]["forest_hits"]
    assert one.end() == 0
    assert one.rest() == []
    for trace in (b"stray print", b"stray write", b"stray child ''"):
        assert trace in one.stderr
