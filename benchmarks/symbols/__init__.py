"""Definitions, references and import edges against compilers and language servers."""
