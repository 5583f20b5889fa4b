"""Every public name says in a sentence what it is, and is annotated."""

import ast

from tests.architecture.house import Definition, Function, Module, modules, public

ENDINGS = (".", "?", "!", "…", ":")


def test_every_module_and_public_name_has_a_docstring() -> None:
    assert [name for module in modules() for name, node in _documented(module) if not ast.get_docstring(node)] == []


def test_a_docstring_begins_with_a_sentence() -> None:
    odd = [
        f"{name}: {first}"
        for module in modules()
        for name, node in _documented(module)
        if not (first := (ast.get_docstring(node) or ".").split("\n\n")[0]).rstrip("`").endswith(ENDINGS)
    ]
    assert odd == []


def test_a_room_says_what_it_is_for() -> None:
    said = {module.name: ast.get_docstring(module.tree) or "" for module in modules() if module.words[-1] == "__init__"}
    assert [name for name, words in said.items() if not words.splitlines()[0].endswith(("?", "."))] == []


def test_every_public_function_is_annotated() -> None:
    bare = [
        f"{module.name}:{name}"
        for module in modules()
        for name, node in public(module)
        if isinstance(node, Function) and not _annotated(node)
    ]
    assert bare == []


def _documented(module: Module) -> list[tuple[str, ast.Module | Definition]]:
    return [(module.name, module.tree), *((f"{module.name}:{name}", node) for name, node in public(module))]


def _annotated(node: Function) -> bool:
    named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    rest = [arg for arg in (node.args.vararg, node.args.kwarg) if arg is not None]
    needed = [arg for arg in named if arg.arg not in ("self", "cls")] + rest
    return node.returns is not None and all(arg.annotation is not None for arg in needed)
