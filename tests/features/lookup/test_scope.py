import pytest

from shirube import Project
from shirube.errors import BadArgument, OutsideRoot, UnknownFile, UnknownName, UsageError
from shirube.features.lookup.coverage import nearest_path, scope_file, scope_languages, scope_path
from tests.cases import for_each
from tests.refusals import refusal


@for_each(
    ("path", "wanted"),
    [("", ""), (".", ""), ("web", "web"), ("./web/", "web"), ("src/../web", "web"), ("*.ts", "*.ts"), ("gone", "gone")],
)
def test_a_path_is_taken_from_the_root(shop: Project, path: str, wanted: str):
    assert scope_path(shop.workspace, path) == wanted


def test_an_absolute_path_inside_the_project_is_understood(shop: Project):
    assert scope_path(shop.workspace, str(shop.workspace.root / "web")) == "web"


@for_each("path", ["..", "../other", "/etc", "web/../../x"])
def test_a_path_outside_the_project_is_refused(shop: Project, path: str):
    with refusal(OutsideRoot, "repo.outside"):
        scope_path(shop.workspace, path)


@for_each("path", ["/etc/*", "web\0"])
def test_a_path_that_makes_no_sense_is_refused(shop: Project, path: str):
    with pytest.raises(BadArgument):
        scope_path(shop.workspace, path)


@for_each(
    ("names", "wanted"),
    [
        ((), ()),
        (("python", "typescript"), ("python", "typescript")),
        (("py", "ts", ".md"), ("python", "typescript", "markdown")),
        (("Python", "RS"), ("python", "rust")),
        (("c", "go"), ("c", "go")),
        (("text",), ("text",)),
    ],
)
def test_a_language_is_named_or_known_by_its_ending(shop: Project, names: tuple[str, ...], wanted: tuple[str, ...]):
    assert scope_languages(shop.workspace, names) == wanted


@for_each(("name", "nearest"), [("pyhton", "python"), ("typescrpt", "typescript")])
def test_an_unknown_language_is_refused_and_the_nearest_named(shop: Project, name: str, nearest: str):
    with pytest.raises(UnknownName) as caught:
        scope_languages(shop.workspace, (name,))
    assert caught.value.nearest == nearest


def test_a_file_is_named_from_the_root_however_it_was_typed(shop: Project):
    for path in ("web/cart.ts", "./src/../web/cart.ts", str(shop.workspace.root / "web/cart.ts")):
        assert scope_file(shop.workspace, path) == "web/cart.ts"


@for_each(
    ("path", "code"),
    [
        ("cart.ts", "files.no_file"),
        ("web", "files.not_indexed"),
        (".env", "files.not_indexed"),
        ("nothing/like/it", "files.no_file"),
    ],
)
def test_what_is_no_indexed_file_is_refused(shop: Project, path: str, code: str):
    with refusal(UnknownFile, code):
        scope_file(shop.workspace, path)


@for_each(
    ("path", "near"),
    [
        ("b/util.py", "a/b/util.py"),
        ("c/util.py", "c/d/util.py"),
        ("a/b/utill.py", "a/b/util.py"),
        ("日本/設定.py", "x/設定.py"),
        ("q.rs", ""),
    ],
)
def test_the_nearest_path_has_the_same_name_or_one_like_it(path: str, near: str):
    assert nearest_path(path, ["a/b/util.py", "c/d/util.py", "x/設定.py"]) == near


ODD = ["x" * 300, "é" * 200, "x/" * 3000 + "y", "a\0b", "/" + "x/" * 3000, "../" * 2000]
"""Paths that no system can have, or that lead out."""


@for_each("path", ODD)
@for_each(
    ("name", "argument", "rest"),
    [
        ("get_symbols", "path", {}),
        ("analyze_structure", "path", {}),
        ("get_function_at_line", "file_path", {"line": 1}),
        ("snippets_get", "path", {}),
        ("deps_closure", "path", {}),
        ("find_references", "defined_in", {"symbol": "x"}),
        ("analyze_impact", "files", {}),
        ("search", "editing", {"query": "x"}),
    ],
)
def test_a_path_that_no_system_can_have_is_a_bad_path(shop: Project, name: str, argument: str, rest: dict, path: str):
    with pytest.raises(UsageError):
        shop.call(name, **{argument: path}, **rest)
