"""What several pages are made of, as the templates make it."""

import pytest

from shirube.codec import replace
from shirube.doors.web.rendering import (
    FIRST_PAGE,
    LONGEST_COMPARED,
    compile_templates,
    marks_of,
    only_here,
    template_environment,
)
from shirube.doors.web.visit import EDITORS
from shirube.doors.web.words import Words
from shirube.errors import BadArgument
from tests.doors.web.conftest import Site

PARTS = "{% import 'parts.html' as ui with context %}"


def part(site: Site, template: str, **values: object) -> str:
    """Return something made by ``parts.html`` for an English reader."""
    visit = site.visit(**{name: str(value) for name, value in values.items() if name == "done"})
    words = visit.words
    known = {"visit": visit, "t": words, "term": words.term, "say": words.say, **values}
    return template_environment().from_string(f"{PARTS}{template}").render(known)


def found(query: str, text: str) -> list[str]:
    marks = marks_of(query)
    return marks.findall(text) if marks else []


def test_the_words_of_a_question_are_marked_however_a_name_is_spelled():
    assert found("retry payment", "RetryPolicy retry_payment") == ["Retry", "retry", "payment"]
    assert found("chargeCard", "charge_card") == ["charge", "card"]
    assert found("支払い", "支払方法と払い戻し") == ["支払", "払い"]
    assert found("lang:python path:src x", "python src x") == []
    assert found("(.*)", "(.*)") == []


def test_code_has_its_line_numbers_and_marks_nothing_else(site: Site):
    made = part(site, "{{ ui.code(text, 7, marks) }}", text="a <b>\nlogin()\n", marks=marks_of("login"))
    assert '<li value="7">a &lt;b&gt;</li><li value="8"><mark>login</mark>()</li><li value="9">&#8203;</li>' in made


def test_marks_keep_what_is_around_and_inside_them_escaped(site: Site):
    made = part(site, "{{ ui.code(text, 1, marks) }}", text="<i>login\u202e</i>", marks=marks_of("login"))
    assert '&lt;i&gt;<mark>login</mark><span class="odd">U+202E</span>&lt;/i&gt;</li>' in made


def test_a_line_of_a_megabyte_is_cut_and_counted(site: Site):
    made = part(site, "{{ ui.code(text) }}", text="x" * 1_000_000)
    assert len(made) < 1000
    assert "+999,700" in made


@pytest.mark.parametrize("editor", sorted(EDITORS))
def test_a_place_opens_in_the_editor_that_was_chosen(site: Site, editor: str):
    workspace = site.project.workspace
    before = workspace.config
    workspace.config = replace(before, web=replace(before.web, editor=editor))
    try:
        made = part(site, "{{ ui.place(path, 3, 9) }}", path='a"b <c>/日本 語.py')
    finally:
        workspace.config = before
    scheme = EDITORS[editor].split("{")[0].replace("&", "&amp;")
    assert f'href="{scheme}' in made
    assert "a%22b%20%3Cc%3E/%E6%97%A5%E6%9C%AC%20%E8%AA%9E.py" in made
    assert 'data-copy="a&quot;b &lt;c&gt;/日本 語.py:3-9"' in made
    assert "<c>" not in made


def test_without_an_editor_a_place_is_only_told(site: Site):
    workspace, before = site.project.workspace, site.project.workspace.config
    workspace.config = replace(before, web=replace(before.web, editor="none"))
    try:
        assert "href" not in part(site, "{{ ui.place('a.py', 1) }}")
    finally:
        workspace.config = before


def test_an_error_tells_what_to_do_next(site: Site):
    made = site.visit().render("trouble.html", error=BadArgument("no <file>", "give one"))
    assert 'role="alert"' in made
    assert "no &lt;file&gt;" in made
    assert "give one" in made


def test_an_error_in_a_line_has_its_hint_in_brackets():
    assert (
        Words("en")
        .error(BadArgument("asking.stale_cursor"))
        .endswith("given (ask again without cursor for the first page)")
    )
    assert (
        Words("ja").error(BadArgument("asking.stale_cursor")).endswith("変わりました（最初のページから見てください）")
    )
    assert Words("ja").error(BadArgument("no <file>")) == "no <file>"


def test_what_a_form_did_is_told_by_a_known_word_only(site: Site):
    assert "Deleted." in part(site, "{{ ui.done() }}", done="deleted")
    assert part(site, "{{ ui.done() }}", done="<script>") == ""
    assert part(site, "{{ ui.done() }}") == ""


def test_notes_are_told_once_and_empty_facts_not_at_all(site: Site):
    assert part(site, "{{ ui.notes(['a', 'a', 'A', '']) }}").count("<p") == 2
    made = part(site, "{{ ui.fact('a', '') }}{{ ui.fact('b', none) }}{{ ui.fact('c', '<x>') }}")
    assert made == "<div><dt>c</dt><dd>&lt;x&gt;</dd></div>"


def test_a_table_names_itself_and_can_be_scrolled_by_keys(site: Site):
    template = "{% call(row, column) ui.table(heads, rows, 'Files', ('n',)) %}{{ row[column] }}{% endcall %}"
    made = part(site, template, heads={"a": "A <b>", "n": "N\u202e"}, rows=[{"a": "<x>", "n": 1}])
    assert 'role="region" aria-label="Files" tabindex="0"' in made
    assert '<td role="cell" data-head="A &lt;b&gt;"><div class="cell">&lt;x&gt;</div></td>' in made
    assert '<td role="cell" class="num" data-head="N⟨U+202E⟩"><div class="cell">1</div></td>' in made


def test_a_box_gives_back_what_was_typed(site: Site):
    assert "a\u202e&lt;b&gt;</textarea>" in part(site, "{{ ui.area('x', 'X', text) }}", text="a\u202e<b>")


def test_a_choice_knows_what_is_chosen(site: Site):
    made = part(site, "{{ ui.select('x', 'X', 'b', [('a', 'A'), ('b', 'B')]) }}")
    assert '<option value="a">A</option><option value="b" selected>B</option>' in made


def test_moments_are_for_people(site: Site):
    made = part(site, "{{ ui.moment('2026-11-15T16:00:00Z') }}")
    assert made == '<time datetime="2026-11-15T16:00:00Z">2026-11-15 16:00:00</time>'
    assert part(site, "{{ ui.moment('') }}") == "–"


def test_a_reason_is_told_in_words():
    assert Words("en").reason("text:words") == ("Text", "by words")
    assert Words("ja").reason("boost:test") == ("ファイルの種類", "テスト")
    assert Words("en").reason("dep:src/a.py") == ("Linked with", "src/a.py")


def test_figures_have_a_name_a_value_and_what_they_are_made_of(site: Site):
    made = part(site, "{{ ui.tile('Success', '65%', '15 of 23') }}{{ ui.tile('Files', '3') }}")
    assert made.count("<dt>") == 2
    assert '<dd class="dim">15 of 23</dd>' in made
    assert made.count('class="dim"') == 1


def test_words_the_other_lacks_are_marked():
    assert only_here("it takes money", "it gives money") == 'it <mark class="only">takes</mark> money'
    assert only_here("same <b>", "same <b>") == "same &lt;b&gt;"
    assert only_here("<i>", "") == '<mark class="only">&lt;i&gt;</mark>'


def test_japanese_is_compared_character_by_character():
    assert only_here("お金を受け取る", "お金を返す") == 'お金を<mark class="only">受け取る</mark>'


def test_very_long_texts_are_shown_as_they_are():
    assert "<mark" not in only_here("a " * LONGEST_COMPARED, "b")


def test_what_the_first_page_needs_is_ready_before_somebody_asks(site: Site):
    template_environment().cache.clear()
    compile_templates(FIRST_PAGE)
    ready = set(template_environment().cache.keys())
    assert len(ready) == len(FIRST_PAGE)
    assert site.get("/search?q=checkout").status_code == 200
    assert set(template_environment().cache.keys()) == ready
    compile_templates()
    assert len(template_environment().cache.keys()) == len(template_environment().list_templates())
