"""What is on disk?

The walk lists the files that count, by git's ignore rules and our own; reading never leaves the root, and git
and ripgrep are asked in ways a hostile repository cannot turn into running its code. Both may be missing.
Functions called like their module (``walk``, ``grep``, ``decode``) are imported from it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shirube.engine.repo.decode import Decoded, is_binary
    from shirube.engine.repo.git import GitState, git_state, run_git
    from shirube.engine.repo.grep import GrepOptions, GrepResult
    from shirube.engine.repo.process import Finished, Limits
    from shirube.engine.repo.read import read_bytes, resolve_inside
    from shirube.engine.repo.regex import Pattern, Spelling, compile_pattern, looks_like_regex
    from shirube.engine.repo.walk import WalkOptions

__all__ = [
    "Decoded",
    "Finished",
    "GitState",
    "GrepOptions",
    "GrepResult",
    "Limits",
    "Pattern",
    "Spelling",
    "WalkOptions",
    "compile_pattern",
    "git_state",
    "is_binary",
    "looks_like_regex",
    "read_bytes",
    "resolve_inside",
    "run_git",
]
_FROM = {
    "decode": ("Decoded", "is_binary"),
    "git": ("GitState", "git_state", "run_git"),
    "grep": ("GrepOptions", "GrepResult"),
    "process": ("Finished", "Limits"),
    "read": ("read_bytes", "resolve_inside"),
    "regex": ("Pattern", "Spelling", "compile_pattern", "looks_like_regex"),
    "walk": ("WalkOptions",),
}


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is asked for: a hook that needs one module pays for one module."""
    for module, names in _FROM.items():
        if name in names:
            return getattr(import_module(f"shirube.engine.repo.{module}"), name)
    raise AttributeError(f"module 'shirube.engine.repo' has no attribute '{name}'")
