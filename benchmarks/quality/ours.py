"""shirube itself: indexes that are opened once and asked under any configuration."""

import os
import tempfile
import time
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from benchmarks.quality.data import Labelled, Repository
from benchmarks.quality.metric import ndcg
from shirube.codec import replace


@dataclass
class Ours:
    """Every repository, indexed in a cache of its own."""

    repositories: list[Repository]
    cache: str = field(default_factory=tempfile.mkdtemp)
    seconds: list[float] = field(default_factory=list)
    """CPU seconds of each question asked so far."""

    def __post_init__(self) -> None:
        os.environ |= {"SHIRUBE_CACHE_DIR": self.cache, "SHIRUBE_STATE_DIR": f"{self.cache}/state"}
        from shirube.operations import run
        from shirube.workspace import build_workspace

        self.workspaces: dict[str, Any] = {}
        for repository in self.repositories:
            workspace = build_workspace(repository.root)
            run(workspace, "sync_index", {})
            self.workspaces[repository.name] = workspace

    def config(self, **changes: float | str) -> Any:
        """Return the configuration with dotted keys changed: ``signals__phrase=0``."""
        config = next(iter(self.workspaces.values())).config.search
        for name, value in changes.items():
            config = _changed(config, name.split("__"), value)
        return config

    def found(
        self, question: Labelled, config: Any = None, mode: str = "lexical", boost: str = "", table: Any = None
    ) -> Any:
        """Return what the search finds, ranked by the shipped table or by another one."""
        from shirube.engine.search import pipeline
        from shirube.types import Mode, Query

        workspace = self.workspaces[question.repository]
        query = Query(question.text, 10, 0, Mode(mode), boost_profile=boost)
        with patch.object(pipeline, "shapes", lambda: table) if table else nullcontext():
            begun = time.process_time()
            around = pipeline.Around(
                background=workspace.embedder.background, is_change=workspace.asks_for_change(question.text)
            )
            answer = pipeline.search(
                query, workspace.store, workspace.embedder, config or workspace.config.search, around
            )
            self.seconds.append(time.process_time() - begun)
        return answer

    def scores(self, questions: Iterable[Labelled], config: Any = None, **how: str) -> dict[tuple[str, int], float]:
        """Return the score of each question."""
        return {
            (one.repository, one.number): ndcg([hit.path for hit in self.found(one, config, **how).hits], one)
            for one in questions
        }

    def texts(self, name: str) -> dict[str, str]:
        """Return the texts of a repository's files by path, for those who rank by hand."""
        store = self.workspaces[name].store
        return {path: store.text(path) for path, record in store.files().items() if record.language}

    def edges(self, name: str) -> list[tuple[str, str]]:
        """Return which file imports which."""
        return [(edge.source, edge.target) for edge in self.workspaces[name].store.edges() if edge.kind == "path"]

    def close(self) -> None:
        """Let go of the indexes."""
        for workspace in self.workspaces.values():
            workspace.close()


def _changed(config: Any, path: list[str], value: float | str) -> Any:
    first, *rest = path
    if not rest:
        return {**config, first: value} if isinstance(config, dict) else replace(config, **{first: value})
    inner = config[first] if isinstance(config, dict) else getattr(config, first)
    changed = _changed(inner, rest, value)
    return {**config, first: changed} if isinstance(config, dict) else replace(config, **{first: changed})


def questions(repositories: list[Repository]) -> list[Labelled]:
    """Return all questions."""
    return [question for repository in repositories for question in repository.questions]
