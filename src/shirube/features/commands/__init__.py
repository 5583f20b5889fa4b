"""Which command does this?

A registry lists a team's procedures by three words (c1 domain, c2 action, c3 target). This feature finds the right one
for a request in English or Japanese, and renders its prompt template. It starts a program only if the user allows it.
"""
