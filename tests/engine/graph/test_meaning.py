from shirube.engine.graph.definitions import find_exact, read_name
from shirube.engine.graph.references import UsesPage, find_uses
from shirube.types import Scope
from tests.cases import for_each
from tests.engine.graph.conftest import store_of, told, uses

MEMBERS = {
    "a.py": (
        "class Session:\n    def start(self):\n        pass\n\n    def again(self):\n        self.start()\n\n\n"
        "def go(session: Session):\n    session.start()\n"
    ),
    "b.py": "class Engine:\n    def start(self):\n        pass\n\n    def run(self):\n        self.start()\n",
    "c.py": (
        "from a import Session\n\ns = Session()\ns.start()\nSession.start(s)\nother.start()\n\n\n"
        "class Sub(Session):\n    def x(self):\n        self.start()\n"
    ),
}


def test_a_qualified_name_means_one_class():
    found = uses(store_of(MEMBERS), "Session.start")
    assert told(found) == [
        ("a.py:6", "code", "same_file"),
        ("a.py:10", "code", "same_file"),
        ("c.py:4", "code", "import_resolved"),
        ("c.py:5", "code", "import_resolved"),
        ("c.py:11", "code", "import_resolved"),
        ("c.py:6", "code", "name_only"),
    ]
    assert found.others == 1, "self.start() in Engine is another start"


def test_a_function_inside_a_function_hides_the_one_outside():
    store = store_of(
        {"a.py": "def wrap():\n    pass\n\n\ndef f():\n    def wrap():\n        pass\n    return wrap\n\n\nwrap()\n"}
    )
    assert told(uses(store, "f.wrap")) == [("a.py:8", "code", "same_file")]
    outer = [one for one in find_exact(store, read_name("wrap"), Scope()) if one.symbol.qualified == "wrap"]
    found = find_uses(store, read_name("wrap"), outer, Scope(), UsesPage(10))
    assert told(found) == [("a.py:11", "code", "same_file")]


def test_a_test_that_is_called_like_a_function_does_not_hide_it():
    store = store_of(
        {
            "pay.ts": "export function pay() {}\n",
            "pay.test.ts": (
                "import { pay } from './pay'\ndescribe('pay', () => {\n  it('pays', () => {\n    pay()\n  })\n})\n"
            ),
        }
    )
    assert ("pay.test.ts:4", "code", "import_resolved") in told(uses(store, "pay", "pay.ts"))


def test_types_of_one_name_belong_to_the_test_that_declares_them():
    first = "  it('one', () => {\n    type State = number\n    let a: State\n  })\n"
    second = "  it('two', () => {\n    type State = string\n    let b: State\n  })\n"
    store = store_of({"a.test.ts": f"describe('all', () => {{\n{first}{second}}})\n"})
    one = next(one for one in find_exact(store, read_name("State"), Scope()) if one.symbol.start_line == 3)
    found = find_uses(store, read_name("State"), [one], Scope(), UsesPage(10))
    assert [(use.line, use.how.value) for use in found.items] == [(4, "same_file")]


def test_a_parameter_of_which_nothing_is_said_is_not_another_variable_of_that_name():
    store = store_of(
        {
            "till.py": "class Till:\n    def ring(self): ...\n",
            "use.py": (
                "from till import Till\n\n\ndef made():\n    till = Till()\n    till.ring()\n\n\n"
                "def given(till, other):\n    till.ring()\n"
            ),
        }
    )
    assert told(uses(store, "ring")) == [("use.py:6", "code", "import_resolved"), ("use.py:10", "code", "name_only")]


def test_a_class_that_has_a_member_itself_does_not_mean_the_one_it_inherits():
    own = "class B(A):\n    def go(self): ...\n\n    def run(self):\n        self.go()\n"
    text = f"class A:\n    def go(self): ...\n\n\n{own}"
    found = uses(store_of({"a.py": text}), "A.go")
    assert (told(found), found.others) == ([], 1)


COMMON = {
    "m.js": (
        "function x() {}\nclass View {}\nmodule.exports = { x, View };\n"
        "exports.answer = 42;\nexports.go = function () {};\n"
    ),
    "till.js": "function Till() {}\nexports = module.exports = Till;\n",
    "taken.js": "const { x, answer: n } = require('./m');\nx();\nn;\n",
    "whole.js": "const lib = require('./m');\nlib.x();\nlib.go();\nlib.answer;\nnew lib.View();\n",
    "direct.js": "require('./m').x();\n",
    "inner.js": "function f() { const { x } = require('./m'); x(); }\n",
    "same.js": "var Till = require('./till');\nnew Till();\n",
    "none.js": "function f(x) { x(); }\nother.x();\n",
}  # fmt: skip


@for_each(
    ("name", "wanted"),
    [
        ("x", ["m.js:3", "direct.js:1", "inner.js:1", "inner.js:1", "taken.js:1", "taken.js:2", "whole.js:2"]),
        ("answer", ["taken.js:1", "taken.js:1", "taken.js:3", "whole.js:4"]),
        ("go", ["whole.js:3"]),
        ("View", ["m.js:3", "whole.js:5"]),
        ("Till", ["till.js:2", "same.js:1", "same.js:2"]),
    ],
)
def test_commonjs_is_resolved_like_any_import(name: str, wanted: list[str]):
    found = uses(store_of(COMMON), name)
    assert [place for place, _, how in told(found) if how != "name_only"] == wanted


def test_a_name_that_is_required_from_elsewhere_is_not_ours():
    store = store_of(
        {
            "view.js": "var resolve = path.resolve;\nmodule.exports = View;\nfunction View() { resolve(); }\n",
            "app.js": "var View = require('./view');\nvar resolve = require('node:path').resolve;\nresolve();\n",
        }
    )
    assert [place for place, _, how in told(uses(store, "resolve")) if how != "name_only"] == ["view.js:3"]


def test_a_member_of_an_object_is_not_one_of_another_variable_of_that_name():
    store = store_of(
        {
            "response.js": "var res = {};\nmodule.exports = res;\nres.send = function send() {};\nres.send();\n",
            "use.js": "var express = require('./response');\nfunction get(req, res) { res.send(); }\n",
            "real.js": "var res = require('./response');\nres.send();\n",
        }
    )
    assert told(uses(store, "send")) == [
        ("response.js:4", "code", "same_file"),
        ("real.js:2", "code", "import_resolved"),
        ("use.js:2", "code", "name_only"),
    ]


def test_a_tag_of_c_is_kept_apart_from_other_names():
    text = "struct stat { int a; };\nint stat(struct stat *stat) {\n  struct stat copy;\n  return stat->a;\n}\n"
    store = store_of({"a.c": text + "int f(void) { return stat(0); }\n"})
    for kind, lines in (("struct", [2, 3]), ("function", [6])):
        meant = [one for one in find_exact(store, read_name("stat"), Scope()) if one.symbol.kind == kind]
        found = find_uses(store, read_name("stat"), meant, Scope(), UsesPage(20))
        assert [one.line for one in found.items if one.how != "name_only"] == lines


def test_static_names_of_c_belong_to_their_file():
    body = "static void done(void) {}\nint {0}(void) {{ done(); return shared(); }}\n"
    one, two = (body.replace("{0}", name).replace("{{", "{").replace("}}", "}") for name in ("a", "b"))
    store = store_of({"a.c": one, "b.c": two, "s.h": "int shared(void);\n", "s.c": "int shared(void) { return 1; }\n"})
    assert told(uses(store, "done", "a.c")) == [("a.c:2", "code", "same_file")]
    assert [place for place, _, _ in told(uses(store, "shared", "s.h"))] == ["a.c:2", "b.c:2"]


def test_a_module_that_is_handed_on_under_a_name_does_not_hand_on_its_names():
    store = store_of(
        {
            "coerce.ts": "export function text() {}\n",
            "index.ts": "export * as coerce from './coerce'\nexport * from './plain'\n",
            "plain.ts": "export function text() {}\n",
            "use.ts": "import * as z from './index'\nz.text()\n",
        }
    )
    assert told(uses(store, "text", "coerce.ts")) == []
    assert ("use.ts:2", "code", "import_resolved") in told(uses(store, "text", "plain.ts"))


def test_a_test_whose_name_ends_with_a_dot_keeps_its_names():
    first = "it('one.', () => {\n  type State = number\n  let a: State\n})\n"
    second = "it('two.', () => {\n  type State = string\n  let b: State\n})\n"
    store = store_of({"a.test.ts": first + second})
    symbol = next(one for one in store.symbols("a.test.ts") if one.name == "State")
    assert [one.line for one in uses(store, symbol.qualified).items] == [3]
