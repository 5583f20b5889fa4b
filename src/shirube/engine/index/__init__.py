"""How does code get in?

Compares the tree with the index, then reads and parses only the files that changed, in worker processes, so that no
file can crash the caller. Resolves imports against the table of all files, writes in batches, and reports the
changes.
"""
