"""Where an agent's files would be."""

from tests.agents.house import house

__all__ = ["house"]
