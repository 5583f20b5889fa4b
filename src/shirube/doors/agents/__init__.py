"""How does an agent come to know us?

Each agent is a row of ``table``: where its files are, in which format, and what an entry looks like. ``install`` makes
small edits in those files and ``receipts`` remembers them, so that ``uninstall`` removes exactly what was put in.
"""
