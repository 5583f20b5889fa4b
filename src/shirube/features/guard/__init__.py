"""May we write yet?

A session is one request on its way to an edit: what was asked, what was looked at, what was claimed, and its phase.
Session state is frozen; every step is a pure function from a session and a submission to a session and a verdict. What
the server recorded counts, not what somebody says of it. The gate holds what an agent's hooks report, and the tree on
disk, against that session, so an edit counts whichever tool made it.
"""
