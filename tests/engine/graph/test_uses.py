from shirube.engine.graph.definitions import find_exact, read_name
from shirube.engine.graph.found import How, Reference
from shirube.engine.graph.references import CONFIDENCE, ELSEWHERE, TURNS, UsesPage, find_uses, turn_of
from shirube.types import Scope
from tests.engine.graph.conftest import store_of


def use(where: str, how: How) -> Reference:
    return Reference("a.py", 1, 1, 2, "x", where, how, 0.5, "", "")


def test_what_is_sure_comes_first_then_other_code_then_prose():
    found = [use("code", How.SAME_FILE), use("code", How.IMPORT_RESOLVED), use("code", How.NAME_ONLY)]
    assert [turn_of(one) for one in found] == [0, 0, 1]
    assert [turn_of(use(where, How.NAME_ONLY)) for where in ("comment", "string", "text")] == [2, 2, 2]
    assert max(turn_of(one) for one in [*found, use("text", How.NAME_ONLY)]) < TURNS


def test_the_surer_a_way_the_higher_its_confidence():
    assert set(CONFIDENCE) == set(How)
    sure = min(CONFIDENCE[How.SAME_FILE], CONFIDENCE[How.IMPORT_RESOLVED])
    assert sure > CONFIDENCE[How.NAME_ONLY] > max(ELSEWHERE.values())


def test_a_heading_and_a_section_are_definitions_and_a_tag_of_blade_is_a_use_of_its_view():
    store = store_of(
        {
            "g.md": "# Guide\n\n## Paying here\n\nPaying here is easy.\n",
            "resources/views/login.blade.php": "@section('content')\n<x-alert>No</x-alert>\n@endsection\n",
            "resources/views/components/alert.blade.php": "<div>{{ $slot }}</div>\n",
            "style.css": ".button { color: red; }\n",
        }
    )

    def places(name: str) -> tuple[list[str], list[str], int]:
        found = find_exact(store, read_name(name), Scope())
        uses = find_uses(store, read_name(name), found, Scope(), UsesPage(9))
        defined = [f"{one.path}:{one.symbol.start_line}" for one in found]
        return defined, [f"{use.file}:{use.line}" for use in uses.items], uses.definitions

    assert places("Paying here") == (["g.md:3"], ["g.md:5"], 1)
    assert places("content") == (["resources/views/login.blade.php:1"], [], 1)
    tag = "resources/views/login.blade.php:2"
    assert places("x-alert") == (["resources/views/components/alert.blade.php:1"], [tag, tag], 0)
    assert places(".button") == (["style.css:1"], [], 1)
