from shirube.graph.definitions import find_exact, read_name
from shirube.graph.references import find_uses
from shirube.graph.uses import Page
from shirube.types import Scope
from tests.graph.conftest import store_of, told, uses

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
    found = find_uses(store, read_name("wrap"), outer, Scope(), Page(10))
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
    found = find_uses(store, read_name("State"), [one], Scope(), Page(10))
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
