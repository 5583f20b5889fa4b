"""Where is it, and what should be read?

Search, text, files, definitions, references, outlines, dependencies, impact, snippets and context bundles: questions to
the index, with answers that say how complete and how fresh they are.
"""
