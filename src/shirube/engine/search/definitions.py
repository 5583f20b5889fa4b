"""The definitions of the names that a question asks for: which of them are meant, and which comes first."""

from collections.abc import Sequence

from shirube.engine.graph.definitions import standing
from shirube.engine.search.evidence import Evidence
from shirube.engine.search.names import name_of, own_words
from shirube.engine.search.roles import Role, is_internal, role_of
from shirube.engine.search.signals import is_named
from shirube.engine.store.port import Definition
from shirube.types import BIG_KINDS

MOST = 12
"""So many definitions of the name that is the whole question come first; the others have their usual places."""
FEW, MANY = 3, 8
"""So many of a name inside a question, if it has not too many to tell which is meant."""
RIVALS = 4
"""So many first parts of a definition's standing tell those that are equally likely meant."""
CALLABLE = frozenset({"function", "method", "constructor", "macro", "component"})
VALUES = frozenset({"constant", "variable", "field", "property", "key", "table", "view", "directive", "object"})
_KINDS = (BIG_KINDS, CALLABLE, VALUES)
_ROLES = {Role.IMPLEMENTATION: 0, Role.CONFIG: 1, Role.STUB: 2}


def sought(evidence: Evidence) -> tuple[Definition, ...]:
    """Return the definitions to show before anything else, in this order; empty for a question about no name."""
    question = evidence.question
    if not question.about_names:
        return ()
    known = [one for path in evidence.paths for one in evidence.definitions.get(path, ())]
    found: list[Definition] = []
    for name in dict.fromkeys(question.spelled[form] for form in question.names if question.names[form] == 1.0):
        found += _of_name(evidence, name, known)
    return tuple(found)


def _of_name(evidence: Evidence, name: str, known: Sequence[Definition]) -> list[Definition]:
    question = evidence.question
    forms = [form for form, spelled in question.spelled.items() if spelled == name]
    alike = [one for one in known if one.symbol.name.lower() in forms and _kind(one) < len(_KINDS)]
    if question.bare and name.islower() and name.isalpha():  # may be meant as a word: only what stands by itself counts
        alike = [one for one in alike if _kind(one) < _KINDS.index(VALUES) or not one.symbol.scope]
    if outer := question.scopes.get(forms[0], ""):
        around = {one.key: (*one.symbol.scope.lower().split("."), name_of(one.path).lower()) for one in alike}
        alike = [one for one in alike if outer in around[one.key]] or alike
    named = [one for one in alike if is_named(evidence, one.path)] or ([] if question.files else alike)
    named.sort(key=lambda one: _standing(evidence, one, name))
    if question.bare or not named:
        return named[:MOST]
    first = _standing(evidence, named[0], name)[:RIVALS]
    rivals = sum(_standing(evidence, one, name)[:RIVALS] == first for one in named)
    return named[: FEW if rivals <= MANY else 0]


def _kind(definition: Definition) -> int:
    kind = definition.symbol.kind
    return next((rank for rank, kinds in enumerate(_KINDS) if kind in kinds), len(_KINDS))


def _standing(evidence: Evidence, definition: Definition, name: str) -> tuple[object, ...]:
    """Return by what definitions of one name are ordered: sources, the very name, types and public ones first."""
    path, symbol = definition.path, definition.symbol
    number = evidence.paths.index(path)
    role = _ROLES.get(role_of(path, evidence.languages[number]), len(_ROLES))
    depth = symbol.scope.count(".") + bool(symbol.scope)
    worth = -float(evidence.words[number])
    kinds = *standing(definition), _kind(definition), depth, is_internal(path)
    return role, symbol.name != name, *kinds, worth, path, symbol.start_line


def is_part(name: str, longer: str) -> bool:
    """Tell whether a name of several words begins or ends another: ``ENGINE_STATE`` and ``SET_ENGINE_STATE``."""
    part, whole = own_words(name), own_words(longer)
    return len(part) > 1 and part in (whole[: len(part)], whole[-len(part) :])
