"""What is left out without being asked: tools' own directories, build output, and secrets.

Written as ignore patterns, so the tables read like the files people know. ``.shirubeignore`` can take back
directories (``!node_modules/ours/``); secrets come back by an option alone, never by a file of the project.
"""

from collections.abc import Callable, Set
from typing import Final

from shirube.engine.repo.ignore import Rules, parse
from shirube.messages import NOTHING, Message, say

VCS_STORES: Final = frozenset({b".git", b".hg", b".svn", b".bzr", b".jj", b".sl"})
"""Never entered and never offered, whatever the rules say."""

DIRECTORIES: Final[Rules] = parse(
    b"""
# installed packages
node_modules/
bower_components/
__pypackages__/
site-packages/
.eggs/
.pnpm-store/
# caches of tools
__pycache__/
.tox/
.nox/
.mypy_cache/
.ruff_cache/
.pytest_cache/
.hypothesis/
.import_linter_cache/
.ipynb_checkpoints/
.gradle/
.terraform/
.direnv/
.parcel-cache/
.turbo/
.next/
.nuxt/
.svelte-kit/
.nyc_output/
# editors
.idea/
# other checkouts of the same project
.worktrees/
**/.claude/worktrees/
# our own knowledge, which is read as knowledge and not as code
/.shirube/
"""
)
"""Directories that tools make for themselves."""

SECRETS: Final[Rules] = parse(
    b"""
.env
.env.*
*.env
!.env.example
!.env.sample
!.env.template
!.env.dist
!.env.defaults
*.pem
*.key
*.p12
*.pfx
*.jks
*.keystore
*.kdbx
*.ppk
*.tfstate
id_rsa*
id_dsa*
id_ecdsa*
id_ed25519*
.netrc
_netrc
.npmrc
.pypirc
.pgpass
.htpasswd
.git-credentials
.dockercfg
http-*.token
credentials*.json
client_secret*.json
service-account*.json
secrets.json
secrets.toml
secrets.yaml
secrets.yml
/secrets/
.ssh/
.gnupg/
.aws/
.kube/
""",
    ignore_case=True,
)
"""Files that hold keys and passwords."""

SECRETS_FOLDER: Final = b"secrets"
CODE: Final = frozenset(
    b"""
    py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte astro php go rs java kt kts scala groovy dart swift m mm
    c h cc cpp cxx hh hpp hxx cs fs vb rb lua ex exs erl hrl hs ml mli clj cljs cljc zig nim cr d jl r pl pm pas
    sol proto graphql tf
    """.split()
)
"""Endings of programs. Shell, SQL and their like are not among them: in such a place they are lists of values."""

_SCRIPT_PROJECTS = frozenset(
    {
        b"package.json",
        b"pyproject.toml",
        b"setup.py",
        b"build.gradle",
        b"build.gradle.kts",
        b"CMakeLists.txt",
        b"composer.json",
        b"pubspec.yaml",
    }
)
_OUTPUT: dict[bytes, frozenset[bytes]] = {
    b"target": frozenset({b"Cargo.toml", b"pom.xml", b"build.sbt"}),
    b"build": _SCRIPT_PROJECTS,
    b"dist": _SCRIPT_PROJECTS,
    b"out": _SCRIPT_PROJECTS,
    b"coverage": _SCRIPT_PROJECTS,
    b"htmlcov": _SCRIPT_PROJECTS,
}


def built_in(path: bytes, name: bytes, siblings: Set[bytes], is_tracked: Callable[[bytes], bool]) -> Message:
    """Say why a directory is skipped by itself, or nothing; tracked build output is no output."""
    if DIRECTORIES.decide(path, name, True):
        return say("repo.tool")
    makers = _OUTPUT.get(name)
    if makers and not makers.isdisjoint(siblings) and not is_tracked(path):
        return say("repo.build")
    return NOTHING


def is_secret(path: bytes, name: bytes, among_secrets: bool) -> bool:
    """Say whether a file holds keys or passwords; in a directory ``secrets``, what is no program does."""
    if SECRETS.decide(path, name, False):
        return True
    _, dot, ending = name.lower().rpartition(b".")
    return among_secrets and not (dot and ending in CODE)


def marked(names: Set[bytes], is_submodule: bool) -> Message:
    """Say why a directory is skipped because of what it holds, or nothing."""
    if b"pyvenv.cfg" in names:
        return say("repo.virtual")
    if b".git" in names and not is_submodule:
        return say("repo.repository")
    return NOTHING
