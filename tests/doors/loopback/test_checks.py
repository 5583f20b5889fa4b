"""Who may speak to a local port."""

import os
import socket
import stat

from shirube.doors.loopback import drop_token_file, make_token_file, refusal, sweep_token_files, token_file
from tests.cases import for_each

TOKEN = "secret"
GOOD = {"host": "127.0.0.1:8080", "authorization": "Bearer secret"}


@for_each(
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


@for_each(
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


@for_each(
    "host",
    [
        "127.0.0.1:1@evil.example",
        "127.0.0.1:8080@evil.example",
        "evil.example@127.0.0.1:8080",
        "127.0.0.1:8080/",
        "127.0.0.1:8080, evil.example",
        "127.0.0.1:08080",
        "127.1:8080",
        "0.0.0.0:8080",
        "[::1%25lo]:8080",
        "localhost.:8080",
        " 127.0.0.1:8080",
        "http://127.0.0.1:8080",
    ],
)
def test_a_name_that_only_looks_like_ours_is_refused_as_host_and_as_origin(host):
    assert refusal({**GOOD, "host": host}, 8080, TOKEN)[0] == 421
    assert refusal({**GOOD, "origin": f"http://{host}"}, 8080, TOKEN)[0] == 403


@for_each("tail", ["/", "/mcp", "?x", "#x", "\\@evil.example", " http://evil.example"])
def test_an_origin_with_more_than_an_origin_is_refused(tail):
    assert refusal({**GOOD, "origin": f"http://127.0.0.1:8080{tail}"}, 8080, TOKEN)[0] == 403


@for_each("name", ["host", "origin", "authorization"])
def test_a_header_that_comes_twice_is_refused_whichever_is_right(name):
    good = {**GOOD, "origin": "http://127.0.0.1:8080"}
    for pairs in (
        [*good.items(), (name, "evil")],
        [(name, "evil"), *good.items()],
        [*good.items(), (name, good[name])],
    ):
        assert refusal(pairs, 8080, TOKEN)[0] == 400


@for_each(("site", "status"), [("cross-site", 403), ("same-site", 403), ("", 403), ("same-origin", None)])
def test_a_request_that_another_site_caused_is_refused(site, status):
    refused = refusal({**GOOD, "sec-fetch-site": site}, 8080, TOKEN)
    assert (refused[0] if refused else None) == status


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


def test_the_tokens_of_servers_that_died_are_swept_and_no_others(tmp_path):
    with socket.socket() as alive, socket.socket() as dead:
        alive.bind(("127.0.0.1", 0))
        alive.listen()
        dead.bind(("127.0.0.1", 0))  # taken, so that nobody else can listen there, and not listened at
        kept = [token_file(tmp_path, alive.getsockname()[1]), tmp_path / "http-x.token", tmp_path / "other"]
        gone = token_file(tmp_path, dead.getsockname()[1])
        half_made = gone.with_name(gone.name + ".123")
        impossible = token_file(tmp_path, 99_999)
        for path in (*kept, gone, half_made, impossible):
            path.write_text("t")
        sweep_token_files(tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_sweeping_where_nothing_is_kept_yet_does_nothing(tmp_path):
    sweep_token_files(tmp_path / "missing")


def test_a_token_is_taken_away_by_its_owner_only(tmp_path):
    path = tmp_path / "token"
    first, second = make_token_file(path), make_token_file(path)
    drop_token_file(path, first)
    assert path.read_text().strip() == second
    for _ in range(2):
        drop_token_file(path, second)
        assert not path.exists()
