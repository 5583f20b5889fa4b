"""Who may speak to a local port?

The checks, limits and the manner of listening that every door on local HTTP shares: a local name, an own origin, a
token that only this user can read, a request that becomes whole in time, and not too many of them at once.
"""

from shirube.doors.loopback.checks import (
    drop_token_file,
    make_token_file,
    refusal,
    stranger,
    sweep_token_files,
    token_file,
)

__all__ = ["drop_token_file", "make_token_file", "refusal", "stranger", "sweep_token_files", "token_file"]
