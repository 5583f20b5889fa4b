"""May we write yet?

A session follows one request to an edit. It holds the request, what the agent looked at, what it claimed, and a phase.
Session state is frozen. Each step is a pure function: it takes a session and a submission, and returns a new session
and a verdict. Only what the server recorded counts as evidence, never what the agent says it did. The gate checks hook
events and the tree on disk against the session, so it notices an edit whichever tool made it.
"""
