"""How does a team ask one server?

MCP over HTTP and a few pages for those who hold a token, over repositories of a shared index. Nothing is answered
without a token but the form that takes one. No session is kept, so any server of several may answer any request.
"""
