"""The index on a PostgreSQL server, shared by machines: the same answers as the embedded store, without extensions.

What a write brings is a *layer*, and never changes. A ref (a branch of a repository) is a list of layers, so another
branch shares them, a reader sees one list, and a process may keep what it has read of a layer for as long as it lives.
"""
