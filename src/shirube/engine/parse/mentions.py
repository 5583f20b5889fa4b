"""Finds where a name occurs in a text, and as what: in code, a comment or a string; alone, after a dot, or as a local.

The grammar decides. A text without a grammar is searched too, but then every occurrence is plain text. Nothing is
resolved here: what a name refers to depends on the whole project.
"""

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from shirube.codec import replace
from shirube.engine.parse.components import code_in, expressions_in
from shirube.engine.parse.grammars import GaveUp, Grammar, is_minified, load_grammar
from shirube.engine.text.tokens import WORD

if TYPE_CHECKING:
    from tree_sitter import Node

CODE, COMMENT, STRING, TEXT = "code", "comment", "string", "text"
"""Where a name can occur."""
BARE, MEMBER, KEY, LOCAL, IMPORT, DEFINITION = "bare", "member", "key", "local", "import", "definition"
"""The role of the name there; ``definition`` is where the symbol gets its name."""

TAG = "struct"
"""The receiver of a name after ``struct``, ``union`` or ``enum``: C keeps such names apart from all others."""

LOOK_BACK = 160
"""How many characters before a name are searched for its receiver."""

_DOLLAR = frozenset({"javascript", "typescript", "tsx", "java", "vue", "svelte"})
"""Languages in which a dollar sign is a letter."""
_LETTER, _ANY_LETTER = re.compile(WORD), re.compile(r"\w")
_BEFORE = re.compile(r"(?:(?P<name>[\w$@]+|[\])}\"'])[?!]?\s*)?(?P<dot>\.|->|::|\\|\?->)\s*\Z")
_TAGGED = re.compile(r"\b(?:struct|union|enum)\s+\Z")
_RANGE = re.compile(r"\.\.\s*\Z")

_INTERPOLATED = re.compile(r"interpolation|substitution|interpolated_expression|format_expression")
_QUOTED = re.compile(r"string|char_literal|character_literal|heredoc|regex|template_literal|quoted|\bchar\b")
_PROSE = frozenset({"jsx_text", "text", "raw_text", "plain_text"})
_IMPORTS = re.compile(
    r"^(import|use_declaration|using_directive|preproc_include|extern_crate|namespace_use|package_header|package_clause|package_declaration"
    r"|future_import|import_from)"
)


def _fields(table: str) -> "frozenset[tuple[str, str | None]]":
    """Parse a table of ``node.field`` (that field of the node) and ``node`` (any field of it)."""
    return frozenset((node, field or None) for node, _, field in (entry.partition(".") for entry in table.split()))


_KEYS = _fields("""
    keyword_argument.name pair.key property_signature.name jsx_attribute field_initializer.field keyed_element.key
    named_argument.name argument.name labeled_statement.label pair_pattern.key enum_assignment.name
""")
"""Nodes in which a name is a label: of an argument, a key, an attribute."""
_WRAPPED = _fields("""
    pattern_list tuple_pattern list_pattern list_splat_pattern dictionary_splat_pattern typed_parameter array_pattern
    object_pattern rest_pattern expression_list as_pattern_target pointer_declarator reference_declarator
    array_declarator.declarator variable_name mut_pattern ref_pattern object_assignment_pattern tuple_struct_pattern
    spread_parameter default_parameter.name typed_default_parameter.name assignment_pattern.left
    init_declarator.declarator pair_pattern.value required_parameter.pattern optional_parameter.pattern
""")
"""Nodes that may lie between a name that is being bound and the node that binds it."""
_BINDERS = _fields("""
    parameters lambda_parameters assignment.left for_statement.left for_in_clause.left as_pattern.alias
    named_expression.name formal_parameters variable_declarator.name arrow_function.parameter catch_clause.parameter
    for_in_statement.left short_var_declaration.left parameter_declaration.name var_spec.name const_spec.name
    range_clause.left parameter_declaration.declarator declaration.declarator formal_parameter.name
    optional_parameter_declaration.declarator inferred_parameters for_range_loop.declarator
    enhanced_for_statement.name catch_formal_parameter.name lambda_expression.parameters parameter.pattern
    parameter.name let_declaration.pattern closure_parameters for_expression.pattern simple_parameter.name
    variadic_parameter_declaration.name method_parameters block_parameters keyword_parameter.name
    optional_parameter.name function_expression.name
""")
"""Nodes that bind a name within a function."""
_VALUES = frozenset({"type", "value", "default", "default_value", "right", "return_type", "body"})
"""Fields of a binding node that do not bind names themselves."""
_FUNCTIONS = _fields("""
    function_definition lambda list_comprehension set_comprehension dictionary_comprehension generator_expression
    function_declaration function_expression arrow_function method_definition generator_function catch_clause
    generator_function_declaration method_declaration func_literal lambda_expression constructor_declaration
    compact_constructor_declaration function_item closure_expression local_function_statement accessor_declaration
    anonymous_method_expression anonymous_function anonymous_function_creation_expression method singleton_method
    do_block lambda_literal init_declaration
""")
"""Nodes that are a scope for names, in every language."""
_BLOCK = re.compile(r"^(block|statement_block|compound_statement|for_\w+|enhanced_for_statement|if_statement)$")


class Mention(Struct, frozen=True):
    """One occurrence of a name; line and column count from 1, the offset is in characters."""

    start: int
    line: int
    column: int
    where: str = TEXT
    role: str = BARE
    receiver: str = ""
    """The text before the dot: a name, or the bracket that ends an expression; ``struct`` for a tagged name."""


class _Step(NamedTuple):
    """One node on the path from the root down to a name."""

    node: "Node"
    type: str
    field: str | None


def mentions_in(text: str, language: str, name: str) -> tuple[tuple[Mention, ...], bool]:
    """Return every occurrence of a name in a text, in order, and whether a grammar classified them."""
    plain = places(text, language, name)
    if not plain:
        return (), True
    data, inner = code_in(text.encode("utf-8"), language)
    grammar = load_grammar(inner)
    if grammar is None or is_minified(data):
        return tuple(plain), False
    try:
        return tuple(_read(text, data, grammar, (name, plain))), True
    except GaveUp:
        return tuple(plain), False


def places(text: str, language: str, name: str) -> list[Mention]:
    """Return where a name occurs as a word, without a grammar.

    A regular expression would be slower. Japanese may touch the name, other letters may not.
    """
    mentions: list[Mention] = []
    dollar = language in _DOLLAR
    letter = _LETTER if name.isascii() else _ANY_LETTER
    line, place, head, at = 1, 0, 0, text.find(name) if name else -1
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not any(letter.match(near) or (dollar and near == "$") for near in (before, after)):
            if breaks := text.count("\n", place, at):
                line, head = line + breaks, text.rfind("\n", place, at) + 1
            place = at
            mentions.append(Mention(at, line, at - head + 1))
        at = text.find(name, at + 1)
    return mentions


def _read(text: str, data: bytes, grammar: Grammar, wanted: tuple[str, list[Mention]]) -> list[Mention]:
    """Return the occurrences with where and role, by the grammar."""
    name, plain = wanted
    offsets = [mention.start for mention in plain] if text.isascii() else _bytes_of(text, plain)
    size = len(name.encode("utf-8"))
    with grammar.lock:
        root = grammar.parse(data).root_node
        named = grammar.named(root, [(at, at + size) for at in offsets])
        paths = [_way_down(root, at) for at in offsets]
    in_markup = [data[at] == ord(" ") for at in offsets]
    expressions = expressions_in(text) if any(in_markup) else b""
    mentions = []
    bound: list[tuple[int, int]] = []
    loose: list[tuple[int, int]] = []
    for mention, at, way, blanked in zip(plain, offsets, paths, in_markup, strict=True):
        where = (CODE if expressions[mention.start] else TEXT) if blanked else _where(way)
        role, receiver = _role(text, mention.start, way) if where == CODE else (BARE, "")
        if any(start <= at and end in (at + size, at + size + 1) for start, end in named):
            role = DEFINITION
        elif where == CODE and role == BARE and (scope := _bound_in(way, grammar.row.name)):
            bound.append(scope)
        elif any(step.type in ("global_statement", "nonlocal_statement") for step in way):
            loose += [scope for scope in [_scope(way, grammar.row.name)] if scope]
        mentions.append(replace(mention, where=where, role=role, receiver=receiver))
    scopes = [scope for scope in bound if scope not in loose]
    for number, (mention, at) in enumerate(zip(mentions, offsets, strict=True)):
        is_bare = mention.role == BARE and mention.where == CODE and mention.receiver != TAG
        if is_bare and any(start <= at < end for start, end in scopes):
            mentions[number] = replace(mention, role=LOCAL)
    return mentions


def _bytes_of(text: str, plain: list[Mention]) -> list[int]:
    offsets, place, at = [], 0, 0
    for mention in plain:
        at += len(text[place : mention.start].encode("utf-8"))
        place = mention.start
        offsets.append(at)
    return offsets


def _way_down(root: "Node", at: int) -> list[_Step]:
    """Return the nodes around a byte, from the outermost to the leaf."""
    cursor = root.walk()
    way: list[_Step] = []
    while cursor.goto_first_child_for_byte(at) is not None:
        node = cursor.node
        if node is None or node.start_byte > at:
            break
        way.append(_Step(node, node.type, cursor.field_name))
    return way


def _where(way: list[_Step]) -> str:
    for step in reversed(way):
        if "comment" in step.type:
            return COMMENT
        if _INTERPOLATED.search(step.type):
            return CODE
        if _QUOTED.search(step.type):
            return STRING
        if step.type in _PROSE:
            return TEXT
    return CODE


def _role(text: str, start: int, way: list[_Step]) -> tuple[str, str]:
    """Return the role of a name in code, and its receiver."""
    if any(_IMPORTS.match(step.type) for step in way) or _is_reexport(way) or _is_required(way):
        return IMPORT, ""
    outer, inner = (way[-2].type if len(way) > 1 else "", way[-1].field if way else None)
    if _among(_KEYS, outer, inner) or (outer == "literal_element" and _is_key(way)):
        return KEY, ""
    before = text[max(0, start - LOOK_BACK) : start]
    receiver = _BEFORE.search(before)
    if receiver and not _RANGE.search(before):
        return MEMBER, receiver["name"] or ""
    return BARE, TAG if _TAGGED.search(before) else ""


def _is_key(way: list[_Step]) -> bool:
    """Tell whether a name is the key of ``T{key: value}`` in Go; its grammar has no field for that."""
    element = way[-2].node
    pair = element.parent
    return pair is not None and pair.type == "keyed_element" and pair.children[0] == element


def _is_reexport(way: list[_Step]) -> bool:
    outer = next((step.node for step in reversed(way) if step.type == "export_statement"), None)
    return outer is not None and outer.child_by_field_name("source") is not None


def _is_required(way: list[_Step]) -> bool:
    """Tell whether a name comes from a CommonJS module: ``const { a } = require("m")``, ``require("m").a``."""
    for outer, inner in pairwise(way):
        if outer.type == "variable_declarator" and inner.field == "name":
            value = outer.node.child_by_field_name("value")
            return value is not None and (value.text or b"")[:LOOK_BACK].startswith((b"require(", b"require ("))
    if len(way) > 1 and way[-2].type == "member_expression" and way[-1].field == "property":
        owner = way[-2].node.child_by_field_name("object")
        called = owner.child_by_field_name("function") if owner is not None else None
        return called is not None and called.text == b"require"
    return False


def _bound_in(way: list[_Step], language: str) -> tuple[int, int] | None:
    """Return the byte span in which this occurrence binds the name; None when it does not bind it."""
    place = len(way) - 1
    while place > 0 and way[place].field not in _VALUES and _among(_WRAPPED, way[place - 1].type, way[place].field):
        place -= 1
    if place <= 0 or way[place].field in _VALUES or not _among(_BINDERS, way[place - 1].type, way[place].field):
        return None
    return _scope(way[:place], language)


def _among(table: "frozenset[tuple[str, str | None]]", node: str, field: str | None) -> bool:
    return (node, field) in table or (node, None) in table


def _scope(way: list[_Step], language: str) -> tuple[int, int] | None:
    """Return the span of the innermost function or block around (in Python only functions); None at module level."""
    for step in reversed(way):
        if _among(_FUNCTIONS, step.type, None) or (language != "python" and _BLOCK.match(step.type)):
            return step.node.start_byte, step.node.end_byte
    return None
