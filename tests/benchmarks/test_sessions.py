"""The lies and truths of the benchmark, told about the sample project with every count of the seeds."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.sessions.lies import LIES
from benchmarks.sessions.scenes import Agent, Scene, scenes
from benchmarks.sessions.truths import Account, tell
from tests.cases import for_each

from shirube import Project, open_workspace

SEED = 7
SYMBOLS = (
    ("checkout", "src/shop/payment.py"),
    ("with_retries", "src/shop/retry.py"),
    ("charge_card", "src/shop/payment.py"),
    ("PaymentGateway", "src/shop/payment.py"),
    ("cartTotal", "web/cart.ts"),
    ("formatPrice", "web/price.ts"),
    ("PaymentError", "src/shop/payment.py"),
)
SCENES = [
    Scene(name, path, f"{name} fails for an empty input. Please fix it", name, "fails for an empty input")
    for name, path in SYMBOLS
]
SCENES[1::2] = [
    Scene(one.symbol, one.path, f"{one.symbol} が空の入力で失敗する。直して", one.symbol, "空の入力で失敗する")
    for one in SCENES[1::2]
]


@pytest.fixture
def shop(sample_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("SHIRUBE_GUARD_EVIDENCE", "seed")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        yield project


@for_each("scene", SCENES)
def test_no_lie_is_accepted(shop: Project, scene: Scene):
    assert len(LIES) * len(SCENES) >= 200
    assert [what for what, lie in LIES.items() if lie(Agent(shop, scene))] == []


def test_no_truth_is_refused(shop: Project):
    account = Account()
    for scene in (*SCENES, *scenes(shop, 3, SEED)):
        tell(Agent(shop, scene), account)
    assert account.wrong == []
    assert account.ready == len(SCENES) + 3
    assert account.submissions >= 3 * account.ready
