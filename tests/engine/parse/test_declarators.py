from tests.cases import for_each

from shirube.engine.parse.file import parse_file
from shirube.engine.parse.mentions import mentions_in


def told(text: str, language: str = "c") -> list[str]:
    return [f"{one.kind} {one.qualified}" for one in parse_file(text.encode(), language).symbols]


@for_each(
    ("text", "wanted"),
    [
        ("static udp_t clients[4], *other;", ["variable clients", "variable other"]),
        ("static int (*handlers[3])(int, void *);", ["variable handlers"]),
        ("int *(*maker(void))(int);", ["function maker"]),
        ("char **argv_copy(int n), plain;", ["function argv_copy", "variable plain"]),
        ("typedef int (*callback_t)(void *arg);", ["type callback_t"]),
        ("typedef unsigned char byte, *bytes;", ["type byte", "type bytes"]),
        ("static const char *const names[] = { 0 };", ["variable names"]),
        ("static const struct ops table[] = { [0] = { .open = 0 }, };", ["variable table"]),
        ("struct ops { int (*open)(int); int fd, *p; char n[16]; unsigned on:1; };",
         ["struct ops", "field ops.open", "field ops.fd", "field ops.p", "field ops.n", "field ops.on"]),
        ("struct a;\nstruct a *make(struct a *x);", ["function make"]),
        ("enum color { RED, GREEN = 2 };", ["enum color", "constant color.RED", "constant color.GREEN"]),
        ("__attribute__((noreturn)) void die(char *m) __attribute__((format(printf, 1, 2)));", ["function die"]),
        ("__declspec(dllexport) int exported(void);", ["function exported"]),
        ("PUBLIC(char *) version(void);", ["function version"]),
        ("int add(a, b)\n  int a;\n  char *b;\n{ return a; }", ["function add"]),
        ("int main(void) { static int inner; extern int other; int *p, q[3]; return 0; }", ["function main"]),
    ],
)  # fmt: skip
def test_a_name_is_found_however_deep_it_stands(text: str, wanted: list[str]):
    assert told(text) == wanted


@for_each(
    ("text", "language", "wanted"),
    [
        ("TEST_IMPL(rings) { return 0; }", "c", ["test rings"]),
        ("TEST_CASE(rings)\n{\n}", "c", ["test rings"]),
        ("DEFINE_HOOK(rings) { return 0; }", "c", ["function rings"]),
        ("TEST(Till, rings) { }\nTEST_F(Till, shuts) { }", "cpp", ["test Till.rings", "test Till.shuts"]),
        ("Till::Till(int x) : x_(x) {}", "cpp", ["method Till.Till"]),
    ],
)
def test_what_a_macro_makes_is_named_by_its_arguments(text: str, language: str, wanted: list[str]):
    assert told(text, language) == wanted


def test_members_of_a_class_keep_their_kinds():
    text = (
        "class Till {\n  explicit Till(int x);\n  ~Till();\n  int& ref();\n  static char* names[3];\n  int a, b;\n};\n"
    )
    assert told(text, "cpp") == [
        "class Till", "method Till.Till", "method Till.~Till", "method Till.ref",
        "field Till.names", "field Till.a", "field Till.b",
    ]  # fmt: skip


def test_a_name_inside_of_a_function_is_no_definition_of_the_file():
    mentions, _ = mentions_in("int x;\nint f(void) {\n  int x = 1;\n  return x;\n}\n", "c", "x")
    assert [one.role for one in mentions] == ["definition", "local", "local"]
