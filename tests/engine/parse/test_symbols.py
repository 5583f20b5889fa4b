"""Names, scopes, docs and signatures, whatever the language."""

from tests.cases import for_each

from shirube.engine.parse.file import parse_file
from shirube.engine.parse.symbols import DEEPEST, NAME_CHARACTERS, SIGNATURE_CHARACTERS
from shirube.types import Symbol


def _symbols(text: str, language: str = "python") -> list[Symbol]:
    return list(parse_file(text.encode(), language).symbols)


def test_a_function_in_a_class_is_a_method_and_one_in_a_function_is_not() -> None:
    found = _symbols("class A:\n    def f(self):\n        def g(): pass\n")
    assert [(one.kind, one.qualified) for one in found] == [("class", "A"), ("method", "A.f"), ("function", "A.f.g")]


def test_a_comment_above_a_blank_line_documents_nothing() -> None:
    assert _symbols("# far\n\ndef f(): pass\n")[0].doc == ""


def test_a_comment_at_the_end_of_a_line_documents_nothing() -> None:
    assert _symbols("x = 1  # about x\ndef f(): pass\n")[1].doc == ""


def test_a_docstring_is_preferred_to_a_comment() -> None:
    assert _symbols('# above\ndef f():\n    """Inside."""\n')[0].doc == "Inside."


def test_a_module_docstring_belongs_to_no_symbol() -> None:
    assert _symbols('"""Module."""\nx = 1\n')[0].doc == ""


def test_comments_and_attributes_mixed_are_all_above() -> None:
    found = _symbols("/// Doc\n#[a]\n// note\n#[b]\nfn f() {}\n", "rust")[0]
    assert (found.start_line, found.end_line, found.doc) == (2, 5, "Doc\nnote")


def test_the_doc_comment_is_in_the_piece_but_not_in_the_symbol() -> None:
    parsed = parse_file(b"x = 1\n\n# doc\ndef f():\n    pass\n", "python")
    assert parsed.symbols[1].start_line == 4
    assert parsed.pieces[1].start_line == 3


def test_two_names_of_one_statement_are_neighbours() -> None:
    assert [one.qualified for one in _symbols("int a, b;\n", "c")] == ["a", "b"]


def test_a_typedef_of_a_named_struct_is_one_symbol() -> None:
    assert [one.qualified for one in _symbols("typedef struct a { int x; } a;\n", "c")] == ["a", "a.x"]


def test_long_signatures_names_and_docs_are_cut() -> None:
    found = _symbols(f"# {'d' * 3000}\ndef {'n' * 500}({', '.join(f'a{n}' for n in range(200))}):\n    pass\n")[0]
    assert len(found.signature) == SIGNATURE_CHARACTERS
    assert len(found.name) == NAME_CHARACTERS
    assert len(found.doc) == 1000


def test_a_signature_is_one_line_without_annotations() -> None:
    assert _symbols("@A(1)\npublic\nclass K\n  extends B {\n}\n", "java")[0].signature == "public class K extends B"


def test_very_deep_scopes_do_not_make_endless_names() -> None:
    found = _symbols("function f() {\n" * 3000 + "}\n" * 3000, "javascript")
    assert len(found) == 3000
    assert max(len(one.qualified) for one in found) <= 2 * DEEPEST + 2


def test_local_variables_are_no_symbols() -> None:
    assert [one.name for one in _symbols("def f():\n    local = 1\n    for i in x: y = i\n")] == ["f"]


def test_the_scope_of_a_symbol_is_what_encloses_it() -> None:
    assert [one.scope for one in _symbols("class A:\n    def f(self): pass\n")] == ["", "A"]


@for_each(
    ("language", "text", "kind", "qualified", "inside"),
    [
        ("elixir", "defmodule Ecto.Query do\n  def f, do: 1\nend\n", "module", "Ecto.Query", "Ecto.Query.f"),
        ("csharp", "namespace N.M {\n  class C {}\n}\n", "namespace", "N.M", "N.M.C"),
        ("typescript", "namespace N.M {\n  export function q() {}\n}\n", "namespace", "N.M", "N.M.q"),
        ("cpp", "namespace a::b {\n  void f() {}\n}\n", "namespace", "a.b", "a.b.f"),
    ],
)
def test_a_module_defined_by_its_whole_path_is_named_by_the_last_part(language, text, kind, qualified, inside) -> None:
    outer, inner = _symbols(text, language)
    scope, _, name = qualified.rpartition(".")
    assert (outer.kind, outer.name, outer.scope, outer.qualified) == (kind, name, scope, qualified)
    assert inner.qualified == inside
    assert inner.scope == qualified


def test_a_module_in_a_module_has_the_whole_path_above_its_name() -> None:
    found = _symbols("defmodule A.B do\n  defmodule C.D do\n  end\nend\n", "elixir")
    assert [(one.name, one.qualified) for one in found] == [("B", "A.B"), ("D", "A.B.C.D")]
