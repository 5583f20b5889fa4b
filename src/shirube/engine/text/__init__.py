"""How do we cut text?

Into tokens that find code whichever way a name was spelled (``getUser``, ``get_user``, ``page-agent``), and
Japanese without a dictionary; into the phrases, paths, symbols and filters of a query; and, for budgets, into
an estimate of how many tokens a model will count. English and Japanese go through the same functions.
"""

from shirube.engine.text.budget import estimate_tokens
from shirube.engine.text.identifiers import identifier_words, split_identifier, unglue
from shirube.engine.text.phrases import Kind, QueryTerms, Term, read_query
from shirube.engine.text.scripts import normalise
from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import (
    LONGEST_TOKEN,
    Strategy,
    index_terms,
    index_text,
    index_tokens,
    is_compound,
    tokenize,
)
from shirube.engine.text.words import other_forms, stop_words

__all__ = [
    "LONGEST_TOKEN",
    "Kind",
    "QueryTerms",
    "Strategy",
    "Term",
    "estimate_tokens",
    "identifier_words",
    "index_terms",
    "index_text",
    "index_tokens",
    "is_compound",
    "normalise",
    "other_forms",
    "read_query",
    "split_identifier",
    "stem",
    "stop_words",
    "tokenize",
    "unglue",
]
