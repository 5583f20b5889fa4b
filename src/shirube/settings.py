"""Every setting there is, by its type; what each one means and its value are in ``defaults.toml``."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from shirube.messages import Message


class IndexConfig(Struct, frozen=True):
    """What is indexed, how fresh it is kept, and at what cost."""

    source_dirs: tuple[str, ...]
    excludes: tuple[str, ...]
    max_file_bytes: int
    include_secrets: bool
    sync_on_start: bool
    sync_ttl_hours: float
    sync_share: float
    workers: int
    parse_timeout_seconds: float
    batch_files: int
    first_answer_seconds: float
    cache_megabytes: int


class FieldWeights(Struct, frozen=True):
    """What a match in each field is worth."""

    content: float
    symbols: float
    path: float
    name: float


class SignalWeights(Struct, frozen=True):
    """How much each thing that speaks for a file weighs; ``defaults.toml`` says what each one is."""

    coherence: float
    sense: float
    sense_coherence: float
    sense_floor: float
    sense_whole: float
    other_forms: float
    translation: float
    phrase: float
    phrase_enough: float
    phrase_common: float
    path_phrase: float
    path_segment: float
    path_keyword: float
    definition: float
    small_definition: float
    nested_definition: float
    other_capitals: float
    plain_definition: float
    bare_definition: float
    dependency: float
    proximity: float
    structural: float
    recent: float
    cochange: float
    anchors: int


class ConfidenceWeights(Struct, frozen=True):
    """What tells a right first hit from a wrong one, and how sure one must be to call it found."""

    bias: float
    coverage: float
    lead: float
    defined: float
    unworded: float
    found: float
    sure: float


class Profile(Struct, frozen=True):
    """What a question is for: the weights of seed 001, and roles that are not to be held down."""

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
    """What a file's score is multiplied by for what the file is."""

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


class SearchConfig(Struct, frozen=True):
    """How questions are read and answered."""

    limit: int
    mode: str
    fusion: str
    sense_chunks: int
    profile: str
    boost_profile: str
    tokenization: str
    preview_lines: int
    candidates: int
    fields: FieldWeights
    signals: SignalWeights
    confidence: ConfidenceWeights
    profiles: Mapping[str, Profile]
    boosts: Mapping[str, BoostProfile]


class PlanConfidence(Struct, frozen=True):
    """What tells a right first result of a plan from a wrong one."""

    bias: float
    search: float
    agreement: float
    first: float


class PlanConfig(Struct, frozen=True):
    """How goals are worked towards, and how many plans are remembered."""

    kept: int
    given: PlanConfidence
    derived: PlanConfidence


class ContextConfig(Struct, frozen=True):
    """How a context bundle is made; the best file of the search is worth 1."""

    budget: int
    largest: float
    further: float
    error: float
    test: float
    diff: float
    hint: float
    dependency: float
    decay: float
    proximity: float


class StoreConfig(Struct, frozen=True):
    """Where the index is kept."""

    backend: str
    busy_seconds: float


class EmbedConfig(Struct, frozen=True):
    """Which model turns text into vectors, and where one that is not bundled comes from."""

    model: str
    source: str
    offline: bool
    threads: int


class MapConfig(Struct, frozen=True):
    """When what was agreed answers, and how long it counts."""

    extra: tuple[str, ...]
    short_circuit: float
    ready: float
    relevant: float
    doubtful: float
    expiry_days: float


class OutcomesConfig(Struct, frozen=True):
    """What is made of how things turned out."""

    prior: float
    prior_samples: int
    failure: float


class ServeConfig(Struct, frozen=True):
    """What a server offers, and its limits."""

    toolsets: str
    max_line_bytes: int
    call_timeout_seconds: float
    request_seconds: float
    max_connections: int
    result_tokens: int
    max_result_tokens: int


class WebConfig(Struct, frozen=True):
    """How the page in the browser is reached, and which editor its links open."""

    port: int
    editor: str


class CommandsConfig(Struct, frozen=True):
    """How commands of a registry are executed."""

    external: bool
    runner: str
    timeout_seconds: float


class SessionConfig(Struct, frozen=True):
    """How long sessions are kept in use."""

    expire_hours: float


class GateConfig(Struct, frozen=True):
    """What the gate before writes does, and what it leaves alone."""

    mode: str
    exempt: tuple[str, ...]
    commands: tuple[str, ...]


class LogConfig(Struct, frozen=True):
    """How much is said on stderr."""

    level: str


class TrustConfig(Struct, frozen=True):
    """Which projects may configure more than themselves."""

    projects: tuple[str, ...]


class Config(Struct, frozen=True):
    """All settings, complete and checked."""

    index: IndexConfig
    search: SearchConfig
    plan: PlanConfig
    context: ContextConfig
    store: StoreConfig
    embed: EmbedConfig
    map: MapConfig
    outcomes: OutcomesConfig
    serve: ServeConfig
    web: WebConfig
    commands: CommandsConfig
    session: SessionConfig
    gate: GateConfig
    log: LogConfig
    trust: TrustConfig
    cache_dir: Path
    state_dir: Path
    hub_dir: Path
    """Where programs that use the hub of models keep what they fetched."""
    refused: tuple[Message, ...] = ()
    sources: tuple[str, ...] = ()
