"""The ready plans: those that come with the program, and the project's own."""

from typing import TYPE_CHECKING

from shirube.codec import unpack
from shirube.errors import ConfigError, RepoError
from shirube.features.plan.presets import Preset, built_in, read_presets
from shirube.features.plan.results import PresetLine, PresetList
from shirube.features.plan.run import cause
from shirube.messages import Message, say, verbatim
from shirube.operation import Call

if TYPE_CHECKING:
    from shirube.features.plan.operations import PresetsRequest
    from shirube.workspace import Workspace

PRESETS = ".shirube/presets"


def list_presets(workspace: "Workspace", request: "PresetsRequest", call: Call) -> PresetList:
    """Answer the operation of this name."""
    from shirube.features.plan.plan_store import TEMPLATES, Template

    found, unusable = _presets(workspace)
    lines = tuple(_preset_line(preset) for _, preset in sorted(found.items()))
    taught = (unpack(Template, one.body) for one in workspace.journal.documents(TEMPLATES, 20))
    templates = tuple(f"{one.goal} ({', '.join(one.grounds)})" for one in taught)
    return PresetList(lines, templates, unusable, say("plan.with_preset"))


def _preset_line(preset: Preset) -> PresetLine:
    return PresetLine(
        preset.name,
        preset.description,
        preset.source,
        preset.keywords,
        preset.patterns,
        preset.min_matches,
        preset.confidence,
        preset.evaluation_mode,
        preset.rules,
        tuple(f"{name}={weight:g}" for name, weight in preset.weights.items()),
    )


def presets(workspace: "Workspace") -> dict[str, Preset]:
    """Return every preset that can be used: the project's own win over the built-in ones."""
    return _presets(workspace)[0]


def _presets(workspace: "Workspace") -> tuple[dict[str, Preset], tuple[Message, ...]]:
    from shirube.engine.repo.read import read_bytes

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
