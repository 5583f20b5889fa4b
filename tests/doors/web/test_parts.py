"""What several pages are made of."""

import pytest

from shirube.codec.records import replace
from shirube.doors.web.parts import (
    EDITORS,
    area,
    code,
    done,
    facts,
    figures,
    marks_of,
    moment,
    notes,
    place,
    reason_words,
    select,
    table,
    told,
    trouble,
)
from shirube.doors.web.words import Words
from shirube.errors import BadArgument
from tests.doors.web.conftest import Site


def found(query: str, text: str) -> list[str]:
    marks = marks_of(query)
    return marks.findall(text) if marks else []


def test_the_words_of_a_question_are_marked_however_a_name_is_spelled():
    assert found("retry payment", "RetryPolicy retry_payment") == ["Retry", "retry", "payment"]
    assert found("chargeCard", "charge_card") == ["charge", "card"]
    assert found("支払い", "支払方法と払い戻し") == ["支払", "払い"]
    assert found("lang:python path:src x", "python src x") == []
    assert found("(.*)", "(.*)") == []


def test_code_has_its_line_numbers_and_marks_nothing_else():
    made = code("a <b>\nlogin()", 7, marks_of("login"))
    assert '<li value="7">a &lt;b&gt;</li><li value="8"><mark>login</mark>()</li>' in made


def test_a_line_of_a_megabyte_is_cut_and_counted():
    made = code("x" * 1_000_000)
    assert len(made) < 1000
    assert "+999,700" in made


@pytest.mark.parametrize("editor", sorted(EDITORS))
def test_a_place_opens_in_the_editor_that_was_chosen(site: Site, editor: str):
    visit = site.visit()
    workspace = visit.workspace
    before = workspace.config
    workspace.config = replace(before, web=replace(before.web, editor=editor))
    try:
        made = place(visit, 'a"b <c>/日本 語.py', 3, 9)
    finally:
        workspace.config = before
    scheme = EDITORS[editor].split("{")[0].replace("&", "&amp;")
    assert f'href="{scheme}' in made
    assert "a%22b%20%3Cc%3E/%E6%97%A5%E6%9C%AC%20%E8%AA%9E.py" in made
    assert 'data-copy="a&quot;b &lt;c&gt;/日本 語.py:3-9"' in made
    assert "<c>" not in made


def test_without_an_editor_a_place_is_only_told(site: Site):
    visit, before = site.visit(), site.project.workspace.config
    visit.workspace.config = replace(before, web=replace(before.web, editor="none"))
    try:
        assert "href" not in place(visit, "a.py", 1)
    finally:
        visit.workspace.config = before


def test_an_error_tells_what_to_do_next():
    made = trouble(Words("en"), BadArgument("no <file>", "give one"))
    assert 'role="alert"' in made
    assert "no &lt;file&gt;" in made
    assert "give one" in made


def test_an_error_in_a_line_has_its_hint_in_brackets():
    assert told(Words("en"), BadArgument("asking.stale_cursor")).endswith(
        "given (ask again without cursor for the first page)"
    )
    assert told(Words("ja"), BadArgument("asking.stale_cursor")).endswith(
        "変わりました（最初のページから見てください）"
    )
    assert told(Words("ja"), BadArgument("no <file>")) == "no <file>"


def test_what_a_form_did_is_told_by_a_known_word_only(site: Site):
    assert "Deleted." in str(done(site.visit(done="deleted")))
    assert done(site.visit(done="<script>")) is None
    assert done(site.visit()) is None


def test_notes_are_told_once_and_empty_facts_not_at_all(site: Site):
    assert notes(site.visit(), ["a", "a", ""]).count("<p") == 1
    assert facts([("a", ""), ("b", None), ("c", "x")]).count("<dt>") == 1


def test_a_table_names_itself_and_can_be_scrolled_by_keys():
    made = table(("a", "n"), [("x", 1)], "Files", (1,))
    assert 'role="region" aria-label="Files" tabindex="0"' in made
    assert '<td role="cell" class="num" data-head="n"><div class="cell">1</div></td>' in made


def test_a_box_gives_back_what_was_typed():
    assert "a\u202e&lt;b&gt;</textarea>" in area("x", "X", "a\u202e<b>")


def test_a_choice_knows_what_is_chosen():
    assert '<option value="b" selected>B</option>' in select("x", "X", "b", [("a", "A"), ("b", "B")])


def test_moments_are_for_people():
    assert moment("2026-11-15T16:00:00Z") == '<time datetime="2026-11-15T16:00:00Z">2026-11-15 16:00:00</time>'
    assert moment("") == "–"


def test_a_reason_is_told_in_words(site: Site):
    assert reason_words(site.visit(), "text:words") == ("Text", "by words")
    assert reason_words(site.visit("ja"), "boost:test") == ("ファイルの種類", "テスト")
    assert reason_words(site.visit(), "dep:src/a.py") == ("Linked with", "src/a.py")


def test_figures_have_a_name_a_value_and_what_they_are_made_of():
    made = figures([("Success", "65%", "15 of 23"), ("Files", "3", "")])
    assert made.count("<dt>") == 2
    assert '<dd class="dim">15 of 23</dd>' in made
    assert made.count('class="dim"') == 1
