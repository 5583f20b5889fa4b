"""Modules are one or two words, and no name says nothing."""

import ast
import re

from tests.architecture.house import Module, modules

EMPTY_WORDS = {
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "core",
    "base",
    "manager",
    "handler",
    "service",
    "impl",
    "misc",
    "new",
    "old",
    "v1",
    "v2",
}
WORDS = re.compile(r"[a-z][a-z0-9]*(_[a-z][a-z0-9]*)?")
SPECIAL = {"__init__", "__main__"}


def test_modules_and_rooms_are_one_or_two_words() -> None:
    odd = [module.name for module in modules() for word in module.words if not _is_name(word)]
    assert odd == []


def test_no_module_has_an_empty_name() -> None:
    assert [module.name for module in modules() if EMPTY_WORDS.intersection("_".join(module.words).split("_"))] == []


def test_no_class_has_an_empty_word_in_its_name() -> None:
    odd = [
        f"{module.name}:{name}"
        for module in modules()
        for name in _classes(module)
        if EMPTY_WORDS.intersection(_humps(name))
    ]
    assert odd == []


def test_no_public_class_name_exists_twice() -> None:
    """One word, one meaning: whoever searches for a class finds one."""
    homes: dict[str, list[str]] = {}
    for module in modules():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module.name)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_the_words_of_a_class_name_are_seen() -> None:
    assert _humps("StoreManagerV2") == ["store", "manager", "v2"]
    assert _humps("HTTPHandler") == ["http", "handler"]


def _is_name(word: str) -> bool:
    return word in SPECIAL or WORDS.fullmatch(word) is not None


def _classes(module: Module) -> list[str]:
    return [node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]


def _humps(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])\d*|[A-Z][a-z]*\d*|[a-z]+\d*", name)]
