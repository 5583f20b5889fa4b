"""From a template and values to a prompt: pure, and a value is never read as a template."""

import re
from collections.abc import Mapping

from msgspec import Struct

from shirube.errors import BadArgument
from shirube.features.commands.options import RESERVED
from shirube.features.commands.yaml import split_front

MOST_CHARACTERS = 4_000_000
"""Of a rendered prompt: a template may repeat a large value, but not without end."""
_NAME = r"\s*([A-Za-z][\w-]*)\s*"
_PLACEHOLDER = re.compile(rf"\{{\{{{_NAME}\}}\}}|\$\{{{_NAME}\}}|\{{{_NAME}\}}")


class Rendered(Struct, frozen=True):
    """A prompt, and the names in it that nothing was put in for."""

    text: str
    unresolved: tuple[str, ...] = ()


def template_names(edition: str, adaptation: str) -> tuple[str, ...]:
    """Return the file names to try: ``f_default_detailed.md`` falls back to ``f_default.md``, and nothing else does."""
    plain = f"f_{edition or 'default'}"
    return (f"{plain}_{adaptation}.md", f"{plain}.md") if adaptation else (f"{plain}.md",)


def render(template: str, values: Mapping[str, str]) -> Rendered:
    """Put values in for ``{{name}}``, ``${name}`` and ``{name}``; drop the front matter; end with a newline.

    A name without a value stays as it is written, as does everything else in braces.
    """
    body = split_front(template)[1].lstrip()
    text = _substituted(body, values).lstrip()
    left = dict.fromkeys(name for name in placeholders(body) if not values.get(name))
    return Rendered(text if text.endswith("\n") else f"{text}\n", tuple(left))


def placeholders(body: str) -> tuple[str, ...]:
    """Return the names a text waits for: those the program fills in, those of variables, and any in double braces."""
    found = dict.fromkeys(_name(match) for match in _PLACEHOLDER.finditer(body) if _is_meant(match))
    return tuple(found)


def _is_meant(match: re.Match[str]) -> bool:
    """Tell a placeholder from braces that belong to the code in a template (``${HOME}``, ``{id}``)."""
    name = _name(match)
    return match[1] is not None or name in RESERVED or name.startswith("uv-")


def _name(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3]


def _substituted(body: str, values: Mapping[str, str]) -> str:
    parts: list[str] = []
    place = size = 0
    for match in _PLACEHOLDER.finditer(body):
        value = values.get(_name(match))
        if not value:
            continue
        parts += [body[place : match.start()], value]
        size += match.start() - place + len(value)
        place = match.end()
        if size > MOST_CHARACTERS:
            raise BadArgument("commands.too_long", most=f"{MOST_CHARACTERS:,}")
    return "".join([*parts, body[place:]])
