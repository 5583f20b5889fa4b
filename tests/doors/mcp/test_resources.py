"""What can be read by its address."""

import json
from pathlib import Path

import pytest

from shirube.doors.mcp.resources import KINDS, address, address_of, list_resources, read_resource, templates
from shirube.errors import ShirubeError
from shirube.operation import Call
from shirube.operations import run
from shirube.workspace import Workspace
from tests.cases import for_each
from tests.conftest import sync
from tests.doors.mcp.client import Server
from tests.refusals import refusal


def read(workspace: Workspace, uri: str, kinds=KINDS) -> str:
    (content,) = read_resource(workspace, uri, kinds, Call(patient=True)).contents
    assert content.uri == uri
    return content.text


def test_addresses_are_written_and_read_back():
    for path in ("src/a b.py", "日本語/返金.py", "odd/100%?#.py"):
        found = address_of(address("file", path))
        assert (found.kind, found.path) == ("file", path)
    assert address("agreement", "a/b") == "shirube://agreement/a%2Fb"
    assert address_of("shirube://file/src%2Fa.py").path == "src/a.py"


@for_each(
    "uri",
    [
        "shirube://file/../etc/passwd",
        "shirube://file/%2e%2e/%2e%2e/etc/passwd",
        "shirube://file/src/..%2f..%2fetc%2fpasswd",
        "shirube://file//etc/passwd",
        "shirube://file/./src",
        "shirube://file/a%00b",
        "shirube://file/",
        "shirube://file",
        "shirube://other/x",
        "file:///etc/passwd",
        "shirube://user@file/x",
        "shirube://file:80/x",
        "shirube://file/%ff",
        "shirube://[bad",
        "",
    ],
)
def test_an_address_that_leads_elsewhere_is_refused(uri: str):
    with pytest.raises(ShirubeError):
        address_of(uri)


def test_an_indexed_file_is_read_whole_or_by_lines(workspace: Workspace):
    sync(workspace)
    whole = (workspace.root / "README.md").read_text("utf-8")
    assert read(workspace, "shirube://file/README.md") == whole
    assert read(workspace, "shirube://file/README.md?start=1&end=1") == whole.splitlines(keepends=True)[0]


@pytest.mark.parametrize("path", [".env", "build/out.py", "missing.py", "src", ".git/config"])
def test_what_is_not_indexed_is_not_read(workspace: Workspace, path: str):
    sync(workspace)
    with pytest.raises(ShirubeError) as caught:
        read(workspace, address("file", path))
    assert "hidden_secret_word" not in str(caught.value)


def test_a_link_that_leads_out_is_not_read(workspace: Workspace, tmp_path: Path):
    outside = tmp_path / "outside.py"
    outside.write_text("hidden_secret_word = 1\n")
    (workspace.root / "link.py").symlink_to(outside)
    sync(workspace)
    with pytest.raises(ShirubeError):
        read(workspace, "shirube://file/link.py")


def test_a_file_that_does_not_fit_is_refused_with_the_way_to_read_it(workspace: Workspace):
    (workspace.root / "long.py").write_text("".join(f"value_{number} = {number}\n" for number in range(20_000)))
    sync(workspace)
    with pytest.raises(ShirubeError) as caught:
        read(workspace, "shirube://file/long.py")
    part = caught.value.hint.split()[-1]
    assert part.startswith("shirube://file/long.py?start=1&end=")
    assert read(workspace, part).startswith("value_0 = 0\n")


@pytest.mark.parametrize("query", ["start=0", "start=x", "start=9&end=3", "start=99999", "lines=3"])
def test_lines_that_are_not_there_are_refused(workspace: Workspace, query: str):
    sync(workspace)
    with pytest.raises(ShirubeError):
        read(workspace, f"shirube://file/README.md?{query}")


def test_agreements_and_plans_are_listed_and_read(workspace: Workspace):
    sync(workspace)
    run(workspace, "add_agreement", {"nl_term": "支払い", "symbol": "checkout"}, Call(patient=True))
    plan = run(workspace, "query_plan", {"goal": "how are payments retried"}, Call(patient=True))
    agreement, made = list_resources(workspace, None).resources
    assert "支払い" in read(workspace, agreement.uri)
    assert json.loads(read(workspace, made.uri))["planId"] == plan.planId
    assert agreement.title == "支払い"


def test_symbols_and_commands_are_read(workspace: Workspace):
    sync(workspace)
    found = json.loads(read(workspace, "shirube://symbol/checkout"))
    assert found["definitions"]
    with refusal(ShirubeError, "protocol.command_address"):
        read(workspace, "shirube://command/climpt/git")


def test_only_the_kinds_that_are_served_are_listed_and_read(workspace: Workspace):
    assert [one.uri_template for one in templates(["command"]).resource_templates] == [KINDS["command"].template]
    with pytest.raises(ShirubeError, match="unknown resource"):
        read(workspace, "shirube://file/README.md", ["command"])


def test_the_server_lists_reads_and_refuses(server: Server):
    listed = server.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert [one["name"] for one in listed] == list(KINDS)
    assert server.ask("resources/list")["result"]["resources"] == []
    got = server.ask("resources/read", {"uri": "shirube://file/README.md"})["result"]["contents"]
    assert got[0]["text"]
    for uri in ("shirube://file/.env", "shirube://file/../../etc/passwd", "test://nothing"):
        error = server.ask("resources/read", {"uri": uri})["error"]
        assert error["code"] == -32602
        assert error["data"]["uri"] == uri
        assert error["data"]["hint"]
    assert server.ask("resources/list", {"cursor": "junk"})["error"]["code"] == -32602
