from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.deadline import Deadline
from shirube.errors import BadArgument, Cancelled
from shirube.features.plan.project_access import checked_patterns, frequencies, matcher, project_access, within
from shirube.features.plan.record import Step


def test_the_world_of_a_project(shop: Project):
    access = project_access(shop.workspace, "charge card", Deadline(60))
    found = access.search(Step("charge card"))
    assert found.results[0].path == "src/shop/payment.py"
    assert "def charge_card" in "".join(found.texts)
    assert all(text.startswith(result.path) for result, text in zip(found.results, found.texts, strict=True))
    assert access.names(("charge", "card")) == ("charge_card",)
    assert access.names(("zebra",)) == ()
    assert "refund" in " ".join(access.translate("返金"))
    assert access.translate("refund zebra") == ("返金",)
    assert access.read("web/price.ts").startswith("export function")
    assert (access.language("Python"), access.language("zebra")) == ("python", "")


def test_a_goal_is_asked_in_whole_words(shop: Project):
    access = project_access(shop.workspace, "charge card", Deadline(60))
    assert access.translate("メセージの認証") == ("メセージ", "authentication")


def test_a_step_can_stand_near_a_file_and_in_a_scope(shop: Project):
    access = project_access(shop.workspace, "retry", Deadline(60))
    assert {result.path.split("/")[0] for result in access.search(Step("price", path="web")).results} == {"web"}
    assert access.search(Step("retry", near="src/shop/payment.py")).results


def test_counts_tell_a_word_that_is_nowhere(shop: Project):
    total, counts = frequencies(shop.workspace, ["receipt", "zebra"])
    assert total > 5
    assert counts.get("receipt", 0) > 0
    assert counts.get("zebra", 0) == 0


@pytest.mark.requirement("N002-REGEX-01")
def test_a_pattern_runs_on_an_engine_that_cannot_be_blown_up():
    assert matcher(r"def \w+\(")("x\ndef foo(a)")
    assert not matcher("(a+)+$")("a" * 5000 + "b")
    with pytest.raises(BadArgument):
        checked_patterns(["(?<=x)y"])


def test_work_is_waited_for_until_the_deadline_and_its_errors_come_back():
    assert within(Deadline(60), lambda: 3) == 3
    with pytest.raises(KeyError):
        within(Deadline(60), lambda: {}["x"])
    with pytest.raises(Cancelled):
        within(Deadline(0), lambda: 3)


def test_names_agreed_in_the_map_go_into_a_plan(sample_repo: Path):
    with open_workspace(sample_repo) as project:
        assert project_access(project.workspace, "会計", Deadline(60)).terms("会計") == ()
        project.add_agreement("会計", symbol=["checkout"])
        assert project_access(project.workspace, "会計", Deadline(60)).terms("会計") == ("checkout",)
