"""Names of symbols as people write them, and names inside of prose."""

import re
from functools import cache

_ARGUMENTS = re.compile(r"\(.*$", re.DOTALL)
_JOINTS = re.compile(r"::|->|[.#/\\]")
_CODE = re.compile(r"`([^`\s]+)`|([A-Za-z_$][\w$]*(?:(?:::|->|[.#])[A-Za-z_$][\w$]*)*(?:\(\))?)", re.ASCII)
_PATH = re.compile(
    r"[\w@.+-]+(?:/[\w@.+-]+)*/[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7}"
    r"|(?<![\w/.])[\w-]+\.(?:py|ts|tsx|js|jsx|go|rs|rb|java|kt|php|c|h|cc|cpp|cs|swift|scala|md|toml|ya?ml|json)\b",
    re.ASCII,
)
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")


def plain_name(text: str) -> str:
    """Return a symbol's name, parts joined by dots: ``"Auth::login(user)"`` → ``"Auth.login"``."""
    return ".".join(name_parts(text))


def name_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a symbol's name: ``"auth.Service#login()"`` → ``("auth", "Service", "login")``."""
    return tuple(part.strip() for part in _JOINTS.split(_ARGUMENTS.sub("", text.strip())) if part.strip())


def is_part_of(name: str, other: str) -> bool:
    """Tell whether two names speak of one thing: one ends as the other, or stands inside of it."""
    one, two = name_parts(name), name_parts(other)
    if not one or not two:
        return False
    short, long = sorted((one, two), key=len)
    return long[-len(short) :] == short or long[: len(short)] == short


def names_in(text: str) -> tuple[str, ...]:
    """Return what in a text can only be a name of code: backquoted, ``snake_case``, ``camelCase`` or called ``f()``."""
    text = _PATH.sub(" ", text)
    found = [(quoted or bare, bool(quoted)) for quoted, bare in _CODE.findall(text)]
    return tuple(dict.fromkeys(plain_name(name) for name, quoted in found if quoted or _looks_like_code(name)))


def paths_in(text: str) -> tuple[str, ...]:
    """Return what in a text can only be the path of a file: ``"see src/a.py:3"`` → ``("src/a.py",)``."""
    return tuple(dict.fromkeys(match.removeprefix("./") for match in _PATH.findall(text)))


def is_blank(text: str) -> bool:
    """Tell whether a text says nothing: empty, or a place to be filled in, ``"<…>"``."""
    plain = text.strip()
    return not plain or (plain.startswith("<") and plain.endswith(">"))


def _looks_like_code(name: str) -> bool:
    if _brands().fullmatch(name):
        return False
    return name.endswith("()") or "_" in name.strip("_") or _CAMEL.search(name) is not None


@cache
def _brands() -> re.Pattern[str]:
    from shirube.engine.text.tokens import NAMES

    return re.compile(f"(?:{NAMES})")
