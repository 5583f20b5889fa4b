"""The types of all settings; ``defaults.toml`` has their meanings and default values."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct

from shirube.errors import BadArgument, ConfigError, UnknownName
from shirube.messages import Message, say

MOST = 10**9
"""The largest number allowed: a project's file must not be able to ask for all the memory there is."""
LEAST = 0
"""The smallest number allowed, unless a setting has a bound of its own."""
Positive = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(le=1)]
Signed = Annotated[float, Meta(ge=-100)]
GateMode = Literal["off", "advise", "block"]
GATE_MODES = get_args(GateMode)
Evidence = Literal["scaled", "seed"]
"""From the weakest to the strongest; a project may make the gate stronger, never weaker."""


class IndexConfig(Struct, frozen=True):
    """What is indexed, how fresh it is kept, and at what cost."""

    source_dirs: tuple[str, ...]
    excludes: tuple[str, ...]
    max_file_bytes: Annotated[int, Meta(ge=1, le=1 << 26)]
    include_secrets: bool
    sync_on_start: bool
    sync_ttl_hours: float
    sync_share: float
    workers: Annotated[int, Meta(le=256)]
    parse_timeout_seconds: float
    batch_files: Positive
    first_answer_seconds: float
    cache_megabytes: int


class FieldWeights(Struct, frozen=True):
    """What a match in each field is worth."""

    content: float
    symbols: float
    path: float
    name: float


class SignalWeights(Struct, frozen=True):
    """The weight of each signal in a file's score; ``defaults.toml`` explains each one."""

    coherence: Annotated[float, Meta(ge=1)]
    sense: float
    sense_coherence: Annotated[float, Meta(ge=1)]
    sense_floor: float
    sense_whole: float
    other_forms: float
    translation: float
    coverage: float
    verbatim: float
    phrase: float
    phrase_enough: float
    phrase_common: float
    path_phrase: float
    path_segment: float
    path_keyword: float
    file_name: float
    definition: float
    small_definition: float
    nested_definition: float
    other_capitals: float
    plain_definition: float
    symbol: float
    dependency: float
    proximity: float
    history: float
    changes: float
    structural: float
    recent: float
    cochange: float
    frame: float
    anchors: Annotated[int, Meta(le=50)]


class ConfidenceWeights(Struct, frozen=True):
    """From which confidence on the first place counts as found."""

    found: Share


class Profile(Struct, frozen=True):
    """Weights for one purpose of a question, as in seed 001, and multipliers for roles of files."""

    text: float
    path: float
    editing: float
    dependency: float
    proximity: float
    structural: float
    recent: float
    cochange: float
    roles: Mapping[str, float]


class BoostProfile(Struct, frozen=True):
    """Factors for a file's score, by the role of the file."""

    implementation: float
    test: float
    example: float
    doc: float
    config: float
    generated: float
    vendored: float
    stub: float
    superseded: float
    internal: float
    plus: Mapping[str, Signed]
    """Role → points for each of the question's words that ``context_bundle`` adds (seed 001)."""


class SearchConfig(Struct, frozen=True):
    """How questions are read and answered."""

    limit: Annotated[int, Meta(ge=1, le=1000)]
    mode: Literal["auto", "hybrid", "lexical", "dense"]
    fusion: Literal["blend", "rrf"]
    sense_chunks: int
    profile: str
    boost_profile: str
    tokenization: Literal["phrase-aware", "legacy", "hybrid"]
    preview_lines: int
    candidates: Annotated[int, Meta(ge=1, le=10_000)]
    fields: FieldWeights
    signals: SignalWeights
    confidence: ConfidenceWeights
    profiles: Mapping[str, Profile]
    boosts: Mapping[str, BoostProfile]


class PlanConfidence(Struct, frozen=True):
    """The weights that estimate whether a plan's first result is right."""

    bias: Signed
    search: Signed
    agreement: Signed
    first: Signed


class PlanConfig(Struct, frozen=True):
    """How goals are worked towards, and how many plans are remembered."""

    kept: Positive
    given: PlanConfidence
    derived: PlanConfidence


class ContextConfig(Struct, frozen=True):
    """How a context bundle is made; the best file of the search is worth 1."""

    budget: Annotated[int, Meta(ge=1, le=1_000_000)]
    largest: Share
    further: float
    error: float
    test: float
    diff: float
    hint: float
    named: float
    dependency: float
    decay: Share
    proximity: float


class HistoryConfig(Struct, frozen=True):
    """How much of git's history is read, and whether names of people are shown."""

    read: bool
    commits: int
    years: float
    authors: bool


class StoreConfig(Struct, frozen=True):
    """Where the index is kept."""

    backend: Literal["embedded", "memory", "overlay", "postgres"]
    address: str
    busy_seconds: float


class EmbedConfig(Struct, frozen=True):
    """Which model turns text into vectors, and where one that is not bundled comes from."""

    model: Literal["static", "hashed", "e5"]
    source: str
    offline: bool
    threads: Annotated[int, Meta(le=256)]


class MapConfig(Struct, frozen=True):
    """When an agreement of the map may answer, and how long it is valid."""

    extra: tuple[str, ...]
    short_circuit: Share
    ready: Share
    relevant: Share
    doubtful: Share
    expiry_days: float


class OutcomesConfig(Struct, frozen=True):
    """How recorded outcomes turn into estimates."""

    prior: Annotated[float, Meta(le=0.5)]
    prior_samples: Positive
    failure: Share


class ServeConfig(Struct, frozen=True):
    """What a server offers, and its limits."""

    toolsets: str
    max_line_bytes: int
    call_timeout_seconds: float
    request_seconds: Annotated[float, Meta(ge=0.1)]
    max_connections: Positive
    result_tokens: int
    max_result_tokens: int
    structured: bool


class TeamConfig(Struct, frozen=True):
    """How ``shirube serve --team`` is reached, whom it lets in, and what each may take of it."""

    bind: str
    hosts: tuple[str, ...]
    origins: tuple[str, ...]
    certificate: str
    key: str
    behind_proxy: bool
    metrics_token: str
    branches: tuple[str, ...]
    issuer: str
    audience: str
    jwks: str
    claim: str
    rules: tuple[str, ...]
    requests: Positive
    words: Positive
    most_repositories: Positive
    open_repositories: Positive
    connections: Annotated[int, Meta(ge=1, le=200)]
    clients: Positive
    body_bytes: Positive
    audit: str
    audit_megabytes: Positive
    audit_files: Positive
    login_hours: Annotated[float, Meta(ge=0.01, le=24)]

    @property
    def scheme(self) -> str:
        """How the server is spoken to, unless a proxy stands before it."""
        return "https" if self.certificate else "http"


class WebConfig(Struct, frozen=True):
    """How the page in the browser is reached, and which editor its links open."""

    port: Annotated[int, Meta(le=65_535)]
    editor: Literal["vscode", "vscodium", "cursor", "windsurf", "zed", "idea", "none"]


class CommandsConfig(Struct, frozen=True):
    """How commands of a registry are executed."""

    external: bool
    runner: str
    timeout_seconds: Annotated[float, Meta(ge=0.1, le=3600)]


class SessionConfig(Struct, frozen=True):
    """How long sessions stay usable."""

    expire_hours: float


class GuardConfig(Struct, frozen=True):
    """How much a session must know before anything is written."""

    evidence: Evidence


class GateConfig(Struct, frozen=True):
    """What the gate before writes does, and what it leaves alone."""

    mode: GateMode
    exempt: tuple[str, ...]
    commands: tuple[str, ...]


class WorkerConfig(Struct, frozen=True):
    """What a worker takes of a repository, and how it reaches remotes."""

    directory: str
    protocols: tuple[str, ...]
    mirror_megabytes: int
    tree_megabytes: int
    files: int
    seconds: float


class LogConfig(Struct, frozen=True):
    """How much is logged to stderr."""

    level: Literal["debug", "info", "warning", "error"]


class TrustConfig(Struct, frozen=True):
    """Which projects may configure more than themselves."""

    projects: tuple[str, ...]


class Config(Struct, frozen=True):
    """All settings, complete and checked."""

    index: IndexConfig
    search: SearchConfig
    plan: PlanConfig
    context: ContextConfig
    history: HistoryConfig
    store: StoreConfig
    embed: EmbedConfig
    map: MapConfig
    outcomes: OutcomesConfig
    serve: ServeConfig
    team: TeamConfig
    web: WebConfig
    commands: CommandsConfig
    session: SessionConfig
    guard: GuardConfig
    gate: GateConfig
    worker: WorkerConfig
    log: LogConfig
    trust: TrustConfig
    cache_dir: Path
    state_dir: Path
    hub_dir: Path
    """Where programs that use the Hugging Face hub keep downloaded models."""
    refused: tuple[Message, ...] = ()
    sources: tuple[str, ...] = ()


def is_section(hint: Any) -> bool:
    """Tell whether a type is a section: a part of the configuration with fields of its own."""
    return isinstance(hint, type) and issubclass(hint, Struct)


@cache
def sections() -> dict[str, Any]:
    """Return the types of all sections."""
    return {name: hint for name, hint in get_type_hints(Config).items() if is_section(hint)}


def setting_names() -> tuple[str, ...]:
    """Return every setting by its dotted name."""

    def walk(kind: Any, prefix: str) -> list[str]:
        names: list[str] = []
        for name, hint in get_type_hints(kind).items():
            dotted = f"{prefix}.{name}"
            if get_origin(hint) is not Mapping:  # users choose the keys, so no environment variable can name them
                names += walk(hint, dotted) if is_section(hint) else [dotted]
        return names

    return tuple(name for section, kind in sections().items() for name in walk(kind, section))


def choices(setting: str) -> tuple[str, ...]:
    """Return the values that a setting (``search.mode``) may have; empty where any value is allowed."""
    section, _, key = setting.partition(".")
    hint = get_type_hints(sections()[section]).get(key)
    return get_args(hint) if get_origin(hint) is Literal else ()


def checked(values: dict[str, Any], source: str) -> dict[str, Any]:
    """Return the values unchanged; refuse unknown sections and keys, so that a typo is not silently ignored."""
    for section, keys in values.items():
        if section not in sections():
            raise UnknownName(say("terms.section_in", source=source), section, sections())
        if not isinstance(keys, dict):
            raise ConfigError("config.no_table", source=source, section=section)
        known = list(sections()[section].__struct_fields__)
        for key in keys:
            if key not in known:
                raise UnknownName(say("terms.key_of", section=section, source=source), key, known)
    return values


RETIRED = frozenset(f"search.confidence.{key}" for key in ("bias", "coverage", "lead", "defined", "unworded", "sure"))
"""Settings of earlier versions that mean nothing now; a file that has them is still read."""


def build(kind: Any, values: Mapping[str, Any], where: str) -> Any:
    """Build a section from plain values; an error names the value that does not fit."""
    hints = get_type_hints(kind, include_extras=True)
    if not isinstance(values, Mapping):
        raise _unfit(where, values, "table")
    for key in values:
        if key not in hints and f"{where}.{key}" not in RETIRED:
            raise UnknownName(say("terms.key_in", section=where), key, hints)
    return kind(**{name: _convert(values[name], hint, f"{where}.{name}") for name, hint in hints.items()})


def check_search(search: SearchConfig) -> None:
    """Refuse unknown profiles, and field weights that are all zero: every question would wrongly get "none"."""
    for name, value, known in (
        ("search.profile", search.profile, search.profiles),
        ("search.boost_profile", search.boost_profile, search.boosts),
    ):
        if value not in known:
            raise UnknownName(say("terms.value", name=name), value, known)
    roles = list(BoostProfile.__struct_fields__)
    for profile in search.profiles.values():
        for role in profile.roles:
            if role not in roles:
                raise UnknownName("role", role, roles)
    names = list(search.fields.__struct_fields__)
    if not any(getattr(search.fields, name) for name in names):
        raise ConfigError("config.no_fields", names=names)


def _convert(value: Any, hint: Any, name: str) -> Any:
    if is_section(hint):
        return build(hint, value, name)
    if get_origin(hint) is Mapping:
        return _table(value, get_args(hint)[1], name)
    if get_origin(hint) is tuple:
        return strings(value, name)
    if hint is bool:
        return _boolean(value, name)
    if hint in (int, float) or get_origin(hint) is Annotated:
        return _number(value, hint, name)
    if get_origin(hint) is Literal and value not in get_args(hint):
        raise UnknownName(say("terms.value", name=name), str(value), get_args(hint))
    return str(value)


def _table(value: Any, kind: Any, name: str) -> dict[str, Any]:
    """Return a table whose keys users choose: profiles, roles."""
    if not isinstance(value, Mapping):
        raise _unfit(name, value, "table")
    default = value.get("default", {})
    return {key: _convert(_over(default, entry), kind, f"{name}.{key}") for key, entry in value.items()}


def _over(default: Any, entry: Any) -> Any:
    """Return a table whose missing keys are filled from the table named "default"."""
    return {**default, **entry} if isinstance(default, Mapping) and isinstance(entry, Mapping) else entry


def strings(value: Any, name: str) -> tuple[str, ...]:
    """Return a list of strings; in an environment variable commas separate them."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise _unfit(name, value, "strings")
    return tuple(str(item).strip() for item in items if str(item).strip())


def _boolean(value: Any, name: str) -> bool:
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if isinstance(value, bool):
        return value
    if str(value).lower() not in words:
        raise _unfit(name, value, "boolean")
    return words[str(value).lower()]


def _number(value: Any, hint: Any, name: str) -> Any:
    kind, bounds = get_args(hint) or (hint, Meta())
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        raise _unfit(name, value, "number") from None
    low = LEAST if bounds.ge is None else bounds.ge
    high = MOST if bounds.le is None else bounds.le
    if isinstance(value, bool) or not low <= number <= high or (isinstance(value, float) and value != number):
        raise _unfit(name, value, "whole_from" if kind is int else "number_from", low=low, high=high)
    return number


def _unfit(name: str, value: Any, wanted: str, **bounds: float) -> BadArgument:
    return BadArgument("config.unfit", name=name, value=repr(value), what=say(f"config.{wanted}", **bounds))
