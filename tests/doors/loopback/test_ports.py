"""Listening on the loopback interface."""

import socket
from pathlib import Path

import pytest

from shirube.doors.loopback import HOST, Seat, listen
from shirube.errors import BadArgument
from tests.cases import for_each
from tests.refusals import refusal


def test_any_free_port_of_this_machine_alone():
    with listen(0) as listener:
        assert listener.getsockname()[0] == HOST
        port = listener.getsockname()[1]
        with socket.socket() as other:
            assert other.connect_ex(("127.0.0.2", port)) != 0


@for_each("port", [-1, 65_536, 10**9])
def test_what_is_no_port_is_refused(port: int):
    with refusal(BadArgument, "http.no_port"):
        listen(port)


def test_a_taken_port_is_refused_with_a_next_step():
    with listen(0) as listener, pytest.raises(BadArgument) as raised:
        listen(listener.getsockname()[1])
    assert "--port" in raised.value.hint


def test_a_seat_knows_its_address():
    assert Seat(80, "t", Path("x")).address == "http://127.0.0.1:80"
