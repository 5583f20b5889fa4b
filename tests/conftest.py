"""What every test may use: directories of its own for what shirube keeps, and a small project to look at."""

import logging
import marshal
import os
import random
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from shirube import Project, open_workspace
from shirube.deadline import Deadline
from shirube.engine.index.pool import Worker
from shirube.engine.index.reading import FileReading, Reader, Task
from shirube.engine.index.worker import pack_reading, unpack_reading
from shirube.types import SyncReport
from shirube.workspace import Workspace, build_workspace

# How long an example takes says something about the machine, and nothing about the program. The examples are the same
# everywhere and every time; ``make fuzz`` looks for others.
settings.register_profile(
    "fixed", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fuzz", settings.get_profile("fixed"), derandomize=False, max_examples=2000, print_blob=True)
settings.load_profile("fixed")

SAMPLE: Mapping[str, str] = {
    "README.md": """\
# Sample shop

A tiny shop that shows how shirube reads a project.

## Install

Run `make install` and look at the retry policy below.

## Retry policy

Failed payments are retried three times with exponential backoff.

## 決済の方針

支払いに失敗したときは、三回まで再試行する。
""",
    "src/shop/__init__.py": '"""The shop."""\n',
    "src/shop/payment.py": '''\
"""Taking money."""

from shop.retry import with_retries

MAX_AMOUNT = 10_000


class PaymentError(Exception):
    """The money did not arrive."""


class PaymentGateway:
    """Talks to the bank."""

    def charge_card(self, amount: int) -> str:
        """Charge the card once and return the receipt number."""
        if amount > MAX_AMOUNT:
            raise PaymentError("amount too large")
        return f"receipt-{amount}"

    # 返金処理: 顧客にお金を返す
    def refund(self, receipt: str) -> bool:
        """Give the money back."""
        return receipt.startswith("receipt-")


def checkout(gateway: PaymentGateway, amount: int) -> str:
    """Charge the card, trying again when the bank is slow."""
    return with_retries(lambda: gateway.charge_card(amount))
''',
    "src/shop/retry.py": '''\
"""Trying again."""

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
ATTEMPTS = 3


def with_retries(action: Callable[[], Result]) -> Result:
    """Call the action until it works; 三回まで再試行する."""
    for attempt in range(ATTEMPTS):
        try:
            return action()
        except OSError:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")
''',
    "tests/test_payment.py": """\
from shop.payment import PaymentGateway, checkout


def test_checkout_returns_a_receipt():
    assert checkout(PaymentGateway(), 5) == "receipt-5"
""",
    "web/cart.ts": """\
import { formatPrice } from "./price";

export interface CartItem {
  name: string;
  price: number;
}

/** カートの合計金額を計算する */
export function cartTotal(items: CartItem[]): string {
  return formatPrice(items.reduce((sum, item) => sum + item.price, 0));
}
""",
    "web/price.ts": """\
export function formatPrice(value: number): string {
  return `¥${value.toLocaleString()}`;
}
""",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "0.0.1"\n',
}

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is missing")
FOREIGN = ("SHIRUBE_", "KIRI_", "XDG_", "CLAUDE", "CODEX_", "GIT_", "HF_", "HUGGINGFACE_", "TRANSFORMERS_", "NO_COLOR")
"""Variables of the machine the tests run on that would change what they see, by how they begin."""
CEILING, LANGUAGE = "GIT_CEILING_DIRECTORIES", "SHIRUBE_LANG"
"""Set once for all tests, see ``_own_surroundings``; who tests a language chooses it."""


@dataclass(frozen=True)
class StateDirs:
    """Where one test lets shirube keep things."""

    cache: Path
    state: Path
    config: Path
    home: Path

    @property
    def variables(self) -> dict[str, str]:
        """Return the variables that name the directories, a single worker, and the model that goes by spelling.

        What is promised about words must not hang on what a trained table happens to find near; the default has
        tests of its own (tests/ranking/test_model.py).
        """
        return {
            "SHIRUBE_CACHE_DIR": str(self.cache),
            "SHIRUBE_STATE_DIR": str(self.state),
            "SHIRUBE_CONFIG_DIR": str(self.config),
            "SHIRUBE_INDEX_WORKERS": "1",
            "SHIRUBE_EMBED_MODEL": "hashed",
            "HOME": str(self.home),
        }

    def environ(self) -> dict[str, str]:
        """Return a whole environment for a child process."""
        kept = {name: value for name, value in os.environ.items() if not _is_foreign(name)}
        return {**kept, **self.variables}


def make_state_dirs(base: Path) -> StateDirs:
    """Return fresh directories below ``base``."""
    dirs = StateDirs(base / "cache", base / "state", base / "config", base / "home")
    for directory in (dirs.cache, dirs.state, dirs.config, dirs.home):
        directory.mkdir(parents=True, exist_ok=True)
    return dirs


def write_sample(root: Path) -> Path:
    """Write the sample project: Python, Markdown, TypeScript, Japanese comments, one ignored file, one secret."""
    files = {
        **SAMPLE,
        ".gitignore": "build/\n*.log\n",
        "build/out.py": "generated_thing = 1\n",
        ".env": "TOKEN=hidden_secret_word\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


def isolate(dirs: StateDirs, patch: pytest.MonkeyPatch) -> None:
    """Let this process see nothing of the machine's own shirube."""
    _forget(patch)
    for name, value in dirs.variables.items():
        patch.setenv(name, value)


def read_here(worker: Worker, tasks: Sequence[Task]) -> list[FileReading]:
    """Read in this process what a worker reads in its own, through the same messages.

    Starting a worker for every small project took a third of the time of all tests. The processes are used by
    tests/engine/index and by every test that starts the program itself.
    """
    worker._check()
    reader = Reader(worker._setup)
    try:
        return [unpack_reading(marshal.loads(marshal.dumps(pack_reading(reader.read(task))))) for task in tasks]
    finally:
        reader._cache.close()


ASK_A_PROCESS = Worker.ask


@pytest.fixture
def worker_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the indexes of this test be made by worker processes."""
    monkeypatch.setattr(Worker, "ask", ASK_A_PROCESS)


def _forget(patch: pytest.MonkeyPatch) -> None:
    for name in filter(_is_foreign, list(os.environ)):
        patch.delenv(name)


def _is_foreign(name: str) -> bool:
    return name.startswith(FOREIGN) and name not in (CEILING, LANGUAGE)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what throws dice, so that ``make fuzz`` finds it."""
    for item in items:
        if "seed" in getattr(item, "fixturenames", ()):
            item.add_marker("dice")


@pytest.fixture(scope="session", autouse=True)
def _own_surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let every test see and write nothing but its own: no project above, no home, no temporary directory of others.

    Child processes inherit it.
    """
    base = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        _forget(patch)
        patch.setenv(CEILING, str(base))
        patch.setenv(LANGUAGE, "en")
        for name, place in {"HOME": base / "home", "TMPDIR": base / "tmp"}.items():
            place.mkdir()
            patch.setenv(name, str(place))
        patch.setattr(Worker, "ask", read_here)
        patch.setattr(tempfile, "tempdir", None)  # it remembers the directory it found first
        yield


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return where this test's dice begin: always at the same place, but anywhere under ``make fuzz``."""
    fixed = settings().derandomize
    chosen = crc32(request.node.nodeid.encode()) if fixed else random.SystemRandom().randrange(2**32)
    print(f"seed {chosen}")
    return chosen


@pytest.fixture(autouse=True)
def _log_as_it_was() -> Iterator[None]:
    """Undo what a door sets up for the whole process, and let go of a handler that holds this test's stderr."""
    yield
    logger = logging.getLogger("shirube")
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


@pytest.fixture
def state_dirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StateDirs:
    """Keep cache, state, configuration and home of this test apart from every other; parse in one worker."""
    dirs = make_state_dirs(tmp_path / "own")
    isolate(dirs, monkeypatch)
    return dirs


@pytest.fixture
def sample_repo(tmp_path: Path, state_dirs: StateDirs) -> Path:
    """Return a small project on disk (not a git repository)."""
    return write_sample(tmp_path / "shop").resolve()


@pytest.fixture
def workspace(sample_repo: Path) -> Iterator[Workspace]:
    """Return the sample project, open and not indexed yet."""
    made = build_workspace(sample_repo)
    yield made
    made.close()


def quiet(*step: object) -> None:
    """Take a step of progress and say nothing."""


def sync(workspace: Workspace, **options: Any) -> SyncReport | None:
    """Bring the index of a workspace up to date and return what changed."""
    return workspace.keeper.sync(**{"full": False, "progress": quiet, "deadline": Deadline(), **options}).report


def _open_sample(base: Path, **settings: Any) -> Project:
    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(base / "own"), patch)
        project = open_workspace(write_sample(base / "shop"), **settings)
        project.sync_index()
    return project


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """Return the sample project, open and indexed; for tests that only ask."""
    with _open_sample(tmp_path_factory.mktemp("shop")) as project:
        yield project


@pytest.fixture(scope="session")
def seed_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """Return the sample project, where a session needs what seed 003 counts."""
    with _open_sample(tmp_path_factory.mktemp("seed"), guard__evidence="seed") as project:
        yield project


@pytest.fixture
def seed_evidence(state_dirs: StateDirs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sessions of this test need what seed 003 counts."""
    monkeypatch.setenv("SHIRUBE_GUARD_EVIDENCE", "seed")
