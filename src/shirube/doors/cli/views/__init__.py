"""How results read for a person, a module each group of operations and a function each operation.

A view takes a result and the screen, and returns text, notes and whether anything was found; further parameters are
options of the command.
"""
