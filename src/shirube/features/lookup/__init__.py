"""Where is it, and what should be read?

Search, text, files, definitions, references, outlines, dependencies, impact, snippets and context bundles. All of them
query the index, and each answer reports how complete and how fresh it is.
"""
