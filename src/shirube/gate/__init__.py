"""May this tool call go on?

What an agent's hooks ask before a tool, after it and when it stops. The tree on disk is held against a snapshot and
against what the session looked at, so an edit counts whichever tool made it. It runs before every edit, so this room
stands on sessions, the journal and git alone; nothing heavy is imported on its path.
"""
