"""What a session asks of the index."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shirube.types import Edge


class Facts(Protocol):
    """The project as the index knows it."""

    @property
    def files(self) -> int:
        """How many files there are."""

    @property
    def symbols(self) -> int:
        """How many symbols there are."""

    @property
    def operations(self) -> frozenset[str]:
        """The names of the operations that can be called."""

    def defined(self, name: str) -> tuple[str, ...]:
        """Return the files that define a name: ``login``, ``Auth.login``, ``auth.service.login``."""

    def known(self, paths: Collection[str]) -> frozenset[str]:
        """Return which of these files are indexed."""

    def written(self, word: str, paths: Iterable[str]) -> bool:
        """Tell whether a word stands in the text of one of these files."""

    def around(self, paths: Collection[str]) -> "tuple[Edge, ...]":
        """Return the dependencies between files that begin or end at one of these."""
