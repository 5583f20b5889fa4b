"""Where an agent's files would be."""

from tests.doors.agents.house import house

__all__ = ["house"]
