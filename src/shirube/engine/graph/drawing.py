"""A closure as others draw it: DOT for Graphviz, Mermaid for Markdown."""

from collections.abc import Iterator

from shirube.engine.graph.closure import FILE, PACKAGE, Closure, Node

_SHAPES = {FILE: "box", PACKAGE: "ellipse"}
_BRACKETS = {FILE: ("[", "]"), PACKAGE: ("([", "])")}


def dot(closure: Closure) -> str:
    """Return the graph for Graphviz: files are boxes, packages are round, what nobody could place is dashed."""
    lines = ["digraph dependencies {", "  rankdir=LR;", '  node [fontname="monospace"];']
    for node in closure.nodes:
        style = "" if node.kind in _SHAPES else ", style=dashed"
        weight = ", penwidth=2" if node.depth == 0 else ""
        lines.append(f"  {_quoted(node.target)} [shape={_SHAPES.get(node.kind, 'box')}{style}{weight}];")
    lines += [f"  {_quoted(link.from_)} -> {_quoted(link.to)};" for link in closure.edges]
    return "\n".join([*lines, "}"])


def mermaid(closure: Closure) -> str:
    """Return the graph as Mermaid's flowchart; nodes are numbered, because a path is no name there."""
    names = {node.target: f"n{number}" for number, node in enumerate(closure.nodes)}
    links = (f"  {names[link.from_]} --> {names[link.to]}" for link in closure.edges)
    return "\n".join(["flowchart LR", *_boxes(closure.nodes, names), *links])


def _boxes(nodes: tuple[Node, ...], names: dict[str, str]) -> Iterator[str]:
    for node in nodes:
        left, right = _BRACKETS.get(node.kind, ("{{", "}}"))
        yield f'  {names[node.target]}{left}"{_escaped(node.target)}"{right}'


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'


def _escaped(text: str) -> str:
    """Return a text with what means something to Mermaid written as a number."""
    return "".join(f"#{ord(char)};" if char in '"#<>&;`\n\\' else char for char in text)
