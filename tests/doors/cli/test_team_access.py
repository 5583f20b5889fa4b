"""The commands for who may ask a team's server, and the entry that agents get."""

import json
import re

import pytest

from shirube.config import load_config
from shirube.doors.cli.installer import team_address
from shirube.doors.cli.main import main
from shirube.doors.team.serve import check_settings
from shirube.errors import BadArgument, ConfigError
from shirube.features.team.tokens import hash_of, is_secret
from shirube.shared import open_access
from tests.cases import for_each
from tests.doors.agents.house import House
from tests.postgres import shared_server


@pytest.fixture(name="address")
def _address(monkeypatch, state_dirs):
    with shared_server().database() as address:
        monkeypatch.setenv("SHIRUBE_STORE_ADDRESS", address)
        yield address


def test_a_token_is_shown_once_and_kept_by_its_hash(address, capsys):
    assert main(["team", "token", "create", "ann", "--repo", "example.org/*", "--requests", "7", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert is_secret(made["secret"])
    access = open_access(load_config(None))
    assert access.holder(hash_of(made["secret"])).requests == 7
    assert main(["team", "token", "list", "--json"]) == 0
    shown = capsys.readouterr().out
    assert made["secret"] not in shown
    assert [one["token"] for one in json.loads(shown)["tokens"]] == [made["token"]]
    assert main(["team", "token", "revoke", made["token"]]) == 0
    assert access.holder(hash_of(made["secret"])) is None
    access.close()
    capsys.readouterr()
    assert main(["team", "token", "revoke", made["token"]]) == 2
    assert "no usable token" in capsys.readouterr().err
    assert main(["team", "token", "list"]) == 0
    assert "revoked" in capsys.readouterr().out


def test_a_token_is_printed_alone_on_its_line(address, capsys):
    assert main(["team", "token", "list"]) == 0
    assert "no token yet" in capsys.readouterr().out
    assert main(["team", "token", "create", "ann", "--repo", "a/b", "--repo", "a/b", "--repo", "c/*"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert is_secret(first)
    assert re.search(r"ann for a/b, c/\*, until \d{4}-", second)


@for_each(
    "arguments",
    [
        ["--repo", "a", "--days", "0"],
        ["--repo", "a", "--days", "1000"],
        ["--repo", "a", "--days", "nan"],
        ["--repo", ""],
        ["--repo", "a b"],
        ["--repo", "a,b"],
        ["--repo", "a", "--requests", "-1"],
        [],
    ],
)
def test_a_token_without_an_end_or_a_repository_is_not_made(address, capsys, arguments):
    assert main(["team", "token", "create", "ann", *arguments]) == 2
    assert "shirube_" not in capsys.readouterr().out


def test_a_role_that_is_not_there_is_told(address, capsys):
    assert main(["team", "role", "nobody_of_that_name; DROP SCHEMA shirube"]) == 2
    told = capsys.readouterr().err
    assert 'CREATE ROLE "nobody_of_that_name; DROP SCHEMA shirube" LOGIN' in told
    assert main(["team", "token", "list"]) == 0


@for_each(
    "settings",
    [
        {"team.bind": "0.0.0.0"},
        {"team.bind": "0.0.0.0", "team.hosts": ["a.example.org"]},
        {"team.bind": "0.0.0.0", "team.behind_proxy": True},
        {"team.certificate": "/chain.pem"},
        {"team.key": "/key.pem"},
    ],
)
def test_settings_that_would_show_a_token_on_its_way_are_refused(settings):
    with pytest.raises(ConfigError):
        check_settings(load_config(None, settings))
    check_settings(load_config(None, {"team.bind": "0.0.0.0", "team.hosts": ["a"], "team.behind_proxy": True}))


@for_each(
    ("given", "repository", "address"),
    [
        ("https://shirube.example.org", "", "https://shirube.example.org/mcp"),
        ("https://shirube.example.org/mcp/", "", "https://shirube.example.org/mcp"),
        ("https://x.example.org:8443/code", "a/b c", "https://x.example.org:8443/code/mcp/a/b%20c"),
        ("http://127.0.0.1:8080", "", "http://127.0.0.1:8080/mcp"),
    ],
)
def test_an_address_is_written_as_agents_need_it(given, repository, address):
    assert team_address(given, repository) == address


@for_each(
    "given", ["http://example.org", "ftp://example.org", "example.org", "https://", "https://me:pw@example.org", ""]
)
def test_no_token_is_sent_in_plain_text(given):
    with pytest.raises(BadArgument):
        team_address(given, "a")


def test_the_entry_of_a_team_stands_beside_our_own_and_goes_with_it(house: House):
    assert house.run("install", "claude-code", "codex", "--type", "mcp").code == 0
    ran = house.run("install", "claude-code", "codex", "zed", "--team", "https://shirube.example.org")
    assert ran.code == 0
    assert "SHIRUBE_TEAM_TOKEN" in ran.err
    assert "skipped  zed" in ran.out
    servers = json.loads((house.root / ".mcp.json").read_text())["mcpServers"]
    assert servers["shirube"]["args"] == ["serve"]
    assert servers["shirube-team"] == {
        "type": "http",
        "url": "https://shirube.example.org/mcp",
        "headers": {"Authorization": "Bearer ${SHIRUBE_TEAM_TOKEN}"},
    }
    assert 'bearer_token_env_var = "SHIRUBE_TEAM_TOKEN"' in (house.root / ".codex" / "config.toml").read_text()
    assert house.run("uninstall").code == 0
    assert not (house.root / ".mcp.json").exists()
    assert not (house.root / ".codex" / "config.toml").exists()
