from shirube.engine.graph.definitions import find_exact, read_name
from shirube.engine.graph.reach import Reach, reach_of
from shirube.engine.store.store import Store
from shirube.types import Scope
from tests.engine.graph.conftest import store_of


def reach(store: Store, name: str) -> Reach:
    return reach_of(store, name, find_exact(store, read_name(name), Scope()), store.mentions(name, Scope()).paths)


def test_a_name_is_handed_on_by_packages_and_stars():
    store = store_of(
        {
            "pkg/__init__.py": "from .core import Thing\n",
            "pkg/core.py": "class Thing: pass\n",
            "pkg/stars.py": "from .core import *\n",
            "app.py": "from pkg import Thing\nThing()\n",
            "late.py": "from pkg.stars import Thing\n",
            "whole.py": "import pkg.core\npkg.core.Thing()\n",
            "other.py": "class Other: pass\nThing = 1\n",
            "stranger.py": "from pkg.core import Nothing\nfrom elsewhere import Thing\n",
        }
    )
    meant = [one for one in find_exact(store, read_name("Thing"), Scope()) if one.path == "pkg/core.py"]
    found = reach_of(store, "Thing", meant, store.mentions("Thing", Scope()).paths)
    assert found.definers == {"pkg/core.py"}
    assert found.named >= {"pkg/__init__.py", "app.py", "pkg/stars.py", "late.py"}
    assert "whole.py" in found.whole
    assert "stranger.py" not in found.named
    assert not found.sees("other.py")


def test_typescript_hands_on_by_export_from():
    store = store_of(
        {
            "a.ts": "export function thing() {}\n",
            "index.ts": "export * from './a';\n",
            "named.ts": "export { thing } from './a';\n",
            "use.ts": "import { thing } from './index';\nthing();\n",
            "more.ts": "import { thing } from './named';\nthing();\n",
        }
    )
    assert reach(store, "thing").named == {"index.ts", "named.ts", "use.ts", "more.ts"}


def test_headers_are_seen_through_other_headers():
    store = store_of(
        {
            "area.h": "int area(int);\n",
            "area.c": '#include "area.h"\nint area(int x) { return x; }\n',
            "all.h": '#include "area.h"\n',
            "main.c": '#include "all.h"\nint main(void) { return area(1); }\n',
            "lone.c": "int area_of;\nint f(void) { return area(2); }\n",
        }
    )
    found = reach(store, "area")
    assert "main.c" in found.named
    assert not found.sees("lone.c")


def test_a_package_of_go_is_its_directory():
    store = store_of(
        {
            "go.mod": "module example.com/m\n",
            "a/one.go": "package a\nfunc Area() int { return 1 }\n",
            "a/two.go": "package a\nfunc B() int { return Area() }\n",
            "b/three.go": 'package b\nimport "example.com/m/a"\nfunc C() int { return a.Area() }\n',
        }
    )
    found = reach(store, "Area")
    assert found.package == {"a/one.go", "a/two.go"}
    assert found.whole == {"b/three.go"}


def test_what_is_in_a_source_of_c_is_seen_by_others_only_as_far_as_a_linker_sees_it():
    store = store_of(
        {
            "pay.h": "int pay(void);\n",
            "pay.c": '#include "pay.h"\nenum kind { CASH };\nstatic int hidden;\nint pay(void) { return CASH; }\n',
            "use.c": '#include "pay.h"\nint f(void) { return pay() + CASH + hidden; }\n',
        }
    )
    seen = {name: reach(store, name).sees("use.c") for name in ("pay", "CASH", "hidden")}
    assert seen == {"pay": True, "CASH": False, "hidden": False}
