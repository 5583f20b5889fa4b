"""What a declarator of C or C++ declares: the name deep in it, and whether it is a function.

``int *(*a[3])(void)`` wraps its name in as many brackets as people like, so a query cannot list them all: it captures
the whole as ``@declarator``, and this finds the name. Names inside of functions are nobody's but theirs.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES = frozenset(
    {
        *("identifier", "field_identifier", "type_identifier", "qualified_identifier"),
        *("operator_name", "destructor_name", "template_function", "operator_cast", "primitive_type"),
    }
)
_NEUTRAL = frozenset({"parenthesized_declarator", "attributed_declarator"})
_BODIES = frozenset({"function_definition", "compound_statement", "parameter_list"})
DEEPEST = 24
"""Brackets beyond this depth are no declarator that anybody wrote."""


def settle(captures: "dict[str, list[Node]]") -> None:
    """Put the name, and the kind it has, in the place of a captured declarator; drop the match inside of functions."""
    declarator = captures.pop("declarator")[0]
    key = next(key for key in captures if key.startswith("definition."))
    node = captures.pop(key)[0]
    found = _name_in(declarator)
    if found is None or (node.type == "declaration" and _is_inside(node)):
        return
    name, wrapper = found
    if name.type == "primitive_type" and node.type != "type_definition":
        return
    captures[_kind(key, wrapper)], captures["name"] = [node], [name]
    if node.type == "function_definition":
        _made(node, declarator, captures)


def _kind(key: str, wrapper: str) -> str:
    """Return what is declared: a function when its arguments stand directly behind the name."""
    functions = {"definition.variable": "definition.function", "definition.field": "definition.method"}
    return functions.get(key, key) if wrapper == "function_declarator" else key


def _made(node: "Node", declarator: "Node", captures: "dict[str, list[Node]]") -> None:
    """Name what a macro makes by its arguments: ``TEST(Till, rings) {`` defines ``Till.rings``, a test."""
    macro, given = node.child_by_field_name("type"), captures["name"]
    if declarator.type == "function_declarator" and macro is None:
        macro, parameters = given[0], declarator.child_by_field_name("parameters")
        words = [one.child_by_field_name("type") for one in parameters.named_children] if parameters else []
        if not words or not all(one is not None and one.type == "type_identifier" for one in words):
            return
        given = [one for one in words if one is not None]
    elif declarator.type != "parenthesized_declarator":
        return
    written = (macro.text or b"") if macro else b""
    if not written.isupper() or len(given) > 2:
        return
    captures["name"] = given[-1:]
    if len(given) > 1:
        captures["scope"] = given[:1]
    if b"TEST" in written:
        captures["definition.test"] = captures.pop("definition.function")


def _name_in(declarator: "Node") -> "tuple[Node, str] | None":
    """Return the name and what stands directly around it, brackets aside."""
    node: Node | None = declarator
    around = ""
    for _ in range(DEEPEST):
        if node is None:
            return None
        if node.type in _NAMES:
            return node, around
        if node.type not in _NEUTRAL:
            around = node.type
        node = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type in _NAMES or child.type.endswith("_declarator")), None
        )
    return None


def _is_inside(node: "Node") -> bool:
    """Tell whether a declaration is in a function."""
    outer = node.parent
    while outer is not None:
        if outer.type in _BODIES:
            return True
        outer = outer.parent
    return False
