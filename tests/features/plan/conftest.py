"""A project small enough to see through: a few files, searched by counting words."""

from collections.abc import Callable, Iterator

import pytest

from shirube import Project, open_workspace
from shirube.engine.text.tokens import index_terms
from shirube.features.plan.record import PlanResult, Step, StepResults
from shirube.features.plan.refine import ProjectAccess

FILES = {
    "app/login.py": "def login(user, password): check the password and open a session",
    "app/session.py": "class Session: expires after an hour; refresh extends it",
    "app/mail.py": "def send(message): deliver mail by smtp",
    "docs/login.md": "how login works: password, session, cookie",
}


class Small:
    """Counts words; what it was asked is kept."""

    def __init__(self, files: dict[str, str] | None = None) -> None:
        self.files = FILES if files is None else files
        self.asked: list[Step] = []
        self.now = 0.0
        self.limit = float("inf")
        self.confidence = 0.2
        self.before: Callable[[Step], None] = lambda step: None

    def search(self, step: Step) -> StepResults:
        self.asked.append(step)
        self.now += 1.0
        self.before(step)
        wanted = set(index_terms(step.text))
        worth = {
            path: len(wanted & set(index_terms(f"{path} {text}")))
            for path, text in self.files.items()
            if not step.path or step.path.strip("*") in path
        }
        order = sorted((path for path in worth if worth[path]), key=lambda path: (-worth[path], path))
        results = tuple(PlanResult(path, 1, 1, score=float(worth[path]), preview=self.files[path]) for path in order)
        return StepResults(results, tuple(f"{path}\n{self.files[path]}" for path in order), self.confidence)

    def frequencies(self, terms):
        bags = [set(index_terms(text)) for text in self.files.values()]
        return len(bags), {term: sum(term in bag for bag in bags) for term in terms}

    def access(self, **more) -> ProjectAccess:
        made = {
            "search": self.search,
            "frequencies": self.frequencies,
            "match": lambda pattern: lambda text: pattern in text,
            "late": lambda: self.now >= self.limit,
            "clock": lambda: self.now,
            "read": lambda path: self.files[path],
        }
        return ProjectAccess(**{**made, **more})


@pytest.fixture
def small() -> Small:
    return Small()


@pytest.fixture
def own(sample_repo) -> Iterator[Project]:
    """Return the sample project, open and indexed; for tests that change it or what it remembers."""
    with open_workspace(sample_repo) as project:
        project.sync_index()
        yield project
