"""The declarations of all operations, a module each group."""

from shirube.operations.declared import climpt, commands, index, insights, map, plan, search, session, symbols

__all__ = ["climpt", "commands", "index", "insights", "map", "plan", "search", "session", "symbols"]
