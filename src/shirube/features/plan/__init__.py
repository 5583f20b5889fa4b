"""What should we ask next?

Finds what a request wants and what it leaves open, and chooses the operations that fill the gaps. A plan works
towards a goal: it asks a question, compares the results with the expectations, and asks a better one. The loop is
pure: callers pass the search, the matcher, the map terms and the clock.
"""
