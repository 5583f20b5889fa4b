"""What is skipped by default: directories of tools, build output, and secrets.

The patterns are in ``directories.ignore`` and ``secrets.ignore``. A ``.shirubeignore`` can include directories again
(``!node_modules/ours/``). Only an option can include secrets, never a file of the project.
"""

from collections.abc import Callable, Set
from pathlib import Path
from typing import Final

from shirube.engine.repo.ignore import IgnoreRules, parse
from shirube.messages import NOTHING, Message, say

VCS_STORES: Final = frozenset({b".git", b".hg", b".svn", b".bzr", b".jj", b".sl"})
"""Directories of version control; never entered and never listed, whatever the rules say."""


def _read(name: str, ignore_case: bool = False) -> IgnoreRules:
    return parse(Path(__file__).with_name(name).read_bytes(), ignore_case)


DIRECTORIES: Final = _read("directories.ignore")
"""Directories that tools create for themselves."""

SECRETS: Final = _read("secrets.ignore", ignore_case=True)
"""Files that hold keys and passwords."""

SECRETS_FOLDER: Final = b"secrets"
CODE: Final = frozenset(
    b"""
    py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte astro php go rs java kt kts scala groovy dart swift m mm
    c h cc cpp cxx hh hpp hxx cs fs vb rb lua ex exs erl hrl hs ml mli clj cljs cljc zig nim cr d jl r pl pm pas
    sol proto graphql tf
    """.split()
)
"""Endings of source code. Shell and SQL are not among them: in a directory ``secrets`` they hold values."""

_SCRIPT_PROJECTS = frozenset(
    b"""
    package.json pyproject.toml setup.py build.gradle build.gradle.kts CMakeLists.txt composer.json pubspec.yaml
    """.split()
)
_OUTPUT = {
    b"target": frozenset({b"Cargo.toml", b"pom.xml", b"build.sbt"}),
    **dict.fromkeys((b"build", b"dist", b"out", b"coverage", b"htmlcov"), _SCRIPT_PROJECTS),
}
"""Directories of build output, each with the files that, as siblings, show that a build creates it."""


def built_in(path: bytes, name: bytes, siblings: Set[bytes], is_tracked: Callable[[bytes], bool]) -> Message:
    """Return why a directory is skipped by its name, or nothing; build output that git tracks is not skipped."""
    if DIRECTORIES.decide(path, name, True):
        return say("repo.tool")
    makers = _OUTPUT.get(name)
    if makers and not makers.isdisjoint(siblings) and not is_tracked(path):
        return say("repo.build")
    return NOTHING


def is_secret(path: bytes, name: bytes, among_secrets: bool) -> bool:
    """Tell whether a file may hold keys or passwords; in a directory ``secrets``, every file but source code may."""
    if SECRETS.decide(path, name, False):
        return True
    _, dot, ending = name.lower().rpartition(b".")
    return among_secrets and not (dot and ending in CODE)


def is_secret_path(path: str) -> bool:
    """Tell whether a path, seen from the root of the project, is of a file that may hold keys or passwords."""
    *folders, name = path.encode("utf-8", "surrogateescape").split(b"/")
    above = [b"/".join(folders[:depth]) for depth in range(1, len(folders) + 1)]
    if any(SECRETS.decide(folder, folder.rpartition(b"/")[2], True) for folder in above):
        return True
    return is_secret(b"/".join([*folders, name]), name, any(folder.lower() == SECRETS_FOLDER for folder in folders))


def marked(names: Set[bytes], is_submodule: bool) -> Message:
    """Return why a directory is skipped because of its content, or nothing."""
    if b"pyvenv.cfg" in names:
        return say("repo.virtual")
    if b".git" in names and not is_submodule:
        return say("repo.repository")
    return NOTHING
