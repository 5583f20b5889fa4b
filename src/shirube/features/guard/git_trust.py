"""May a command run where it would run? Does the repository that git would read start programs of its own?

A repository's settings can name programs that reading commands start: a monitor, a converter, an external diff, a hook.
So git passes only where every setting of the repository is known to start nothing; that is read from its files, in a
millisecond, and no git is run for it. The user's own settings are trusted.
"""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from shirube.features.guard.programs import words_of
from shirube.features.guard.shell import build_places, git_places

_CORE = words_of(
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol "
    "safecrlf quotepath untrackedcache preloadindex worktree hookspath bigfilethreshold compression abbrev fscache "
    "longpaths sharedrepository splitindex commitgraph multipackindex excludesfile attributesfile whitespace "
    "checkstat trustctime sparsecheckout sparsecheckoutcone editor sshcommand protecthfs protectntfs "
    "deltabasecachelimit"
)
_REMOTE = words_of("url pushurl fetch push tagopt prune prunetags mirror promisor partialclonefilter gh-resolved")
_SECTIONS = words_of(
    "branch user author committer extensions alias advice color column init fetch push pull rebase merge gc pack lfs "
    "submodule rerere commit tag gpg gui http maintenance index feature status difftool mergetool blame notes safe "
    "versionsort grep credential gitflow gitbutler hub github gh vscode url receive transfer"
)
"""Sections whose settings start nothing when git only reads."""
_LFS = ("git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs filter-process", "true")
_FETCHES = words_of("core.sshcommand credential.helper")
"""Settings that start a program when a missing object is fetched, which only a partial clone does by itself."""
_LINE = (
    r"\s*(?:[#;].*|\[\s*(?P<section>[\w.-]+)(?:\s+\"(?:[^\"\\]|\\.)*\")?\s*\]"
    r"|(?P<key>[A-Za-z][\w-]*)\s*(?:=(?P<value>.*))?)?"
)
_MODULE = b"\x00\x00\xe0\x00"
"""The mode of a submodule, as git's index has it."""
MOST_MODULES = 100


def is_trusted(command: str, allowed: Sequence[str], place: Path) -> bool:
    """Tell whether a command line stays where it may be: no git of it starts a program that a repository names, and
    nothing is built or tested outside the project, where anybody may write.
    """
    gits, builds = git_places(command, allowed), build_places(command, allowed)
    if gits is None or builds is None:
        return False
    return all(starts_nothing(place / folder) for folder in gits) and (not builds or _are_inside(builds, place))


def _are_inside(names: Collection[str], place: Path) -> bool:
    """Tell whether all of some paths that exist lie in the project around a place."""
    top = next((folder for folder in (place, *place.parents) if (folder / ".git").exists()), place).resolve()
    found = [(place / Path(name).expanduser()).resolve() for name in names]
    return all(path.is_relative_to(top) or path == Path(os.devnull) for path in found if path.exists())


def starts_nothing(folder: Path) -> bool:
    """Tell whether the repository around a directory starts no program of its own when git reads it."""
    try:
        found = _repository(folder)
        return found is None or all(_is_quiet(*place) for place in (found, *_modules(*found)))
    except (OSError, ValueError, StopIteration):
        return False


def _repository(folder: Path) -> tuple[Path, Path] | None:
    """Return the nearest work tree, with its git directory, as git would find them; a bare repository is both."""
    start = folder.resolve()
    for top in (start, *start.parents):
        own = _git_directory(top)
        if own is not None:
            return top, own
        if all((top / name).exists() for name in ("HEAD", "objects", "refs")):
            return top, top
    return None


def _git_directory(top: Path) -> Path | None:
    git = top / ".git"
    if git.is_file():
        text = git.read_text("utf-8", "surrogateescape")
        if not text.startswith("gitdir:"):
            raise ValueError(text)
        git = top / text.removeprefix("gitdir:").strip()
    return git if (git / "HEAD").exists() or (git / "HEAD").is_symlink() else None


def _is_quiet(top: Path, own: Path) -> bool:
    """Tell whether no file of a repository names a program that a reading command starts."""
    shared = _shared(own)
    found: dict[str, str] = {}
    for file in {shared / "config", own / "config", own / "config.worktree"}:
        for name, value in _settings(file):
            if not _is_known(name, value):
                return False
            found[name] = value
    fetches = any("promisor" in name or "partialclone" in name for name in found)
    if fetches and any(name in _FETCHES for name in found):
        return False
    # git updates its index when it reads, and tells this one hook.
    hooks = top / found["core.hookspath"] if "core.hookspath" in found else shared / "hooks"
    return not (hooks.expanduser() / "post-index-change").exists()


def _shared(own: Path) -> Path:
    """Return the directory that the work trees of a repository share."""
    try:
        return own / (own / "commondir").read_text("utf-8").strip()
    except FileNotFoundError:
        return own


def _settings(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the settings of a file, as ``section.key``; a line that is not understood raises ValueError."""
    try:
        text = file.read_text("utf-8", "surrogateescape")
    except FileNotFoundError:
        return
    section = ""
    for line in text.split("\n"):
        match = re.fullmatch(_LINE, line.rstrip("\r"))
        if match is None or line.endswith("\\"):
            raise ValueError(line)
        if match["section"]:
            section = match["section"].partition(".")[0].lower()
        elif match["key"]:
            yield f"{section}.{match['key'].lower()}", (match["value"] or "").strip().strip('"')


def _is_known(name: str, value: str) -> bool:
    """Tell whether a setting is one that starts nothing when git reads."""
    section, _, key = name.partition(".")
    if name == "core.fsmonitor":
        return value.lower() in ("true", "false", "")
    if section in ("diff", "log", "filter"):
        is_program = {"diff": ("external", "textconv", "command"), "log": ("showsignature",)}
        return key not in is_program[section] if section in is_program else value in _LFS
    keys = {"core": _CORE, "remote": _REMOTE}.get(section)
    return key in keys if keys else section in _SECTIONS


def _modules(top: Path, own: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the submodules that are checked out: git starts another git in each to see what changed there."""
    indexes = [own / "index", *own.glob("sharedindex.*")]
    if not any(_MODULE in index.read_bytes() for index in indexes if index.exists()):
        return
    from shirube.engine.repo.git import run_git

    listed = run_git(top, ["ls-files", "-z", "-s"]).stdout.split(b"\0")
    paths = [row.partition(b"\t")[2].decode("utf-8", "surrogateescape") for row in listed if row.startswith(b"160000 ")]
    if len(paths) > MOST_MODULES:
        raise ValueError(top)
    for path in paths:
        below = _git_directory(top / path)
        if below is not None:
            yield top / path, below
            yield from _modules(top / path, below)
