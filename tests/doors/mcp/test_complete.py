"""What is offered while somebody types."""

import shutil
from pathlib import Path

import mcp_types as types
import pytest

from shirube.doors.mcp.complete import MOST, complete
from shirube.doors.mcp.server import Door
from tests.conftest import sync
from tests.doors.mcp.client import Server

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "registry"
FILE = {"type": "ref/resource", "uri": "shirube://file/{+path}{?start,end}"}
SYMBOL = {"type": "ref/resource", "uri": "shirube://symbol/{name}"}
COMMAND = {"type": "ref/resource", "uri": "shirube://command/{agent}/{c1}/{c2}/{c3}"}
PROMPT = {"type": "ref/prompt", "name": "code"}


@pytest.fixture
def door(sample_repo: Path):
    made = Door(sample_repo, {})
    sync(made.workspace())
    yield made
    made.close()


def offered(door: Door, ref: dict, name: str, typed: str, **given: str) -> list[str]:
    params = types.CompleteRequestParams.model_validate(
        {"ref": ref, "argument": {"name": name, "value": typed}, "context": {"arguments": given}}
    )
    return complete(door, params).completion.values


def test_paths_of_the_index_are_offered_and_nothing_else(door: Door):
    every = offered(door, FILE, "path", "")
    assert "README.md" in every
    assert not {".env", "build/out.py"} & set(every)
    assert all("price" in path for path in offered(door, FILE, "path", "price"))
    assert offered(door, PROMPT, "file", "READ") == ["README.md"]


def test_names_of_symbols_are_offered(door: Door):
    assert "checkout" in offered(door, SYMBOL, "name", "check")
    assert offered(door, SYMBOL, "name", "no_such_name_at_all") == []


def test_words_of_commands_go_with_the_words_before(door: Door):
    shutil.copytree(EXAMPLES, door.workspace().root, dirs_exist_ok=True)
    assert "climpt" in offered(door, COMMAND, "agent", "")
    first = offered(door, COMMAND, "c1", "", agent="climpt")
    assert "git" in first
    second = offered(door, COMMAND, "c2", "", agent="climpt", c1="git")
    assert second
    assert set(second) < set(offered(door, COMMAND, "c2", "", agent="climpt"))
    assert offered(door, COMMAND, "c3", "", agent="nobody") == []
    prompt = {"type": "ref/prompt", "name": "git_group-commit_unstaged-changes"}
    assert offered(door, prompt, "adaptation", "d") == ["default", "detailed"]


def test_profiles_are_offered(door: Door):
    assert offered(door, PROMPT, "profile", "bug") == ["bugfix"]
    assert "none" in offered(door, PROMPT, "boost_profile", "")
    assert offered(door, PROMPT, "mode", "den") == ["dense"]


def test_what_nobody_knows_has_no_offers(door: Door):
    assert offered(door, PROMPT, "nonsense", "") == []
    assert offered(door, {"type": "ref/prompt", "name": "nothing"}, "edition", "") == []


def test_no_more_are_offered_than_the_protocol_allows(door: Door):
    for number in range(150):
        (door.workspace().root / f"many{number}.py").write_text(f"x = {number}\n")
    sync(door.workspace())
    params = types.CompleteRequestParams.model_validate({"ref": FILE, "argument": {"name": "path", "value": "many"}})
    told = complete(door, params).completion
    assert (len(told.values), told.total, told.has_more) == (MOST, 150, True)


def test_agreements_and_plans_are_offered_by_the_server(server: Server):
    server.call("add_agreement", {"nl_term": "支払い", "symbol": "checkout"})
    ref = {"type": "ref/resource", "uri": "shirube://agreement/{name}"}
    told = server.ask("completion/complete", {"ref": ref, "argument": {"name": "name", "value": "支"}})
    assert told["result"]["completion"]["values"] == ["支払い_checkout"]
    ref = {"type": "ref/resource", "uri": "shirube://plan/{id}"}
    told = server.ask("completion/complete", {"ref": ref, "argument": {"name": "id", "value": "zzz"}})
    assert told["result"]["completion"]["values"] == []
