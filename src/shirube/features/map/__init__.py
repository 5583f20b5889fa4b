"""What have we agreed, and what worked?

The map links the words people use to the symbols they mean, and holds the project's conventions: one Markdown page
each, checked against the code it rests on. Outcomes of sessions feed it: what succeeded, what failed and where, and
what that teaches the ranking. Only ``files`` touches the disk and only ``log`` the journal.
"""
