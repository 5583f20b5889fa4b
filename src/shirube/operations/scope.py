"""Which part of the project is meant: paths and languages as callers spell them."""

from typing import TYPE_CHECKING

from shirube.errors import BadArgument

if TYPE_CHECKING:
    from shirube.workspace import Workspace

NO_LANGUAGE = "text"


def scope_path(workspace: "Workspace", path: str) -> str:
    """Return a glob or directory relative to the root, empty for the root itself; what leads out is refused."""
    from shirube.repo.read import resolve_inside
    from shirube.store.scope import is_glob

    if path.startswith("/") and is_glob(path):
        raise BadArgument("a glob must be relative to the project", "for example src/**/*.py")
    if path and not is_glob(path):
        path = resolve_inside(workspace.root, path)
    return "" if path == "." else path


def scope_languages(workspace: "Workspace", names: tuple[str, ...]) -> tuple[str, ...]:
    """Return languages by their own names; an ending is as good (``py``, ``ts``), and an unknown one is refused."""
    from shirube.parse import known_languages, language_of

    found = []
    for name in names:
        plain = name.lower().removeprefix(".")
        ending = language_of(f"x.{plain}") if plain.isalnum() else NO_LANGUAGE
        language = plain if plain in known_languages() or ending == NO_LANGUAGE else ending
        workspace.check_language(language)
        found.append(language)
    return tuple(found)
