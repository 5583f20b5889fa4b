"""What is on disk?

The walk lists the files to index, by git's ignore rules and our own. Reading never leaves the root. Git and ripgrep are
called so that a hostile repository cannot make them run its code; both may be missing.
"""
