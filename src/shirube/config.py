"""One Config, and the only reader of the environment.

Values come from the packaged ``defaults.toml``, the user's file, the project's file, ``SHIRUBE_*`` and flags,
the later over the earlier. A project's file arrives with a clone, so it may not set what reaches outside the
project; what it asks for beyond its rights is left out and told in ``Config.refused``.
"""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from shirube.errors import BadArgument, ConfigError, UnknownName

if TYPE_CHECKING:
    from shirube.settings import Config, SearchConfig

PROJECT_FILE = Path(".shirube") / "config.toml"
PROJECT_MAY_SET = {
    "index": {"source_dirs", "excludes", "max_file_bytes", "sync_ttl_hours", "sync_on_start"},
    "search": {
        *(
            "limit",
            "mode",
            "fusion",
            "sense_chunks",
            "profile",
            "boost_profile",
            "tokenization",
            "preview_lines",
            "candidates",
        ),
        *("fields", "signals", "confidence", "profiles", "boosts"),
    },
    "plan": {"given", "derived"},
    "context": {"budget", "largest", "further", "error", "test", "diff", "hint", "dependency", "decay", "proximity"},
    "serve": {"toolsets"},
    "map": {"short_circuit", "ready", "relevant", "doubtful", "expiry_days"},
    "outcomes": {"failure"},
    "gate": {"mode"},
}
GATE_MODES = ("off", "advise", "block")
"""From the weakest to the strongest; a project may make the gate stronger, never weaker."""
CHOICES = {
    "search.mode": ("auto", "hybrid", "lexical", "dense"),
    "search.fusion": ("blend", "rrf"),
    "search.tokenization": ("phrase-aware", "legacy", "hybrid"),
    "store.backend": ("embedded", "memory"),
    "embed.model": ("static", "hashed", "e5"),
    "web.editor": ("vscode", "vscodium", "cursor", "windsurf", "zed", "idea", "none"),
    "gate.mode": GATE_MODES,
    "log.level": ("debug", "info", "warning", "error"),
}
AT_MOST = {
    "search.limit": 1000,
    "search.candidates": 10_000,
    "search.signals.anchors": 50,
    "context.budget": 1_000_000,
    "context.largest": 1,
    "context.decay": 1,
    "index.max_file_bytes": 1 << 26,
    "index.workers": 256,
    "web.port": 65_535,
    "embed.threads": 256,
    "commands.timeout_seconds": 3600,
    **dict.fromkeys(("map.short_circuit", "map.ready", "map.relevant", "map.doubtful", "outcomes.failure"), 1),
    "outcomes.prior": 0.5,
}
MOST = 10**9
"""No number is larger: a project's file must not be able to ask for all memory there is."""
AT_LEAST = {
    "search.limit": 1,
    "search.signals.coherence": 1,
    "search.signals.sense_coherence": 1,
    "search.confidence.bias": -100,
    "plan.kept": 1,
    **{
        f"plan.{kind}.{name}": -100
        for kind in ("given", "derived")
        for name in ("bias", "search", "agreement", "first")
    },
    "search.candidates": 1,
    "context.budget": 1,
    "index.batch_files": 1,
    "outcomes.prior_samples": 1,
    "index.max_file_bytes": 1,
    "serve.request_seconds": 0.1,
    "commands.timeout_seconds": 0.1,
    "serve.max_connections": 1,
}
MAX_FILE_BYTES = 256_000
"""A configuration is a page; one that is larger is not meant for us, or meant badly."""
NOT_SETTINGS = {"SHIRUBE_CACHE_DIR", "SHIRUBE_STATE_DIR", "SHIRUBE_CONFIG_DIR", "SHIRUBE_ROOT"}


HUB_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
HUB_YES = ("1", "ON", "YES", "TRUE")
"""Other programs' switch for staying off the network, and the values they take for yes."""

DEFAULTS = Path(__file__).with_name("defaults.toml")


@cache
def sections() -> dict[str, Any]:
    """Return the types of all sections; loaded late, because a hook that asks where things are needs none of them."""
    from shirube.settings import Config

    return {name: hint for name, hint in get_type_hints(Config).items() if is_dataclass(hint)}


def __getattr__(name: str) -> Any:
    """Offer the sections as a constant."""
    if name == "SECTIONS":
        return sections()
    raise AttributeError(f"module 'shirube.config' has no attribute '{name}'")


def load_config(
    root: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> "Config":
    """Read every source and return the one Config; ``flags`` are dotted keys (``index.workers``)."""
    import tomllib

    from shirube.settings import Config

    env = os.environ if environ is None else environ
    values = tomllib.loads(DEFAULTS.read_text("utf-8"))
    sources, refused = ["defaults"], []
    user_file = _config_dir(env) / "config.toml"
    if user := _read_toml(user_file):
        _merge(values, _checked(user, str(user_file)))
        sources.append(str(user_file))
    from_environ = _from_environ(env)
    if root is not None:
        trusted = from_environ.get("trust", values["trust"])["projects"]
        trusted_here = str(root.resolve()) in _strings(trusted, "trust.projects")
        refused += _take_kiri(values, root, env.get("KIRI_SCORING_CONFIG", ""))
        refused += _take_project(values, root, trusted_here, sources)
    _merge(values, from_environ)
    _merge(values, _checked(_nested(flags or {}), "the command line"))
    built = {name: _build(kind, values[name], name) for name, kind in sections().items()}
    _check_search(built["search"])
    places = own_directories(env)
    return Config(
        **built,
        cache_dir=places["cache"],
        state_dir=places["state"],
        hub_dir=_hub_directory(env),
        refused=tuple(refused),
        sources=tuple(sources),
    )


def child_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the few variables an outside program needs: where programs are, whose home, which language."""
    env = os.environ if environ is None else environ
    keep = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP", "XDG_CONFIG_HOME")
    return {name: env[name] for name in keep if name in env}


def home_directory(environ: Mapping[str, str] | None = None) -> Path:
    """Return the user's home, where registries are looked for after the project."""
    env = os.environ if environ is None else environ
    named = env.get("HOME") or env.get("USERPROFILE")
    return Path(named) if named else Path.home()


def agent_directories(environ: Mapping[str, str] | None = None) -> dict[str, Path]:
    """Return where agents keep a user's settings, by the rules they go by themselves."""
    env = os.environ if environ is None else environ
    home = home_directory(env)
    config = Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config"
    claude = Path(env["CLAUDE_CONFIG_DIR"]) if env.get("CLAUDE_CONFIG_DIR") else None
    library = home / "Library" / "Application Support"
    return {
        "home": home,
        "config": config,
        "claude": claude or home / ".claude",
        "claude_state": claude or home,
        "codex": Path(env["CODEX_HOME"]) if env.get("CODEX_HOME") else home / ".codex",
        "code": (library if sys.platform == "darwin" else config) / "Code" / "User",
    }


def default_root(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the project an agent's client names in the environment, if it does."""
    env = os.environ if environ is None else environ
    if env.get("SHIRUBE_ROOT"):
        return Path(env["SHIRUBE_ROOT"])
    client = env.get("CLAUDE_PROJECT_DIR")
    return Path(client) if client and Path(client).is_dir() else None


def client_session(environ: Mapping[str, str] | None = None) -> str:
    """Return what the agent that started us calls its own session, if it tells by the environment."""
    env = os.environ if environ is None else environ
    return env.get("CLAUDE_CODE_SESSION_ID", "")


def own_directories(environ: Mapping[str, str] | None = None) -> dict[str, Path]:
    """Return where we keep things, by what they are; nothing in a project has a say in it."""
    env = os.environ if environ is None else environ
    return {
        "config": _config_dir(env),
        "cache": _directory(env, "SHIRUBE_CACHE_DIR", "XDG_CACHE_HOME", ".cache"),
        "state": _directory(env, "SHIRUBE_STATE_DIR", "XDG_STATE_HOME", ".local/state"),
    }


def wants_colour(environ: Mapping[str, str] | None = None) -> bool:
    """Tell whether the user has nothing against colours (no-color.org)."""
    env = os.environ if environ is None else environ
    return not env.get("NO_COLOR")


def _config_dir(env: Mapping[str, str]) -> Path:
    return _directory(env, "SHIRUBE_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")


def _directory(env: Mapping[str, str], own: str, xdg: str, fallback: str) -> Path:
    if env.get(own):
        return Path(env[own]).expanduser().absolute()
    base = env.get(xdg, "")
    home = Path(env["HOME"]) if env.get("HOME") else Path.home()
    # The XDG specification says that relative values are to be ignored.
    return (Path(base) if base and Path(base).is_absolute() else home / fallback) / "shirube"


def _hub_directory(env: Mapping[str, str]) -> Path:
    """Return where the hub's own programs keep models, by the rules they go by."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if env.get(name):
            return Path(env[name]).expanduser().absolute()
    if env.get("HF_HOME"):
        return Path(env["HF_HOME"]).expanduser().absolute() / "hub"
    home = Path(env["HOME"]) if env.get("HOME") else Path.home()
    return (Path(env["XDG_CACHE_HOME"]) if env.get("XDG_CACHE_HOME") else home / ".cache") / "huggingface" / "hub"


def _read_toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        if not path.exists():
            return {}
        if not path.is_file():  # a pipe, which a stranger's clone would make us wait for
            raise ConfigError(f"{path} cannot be read: it is no file", "remove it")
        data = _beginning(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", "check its permissions") from error
    if len(data) > MAX_FILE_BYTES:
        raise ConfigError(f"{path} has more than {MAX_FILE_BYTES // 1000} kB", "keep only settings in it, or remove it")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", "mend the file or remove it") from error


def _beginning(path: Path) -> bytes:
    """Return a file, and of one that is too large no more than shows that it is."""
    with path.open("rb") as stream:
        return stream.read(MAX_FILE_BYTES + 1)


def _take_project(values: dict[str, Any], root: Path, trusted: bool, sources: list[str]) -> list[str]:
    """Merge what the project asks for and may have; return what it may not."""
    if not trusted and _leads_out(root, root / PROJECT_FILE):
        return [f"{PROJECT_FILE} leads out of the project and is not read ({_TRUST_HINT})"]
    found = _read_toml(root / PROJECT_FILE)
    if not found:
        return []
    asked = _checked(found, str(PROJECT_FILE))
    sources.append(str(PROJECT_FILE))
    if trusted:
        _merge(values, asked)
        return []
    allowed, refused = _within_rights(asked, str(values["gate"]["mode"]))
    _merge(values, allowed)
    return refused


def _within_rights(asked: dict[str, Any], gate: str) -> tuple[dict[str, Any], list[str]]:
    allowed: dict[str, Any] = {}
    refused = []
    for section, keys in asked.items():
        for key, value in keys.items():
            if key not in PROJECT_MAY_SET.get(section, ()):
                refused.append(f"{PROJECT_FILE}: {section}.{key} may only be set by the user ({_TRUST_HINT})")
            elif key == "source_dirs" and any(map(_leaves, _strings(value, "index.source_dirs"))):
                refused.append(f"{PROJECT_FILE}: {section}.{key} leaves the project ({_TRUST_HINT})")
            elif section == "gate" and _weaker(value, gate):
                refused.append(f"{PROJECT_FILE}: {section}.{key} may not weaken what the user set ({_TRUST_HINT})")
            else:
                allowed.setdefault(section, {})[key] = value
    return allowed, refused


_TRUST_HINT = "add the project's path to trust.projects in your own config.toml to allow it"


def _weaker(mode: Any, than: str) -> bool:
    return mode in GATE_MODES and than in GATE_MODES and GATE_MODES.index(mode) < GATE_MODES.index(than)


def _leaves(entry: str) -> bool:
    return ".." in re.split(r"[/\\]", entry) or Path(entry).is_absolute() or entry.startswith("~")


def _leads_out(root: Path, path: Path) -> bool:
    """Tell whether a link on the way to a file of the project ends outside it."""
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _take_kiri(values: dict[str, Any], root: Path, scoring: str) -> list[str]:
    """Merge what seed 001's program left in the project, and return what it asks for in vain."""
    from shirube.kiri import faults_of_profiles, from_default_yml, from_scoring_profiles

    name = scoring or "config/scoring-profiles.yml"
    profiles = _project_text(root, name)
    _merge(values, from_default_yml(_project_text(root, "config/default.yml")))
    _merge(values, from_scoring_profiles(profiles))
    return [f"{name}: {fault}" for fault in faults_of_profiles(profiles)]


def _project_text(root: Path, name: str) -> str:
    """Return a small text file of the project, or nothing: it may belong to something else."""
    path = root / name
    try:
        if not path.is_file() or _leads_out(root, path):
            return ""
        data = _beginning(path)
        return data.decode("utf-8") if len(data) <= MAX_FILE_BYTES else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _from_environ(env: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if strategy := env.get("KIRI_TOKENIZATION_STRATEGY"):
        values["search"] = {"tokenization": strategy}
    if any(env.get(name, "").upper() in HUB_YES for name in HUB_OFFLINE):
        values["embed"] = {"offline": True}
    known = {f"SHIRUBE_{key.replace('.', '_').upper()}": key for key in setting_names()}
    for name, text in env.items():
        if not name.startswith("SHIRUBE_") or name in NOT_SETTINGS:
            continue
        if name not in known:
            raise UnknownName("environment variable", name, [*known, *NOT_SETTINGS])
        _merge(values, _nested({known[name]: text}))
    return values


def setting_names() -> tuple[str, ...]:
    """Return every setting by its dotted name."""

    def walk(kind: Any, prefix: str) -> list[str]:
        names: list[str] = []
        for name, hint in get_type_hints(kind).items():
            dotted = f"{prefix}.{name}"
            if get_origin(hint) is not Mapping:  # their names are free, so the environment cannot spell them
                names += walk(hint, dotted) if is_dataclass(hint) else [dotted]
        return names

    return tuple(name for section, kind in sections().items() for name in walk(kind, section))


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for dotted, value in flat.items():
        *path, last = dotted.split(".")
        place = values
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return values


def _merge(into: dict[str, Any], new: Mapping[str, Any]) -> None:
    for key, value in new.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _checked(values: dict[str, Any], source: str) -> dict[str, Any]:
    """Refuse unknown sections and keys, so that a typo is never silently without effect."""
    for section, keys in values.items():
        if section not in sections():
            raise UnknownName(f"section in {source}", section, sections())
        if not isinstance(keys, dict):
            raise ConfigError(f"{source}: '{section}' must be a table", f"write [{section}]")
        known = [field.name for field in fields(sections()[section])]
        for key in keys:
            if key not in known:
                raise UnknownName(f"key in [{section}] of {source}", key, known)
    return values


def _build(kind: Any, values: Mapping[str, Any], where: str) -> Any:
    hints = get_type_hints(kind)
    if not isinstance(values, Mapping):
        raise _unfit(where, values, "a table")
    for key in values:
        if key not in hints:
            raise UnknownName(f"key in [{where}]", key, hints)
    return kind(**{name: _convert(values[name], hint, f"{where}.{name}") for name, hint in hints.items()})


def _check_search(search: "SearchConfig") -> None:
    """Refuse profiles nobody knows, and weights with which every question would be answered by a false "none"."""
    from shirube.settings import BoostProfile

    for name, value, known in (
        ("search.profile", search.profile, search.profiles),
        ("search.boost_profile", search.boost_profile, search.boosts),
    ):
        if value not in known:
            raise UnknownName(f"value of {name}", value, known)
    roles = [field.name for field in fields(BoostProfile)]
    for profile in search.profiles.values():
        for role in profile.roles:
            if role not in roles:
                raise UnknownName("role of a profile", role, roles)
    names = [field.name for field in fields(search.fields)]
    if not any(getattr(search.fields, name) for name in names):
        raise ConfigError(
            "search.fields are all 0, so that nothing could be found",
            f"give at least one of {', '.join(names)} a weight above 0",
        )


def _convert(value: Any, hint: Any, name: str) -> Any:
    if is_dataclass(hint):
        return _build(hint, value, name)
    if get_origin(hint) is Mapping:
        return _table(value, get_args(hint)[1], name)
    if get_origin(hint) is tuple:
        return _strings(value, name)
    if hint is bool:
        return _boolean(value, name)
    if hint in (int, float):
        return _number(value, hint, name)
    if name in CHOICES and value not in CHOICES[name]:
        raise UnknownName(f"value of {name}", str(value), CHOICES[name])
    return str(value)


def _table(value: Any, kind: Any, name: str) -> dict[str, Any]:
    """Return a table whose keys are names that people choose: profiles, roles."""
    if not isinstance(value, Mapping):
        raise _unfit(name, value, "a table")
    like = value.get("default", {})
    return {key: _convert(_over(like, entry), kind, f"{name}.{key}") for key, entry in value.items()}


def _over(like: Any, entry: Any) -> Any:
    """Return a table with what it leaves out taken from the one named "default"."""
    return {**like, **entry} if isinstance(like, Mapping) and isinstance(entry, Mapping) else entry


def _strings(value: Any, name: str) -> tuple[str, ...]:
    """Return a list of strings, which the environment writes with commas."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise _unfit(name, value, "a list of strings")
    return tuple(str(item).strip() for item in items if str(item).strip())


def _boolean(value: Any, name: str) -> bool:
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if isinstance(value, bool):
        return value
    if str(value).lower() not in words:
        raise _unfit(name, value, "true or false")
    return words[str(value).lower()]


def _number(value: Any, kind: type, name: str) -> Any:
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        raise _unfit(name, value, "a number") from None
    low, high = AT_LEAST.get(name, 0), AT_MOST.get(name, MOST)
    if isinstance(value, bool) or not low <= number <= high or (isinstance(value, float) and value != number):
        raise _unfit(name, value, f"{'a whole' if kind is int else 'a'} number from {low} to {high}")
    return number


def _unfit(name: str, value: Any, wanted: str) -> BadArgument:
    return BadArgument(f"{name} = {value!r} does not fit", f"it must be {wanted}")
