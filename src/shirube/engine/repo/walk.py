"""Lists the files of a project: those git would list, without output of tools, adjusted by ``.shirubeignore``.

The walk opens only ignore files. Names are bytes until they are known to be valid UTF-8, because git compares bytes and
because an undecodable name must not stop the walk.
"""

import os
from array import array
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from shirube.engine.repo.git import (
    TrackedFiles,
    common_dir,
    find_top,
    git_files,
    git_rules,
    read_small,
    submodule_paths,
)
from shirube.engine.repo.ignore import IgnoreRules, parse
from shirube.engine.repo.read import resolve_inside
from shirube.engine.repo.skips import SECRETS, SECRETS_FOLDER, VCS_STORES, built_in, is_secret, marked
from shirube.errors import NoPermission, NotADirectory
from shirube.messages import NOTHING, Message, say, verbatim
from shirube.types import Found, Listing, Skip, Stat

VERSION_CONTROL = "repo.version"
"""The reason for skipping a directory of version control; its time stamp changes often and means nothing."""
MISSING, YOUNG = 0, -1
"""Stamps of a path that does not exist, and of one that is too new for its times to prove anything."""


_GIT_IGNORE = b".gitignore"
_OWN_IGNORE = b".shirubeignore"


class WalkOptions(Struct, frozen=True):
    """What a walk should list."""

    max_bytes: int = 1 << 20
    source_dirs: tuple[str, ...] = ()
    """Directories to stay in; empty means everywhere."""
    excludes: tuple[str, ...] = ()
    """Patterns as in ``.shirubeignore``; they override every ignore file."""
    never: tuple[Path, ...] = ()
    """Paths that are never listed: our own directories, which may be inside the project."""
    include_secrets: bool = False
    use_git: bool = True
    """Whether to run git; ignore files are honoured either way."""
    env: Mapping[str, str] | None = None
    """Where git looks for itself and its settings (PATH, HOME, XDG_CONFIG_HOME)."""


_DEFAULTS = WalkOptions()


def walk(root: Path, options: WalkOptions = _DEFAULTS) -> Listing:
    """Walk the tree once and return its files and what was skipped, both sorted by path."""
    home = Path(os.path.realpath(root))
    if not home.is_dir():
        raise NotADirectory("repo.no_directory", path=str(root))
    top = find_top(home)
    if top is None or not options.use_git:
        return _Walk(home, top, options, TrackedFiles()).run()
    with TrackedFiles.ask(home, (top / ".gitmodules").is_file(), options.env) as tracked:
        return _Walk(home, top, options, tracked).run()


class _Hidden(Enum):
    """Why everything in a directory is skipped, unless a rule names it."""

    NO = 0
    BY_GIT = 1
    BUILT_IN = 2


class _Layer(NamedTuple):
    """The rules of one ignore file, and how to make a path relative to its directory."""

    rules: IgnoreRules
    strip: int = 0
    prefix: bytes = b""


class _Folder(NamedTuple):
    """A directory to scan, with the rules that apply there, the nearest first."""

    path: bytes = b""
    git: tuple[_Layer, ...] = ()
    own: tuple[_Layer, ...] = ()
    submodules: frozenset[bytes] = frozenset()
    hidden: _Hidden = _Hidden.NO
    asked_for: bool = False
    """Included again by a rule of ours, so that its content is no reason to skip it."""
    leading: bool = False
    """Whether it only leads to a source directory: its own files are not listed."""
    among_secrets: bool = False
    """Whether it is inside a directory ``secrets``, where only source code is listed."""


class _Walk:
    """The state of one walk."""

    def __init__(self, home: Path, top: Path | None, options: WalkOptions, tracked: TrackedFiles) -> None:
        self._home = home
        self._base = os.fsencode(home)
        self._top = top
        self._options = options
        self._tracked = tracked
        self._found: list[Found] = []
        self._skipped: list[Skip] = []
        self._folders: list[str] = []
        self._stack: list[_Folder] = []
        self._asked: set[Path] = set() if top is None else set(git_files(top, options.env))
        self._crossed = False
        """Whether another repository inside this one has rules and files of its own."""
        rules = git_rules(home, options.use_git and top is not None, options.env)
        self._ignore_case = rules.ignore_case
        self._user = self._rules(rules.excludes_file)
        self._extra = self._layers(_Layer(parse("\n".join(options.excludes).encode("utf-8", "surrogateescape"))))
        sources = [resolve_inside(home, path) for path in options.source_dirs]
        missing = (path for path in sources if not (home / path).is_dir())
        self._skipped += (Skip(path, "unreadable", say("repo.no_source")) for path in missing)
        wanted = [Path("" if path == "." else path) for path in sources]
        self._sources = frozenset(os.fsencode(path.as_posix()) if path.parts else b"" for path in wanted)
        self._leads = {os.fsencode(parent.as_posix()) for path in wanted for parent in path.parents}
        """The directories above the source directories."""
        never = (Path(os.path.realpath(path)) for path in options.never)
        self._never = {os.fsencode(path.relative_to(home)) for path in never if home in path.parents}

    def run(self) -> Listing:
        """Scan every directory that is not skipped, and return the listing."""
        self._stack.append(self._start())
        while self._stack:
            self._scan(self._stack.pop())
        files = sorted(self._found, key=lambda found: found.path)
        skipped = sorted(self._skipped, key=lambda skip: skip.path)
        rules = None if self._crossed else tuple(sorted(map(str, self._asked)))
        return Listing(tuple(files), tuple(skipped), tuple(sorted(self._folders)), rules)

    # --- where it starts -----------------------------------------------------------------------------------

    def _start(self) -> _Folder:
        """Return the root, with the rules that come from outside and above it."""
        leading = bool(self._sources) and b"" not in self._sources
        root = _Folder(own=self._extra, git=self._layers(_Layer(self._user)), leading=leading)
        if self._top is None:
            return root
        above = os.fsencode(self._home.relative_to(self._top).as_posix())
        prefix = b"" if above == b"." else above + b"/"
        git = self._outer_rules(self._top, 0, prefix)
        for folder in reversed(self._home.parents):
            if folder.is_relative_to(self._top):
                seen = os.fsencode(self._home.relative_to(folder).as_posix()) + b"/"
                rules = self._rules(folder / os.fsdecode(_GIT_IGNORE), follow=False)
                git = self._layers(_Layer(rules, 0, seen)) + git
        if _is_ignored_from_above(git):
            return root
        modules = (path[len(prefix) :] for path in submodule_paths(self._top) if path.startswith(prefix))
        return root._replace(git=git, submodules=frozenset(modules))

    def _outer_rules(self, top: Path, strip: int, prefix: bytes) -> tuple[_Layer, ...]:
        """Return the rules outside the tree: the repository's ``info/exclude`` and, weaker, the user's."""
        shared = common_dir(top)
        rules = self._rules(shared / "info" / "exclude") if shared else IgnoreRules([])
        return self._layers(_Layer(rules, strip, prefix), _Layer(self._user, strip, prefix))

    def _rules(self, path: Path, follow: bool = True) -> IgnoreRules:
        self._asked.add(path)
        return parse(read_small(path, follow) or b"", self._ignore_case)

    def _layers(self, *layers: _Layer) -> tuple[_Layer, ...]:
        return tuple(layer for layer in layers if layer.rules)

    # --- one directory -------------------------------------------------------------------------------------

    def _scan(self, folder: _Folder) -> None:
        try:
            with os.scandir(os.path.join(self._base, folder.path)) as found:  # noqa: PTH118
                entries = list(found)
        except OSError as error:
            if not folder.path:
                raise NoPermission("repo.not_listed", path=str(self._home)) from error
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                self._skip(folder.path, "unreadable", verbatim(error.strerror or ""))
            return
        names = {entry.name for entry in entries}
        here = self._arrive(folder, names)
        if here is None:
            return
        self._folders.append(here.path.decode("utf-8"))
        prefix = here.path + b"/" if here.path else b""
        for entry in entries:
            name = entry.name
            if name in VCS_STORES:
                if entry.is_dir(follow_symlinks=False):
                    self._skip(prefix + name, "built_in", say(VERSION_CONTROL))
            elif entry.is_dir(follow_symlinks=False):
                self._meet_directory(here, prefix + name, name, names)
            elif not here.leading:
                self._meet_file(here, entry, prefix + name)

    def _arrive(self, folder: _Folder, names: set[bytes]) -> _Folder | None:
        """Return a directory with its ignore files read; None when its content means that it is skipped."""
        if folder.path:
            is_submodule = folder.path in folder.submodules
            if not folder.asked_for and (why := marked(names, is_submodule)):
                self._skip(folder.path, "built_in", why)
                if not self._takes_back(folder.own, folder.path, explicitly=True):
                    return None
                folder = folder._replace(hidden=_Hidden.BUILT_IN)
            if is_submodule and b".git" in names:  # where the rules of the outer repository do not apply
                self._crossed = True
                top = self._home / os.fsdecode(folder.path)
                git = self._outer_rules(top, len(folder.path) + 1, b"")
                modules = frozenset(folder.path + b"/" + path for path in submodule_paths(top))
                folder = folder._replace(git=git, submodules=modules)
        if _GIT_IGNORE in names:
            folder = folder._replace(git=self._nearest(folder, _GIT_IGNORE) + folder.git)
        if _OWN_IGNORE in names:
            own = self._extra + self._nearest(folder, _OWN_IGNORE) + folder.own[len(self._extra) :]
            folder = folder._replace(own=own)
        return folder

    def _nearest(self, folder: _Folder, file: bytes) -> tuple[_Layer, ...]:
        rules = self._rules(self._home / os.fsdecode(folder.path) / os.fsdecode(file), follow=False)
        return self._layers(_Layer(rules, len(folder.path) + 1 if folder.path else 0))

    # --- one entry -----------------------------------------------------------------------------------------

    def _meet_directory(self, folder: _Folder, path: bytes, name: bytes, siblings: set[bytes]) -> None:
        if folder.leading and path not in self._leads and path not in self._sources:
            return
        if path in self._never:
            self._skip(path, "built_in", say("repo.kept"))
            return
        own = _verdict(folder.own, path, name, True)
        if own:
            return
        hidden = folder.hidden
        if own is False:
            hidden = _Hidden.NO
        elif hidden is not _Hidden.BUILT_IN and (why := built_in(path, name, siblings, self._tracked.has_below)):
            self._skip(path, "built_in", why)
            hidden = _Hidden.BUILT_IN
        elif hidden is _Hidden.NO and _verdict(folder.git, path, name, True):
            hidden = _Hidden.BY_GIT
        if not self._worth_opening(folder, path, hidden):
            return
        if not self._options.include_secrets and SECRETS.decide(path, name, True):
            self._skip(path, "secret")
            return
        leading = folder.leading and path not in self._sources
        secrets = folder.among_secrets or name.lower() == SECRETS_FOLDER
        if self._text(path) is not None:
            inner = _Folder(path, folder.git, folder.own, folder.submodules, hidden, own is False, leading, secrets)
            self._stack.append(inner)

    def _worth_opening(self, folder: _Folder, path: bytes, hidden: _Hidden) -> bool:
        if hidden is _Hidden.NO:
            return True
        if hidden is _Hidden.BUILT_IN:
            return self._takes_back(folder.own, path, explicitly=True)
        return self._takes_back(folder.own, path) or self._tracked.has_below(path)

    def _meet_file(self, folder: _Folder, entry: "os.DirEntry[bytes]", path: bytes) -> None:
        name = entry.name
        own = _verdict(folder.own, path, name, False) if folder.own else None
        if own or path in self._never or (own is None and self._is_hidden(folder, path, name)):
            return
        if entry.is_file(follow_symlinks=False):
            if not self._options.include_secrets and is_secret(path, name, folder.among_secrets):
                self._skip(path, "secret")
            else:
                self._offer(entry, path)
        elif entry.is_symlink():  # never followed, since the target has a path of its own
            target = Path(os.fsdecode(os.path.realpath(os.path.join(self._base, path))))  # noqa: PTH118
            if target.is_relative_to(self._home):
                self._skip(path, "link", verbatim(target.relative_to(self._home).as_posix()))
            else:
                self._skip(path, "outside_link")
        else:
            self._skip(path, "special")

    def _is_hidden(self, folder: _Folder, path: bytes, name: bytes) -> bool:
        if folder.hidden is _Hidden.BUILT_IN:
            return True
        ignored = folder.hidden is _Hidden.BY_GIT or _verdict(folder.git, path, name, False)
        return bool(ignored) and not self._tracked.has(path)

    def _offer(self, entry: "os.DirEntry[bytes]", path: bytes) -> None:
        if (text := self._text(path)) is None:
            return
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            self._skip(path, "unreadable", verbatim(error.strerror or ""))
            return
        if status.st_size > self._options.max_bytes:
            self._skip(path, "too_large", say("repo.bytes", count=status.st_size))
        else:
            stat = Stat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            self._found.append(Found(text, stat))

    # --- small questions -----------------------------------------------------------------------------------

    def _takes_back(self, layers: tuple[_Layer, ...], path: bytes, explicitly: bool = False) -> bool:
        return any(layer.rules.takes_back_below(path[layer.strip :], explicitly) for layer in layers)

    def _text(self, path: bytes) -> str | None:
        """Return a path as text; None, with a skip, for one that is not valid UTF-8."""
        try:
            return path.decode("utf-8")
        except UnicodeDecodeError:
            self._skip(path, "odd_name", say("repo.not_utf8"))
            return None

    def _skip(self, path: bytes, reason: str, detail: Message = NOTHING) -> None:
        self._skipped.append(Skip(path.decode("utf-8", "backslashreplace"), reason, detail))


def _verdict(layers: tuple[_Layer, ...], path: bytes, name: bytes, is_dir: bool) -> bool | None:
    """Return the decision of the nearest ignore file with a matching rule; None if no rule matches."""
    for rules, strip, prefix in layers:
        verdict = rules.decide(prefix + path[strip:], name, is_dir)
        if verdict is not None:
            return verdict
    return None


def _is_ignored_from_above(layers: tuple[_Layer, ...]) -> bool:
    """Tell whether a repository around the root ignores it: then its rules do not apply to this project.

    Without this, a project inside a home directory that is a repository ignoring ``*`` would have no files.
    """
    ways = [layer.prefix.split(b"/")[:-1] for layer in layers]
    for up in range(max(map(len, ways), default=0)):
        for layer, way in zip(layers, ways, strict=True):
            seen = way[: max(0, len(way) - up)]
            verdict = layer.rules.decide(b"/".join(seen), seen[-1], True) if seen else None
            if verdict:
                return True
            if verdict is False:
                break
    return False


class WalkStamp:
    """The time stamps of everything a walk saw; they show without a new walk whether the tree is still the same.

    Every change of a listing changes a time stamp: of the directory when a name is added or removed, of a file when it
    is edited, of an ignore file when a rule changes. If all stamps are the same, and none is as new as the walk, a walk
    would return the same listing. Other changes (settings that git includes from elsewhere) are found by the next full
    walk. ``before_ns`` is the last time stamp that certainly came before the walk.
    """

    def __init__(self, root: Path, listing: Listing, before_ns: int) -> None:
        self._base, self._before = f"{root}/", before_ns
        self._rules = {path: self._seen(path) for path in listing.rules or ()}
        left_out = (skip.path for skip in listing.skipped if skip.detail.code != VERSION_CONTROL)
        others = (*listing.folders, *left_out)
        self._paths = (*others, *(found.path for found in listing.files))
        self._stamps = array("q", (self._seen(self._base + path) for path in others))
        stats = (found.stat for found in listing.files)
        self._stamps.extend(self._stamp(stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode) for stat in stats)
        self._whole = listing.rules is not None and YOUNG not in self._stamps and YOUNG not in self._rules.values()

    def still_holds(self) -> bool:
        """Tell whether a walk would surely list the same files, with the same content."""
        if not self._whole or any(self._seen(path) != was for path, was in self._rules.items()):
            return False
        base, seen = self._base, self._seen
        return all(seen(base + path) == was for path, was in zip(self._paths, self._stamps, strict=True))

    def _seen(self, path: str) -> int:
        try:
            now = os.lstat(path)
        except (OSError, ValueError):
            return MISSING
        return self._stamp(now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino)

    def _stamp(self, size: int, mtime_ns: int, ctime_ns: int, inode: int) -> int:
        """Return one number for the metadata of a path."""
        if mtime_ns >= self._before or ctime_ns >= self._before:
            return YOUNG
        return hash((size, mtime_ns, ctime_ns, inode))
