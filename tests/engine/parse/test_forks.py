from tests.cases import for_each

from shirube.engine.parse.c_family import uneven_branches
from shirube.engine.parse.file import parse_file


def names(text: str) -> list[str]:
    return [one.name for one in parse_file(text.encode(), "c").symbols]


def test_of_branches_that_share_a_bracket_the_first_is_kept():
    forked = "#ifdef A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n"
    text = f"int f(void) {{\n{forked}  return 0;\n}}\nint g(void) {{ return 1; }}\n"
    assert names(text) == ["f", "g"]
    assert list(uneven_branches(text.encode())) == [(14, 22), (34, 57)]


def test_a_branch_inside_of_a_list_or_an_expression_is_made_straight():
    listed = "  static int m[][2] = {\n#ifdef A\n    { 1, 2 },\n#endif\n    { 3, 4 }\n  };\n"
    text = f"int f(void) {{\n{listed}  return g(1,\n#ifdef B\n    2,\n#endif\n    3);\n}}\nint last;\n"
    assert names(text) == ["f", "last"]


@for_each(
    "text",
    [
        "#ifdef A\nint f(void) { return 1; }\n#else\nint g(void) { return 2; }\n#endif\n",
        "char *a = \"#if {\";\n// #if {\n/* #else } */\nchar c = '{';\n",
        "enum e {\n  A,\n#ifdef X\n  B,\n#endif\n  C\n};\n",
    ],
)
def test_whole_declarations_stay_in_every_branch(text: str):
    assert list(uneven_branches(text.encode())) == []


def test_a_comment_does_not_end_a_macro():
    text = "#define FIELDS \\\n  /* public */ \\\n  void *data; \\\n  int size;\n\nstruct a { int x; };\n"
    assert names(text) == ["FIELDS", "a", "x"]


def test_what_never_ends_is_left_alone():
    assert list(uneven_branches(b"#if A\n{\n#else\n")) == []
    assert list(uneven_branches(b"#endif\n}\n#else\n")) == []
