"""How does code get in?

Compares the tree with the index by content, reads and parses only what changed (in worker processes, so that
no file can take the index down), resolves imports against the whole file table, and writes in batches. Returns
what changed.
"""
