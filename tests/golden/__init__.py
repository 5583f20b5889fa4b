"""Golden results: what every door answers today, kept so that a change of any answer is seen.

``python -m tests.golden`` writes the files anew; the tests compare and show the difference.
"""
