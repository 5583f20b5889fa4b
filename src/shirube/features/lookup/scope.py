"""Which part of the project is meant: paths and languages as callers spell them."""

from difflib import get_close_matches
from typing import TYPE_CHECKING

from shirube.errors import BadArgument, UnknownFile, did_you_mean
from shirube.messages import say

if TYPE_CHECKING:
    from collections.abc import Collection

    from shirube.workspace import Workspace

NO_LANGUAGE = "text"


def scope_path(workspace: "Workspace", path: str) -> str:
    """Return a glob or directory relative to the root, empty for the root itself; what leads out is refused."""
    from shirube.engine.repo.read import resolve_inside
    from shirube.engine.store.scope import MOST_SPREAD, is_glob, spread

    if len(spread(path)) > MOST_SPREAD:
        raise BadArgument("asking.many_braces", most=MOST_SPREAD)
    if path.startswith("/") and is_glob(path):
        raise BadArgument("asking.glob")
    if path and not is_glob(path):
        path = resolve_inside(workspace.root, path)
    return "" if path == "." else path


def scope_languages(workspace: "Workspace", names: tuple[str, ...]) -> tuple[str, ...]:
    """Return languages by their own names; an ending is as good (``py``, ``ts``), and an unknown one is refused."""
    from shirube.engine.parse.languages import known_languages, language_of

    found = []
    for name in names:
        plain = name.lower().removeprefix(".")
        ending = language_of(f"x.{plain}") if plain.isalnum() else NO_LANGUAGE
        language = plain if plain in known_languages() or ending == NO_LANGUAGE else ending
        workspace.check_language(language)
        found.append(language)
    return tuple(found)


def scope_file(workspace: "Workspace", path: str) -> str:
    """Return the path of an indexed file; another is refused, with the reason it is left out or the nearest path."""
    from shirube.engine.repo.read import resolve_inside

    inside = resolve_inside(workspace.root, path)
    found = workspace.store.files((inside,)).get(inside)
    if found is not None and found.language:
        return inside
    skip = next((skip for skip in workspace.store.skips() if skip.path == inside), None)
    if skip is not None:
        why = say("repo.reason", reason=skip.reason, detail=skip.detail) if skip.detail else skip.reason
        raise UnknownFile(inside, say("asking.left_out", why=why))
    if (workspace.root / inside).is_dir():
        raise UnknownFile(inside, say("asking.directory"))
    near = nearest_path(inside, workspace.store.files())
    raise UnknownFile(inside, did_you_mean(near) if near else say("asking.status_tells"))


def nearest_path(path: str, known: "Collection[str]") -> str:
    """Return the known path most like one that is not known: the same name elsewhere, or a name like it."""
    name = path.rpartition("/")[2]
    by_name: dict[str, list[str]] = {}
    for one in known:
        by_name.setdefault(one.rpartition("/")[2], []).append(one)
    near = [name] if name in by_name else get_close_matches(name, by_name, n=1, cutoff=0.6)
    if not near:
        return ""
    return max(sorted(by_name[near[0]]), key=lambda one: _shared(one, path))


def _shared(one: str, other: str) -> int:
    """Count the directories two paths have in common, wherever they stand."""
    return len(set(one.split("/")[:-1]) & set(other.split("/")[:-1]))
