from collections.abc import Callable, Iterable, Mapping

import pytest

from shirube.engine.index.resolvers import resolve_file
from shirube.engine.index.resolvers.toolkit import FileTable
from shirube.types import RawImport

Ask = Callable[..., list[str]]


@pytest.fixture
def ask() -> Ask:
    """Resolve one import in a small project and answer with targets as ``kind:target``."""

    def ask(
        language: str,
        path: str,
        module: str,
        paths: Iterable[str] = (),
        manifests: Mapping[str, str] | None = None,
        names: tuple[str, ...] = (),
    ) -> list[str]:
        manifests = manifests or {}
        table = FileTable.build([path, *paths, *manifests], manifests)
        edges = resolve_file(path, language, (RawImport(module, 1, names),), table)
        return [edge.target if edge.kind == "path" else f"{edge.kind}:{edge.target}" for edge in edges]

    return ask
