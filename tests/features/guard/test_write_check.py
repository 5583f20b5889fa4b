import pytest

from shirube import Project
from shirube.errors import OutsideRoot
from shirube.features.guard.tree_snapshot import target_on_disk
from shirube.operations import NAMES
from shirube.types import Edge
from tests.counting import counting
from tests.features.guard.test_submissions import CLAIMS, FRAME, REQUEST
from tests.stores import write_edges


@pytest.fixture
def shop(seed_shop: Project) -> Project:
    """Return the project where the counts of seed 003 hold."""
    return seed_shop


@pytest.fixture
def ready(shop: Project) -> str:
    handle = shop.start_session("MODIFY", REQUEST).session_id
    shop.set_query_frame(handle, **FRAME)
    shop.search("支払い 再試行 checkout", session_id=handle, path="src")
    for tool in ("find_definitions", "find_references"):
        if tool in NAMES:
            shop.call(tool, symbol="with_retries", path="src", session_id=handle)
    assert shop.submit_understanding(handle, **CLAIMS).phase == "READY"
    return handle


def test_the_answer_tells_the_way_and_what_surrounds_the_file(shop: Project, ready: str):
    result = shop.check_write_target(ready, "src/shop/retry.py")
    assert (result.allowed, result.new) == (True, False)
    assert (result.coverage.files, result.coverage.unexplored) == (2, ("tests/test_payment.py",))
    refused = shop.check_write_target(ready, "web/cart.ts")
    assert not refused.allowed
    assert refused.next
    assert [check.allowed for check in shop.get_session_status(ready).checks] == [True, False]


@pytest.mark.parametrize("path", ["./src/shop/retry.py", "src/../src/shop/retry.py", "src//shop/retry.py"])
def test_a_path_is_normalised_before_it_is_judged(shop: Project, ready: str, path: str):
    result = shop.check_write_target(ready, path)
    assert (result.allowed, result.path) == (True, "src/shop/retry.py")


@pytest.mark.parametrize(
    "path", ["cart.ts", "src/retry.py", "src/shop", "web/retry.py", ".env", ".git/config", "new/x.py"]
)
def test_an_unseen_file_a_directory_or_another_place_is_not_enough(shop: Project, ready: str, path: str):
    assert not shop.check_write_target(ready, path).allowed


@pytest.mark.requirement("N003-BASE-01")
def test_a_name_is_another_file_and_the_one_of_that_name_is_proposed(shop: Project, ready: str):
    result = shop.check_write_target(ready, "retry.py")
    assert (result.allowed, result.new, result.path) == (False, True, "retry.py")
    assert shop.call(result.next[0].operation, **result.next[0].arguments).path == "src/shop/retry.py"


def test_a_new_file_beside_what_was_seen_may_be_made(shop: Project, ready: str):
    result = shop.check_write_target(ready, "src/shop/backoff.py")
    assert (result.allowed, result.new) == (True, True)
    assert not shop.check_write_target(ready, "src/shop/backoff.py", allow_new_files=False).allowed


def test_what_leads_out_of_the_project_is_refused(shop: Project, ready: str):
    with pytest.raises(OutsideRoot):
        shop.check_write_target(ready, "/etc/passwd")


def test_a_target_is_what_the_disk_says(shop: Project):
    assert target_on_disk(shop.workspace.root, "src/shop/x/y/z.py").folder == "src/shop"
    assert target_on_disk(shop.workspace.root, "new.py").folder == "."
    assert target_on_disk(shop.workspace.root, "src").is_folder


def test_a_check_asks_the_index_for_the_neighbourhood_alone(shop: Project, ready: str):
    """However many other files there are: the store is asked as often, and hands out as much."""
    store, costs = shop.workspace.store, []
    strangers = {f"far/f{i}.py": [Edge(f"far/f{i}.py", f"far/f{i + 1}.py", "path")] for i in range(500)}
    try:
        for edges in ({}, strangers):
            write_edges(store, edges)
            with counting(shop.workspace) as counted:
                assert shop.check_write_target(ready, "src/shop/retry.py").coverage.files == 2
            costs.append((counted.calls, counted.rows))
        assert len(store.edges()) > 500
    finally:
        write_edges(store, dict.fromkeys(strangers, ()))
    assert costs[0] == costs[1]
    assert costs[0][0] == {"coverage": 1, "edges_around": 2}


def test_a_steps_evidence_asks_the_index_for_the_neighbourhood_alone(shop: Project):
    handle = shop.start_session("MODIFY", REQUEST).session_id
    shop.set_query_frame(handle, **FRAME)
    shop.search("支払い 再試行 checkout", session_id=handle, path="src")
    with counting(shop.workspace) as counted:
        said = shop.submit_understanding(handle, **CLAIMS, callers=["src/shop/payment.py", "web/cart.ts"])
    assert [error for error in said.errors if error.startswith("caller")] == [
        "caller 'web/cart.ts': it uses none of the files looked at"
    ]
    assert not counted.calls["edges"]
    assert counted.calls["files"] <= 3
