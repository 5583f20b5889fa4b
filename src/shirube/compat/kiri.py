"""Settings in seed 001's old places, read line by line: two levels of ``name: value`` need no YAML library."""

from typing import Any

from shirube.errors import nearest, plain
from shirube.messages import Message, say

STRATEGIES = ("phrase-aware", "legacy", "hybrid")
WEIGHTS = {
    "textMatch": "text",
    "pathMatch": "path",
    "editingPath": "editing",
    "dependency": "dependency",
    "proximity": "proximity",
    "structural": "structural",
}
"""The source's names for the weights of a profile, and ours."""
DROPPED = ("docPenaltyMultiplier", "configPenaltyMultiplier", "implBoostMultiplier")
"""Weights that the source itself passes over."""
HEAVIEST = 100.0


def from_default_yml(text: str) -> dict[str, Any]:
    """Return ``tokenization.strategy`` of ``config/default.yml`` as a setting."""
    strategy = _levels(text).get("tokenization", {}).get("strategy", "")
    return {"search": {"tokenization": strategy}} if strategy in STRATEGIES else {}


def faults_of_default_yml(text: str) -> list[Message]:
    """Return what is wrong with ``tokenization.strategy`` of ``config/default.yml``, if it has one."""
    strategy = _levels(text).get("tokenization", {}).get("strategy", "")
    known = not strategy or strategy in STRATEGIES
    return [] if known else [say("config.bad_strategy", value=plain(strategy), names=STRATEGIES)]


def from_scoring_profiles(text: str) -> dict[str, Any]:
    """Return the profiles of ``config/scoring-profiles.yml`` as settings; what is no weight of ours is passed over."""
    profiles = {
        profile: {WEIGHTS[key]: weight for key, value in keys.items() if (weight := _weight(key, value)) is not None}
        for profile, keys in _levels(text).items()
    }
    kept = {profile: weights for profile, weights in profiles.items() if weights}
    return {"search": {"profiles": kept}} if kept else {}


def faults_of_profiles(text: str) -> list[Message]:
    """Return what ``config/scoring-profiles.yml`` asks for in vain; a file without any weight of ours is another's."""
    levels = _levels(text)
    if not any(key in WEIGHTS for keys in levels.values() for key in keys):
        return []
    faults = []
    for profile, keys in levels.items():
        for key, value in keys.items():
            if key in WEIGHTS and _weight(key, value) is None:
                told = {"key": key, "profile": profile, "value": plain(value), "most": f"{HEAVIEST:.0f}"}
                faults.append(say("config.bad_weight", **told))
            elif key not in WEIGHTS and key not in DROPPED:
                meant = nearest(key, WEIGHTS)
                hint = say("config.meant", name=meant) if meant else say("config.weights", names=[*WEIGHTS])
                faults.append(say("config.no_weight", profile=profile, key=plain(key), hint=hint))
    return faults


def _weight(key: str, value: str) -> float | None:
    try:
        weight = float(value)
    except ValueError:
        return None
    return weight if key in WEIGHTS and 0 <= weight <= HEAVIEST else None


def _levels(text: str) -> dict[str, dict[str, str]]:
    """Return ``{outer: {inner: value}}``; deeper levels and lists are left out."""
    found: dict[str, dict[str, str]] = {}
    outer, depth = "", 0
    for line in text.splitlines():
        bare = line.partition(" #")[0].rstrip()
        key, colon, value = bare.strip().partition(":")
        indent = len(bare) - len(bare.lstrip())
        if not colon or key.startswith(("#", "-")):
            continue
        if indent == 0:
            outer, depth = key.strip("\"'"), 0
            continue
        depth = depth or indent
        if indent == depth:
            found.setdefault(outer, {})[key.strip("\"'")] = value.strip().strip("\"'")
    return found
