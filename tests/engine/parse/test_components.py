"""Symbols, imports, pieces and uses of single-file components."""

import pytest
from tests.cases import for_each
from tests.engine.parse.samples import SampleChecks, check_broken, check_doc, read

from shirube.engine.parse.components import code_in
from shirube.engine.parse.mentions import mentions_in

VUE = """\
<!-- 題名の帯
<script>
const hidden = 1;
</script>
-->
<template>
  <TitleBar :title="label" class="label" @save="save(label)">
    <template #label>{{ label }} label {{
      save
    }}</template>
    <p v-html="'<script>const quoted = 1;'" />
    <script>const nested = 1;</script>
  </TitleBar>
  <!-- label -->
</template>

<script lang="ts">
export interface Props { label: string }
const text = "<script>";
</script>
<script setup lang="ts">
import TitleBar from "./TitleBar.vue";
const label = computed<string>(() => "題名");
/** 保存する */
const save = async (name: string) => {
  await store.save(name);
};
</script>

<style scoped>
.label { color: red; }
</style>
"""

OPTIONS = """\
<script>
const { each } = require("./each");
export default {
  methods: {
    save() { return each; },
  },
};
</script>
<template><p>save</p></template>
"""

SVELTE = """\
<script context="module">
export const load = () => 1;
</script>
<script lang='ts'>
import Row from "./Row.svelte";
export let rows: string[] = [];
</script>
<Row {rows} on:click={load} /> load
"""

CASES = [
    (
        "vue",
        VUE,
        "interface Props 18-18\nfield Props.label 18-18\nconstant text 19-19\n"
        "constant label 23-23\nfunction save 25-27",
        [("./TitleBar.vue", 22, ("default",))],
    ),
    ("vue", OPTIONS, "property methods 4-6\nmethod methods.save 5-5", [("./each", 2, ("each",))]),
    ("svelte", SVELTE, "function load 2-2\nvariable rows 6-6", [("./Row.svelte", 5, ("default",))]),
]


@pytest.mark.parametrize(("language", "source", "symbols", "imports"), CASES)
class TestComponents(SampleChecks):
    pass


def test_a_comment_documents_what_follows_and_a_syntax_error_costs_only_its_own_place() -> None:
    check_doc("vue", VUE, "save", "保存する")
    check_broken("vue", "<script>\nfunction a( {\n</script>\n<script setup>\nfunction b() {}\n</script>\n", "b")


@for_each(
    ("source", "names"),
    [
        ("<template>\n  <p>const a = 1</p>\n</template>\n", []),
        ('<script src="./a.ts"/>\n<template>const a = 1</template>\n', []),
        ('<script src="./a.ts"></script>\nconst a = 1\n', []),
        ("<script>\nconst a = 1;\n", ["a"]),
        ("<script", []),
        ('<script lang="ts>\nconst a = 1;\n', []),
        ("<scripts>\nconst a = 1;\n</scripts>\n", []),
        ("<!--\n<script>\nconst a = 1;\n</script>\n", []),
        ("\ufeff<script>\nconst a = 1;\n</script>\n", ["a"]),
        ("<SCRIPT>const a = 1;</SCRIPT>\n", ["a"]),
        ("<script lang='coffee'>\na = -> 1\n</script>\n", []),
        ('<script lang="js">\nconst a = x < y;\n</script>\n', ["a"]),
        ('<script lang="ts" generic="T extends Map<K, V>">\nconst a = <T>b;\n</script>\n', ["a"]),
        ('<script lang="tsx">\nconst a = (b: B) => <p>{b}</p>;\n</script>\n', ["a"]),
        ("<script lang=jsx>\nconst a = () => <p>a</p>;\n</script>\n", ["a"]),
    ],
)
def test_only_scripts_of_the_component_are_code(source: str, names: list[str]) -> None:
    parsed = read(source, "vue")
    assert [one.name for one in parsed.symbols] == names
    assert parsed.notes == ()
    assert parsed.pieces


def test_markup_and_styles_are_pieces_as_well() -> None:
    parsed = read(VUE, "vue")
    data = VUE.encode()
    assert parsed.language == "vue"
    assert b" ".join(data[one.start : one.end] for one in parsed.pieces).split() == data.split()
    assert [(one.symbol, one.start_line, one.end_line) for one in parsed.pieces if one.symbol == "save"] == [
        ("save", 24, 27)
    ]


def test_blanking_keeps_every_place_and_leaves_other_languages_alone() -> None:
    data = VUE.replace("\n", "\r\n").encode()
    code, language = code_in(data, "vue")
    assert (language, len(code), code.count(b"\r\n")) == ("typescript", len(data), data.count(b"\n"))
    assert code.index("題名".encode()) == data.index("題名".encode(), data.index(b"computed"))
    assert code_in(b"<script>", "html") == (b"<script>", "html")


def test_expressions_in_markup_are_code_and_the_rest_is_text() -> None:
    def seen(name: str, source: str = VUE, language: str = "vue") -> list[tuple[int, str, str]]:
        return [(one.line, one.where, one.role) for one in mentions_in(source, language, name)[0]]

    assert seen("label") == [
        (7, "code", "bare"),
        (7, "text", "bare"),
        (7, "code", "bare"),
        (8, "text", "bare"),
        (8, "code", "bare"),
        (8, "text", "bare"),
        (14, "text", "bare"),
        (18, "code", "definition"),
        (23, "code", "definition"),
        (31, "text", "bare"),
    ]
    assert seen("save") == [
        (7, "text", "bare"),
        (7, "code", "bare"),
        (9, "code", "bare"),
        (25, "code", "definition"),
        (26, "code", "member"),
    ]
    assert seen("TitleBar")[:2] == [(7, "code", "bare"), (13, "code", "bare")]
    assert seen("load", SVELTE, "svelte") == [(2, "code", "definition"), (8, "code", "bare"), (8, "text", "bare")]
