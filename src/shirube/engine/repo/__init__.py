"""What is on disk?

The walk lists the files that count, by git's ignore rules and our own; reading never leaves the root, and git
and ripgrep are asked in ways a hostile repository cannot turn into running its code. Both may be missing.
"""
