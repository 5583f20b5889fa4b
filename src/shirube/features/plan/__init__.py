"""What should we ask next?

Reads what a request wants and what it leaves open, chooses the operations that would fill the gaps, and works
towards a goal by asking, comparing with what was expected, and asking better. Pure: search, matcher, map terms
and clock are handed in.
"""
