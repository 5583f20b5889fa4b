"""What each signal is worth: the same questions with one thing switched off."""

OFF: dict[str, dict[str, float | str]] = {
    "stems of short forms (config ↔ configuration)": {"signals__other_forms": 0.0},
    "phrases": {"signals__phrase": 0.0, "signals__path_phrase": 0.0},
    "path segments": {"signals__path_segment": 0.0},
    "words in the path": {"signals__path_keyword": 0.0},
    "file name beside the path": {"fields__name": 0.0},
    "symbol names beside the content": {"fields__symbols": 0.0},
    "definitions": {"signals__definition": 0.0, "signals__bare_definition": 0.0},
    "plain words as names": {"signals__plain_definition": 0.0},
    "dependency": {"signals__dependency": 0.0},
    "proximity": {"signals__proximity": 0.0},
    "chunks of a file adding up (best chunk alone)": {"signals__coherence": 50.0},
    "tests, examples held back": {"boosts__default__test": 1.5, "boosts__default__example": 1.5},
    "documents held back": {"boosts__default__doc": 1.5},
    "settings held back": {"boosts__default__config": 1.5},
    "old versions held back": {"boosts__default__superseded": 1.0},
    "internals held back": {"boosts__default__internal": 1.0},
    "all roles": {
        f"boosts__default__{role}": 1.0
        for role in ("implementation", "test", "example", "doc", "config", "generated", "vendored", "stub")
    },
    "translation (Japanese only)": {"signals__translation": 0.0},
}
STRATEGIES = ("phrase-aware", "legacy", "hybrid")
