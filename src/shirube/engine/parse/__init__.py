"""What is in this file?

Bytes and a language go in; chunks, symbols and raw imports come out, always the same for the same bytes. Grammars are
loaded when the first file needs them. A file that cannot be parsed is cut by lines, with a note that says so.
"""
