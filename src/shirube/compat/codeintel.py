"""What the program of seed 003 left in ``.code-intel``: pages in two forms, and logs of one record to a line."""

import re
from collections.abc import Iterable
from typing import Any

from shirube.codec import read_json

_STAMPED = re.compile(r"(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_(.+)\.md")
"""The second form: the moment, then the term."""


def page_with_term(name: str, text: str) -> str:
    """Return a page with its term and its date, which the second form has in its file's name alone."""
    stamped = _STAMPED.fullmatch(name)
    if stamped is None or not text.startswith("---\n"):
        return text
    *moment, term = stamped.groups()
    told = {"nl_term": term.replace("_", " "), "learned_at": "{}-{}-{}T{}:{}:{}".format(*moment)}
    lines = [f"{key}: {value}\n" for key, value in told.items() if not re.search(rf"^{key}\s*:", text, re.M)]
    return text.replace("---\n", "".join(["---\n", *lines]), 1)


def read_log(lines: Iterable[str]) -> tuple[tuple[dict[str, Any], ...], int]:
    """Return the records of a log, and how many lines are none."""
    records: list[dict[str, Any]] = []
    broken = 0
    for line in filter(str.strip, lines):
        record = read_json(line)
        if isinstance(record, dict):
            records.append(record)
        else:
            broken += 1
    return tuple(records), broken
