"""How do we cut text?

Into tokens that find code whichever way a name was spelled (``getUser``, ``get_user``, ``page-agent``), and
Japanese without a dictionary; into the phrases, paths, symbols and filters of a query; and, for budgets, into
an estimate of how many tokens a model will count. English and Japanese go through the same functions.
"""
