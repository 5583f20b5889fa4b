"""What the user and the project ask of the gate, worked out once for as long as everything it comes from is the same.

Reading all settings takes longer than most answers. What they came to is kept in the state directory, beside a digest
of every byte they were read from; so it is never older than the files, whatever their times say.
"""

import contextlib
import json
from pathlib import Path
from typing import NamedTuple

from shirube.config import fingerprint, load_config
from shirube.features.guard.gate_memory import keep


class Rules(NamedTuple):
    """The settings that the gate goes by."""

    mode: str
    exempt: list[str]
    commands: list[str]
    expire_hours: float
    busy_seconds: float


def read_rules(root: Path, kept: Path | None) -> Rules:
    """Return the rules of a project; ``kept`` is where they may have been kept, if that place can be believed."""
    key = fingerprint(root)
    held = _kept(kept, key) if kept and key else None
    if held is not None:
        return held
    config = load_config(root)
    rules = Rules(
        config.gate.mode,
        list(config.gate.exempt),
        list(config.gate.commands),
        config.session.expire_hours,
        config.store.busy_seconds,
    )
    if kept and key:
        with contextlib.suppress(OSError):  # then they are worked out again next time
            keep(kept, json.dumps({"key": key, "rules": rules}))
    return rules


def _kept(file: Path, key: str) -> Rules | None:
    try:
        held = json.loads(file.read_text("utf-8"))
        return Rules(*held["rules"]) if held["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
