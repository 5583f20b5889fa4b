"""Which paths a question is about: a glob, or a directory."""

import re
from functools import lru_cache


class PathFilter:
    """Tells whether a path is meant: ``src/**``, ``*.py``, ``src/auth`` (a directory and what is below)."""

    def __init__(self, pattern: str) -> None:
        self._regex = _compiled(pattern)

    def __call__(self, path: str) -> bool:
        """Tell whether this path is meant."""
        return self._regex.match(path) is not None


def is_glob(pattern: str) -> bool:
    """Tell whether a pattern has wildcards; brackets are none, because frameworks name directories ``[id]``."""
    return "*" in pattern or "?" in pattern


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    anchored = pattern.removeprefix("./").strip("/")
    if not is_glob(pattern):
        return re.compile(re.escape(anchored) + r"(?:/.*)?\Z", re.DOTALL)
    lead = "" if "/" in anchored else r"(?:.*/)?"
    return re.compile(lead + _translate(anchored) + r"\Z", re.DOTALL)


def _translate(glob: str) -> str:
    """Return a regex: ``**`` crosses directories, ``*`` and ``?`` do not; brackets are part of names (``[id]``)."""
    out, place = [], 0
    while place < len(glob):
        if glob.startswith("**/", place):
            out.append("(?:.*/)?")
            place += 3
        elif glob.startswith("**", place):
            out.append(".*")
            place += 2
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(glob[place], re.escape(glob[place])))
            place += 1
    return "".join(out)
