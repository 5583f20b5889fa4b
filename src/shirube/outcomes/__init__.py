"""What worked?

Decisions and outcomes of sessions: what a request says about the one before it, what went wrong where, whether what
was written survived, and what that teaches the map and the ranking. Only ``log`` touches the journal.
"""
