"""What is in this file?

Bytes and a language go in; chunks, symbols and raw imports come out, the same for the same bytes every time.
Grammars are loaded when the first file needs them, and a file that cannot be parsed is cut by lines and says so.
"""
