"""The sample project behind every engine, and what each answers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import shirube.engine.store.projection as projection_module
import shirube.engine.store.tantivy as tantivy_module
from shirube import Project, open_workspace
from shirube.features.lookup.results import SearchResult
from tests.conftest import isolate, make_state_dirs
from tests.ranking.sample import FILES

ENGINES = ("tantivy", "fts5", "scan", "memory")

Asking = Callable[..., SearchResult]


def _no_tantivy() -> None:
    raise ImportError("switched off")


class _NoFts:
    def __init__(self, db: Any) -> None:
        db.execute("SELECT no_such_module_fts5_is_missing()")


@contextmanager
def only(engine: str) -> Iterator[None]:
    """Switch off the engines that are better than this one."""
    with pytest.MonkeyPatch.context() as patch:
        if engine in ("fts5", "scan"):
            patch.setattr(tantivy_module, "_tantivy", _no_tantivy)
        if engine == "scan":
            patch.setattr(projection_module, "FtsLexical", _NoFts)
        yield


def write_project(root: Path) -> Path:
    """Write the sample below a directory."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Project]]:
    """Return how to get the sample project behind an engine, indexed; each is made once."""
    opened: list[Project] = []

    @cache
    def project(engine: str) -> Project:
        base = tmp_path_factory.mktemp(engine)
        with pytest.MonkeyPatch.context() as patch, only(engine):
            isolate(make_state_dirs(base / "own"), patch)
            settings = {"store__backend": "memory"} if engine == "memory" else {}
            opened.append(open_workspace(write_project(base / "orchid"), **settings))
            opened[-1].sync_index()
        return opened[-1]

    yield project
    for one in opened:
        one.close()


@pytest.fixture(scope="session")
def ask(projects: Callable[[str], Project]) -> Asking:
    """Return how to ask the sample project, behind tantivy unless another engine is named."""

    def asking(query: str, engine: str = "tantivy", operation: str = "search", **options: Any) -> Any:
        with only(engine):
            return projects(engine).call(operation, query=query, **options)

    return asking


def order(result: SearchResult) -> list[str]:
    """Return the files of an answer, each once, best first."""
    return list(dict.fromkeys(hit.path for hit in result.forest_hits))


def shown(result: SearchResult, most: int = 6) -> str:
    """Return a ranking to be read where it is not what it should be."""
    lines = [
        f"  {hit.score:8.3f} {hit.path}:{hit.start_line}  "
        + "  ".join(f"{reason.name} {reason.points:+.3g}" for reason in hit.why)
        for hit in result.forest_hits[:most]
    ]
    return "\n".join([f"{result.query!r} ({result.answer}, {result.confidence})", *lines])
