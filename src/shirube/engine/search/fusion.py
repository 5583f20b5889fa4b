"""Reciprocal rank fusion: several orders become one, and every share keeps its name."""

from collections.abc import Hashable, Mapping, Sequence
from enum import StrEnum
from typing import TypeVar


class Fusion(StrEnum):
    """How two orders become one: by what they say, or by rank alone."""

    BLEND = "blend"
    RRF = "rrf"


K = 60
"""The constant of seed 000 and of the paper: high enough that no single list decides alone."""

Key = TypeVar("Key", bound=Hashable)


def fuse(lists: Mapping[str, Sequence[Key]]) -> dict[Key, dict[str, float]]:
    """Return each key's share from each list: rank 1 in a list is worth 1/61, rank 2 1/62, …"""
    shares: dict[Key, dict[str, float]] = {}
    for name, keys in lists.items():
        for rank, key in enumerate(keys, 1):
            shares.setdefault(key, {})[name] = 1 / (K + rank)
    return shares
