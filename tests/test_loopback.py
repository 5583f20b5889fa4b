"""Who may speak to a local port."""

import os
import stat

import pytest

from shirube.loopback import make_token_file, refusal

TOKEN = "secret"
GOOD = {"host": "127.0.0.1:8080", "authorization": "Bearer secret"}


@pytest.mark.parametrize(
    "headers",
    [
        GOOD,
        {**GOOD, "host": "localhost:8080"},
        {**GOOD, "host": "LocalHost:8080"},
        {**GOOD, "host": "[::1]:8080"},
        {**GOOD, "origin": "http://127.0.0.1:8080"},
        {**GOOD, "authorization": "bearer secret"},
    ],
)
def test_a_local_request_with_the_token_is_let_in(headers):
    assert refusal(headers, 8080, TOKEN) is None


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"host": "evil.example:8080"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": "127.0.0.1:9"}, 421),
        ({"host": "127.0.0.1.evil.example:8080"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"origin": "https://127.0.0.1:8080"}, 403),
        ({"origin": "http://127.0.0.1:8080.evil.example"}, 403),
        ({"origin": "http://[bad"}, 403),
        ({"authorization": ""}, 401),
        ({"authorization": "secret"}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Basic secret"}, 401),
        ({"authorization": "Bearer sécret"}, 401),
    ],
)
def test_everybody_else_is_refused(changes, status):
    refused = refusal({**GOOD, **changes}, 8080, TOKEN)
    assert refused is not None
    assert refused[0] == status
    assert TOKEN not in refused[1]


def test_a_token_is_long_new_each_time_and_for_its_owner_only(tmp_path):
    path = tmp_path / "deep" / "token"
    first, second = make_token_file(path), make_token_file(path)
    assert first != second
    assert len(first) >= 32
    assert path.read_text().strip() == second
    assert [entry.name for entry in path.parent.iterdir()] == ["token"]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_link_planted_in_the_token_s_place_is_replaced_not_followed(tmp_path):
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / "token").symlink_to(target)
    make_token_file(tmp_path / "token")
    assert target.read_text() == "precious"
