import pytest

from shirube import Project
from shirube.errors import OutsideRoot
from shirube.operations.run import NAMES
from shirube.operations.writing import target_of
from tests.operations.test_submissions import CLAIMS, FRAME, REQUEST


@pytest.fixture
def ready(shop: Project) -> str:
    handle = shop.start_session("MODIFY", REQUEST).session_id
    shop.set_query_frame(handle, **FRAME)
    shop.search("決済 再試行 checkout", session_id=handle, path="src")
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
    "path", ["retry.py", "src/retry.py", "src/shop", "web/retry.py", ".env", ".git/config", "new/x.py"]
)
def test_a_basename_a_directory_or_another_place_is_not_enough(shop: Project, ready: str, path: str):
    assert not shop.check_write_target(ready, path).allowed


def test_a_new_file_beside_what_was_seen_may_be_made(shop: Project, ready: str):
    result = shop.check_write_target(ready, "src/shop/backoff.py")
    assert (result.allowed, result.new) == (True, True)
    assert not shop.check_write_target(ready, "src/shop/backoff.py", allow_new_files=False).allowed


def test_what_leads_out_of_the_project_is_refused(shop: Project, ready: str):
    with pytest.raises(OutsideRoot):
        shop.check_write_target(ready, "/etc/passwd")


def test_a_target_is_what_the_disk_says(shop: Project):
    assert target_of(shop.workspace, "src/shop/x/y/z.py", 1).folder == "src/shop"
    assert target_of(shop.workspace, "new.py", 1).folder == "."
    assert target_of(shop.workspace, "src", 1).is_folder
