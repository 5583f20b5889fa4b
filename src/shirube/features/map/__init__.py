"""What have we agreed, and what worked?

The map links the words people use to the symbols they mean, and holds the project's conventions. Each is one Markdown
page, checked against the code it depends on. Session outcomes feed the map: what succeeded, what failed and where, and
what the ranking learns from it. Only ``files`` touches the disk; ``records`` and ``facts`` use the journal.
"""
