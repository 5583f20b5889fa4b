"""Reads the configuration; the only module that reads the environment.

Values come from the packaged ``defaults.toml``, the user's file, the project's file, ``SHIRUBE_*`` and flags;
later sources override earlier ones. A project's file arrives with a clone, so it may not set anything that reaches
outside the project. ``Config.refused`` lists the settings that it asked for and may not have.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shirube.errors import ConfigError, NotADirectory, UnknownName
from shirube.messages import Message, say

if TYPE_CHECKING:
    from shirube.settings import Config

PROJECT_FILE = Path(".shirube") / "config.toml"
PROJECT_MAY_SET = {
    section: set(keys.split())
    for section, keys in {
        "index": "source_dirs excludes max_file_bytes sync_ttl_hours sync_on_start",
        "search": "limit mode fusion sense_chunks profile boost_profile tokenization preview_lines candidates"
        " fields signals confidence profiles boosts",
        "plan": "given derived",
        "context": "budget largest further error test diff hint dependency decay proximity",
        "history": "read commits years",
        "serve": "toolsets",
        "map": "short_circuit ready relevant doubtful expiry_days",
        "outcomes": "failure",
        "gate": "mode",
    }.items()
}
USERS_ALONE = ("store", "address")
"""The setting that no project's file may have, not even a trusted one's: where its code is sent."""
MAX_FILE_BYTES = 256_000
"""A configuration is about a page; a larger file is not one of ours, or is an attack."""
NOT_SETTINGS = {
    *("SHIRUBE_CACHE_DIR", "SHIRUBE_STATE_DIR", "SHIRUBE_CONFIG_DIR", "SHIRUBE_LANG", "SHIRUBE_ROOT"),
    "SHIRUBE_TEAM_TOKEN",  # an agent sends it to its team's server
    "SHIRUBE_STARTED",  # by it a process that we have started is known
}

HUB_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
HUB_YES = ("1", "ON", "YES", "TRUE")
"""Hugging Face's variables for staying off the network, and the values it takes for yes."""

_OURS = ("SHIRUBE_", "KIRI_")
_KIRI_FILE, _KIRI_PROFILES = "config/default.yml", "config/scoring-profiles.yml"
DEFAULTS = Path(__file__).with_name("defaults.toml")


def load_config(
    root: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> "Config":
    """Read every source and return the merged Config; the keys of ``flags`` are dotted (``index.workers``)."""
    import tomllib

    from shirube.settings import Config, build, check_search, checked, sections, strings

    values = tomllib.loads(DEFAULTS.read_text("utf-8"))
    sources, refused = ["defaults"], list[Message]()
    user_file = _config_dir(environ) / "config.toml"
    if user := _read_toml(user_file):
        merge(values, checked(user, str(user_file)))
        sources.append(str(user_file))
    from_environ = _from_environ(environ)
    if root is not None:
        trusted = from_environ.get("trust", values["trust"])["projects"]
        trusted_here = str(root.resolve()) in strings(trusted, "trust.projects")
        refused += _take_kiri(values, root, environ.get("KIRI_SCORING_CONFIG", ""), sources)
        refused += _take_project(values, root, trusted_here, sources)
    merge(values, from_environ)
    merge(values, checked(_nested(flags or {}), say("config.command_line")))
    built = {name: build(kind, values[name], name) for name, kind in sections().items()}
    check_search(built["search"])
    places = own_directories(environ)
    return Config(
        **built,
        cache_dir=places["cache"],
        state_dir=places["state"],
        hub_dir=_hub_directory(environ),
        refused=tuple(refused),
        sources=tuple(sources),
    )


def fingerprint(root: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Return a digest of all that ``load_config`` would read; empty when a file is not readable as expected.

    A caller that needs few settings can cache them: while the digest is the same, so are the settings.
    """
    ours = sorted(item for item in environ.items() if item[0].startswith(_OURS))
    digest = sha256(repr((str(root), ours)).encode())
    kiri = (_KIRI_FILE, environ.get("KIRI_SCORING_CONFIG") or _KIRI_PROFILES)
    for path in (DEFAULTS, _config_dir(environ) / "config.toml", *(root / name for name in (PROJECT_FILE, *kiri))):
        try:
            exists = path.exists()
            data = _beginning(path) if exists and path.is_file() else None
        except OSError:
            return ""
        if (exists and data is None) or len(data or b"") > MAX_FILE_BYTES:
            return ""
        digest.update(repr((os.path.realpath(path), data)).encode())
    return digest.hexdigest()


def child_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the few variables an outside program needs: where programs, the home and temporary files are."""
    keep = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP", "XDG_CONFIG_HOME")
    return {name: environ[name] for name in keep if name in environ}


def remote_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables by which a user's git reaches remotes, besides those that every program needs."""
    keep = (
        "SSH_AUTH_SOCK GIT_SSH_COMMAND GIT_CONFIG_GLOBAL GIT_SSL_CAINFO SSL_CERT_FILE SSL_CERT_DIR"
        " ALL_PROXY HTTPS_PROXY HTTP_PROXY NO_PROXY all_proxy https_proxy http_proxy no_proxy"
    )
    return child_environment(environ) | {name: environ[name] for name in keep.split() if name in environ}


def own_environment(environ: Mapping[str, str] = os.environ, **settings: str) -> dict[str, str]:
    """Return the environment for a process of this program, with some settings of its own."""
    return {**environ, **{f"SHIRUBE_{name.upper()}": value for name, value in settings.items()}}


def home_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the user's home directory; registries of commands are searched there after the project."""
    named = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(named) if named else Path.home()


def agent_directories(environ: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """Return where coding agents keep a user's settings, by their own rules."""
    home = home_directory(environ)
    config = Path(environ["XDG_CONFIG_HOME"]) if environ.get("XDG_CONFIG_HOME") else home / ".config"
    claude = Path(environ["CLAUDE_CONFIG_DIR"]) if environ.get("CLAUDE_CONFIG_DIR") else None
    library = home / "Library" / "Application Support"
    return {
        "home": home,
        "config": config,
        "claude": claude or home / ".claude",
        "claude_state": claude or home,
        "codex": Path(environ["CODEX_HOME"]) if environ.get("CODEX_HOME") else home / ".codex",
        "code": (library if sys.platform == "darwin" else config) / "Code" / "User",
    }


def default_root(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the project that the environment names, ours first and then the agent's; None when neither does."""
    if environ.get("SHIRUBE_ROOT"):
        return Path(environ["SHIRUBE_ROOT"])
    client = environ.get("CLAUDE_PROJECT_DIR")
    return Path(client) if client and Path(client).is_dir() else None


def ceilings(environ: Mapping[str, str] = os.environ) -> str:
    """Return the directories at which the upward search for a project stops, as git's variable writes them."""
    return environ.get("GIT_CEILING_DIRECTORIES", "")


def client_session(environ: Mapping[str, str] = os.environ) -> str:
    """Return the session id of the agent that started us, if the environment names it."""
    return environ.get("CLAUDE_CODE_SESSION_ID", "")


def own_directories(environ: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """Return our own directories by purpose; no setting of a project can change them."""
    return {
        "config": _config_dir(environ),
        "cache": _directory(environ, "SHIRUBE_CACHE_DIR", "XDG_CACHE_HOME", ".cache"),
        "state": _directory(environ, "SHIRUBE_STATE_DIR", "XDG_STATE_HOME", ".local/state"),
    }


def wants_colour(environ: Mapping[str, str] = os.environ) -> bool:
    """Tell whether colours are allowed (no-color.org)."""
    return not environ.get("NO_COLOR")


def reader_language(environ: Mapping[str, str] = os.environ) -> str:
    """Return the language for the terminal, ``ja`` or ``en``: from ``SHIRUBE_LANG``, else from the locale."""
    locale = next(
        (environ[name] for name in ("SHIRUBE_LANG", "LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), ""
    )
    return "ja" if locale.lower().startswith("ja") else "en"


def _config_dir(environ: Mapping[str, str]) -> Path:
    return _directory(environ, "SHIRUBE_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")


def _directory(environ: Mapping[str, str], own: str, xdg: str, fallback: str) -> Path:
    if environ.get(own):
        return Path(environ[own]).expanduser().absolute()
    base = environ.get(xdg, "")
    home = Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    # The XDG specification says that relative values are to be ignored.
    return (Path(base) if base and Path(base).is_absolute() else home / fallback) / "shirube"


def _hub_directory(environ: Mapping[str, str]) -> Path:
    """Return where Hugging Face's own programs keep models, by their rules."""
    for name, below in (("HF_HUB_CACHE", ""), ("HUGGINGFACE_HUB_CACHE", ""), ("HF_HOME", "hub")):
        if environ.get(name):
            return Path(environ[name]).expanduser().absolute() / below
    home = Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    cache = Path(environ["XDG_CACHE_HOME"]) if environ.get("XDG_CACHE_HOME") else home / ".cache"
    return cache / "huggingface" / "hub"


def _read_toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        if not path.exists():
            return {}
        if not path.is_file():  # a pipe in a stranger's clone would make us wait forever
            raise ConfigError("config.not_file", path=str(path))
        data = _beginning(path)
    except OSError as error:
        raise ConfigError("config.unreadable", path=str(path), error=error.strerror) from error
    if len(data) > MAX_FILE_BYTES:
        raise ConfigError("config.too_large", path=str(path), most=MAX_FILE_BYTES // 1000)
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError("config.not_toml", path=str(path), error=str(error)) from error


def _beginning(path: Path) -> bytes:
    """Return a file's bytes, at most one more than allowed: that is enough to see that it is too large."""
    with path.open("rb") as stream:
        return stream.read(MAX_FILE_BYTES + 1)


def _take_project(values: dict[str, Any], root: Path, trusted: bool, sources: list[str]) -> list[Message]:
    """Merge the settings that the project may have; return a message for each that it may not."""
    if not trusted and _leads_out(root, root / PROJECT_FILE):
        return [_refused("leads_out")]
    project_file = _read_toml(root / PROJECT_FILE)
    if not project_file:
        return []
    from shirube.settings import checked

    asked = checked(project_file, str(PROJECT_FILE))
    sources.append(str(PROJECT_FILE))
    section, key = USERS_ALONE
    refused = []
    if asked.get(section, {}).pop(key, None) is not None:
        refused = [say("config.never", path=str(PROJECT_FILE), name=f"{section}.{key}")]
    if not trusted:
        asked, more = _within_rights(asked, str(values["gate"]["mode"]))
        refused += more
    merge(values, asked)
    return refused


def _within_rights(asked: dict[str, Any], gate: str) -> tuple[dict[str, Any], list[Message]]:
    from shirube.settings import GATE_MODES, strings

    weaker = GATE_MODES[: GATE_MODES.index(gate)] if gate in GATE_MODES else ()
    allowed: dict[str, Any] = {}
    refused = []
    for section, keys in asked.items():
        for key, value in keys.items():
            if key not in PROJECT_MAY_SET.get(section, ()):
                refused.append(_refused("users_alone", f"{section}.{key}"))
            elif key == "source_dirs" and any(map(_leaves, strings(value, "index.source_dirs"))):
                refused.append(_refused("leaves", f"{section}.{key}"))
            elif section == "gate" and value in weaker:
                refused.append(_refused("weakens", f"{section}.{key}"))
            else:
                allowed.setdefault(section, {})[key] = value
    return allowed, refused


def _refused(why: str, name: str = "") -> Message:
    return say(f"config.{why}", path=str(PROJECT_FILE), name=name, trust=say("config.trust"))


def _leaves(entry: str) -> bool:
    return ".." in re.split(r"[/\\]", entry) or Path(entry).is_absolute() or entry.startswith("~")


def _leads_out(root: Path, path: Path) -> bool:
    """Tell whether symbolic links make a file of the project resolve to a path outside it."""
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _take_kiri(values: dict[str, Any], root: Path, scoring: str, sources: list[str]) -> list[Message]:
    """Merge the settings of kiri (seed 001) that the project holds; return a message for each unusable one."""
    from shirube.compat.kiri import faults_of_default_yml, faults_of_profiles, from_default_yml, from_scoring_profiles

    name = scoring or _KIRI_PROFILES
    # Who sets the variable means that file, wherever it is; a project's own file stays inside the project.
    profiles, defaults = _small_text(root, name, anywhere=bool(scoring)), _small_text(root, _KIRI_FILE)
    for path, read in ((_KIRI_FILE, from_default_yml(defaults)), (name, from_scoring_profiles(profiles))):
        merge(values, read)
        sources += [path] if read else []
    faults = [(_KIRI_FILE, fault) for fault in faults_of_default_yml(defaults)]
    faults += [(name, fault) for fault in faults_of_profiles(profiles)]
    if scoring and name not in sources and not any(path == name for path, _ in faults):
        faults.append((name, say("config.no_profiles")))
    return [say("config.in_file", path=path, why=fault) for path, fault in faults]


def _small_text(root: Path, name: str, anywhere: bool = False) -> str:
    """Return a small text file; empty when it cannot be used, since it may belong to another tool, or is outside."""
    path = root / name
    try:
        if not path.is_file() or (not anywhere and _leads_out(root, path)):
            return ""
        data = _beginning(path)
        return data.decode("utf-8") if len(data) <= MAX_FILE_BYTES else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _from_environ(environ: Mapping[str, str]) -> dict[str, Any]:
    from shirube.settings import setting_names

    values: dict[str, Any] = {}
    if strategy := environ.get("KIRI_TOKENIZATION_STRATEGY"):
        values["search"] = {"tokenization": strategy}
    if any(environ.get(name, "").upper() in HUB_YES for name in HUB_OFFLINE):
        values["embed"] = {"offline": True}
    known = {f"SHIRUBE_{key.replace('.', '_').upper()}": key for key in setting_names()}
    for name, text in environ.items():
        if not name.startswith("SHIRUBE_") or name in NOT_SETTINGS:
            continue
        if name not in known:
            raise UnknownName("environment_variable", name, [*known, *NOT_SETTINGS])
        merge(values, _nested({known[name]: text}))
    return values


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for dotted, value in flat.items():
        *path, last = dotted.split(".")
        table = values
        for part in path:
            table = table.setdefault(part, {})
        table[last] = value
    return values


def merge(into: dict[str, Any], new: Mapping[str, Any]) -> None:
    """Override values with new ones, table by table."""
    for key, value in new.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value


MARKS = (".git", ".hg", ".shirube", ".jj")


def is_directory(path: Path) -> bool:
    """Tell whether the path is a directory; an impossible path is none, and raises nothing."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def find_root(given: Path | None, start: Path) -> Path:
    """Return the given root, else the one the environment names, else the nearest directory with a project's mark."""
    named = given if given is not None else default_root()
    if named is not None:
        if not is_directory(named):
            raise NotADirectory("repo.no_directory", path=str(named))
        return named
    for directory in upwards(start):
        if any((directory / mark).exists() for mark in MARKS):
            return directory
    if start in (Path.home(), Path(start.anchor)):
        raise NotADirectory("repo.no_project", path=str(start))
    return start


def upwards(start: Path) -> Iterator[Path]:
    """Yield a directory and its parents, as far up as git would search for a repository."""
    yield start
    stops = {os.path.realpath(entry) for entry in ceilings().split(os.pathsep) if Path(entry).is_absolute()}
    for directory in start.parents:
        if stops and os.path.realpath(directory) in stops:
            return
        yield directory
