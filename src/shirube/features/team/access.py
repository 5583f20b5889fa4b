"""Decides who asks, and about which repositories; what the database shows is decided there once more.

A repository that is forbidden and one that is not there are told in the same words, after the same questions.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shirube.engine.store.access import AccessTables, Holder
from shirube.errors import BadArgument, ConfigError
from shirube.features.team.tokens import hash_of, is_secret

if TYPE_CHECKING:
    from shirube.features.team.issuer import Issuer

LISTED = 5
"""How many repositories an error names, of those that the caller may see."""
MOST_WANTED = 100
"""How many names one call may give."""
LONGEST = 400
EVERYTHING = ("*",)


class Gatekeeper:
    """Tells whom a request comes from, and what it may be about."""

    def __init__(self, tables: AccessTables, issuer: "Issuer | None", most: int) -> None:
        """``most`` is how many repositories one call may be about."""
        self._tables, self._issuer, self._most = tables, issuer, most

    def holder(self, credential: str) -> Holder | None:
        """Return whom a credential belongs to; None for any that cannot be used, whatever the reason."""
        if is_secret(credential):
            return self._tables.holder(hash_of(credential))
        return self._issuer.holder(credential) if self._issuer is not None else None

    def named(self, holder: Holder, name: str) -> dict[str, int]:
        """Return the repository of this very name, if the holder may see it."""
        is_plain = "*" not in name and len(name) <= LONGEST and "\0" not in name  # else it means others, or none
        return self._tables.granted(holder.patterns, [name if is_plain else ""], 1)

    def granted(self, holder: Holder, most: int) -> dict[str, int]:
        """Return the repositories that a holder may see, in order, so many at most."""
        return self._tables.granted(holder.patterns, EVERYTHING, most)

    def chosen(self, holder: Holder, wanted: Sequence[str]) -> dict[str, int]:
        """Return the repositories that a call is about: those named, else the only one that the holder may see.

        A name may have asterisks, or be the end of a repository's: ``shop`` for ``github.com/acme/shop``.
        """
        if len(wanted) > MOST_WANTED or any(len(name) > LONGEST for name in wanted):
            raise BadArgument("team_access.many_names", most=MOST_WANTED)
        names = [other for name in wanted for other in (name, f"*/{name}")] or EVERYTHING
        found = self._tables.granted(holder.patterns, names, self._most + 1)
        if len(found) == 1 or (wanted and 1 < len(found) <= self._most):
            return found
        some = self.granted(holder, LISTED + 1)
        names = [*list(some)[:LISTED], *(["…"] if len(some) > LISTED else [])]
        if not some:
            raise BadArgument("team_access.nothing_granted")
        if not found:
            raise BadArgument("team_access.no_repository", names=names)
        code = "team_access.too_many" if wanted else "team_access.which"
        raise BadArgument(code, names=names, most=self._most)


def rules_of(lines: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what each value of a claim grants: ``["web = host/web/*"]`` → ``{"web": ("host/web/*",)}``."""
    rules: dict[str, tuple[str, ...]] = {}
    for line in lines:
        value, equals, pattern = (part.strip() for part in line.partition("="))
        if not (value and equals and pattern):
            raise ConfigError("team_access.rule", rule=line)
        rules[value] = (*rules.get(value, ()), pattern)
    return rules
