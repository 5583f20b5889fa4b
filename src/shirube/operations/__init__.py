"""Everything the program can do, one function each.

``declared`` holds what each operation takes, ``results`` what it returns, the other modules how it is answered; ``run``
is the one way in, ``table`` the list.
"""
