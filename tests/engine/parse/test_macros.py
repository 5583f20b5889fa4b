from tests.cases import for_each

from shirube.engine.parse.c_family import without_macros
from shirube.engine.parse.file import parse_file


def names(text: str, language: str = "c") -> list[str]:
    return [f"{one.kind} {one.qualified}" for one in parse_file(text.encode(), language).symbols]


@for_each(
    ("text", "left"),
    [
        ("API int f(void);", "    int f(void);"),
        ("static INLINE int f(void) {", "static        int f(void) {"),
        ("FORMAT(1, 2) static void f(char *s);", "             static void f(char *s);"),
        ("void CALL f(int x);", "void      f(int x);"),
        ("BOOL WINAPI DllMain(int h) {", "     WINAPI DllMain(int h) {"),
        ("typedef struct { int a; } PACKED name_t;", "typedef struct { int a; }        name_t;"),
        ("int f(void) NOTHROW;", "int f(void)        ;"),
        ("API void *(*alloc)(int n) ATTR(1);", "    void *(*alloc)(int n)        ;"),
        ("class EXPORT Till : public Box {", "class        Till : public Box {"),
        ("LIST_HEAD(list, item) head;", "LIST_HEAD             head;"),
        ("HIDDEN(int f(int *x));", "       int f(int *x) ;"),
        ("LUA_API int (lua_gettop) (lua_State *L);", "        int (lua_gettop) (lua_State *L);"),
    ],
)
def test_a_word_too_many_is_blanked_out(text: str, left: str):
    assert without_macros(text.encode()).decode() == left


@for_each(
    "text",
    [
        "FILE *fp;\n",
        "DWORD const x;\n",
        "struct a b;\n",
        "int add(a, b)\n  int a;\n  char *b;\n{ return a; }\n",
        "VOID\nfoo(int x)\n{\n}\n",
        "enum { A,\n  B\n};\n",
        "int x[] = {\n  ONE\n};\n",
        "struct a b = {\n  ONE\n};\n",
        "x = A |\n  B\n  ;\n",
        "return foo(x);\nelse bar(y);\n",
        "TEST(Till, rings)\n{\n}\n",
        "#define CHECK(x) \\\n  ASSERT(x)\n\nstatic int y;\n",
    ],
)
def test_what_is_no_macro_stays(text: str):
    assert without_macros(text.encode()).decode() == text


def test_a_line_to_itself_is_blanked_out_between_statements():
    text = "struct a {\n  COMMON_FIELDS\n  MORE_FIELDS\n  int x;\n  LAST\n};\nDECLARE_ALL(x)\nDECLARE (y)\nint z;\n"
    assert names(text) == ["struct a", "field a.x", "variable z"]
    assert len(without_macros(text.encode())) == len(text)


def test_linkage_for_another_language_is_no_bracket():
    text = '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n'
    assert names(text) == ["function f"]
    assert names(text, "cpp") == ["function f"]


def test_places_and_japanese_stay_where_they_are():
    text = "/* 検索 */ int a;\nAPI int 検索(void);\nAPI int after(void);\n"
    found = parse_file(text.encode(), "c").symbols
    assert ("after", 3) in [(one.name, one.start_line) for one in found]
    assert next(one for one in found if one.name == "after").signature == "int after(void)"


@for_each("part", ["A ", "a b ", "A(", "((((", "\\\n", "/*", '"', "#if x\n", "{ ", "} X ", "a\n" * 3, "*&"])
def test_hostile_text_takes_no_longer_than_its_size(part: str):
    text = part.encode() * 3_000
    assert len(without_macros(text)) == len(text)
