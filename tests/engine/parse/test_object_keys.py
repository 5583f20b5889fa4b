"""Keys of object literals in JavaScript, TypeScript and the scripts of components."""

import pytest
from tests.cases import for_each
from tests.engine.parse.samples import read

STORE = """\
export const store = createStore<Types>({
  // applies it
  APPLY: {
    mutation(state) { state.x = 1; },
    action: async () => { await go(); },
  },
  SAVE: { action: locked(async () => { await go(); }) },
  ready: (state) => state.x,
  data: { a: 1, b: { c: 2 } },
});
"""


def kinds(source: str, language: str = "typescript") -> list[str]:
    """Return the kind and scoped name of every symbol."""
    return [f"{one.kind} {one.qualified}" for one in read(source, language).symbols]


def test_a_key_that_holds_functions_is_the_scope_of_its_members():
    assert kinds(STORE) == [
        "constant store",
        "property store.APPLY",
        "method store.APPLY.mutation",
        "function store.APPLY.action",
        "property store.SAVE",
        "function store.SAVE.action",
        "function store.ready",
    ]


def test_such_a_key_has_its_lines_its_comment_and_a_signature():
    key = next(one for one in read(STORE, "typescript").symbols if one.name == "APPLY")
    assert (key.start_line, key.end_line, key.doc, key.signature) == (3, 6, "applies it", "APPLY")


def test_the_key_is_read_with_its_first_member():
    pieces = [(one.symbol, one.start_line, one.end_line) for one in read(STORE, "typescript").pieces]
    assert pieces[1:3] == [("store.APPLY.mutation", 2, 4), ("store.APPLY.action", 5, 6)]


@for_each(
    ("source", "wanted"),
    [
        (
            "const on = { 'open-file': async (e) => e, [Key.CLOSE](e) { return e }, [LOCK]: () => 1 };",
            ["constant on", "function on.open-file", "method on.CLOSE", "function on.LOCK"],
        ),
        ("handle({ GET_X: () => 1, 'GET_Y': function () {} });", ["function GET_X", "function GET_Y"]),
        ("export default { name: 'x', methods: { run() {} } };", ["property methods", "method methods.run"]),
        (
            "const on = { OPEN: openFile, 'no-tabs': noTabs, size: width, DEPTH: 3 };",
            ["constant on", "property on.OPEN", "property on.no-tabs"],
        ),
        ("function f() { return { OPEN: open, 'x-y': z }; }", ["function f"]),
        ("const sizes = { small: { px: 1, deep: { em: 2 } }, rows: list.map((x) => x) };", ["constant sizes"]),
        ("const a = { b: { c: { d() {} } } };", ["constant a", "property a.b", "property a.b.c", "method a.b.c.d"]),
    ],
)
def test_keys_are_symbols_where_they_lead_to_functions(source: str, wanted: list[str]):
    assert kinds(source) == wanted
    assert kinds(source, "javascript") == wanted


@pytest.mark.parametrize("language", ["vue", "svelte"])
def test_keys_in_a_component_are_symbols(language: str):
    source = '<script lang="ts">\nexport default { methods: { run() {} } };\n</script>\n'
    assert kinds(source, language) == ["property methods", "method methods.run"]
