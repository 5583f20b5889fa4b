"""Where is it kept?

Other packages use only the ``Store`` port: they write entries and get candidates back, and never see SQL. The
embedded store keeps all data in one SQLite file and derives a BM25 index from it. The memory store behaves the same
without files, for tests and small jobs. A distributed engine can implement the same port.
"""
