"""Presets: plans that people make often, each with its own criteria for a good answer."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from shirube.codec import packaged, record_from, replace, unpack
from shirube.engine.repo.read import read_bytes
from shirube.errors import ConfigError, RepoError
from shirube.features.plan.evaluate import WEIGHTS
from shirube.features.plan.plan_store import TEMPLATES, Template
from shirube.features.plan.record import EvaluationMode, InitialMode, RefinementMethod
from shirube.features.plan.results import PresetLine, PresetList
from shirube.features.plan.run import cause
from shirube.messages import NOTHING, Message, say, verbatim
from shirube.operation import Call, NoArguments

if TYPE_CHECKING:
    from shirube.workspace import Workspace

PRESETS = ".shirube/presets"
_LISTS = ("keywords", "patterns", "queries", "rules")
_CHOICES: Mapping[str, type[EvaluationMode] | type[InitialMode] | type[RefinementMethod]] = {
    "evaluation_mode": EvaluationMode,
    "initial_mode": InitialMode,
    "refinement_method": RefinementMethod,
}
_KNOWN = {"description", "goal", "min_matches", "confidence", "weights", *_LISTS, *_CHOICES}


@dataclass(frozen=True, slots=True)
class Preset:
    """A plan that is complete except for its goal."""

    name: str
    description: Message = NOTHING
    goal: str = ""
    """The goal to use when none is given."""
    keywords: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    min_matches: int = 3
    confidence: float = 0.7
    evaluation_mode: str = "semantic"
    initial_mode: str = "broad"
    refinement_method: str = "hybrid"
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    source: Message = NOTHING


@cache
def built_in() -> dict[str, Preset]:
    """Return the built-in presets."""
    tables = packaged("shirube.features.plan", "presets.toml")
    found = [_preset(name, table, say("plan.built_in")) for name, table in tables.items()]
    return {
        preset.name: replace(preset, description=say(f"plan.about_{preset.name.replace('-', '_')}")) for preset in found
    }


def read_presets(text: str, source: Message, name: str = "") -> dict[str, Preset]:
    """Return the presets of a TOML text: one for each table, or a single preset named after the file."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError("plan.no_toml", name=source, error=str(error)) from None
    tables = {name: values} if name and not all(isinstance(value, dict) for value in values.values()) else values
    return {key: _preset(key, table, source) for key, table in tables.items()}


def _preset(name: str, table: Any, source: Message) -> Preset:
    if not isinstance(table, dict):
        raise ConfigError("plan.no_table", place=source, name=name)
    unknown = sorted(set(table) - _KNOWN)
    if unknown:
        raise ConfigError("plan.unknown_key", place=source, key=unknown[0], name=name, names=sorted(_KNOWN))
    values = {key: _value(key, value, f"{source}: {name}.{key}") for key, value in table.items()}
    return Preset(name=name, source=source, **values)


def _value(key: str, value: Any, where: str) -> Any:
    if key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ConfigError("plan.texts", name=where)
        return tuple(value)
    if key == "weights":
        return {**WEIGHTS, **_weights(value, where)}
    if key in _CHOICES:
        known = [item.value for item in _CHOICES[key]]
        if value not in known:
            raise ConfigError("plan.must_be", name=where, names=known)
        return value
    if key in ("min_matches", "confidence"):
        kinds, most = (int, 1000) if key == "min_matches" else ((int, float), 1.0)
        if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value <= most:
            raise ConfigError("plan.unfit", name=where)
        return value
    return verbatim(str(value))


def _weights(value: Any, where: str) -> dict[str, float]:
    if not isinstance(value, dict) or set(value) - set(WEIGHTS):
        raise ConfigError("plan.measures", name=where, names=list(WEIGHTS))
    if not all(
        isinstance(weight, int | float) and not isinstance(weight, bool) and weight >= 0 for weight in value.values()
    ):
        raise ConfigError("plan.weight", name=where)
    return {name: float(weight) for name, weight in value.items()}


def list_presets(workspace: "Workspace", request: NoArguments, call: Call) -> PresetList:
    """Answer the operation of this name."""
    found, unusable = presets(workspace)
    lines = (
        record_from(
            PresetLine,
            preset,
            contentPatterns=preset.patterns,
            minMatches=preset.min_matches,
            evaluationMode=preset.evaluation_mode,
            expansionRules=preset.rules,
            weights=tuple(f"{name}={weight:g}" for name, weight in preset.weights.items()),
        )
        for _, preset in sorted(found.items())
    )
    taught = (unpack(Template, item.body) for item in workspace.journal.documents(TEMPLATES, 20))
    return PresetList(tuple(lines), tuple(item.rule for item in taught), unusable, say("plan.with_preset"))


def presets(workspace: "Workspace") -> tuple[dict[str, Preset], tuple[Message, ...]]:
    """Return every preset (the project's own replace built-in ones), and why a file could not be used."""
    found, unusable = dict(built_in()), []
    folder = workspace.root / PRESETS
    for path in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
        name = f"{PRESETS}/{path.name}"
        try:
            text = read_bytes(workspace.root, name, workspace.config.index.max_file_bytes).decode("utf-8")
            found.update(read_presets(text, verbatim(name), path.stem))
        except (ConfigError, RepoError) as error:
            unusable.append(say("plan.unusable", name=name, why=cause(error)))
        except UnicodeDecodeError as error:
            unusable.append(say("plan.unusable", name=name, why=str(error)))
    return found, tuple(unusable)
