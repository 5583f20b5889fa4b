"""Where is it kept?

Everything above speaks to the ``Store`` port: entries go in, candidates come out, and no query language
leaves this room. The embedded store keeps the truth in one SQLite file and projects it into a BM25 index; the
memory store is its twin for tests and small jobs; a distributed engine can stand behind the same port.
"""
