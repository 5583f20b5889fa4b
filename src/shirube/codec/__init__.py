"""One way to and from JSON: records, the reading of arguments, schemas.

``records`` says what crosses a door, ``arguments`` reads what was sent, ``schema`` describes both, ``wire`` writes
results for readers and keeps values in files of our own. Import from these: hooks need ``wire`` alone.
"""
