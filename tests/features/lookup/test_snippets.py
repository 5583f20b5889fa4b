"""snippets_get: spans, symbols, outlines, and lines that are not there."""

from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import shown_json
from shirube.engine.text.budget import estimate_tokens
from shirube.errors import BadArgument, UnknownFile
from tests.cases import for_each

PAYMENT = "src/shop/payment.py"


@pytest.mark.requirement("N001-SNIPPET-01")
def test_a_line_means_the_symbol_around_it_in_the_seeds_own_names(shop: Project):
    found = shown_json(shop.snippets_get(PAYMENT, line_number=18))
    names = ("path", "startLine", "endLine", "totalLines", "symbolName", "symbolKind")
    assert {name: found[name] for name in names} == {
        "path": PAYMENT,
        "startLine": 15,
        "endLine": 19,
        "totalLines": 29,
        "symbolName": "PaymentGateway.charge_card",
        "symbolKind": "method",
    }
    assert found["content"].startswith("    def charge_card")
    assert found["tokens"] == estimate_tokens(found["content"])


def test_a_span_is_shown_as_it_is_and_ends_with_the_file(shop: Project):
    found = shop.snippets_get(PAYMENT, start_line=27, end_line=99)
    assert (found.startLine, found.endLine, found.symbolName) == (27, 29, "checkout")
    assert found.content.count("\n") == 2


@for_each(("place", "lines"), [(f"{PAYMENT}:9-10", (9, 10)), (f"{PAYMENT}:18", (15, 19))])
def test_a_place_as_answers_print_it_is_read(shop: Project, place: str, lines: tuple[int, int]):
    found = shop.snippets_get(place)
    assert (found.path, found.startLine, found.endLine) == (PAYMENT, *lines)


def test_a_file_whose_name_looks_like_a_place_is_read_as_it_is(sample_repo: Path):
    (sample_repo / "notes.txt:1-2").write_text("one\ntwo\nthree\n")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        assert project.snippets_get("notes.txt:1-2").endLine == 3


def test_the_outline_of_a_long_file_spans_all_of_it(sample_repo: Path):
    (sample_repo / "long.py").write_text("".join(f"name_{at} = {at}\n" for at in range(700)))
    with open_workspace(sample_repo) as project:
        project.sync_index()
        found = project.snippets_get("long.py")
        assert (found.view, found.endLine, found.truncated) == ("outline", 700, False)


def test_line_numbers_on_request(shop: Project):
    found = shop.snippets_get(PAYMENT, start_line=9, end_line=10, includeLineNumbers=True)
    assert found.content.split("\n")[0].startswith(" 9→")


def test_a_line_in_no_symbol_shows_what_stands_around_it(shop: Project):
    found = shop.snippets_get("README.md", start_line=1)
    assert found.startLine <= 1 <= found.endLine


def test_a_small_file_is_shown_whole_and_an_outline_on_request(shop: Project):
    assert shop.snippets_get(PAYMENT).view.value == "full"
    outline = shop.snippets_get(PAYMENT, view="outline").content.split("\n")
    assert "12-24  class PaymentGateway" in outline
    assert any(line.startswith("15-19    def charge_card") for line in outline)


def test_a_long_file_shows_its_outline_first_and_its_text_in_parts(tmp_path: Path, state_dirs):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "long.py").write_text("".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(300)))
    with open_workspace(tmp_path / "p") as project:
        assert project.snippets_get("long.py").view.value == "outline"
        part = project.snippets_get("long.py", view="full")
        assert part.truncated
        assert part.next == f"start_line={part.endLine + 1} end_line=1200 shows the rest"


def test_compact_leaves_the_text_out(shop: Project):
    found = shop.snippets_get(PAYMENT, start_line=18, compact=True)
    assert found.content == ""
    assert found.tokens > 10


@for_each(
    ("arguments", "cause", "hint"),
    [
        ({"start_line": 30}, "line 30 is past the end", "1 to 29"),
        ({"start_line": 9, "end_line": 3}, "comes before", "smaller"),
        ({"start_line": 0}, "must be at least 1", "First line"),
    ],
)
def test_a_line_that_is_not_there_is_refused(shop: Project, arguments: dict, cause: str, hint: str):
    with pytest.raises(BadArgument, match=cause) as refused:
        shop.snippets_get(PAYMENT, **arguments)
    assert hint in refused.value.hint


def test_a_file_that_is_not_indexed_is_refused_with_the_nearest(shop: Project):
    with pytest.raises(UnknownFile) as refused:
        shop.snippets_get("shop/paymnt.py")
    assert "src/shop/payment.py" in refused.value.hint


def test_what_changed_on_disk_is_shown_as_it_is_now(sample_repo: Path):
    with open_workspace(sample_repo) as project:
        project.sync_index()
        (sample_repo / "web" / "price.ts").write_text("export const now = 1;\n")
        assert project.snippets_get("web/price.ts").content.startswith("export const now")
